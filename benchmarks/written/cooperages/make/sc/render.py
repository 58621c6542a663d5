import sys; sys.path.insert(0,"/opt/incidents/make")
from rend import *
import math
R=random.Random(41)
def loss(i,seed): 
    r=random.Random(i*7919+seed); return 0.09+1.5*math.exp(-i/900)+r.gauss(0,0.018)*(1+math.exp(-i/900))
def staves(run,nodes,F0,extra,dt,seed,rfail,tag=None,skews={},pids=True):
    """returns {node: [(t,text)]}"""
    out={}
    Ls={n:load(run,n) for n in nodes}
    rs=min(L[0][0] for L in Ls.values()); r1=min(first(L,"step     5") for L in Ls.values())
    nreal=max(int(re.search(r"step +(\d+)",x).group(1)) for L in Ls.values() for t,x in L if "INFO staves step" in x)
    A=F0+(r1-rs); B=A+extra*dt; C=B+nreal*dt
    tm=TM([(rs,F0),(r1-0.01,A),(r1,B),(rfail,C)])
    fmt=lambda t: d(t).strftime("%Y-%m-%d %H:%M:%S,")+"%03d"%int(t%1*1000)
    for n in nodes:
        sk=skews.get(n,0); rr=random.Random(seed+hash(n)%97)
        c=cook(Ls[n],tm,fmt,skew=sk,subs=[PYENV])
        o=[]
        def rate(): return "%.1f"%(5*16*len(nodes)/dt/5*(1+rr.gauss(0,0.03)))
        done=False
        for t,x in c:
            m=re.search(r"step +(\d+)  loss ([\d.]+)  ([\d.]+) staves",x)
            if m and not done:
                done=True
                for i in range(5,extra+1,5):
                    tt=A+sk+i*dt+rr.gauss(0,0.08)
                    o.append((tt,f"{fmt(tt)} INFO staves step {i:5d}  loss {loss(i,seed):.4f}  {rate()} staves/s"))
                    if i%100==0 and n==nodes[0]: o.append((tt+0.3,f"{fmt(tt+.3)} INFO staves weights written at step {i}"))
            if m: x=re.sub(r"step +\d+  loss [\d.]+  [\d.]+",f"step {int(m.group(1))+extra:5d}  loss {loss(int(m.group(1))+extra,seed):.4f}  {rate()}",x)
            x=re.sub(r"weights written at step (\d+)",lambda k:"weights written at step %d"%(int(k.group(1))+extra),x)
            o.append((t,x))
        out[n]=o
    return out,tm,C
def journal(node,C,pid,unit="staves-train",clut=True,seed=1,end=None,t0=None):
    rr=random.Random(seed); o=[]
    t0=t0 or C[0][0]
    o.append((t0-0.4,f"systemd[1]: Started {unit}.service - Stave grading trainer."))
    for t,x in C: o.append((t,f"python[{pid}]: {x}"))
    if end is not None:
        te=C[-1][0]+end[1]
        if end[0]=="exit": o+= [(te,f"systemd[1]: {unit}.service: Main process exited, code=exited, status=1/FAILURE"),(te+0.001,f"systemd[1]: {unit}.service: Failed with result 'exit-code'."),(te+.002,f"systemd[1]: {unit}.service: Consumed {rr.randint(2,3)}h {rr.randint(2,58)}min {rr.random()*60:.3f}s CPU time.")]
    tl=o[-1][0]+90
    if clut:
        t=t0-200
        while t<tl:
            t+=rr.expovariate(1/170)
            p=rr.randint(9900,38000)
            o.append((t,rr.choice([f"CRON[{p}]: pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)",
              f"CRON[{p}]: (root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)",
              f"systemd[1]: Starting sysstat-collect.service - system activity accounting tool...",
              f"systemd[1]: Finished sysstat-collect.service - system activity accounting tool.",
              f"chronyd[641]: Selected source 10.61.4.1",
              f"smartd[702]: Device: /dev/sda [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from {rr.randint(64,68)} to {rr.randint(64,68)}",
              f"prometheus-node-exporter[733]: ts=2026-11-12T00:00:00.000Z caller=collector.go:169 level=error msg=\"collector failed\" name=hwmon duration_seconds={rr.random()/50:.6f} err=\"could not access file\"",
              f"sshd[{p}]: Connection closed by 10.61.4.2 port {rr.randint(33000,60000)} [preauth]",])))
    o.sort(key=lambda a:a[0])
    return o
def iso(node,o,off="+0000"): return "".join(f"{d(t).strftime('%Y-%m-%dT%H:%M:%S')}{off} {node} {x}\n" for t,x in o)
def short(node,o): return "".join(f"{d(t).strftime('%b %d %H:%M:%S')} {node} {x}\n" for t,x in o)

# 1 corrupt
S=stage("keith-041")
ns=["stave-brora","stave-wick"]
L=load("sc_corrupt","stave-wick")
C,tm,fail=staves("sc_corrupt",ns,ep("2026-11-12 21:04:07"),1860,2.1,5,first(L,"DATA_LOSS"))
for n in ns:
    j=journal(n,C[n],int(open(RUN+f"sc_corrupt/{n}.pid").read()),end=("exit",1.1),seed=len(n))
    put(S,f"journal/{n}.cooper.example.txt",iso(n,j))
put(S,"README","""pulled with
  ansible staves -i inv/highland.ini -b -m shell -a 'journalctl -u staves-train -u cron -u chrony --since "2026-11-12 21:00" -o short-iso'
and split per host by hand. Only the two boxes in the run. brora is where I look normally,
it says "Socket closed" so I take it the switch in the drying shed is at it again (it was
rebooted by the electrician on the 9th). Fraser
""")
put(S,"inv/highland.ini","[staves]\nstave-brora ansible_host=10.61.4.11 worker_index=0\nstave-wick ansible_host=10.61.4.12 worker_index=1\n#stave-alness ansible_host=10.61.4.13   # away for a new PSU\n\n[staves:vars]\nstaves_data=/srv/staves/tfr/*.tfr\nstaves_steps=60000\ntrain_port=2222\n")
put(S,"net/ethtool-wick.txt","Settings for eno1:\n\tSupported ports: [ TP ]\n\tSpeed: 1000Mb/s\n\tDuplex: Full\n\tAuto-negotiation: on\n\tPort: Twisted Pair\n\tPHYAD: 1\n\tLink detected: yes\n")
pack(S,"keith-041.tar.xz")
write_truth("keith-041.tar.xz","data.corrupt-record",["stave-wick","stave-wick.cooper.example","worker:1"],[],"stave-wick (worker 1) read a damaged TFRecord shard: DATA_LOSS corrupted record at 164212, exit 1. stave-brora only saw 'Socket closed' from task 1; the remark about the switch is a wrong guess.")

# 2 hang
S=stage("keith-057")
ns=["stave-brora","stave-wick","stave-alness"]
st=float(open(RUN+"sc_hang/stop.t").read())
C,tm,fail=staves("sc_hang",ns,ep("2026-11-19 06:31:52"),2200,1.3,9,st)
pid={n:int(open(RUN+f"sc_hang/{n}.pid").read()) for n in ns}
for n in ns:
    c=[(t,x) for t,x in C[n] if t<=fail+2]
    j=journal(n,c,pid[n],seed=len(n)+3)
    last_t=fail+5400
    rr=random.Random(n); t=c[-1][0]+100
    while t<last_t:
        t+=rr.expovariate(1/240); j.append((t,rr.choice([f"CRON[{rr.randint(9900,38000)}]: (root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)","systemd[1]: Finished sysstat-collect.service - system activity accounting tool.","chronyd[641]: Selected source 10.61.4.1"])))
    j.append((last_t,f"sshd[41022]: Accepted publickey for fraser from 10.61.4.2 port 51544 ssh2: ED25519 SHA256:kq1Zc0cW8Ww9oJ2TzE3t0F2b5mVYdYlqk7v1o7T0c3E")); j.sort(key=lambda a:a[0])
    h=n.split("-")[1]
    put(S,f"{h}/journal.txt",short(n,j))
    ps=open(RUN+f"sc_hang/{n}.ps").read().replace("SNl","SNl").replace("00:40","  02:29:%02d"%(rr.randint(10,50)))
    put(S,f"{h}/ps.txt",ps)
    put(S,f"{h}/pyspy.txt",open(RUN+f"sc_hang/{n}.spy").read().replace("/root/.pyenv/versions/3.11.7/bin/python3.11","/usr/bin/python3.11").replace("v3.11.7","v3.11.7"))
    put(S,f"{h}/ss.txt",open(RUN+f"sc_hang/{n}.ss").read())
put(S,"notes.txt","""Thu 19 Nov. No new "step" line since about %s on any of the three, no error either.
CPU is idle everywhere. Loaders look at rest too. I have left it running in case somebody
wants to poke, ps/py-spy/ss taken roughly 08:50-09:00.
Mairi thinks the shards on alness are slow (it has the old SATA disk). I'd rather not
restart before we know as it did this on the 3rd as well.
-- Fraser
"""%d(fail).strftime("%H:%M"))
pack(S,"keith-057.tar.gz")
write_truth("keith-057.tar.gz","sync.hang",["stave-wick","worker:1"],["process.killed-by-signal"],"All three workers stop logging at the same step without an error; ps on stave-wick shows state T (do_signal_stop) for the trainer, the others wait in futex. Red herring: the slow disk of alness.")

# 3 eio
S=stage("dufftown-12")
ns=["stave-tain","stave-dornoch"]
L=load("sc_eio","stave-dornoch")
rf=first(L,"Input/output error")
C,tm,fail=staves("sc_eio",ns,ep("2026-11-23 13:15:20"),900,4.4,13,rf,skews={"stave-dornoch":-47.3})
for n in ns:
    pid=int(open(RUN+f"sc_eio/{n}.pid").read())
    j=journal(n,C[n],pid,end=("exit",.9),seed=len(n)+13)
    put(S,f"{n}/unit.log",iso(n,j))
ft=fail-47.3
def dm(t,x): return f"[{d(t).strftime('%a %b %e %H:%M:%S %Y')}] {x}\n"
boot=ft-86400*6.3
k=""
for dt_,x in [(0,"Linux version 6.1.0-28-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40) #1 SMP PREEMPT_DYNAMIC Debian 6.1.119-1 (2024-11-22)"),(0,"Command line: BOOT_IMAGE=/boot/vmlinuz-6.1.0-28-amd64 root=UUID=5d7c1f4e-5bd6-44d7-9f1c-5a1a3a1f7f0e ro quiet"),(1,"ata3: SATA max UDMA/133 abar m2048@0xdf24b000 port 0xdf24b200 irq 126"),(2,"ata3: SATA link up 6.0 Gbps (SStatus 133 SControl 300)"),(2,"ata3.00: ATA-10: ST4000VN008-2DR166, SC60, max UDMA/133"),(2,"sd 2:0:0:0: [sdb] 7814037168 512-byte logical blocks: (4.00 TB/3.64 TiB)"),(3,"EXT4-fs (sdb1): mounted filesystem with ordered data mode. Quota mode: none."),(6,"e1000e 0000:00:1f.6 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx"),(9,"IPv6: ADDRCONF(NETDEV_CHANGE): eno1: link becomes ready"),(86400*3.2,"perf: interrupt took too long (2504 > 2500), lowering kernel.perf_event_max_sample_rate to 79750")]: k+=dm(boot+dt_,x)
for i in range(4):
    t=ft-14+i*3.6; sec=3184662528+8
    k+=dm(t,"ata3.00: exception Emask 0x0 SAct 0x%x SErr 0x0 action 0x0"%(0x1000<<i))+dm(t,"ata3.00: irq_stat 0x40000008")+dm(t,"ata3.00: failed command: READ FPDMA QUEUED")+dm(t,"ata3.00: cmd 60/08:%02x:08:4c:d2/00:00:bd:00:00/40 tag %d ncq dma 4096 in\n".rstrip()%((12+i)*8,12+i))+dm(t,"         res 41/40:00:08:4c:d2/00:00:bd:00:00/40 Emask 0x409 (media error) <F>")+dm(t,"ata3.00: status: { DRDY ERR }")+dm(t,"ata3.00: error: { UNC }")+dm(t,"ata3.00: configured for UDMA/133")
t=ft-0.3
k+=dm(t,"sd 2:0:0:0: [sdb] tag#15 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_OK cmd_age=3s")+dm(t,"sd 2:0:0:0: [sdb] tag#15 Sense Key : Medium Error [current] ")+dm(t,"sd 2:0:0:0: [sdb] tag#15 Add. Sense: Unrecovered read error - auto reallocate failed")+dm(t,"sd 2:0:0:0: [sdb] tag#15 CDB: Read(16) 88 00 00 00 00 00 bd d2 4c 08 00 00 00 08 00 00")+dm(t,"I/O error, dev sdb, sector 3184675848 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2")+dm(t,"ata3: EH complete")
put(S,"stave-dornoch/dmesg-T.txt",k)
put(S,"stave-tain/dmesg-T.txt","".join(dm(fail-86400*6.3+x[0],x[1]) for x in [(0,"Linux version 6.1.0-28-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40) #1 SMP PREEMPT_DYNAMIC Debian 6.1.119-1 (2024-11-22)"),(4,"EXT4-fs (sdb1): mounted filesystem with ordered data mode. Quota mode: none."),(6,"e1000e 0000:00:1f.6 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx"),(86400*2.02,"e1000e 0000:00:1f.6 eno1: NIC Link is Down"),(86400*2.02+4,"e1000e 0000:00:1f.6 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx")]))
put(S,"mail.txt","From: Mairi\nTo: hands\nDate: Tue, 24 Nov 2026 08:12:40 +0000\n\nBoth units were red this morning. tain's link flapped last week so I would start there.\nClocks: dornoch's chrony has been off since the move, it runs the best part of a minute behind.\nEach box has its own copy of the tfr folder on its second disk (rsynced on the 20th).\n")
pack(S,"dufftown-12.tgz")
write_truth("dufftown-12.tgz","hardware.disk-io",["stave-dornoch","worker:1"],[],"stave-dornoch's sdb has unrecovered read errors (UNC, I/O error) and TF fails with 'Input/output error' on planer-015; tain only sees Socket closed. Red herrings: tain's old link flap, dornoch's clock 47 s behind.")
