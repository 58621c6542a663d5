from rend import *
random.seed(12)
P=lambda a,n=3:{a+i:f"w{i}" for i in range(n)}
# 6 grpc: csv export of the log store
hosts={**H,"d":("smolnik.dimnik.lan","10.77.4.30")}
r=Run("grpc",hosts,{**P(23201)},"2026-11-25 15:20:08",paths=[("127.0.0.1:23209","smolnik.dimnik.lan:7077")])
peers={}; ips=["10.77.4.11","10.77.4.12","10.77.4.13"]
def fix(x):
    def f(m):
        peers.setdefault(m[1],ips[len(peers)%3]); return f"ipv4:{peers[m[1]]}:{m[1]}"
    return re.sub(r"ipv4:127\.0\.0\.1:(4\d+|5\d+|3\d+)",f,x)
import csv,io
rows=[]
for t,k,s,x in r.ev:
    if s in "oe": rows.append((t,hosts[k][0].split(".")[0],"uci_tok" if k!="d" else "dobavitelj",s,fix(x)))
for h in ("vrsic","ljubelj","predel","smolnik"):
    for t,x in noise(h,rows[0][0]-200,rows[-1][0]+60,n=18): rows.append((t,h,x.split("[")[0].split(":")[0],"s",x.split(": ",1)[1]))
rows.sort(key=lambda z:z[0],reverse=True)
f=io.StringIO(); c=csv.writer(f,quoting=csv.QUOTE_ALL); c.writerow(["@timestamp","host","program","stream","message"])
for t,h,p,s,x in rows: c.writerow([(loc(t)-D.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%S.")+f"{int(t%1*1000):03d}Z",h,p,{"o":"stdout","e":"stderr","s":"syslog"}[s],x])
n="sever-0425"
w(n,"izvoz_2026-11-25_1530.csv",f.getvalue())
w(n,"vprasanje.txt","""Zdravko, danes smo prvič v načrt dodali endoskopske slike (drobna,drobna,endoskop). Po dveh odsekih padejo vsi trije delavci naenkrat.
Izvoz iz dnevnika (pozor: najnovejše je zgoraj, časi so UTC). smolnik je ta, ki deli slike; v njegovem delu ne vidim nobene napake.
"Stream removed" - je to stikalo? RAM na smolniku: 31 od 32 GB prosto, torej RESOURCE_EXHAUSTED ne more biti pomnilnik.
lp Tine
""")
pack(n,"zip",dict(cause="network.grpc-message-size",node=None,also=[],notes="The feeder on smolnik answers with endoscope batches of 4718624 bytes, above gRPC's default of 4194304 for received messages; the clients on all three workers raise RESOURCE_EXHAUSTED at once at step 121. No machine is to blame; the export is in reverse order and in UTC, and the switch and memory are wrong guesses."))
# 7 localhost: tmux captures
hh={"w0":("jezersko.dimnik.lan","10.77.4.14"),"w1":("pavlic.dimnik.lan","10.77.4.15")}
r=Run("lh",hh,{},"2026-11-13 16:01:20")
n="sever-0413"
for k in hh:
    h=hh[k][0].split(".")[0]; pid=r.pid(k); po=2222 if k=="w0" else 2223
    w(n,f"tmux-{h}.txt",f"""{"Last login: Thu Nov 12 08:40:11 2026 from 10.77.1.23" if k=="w0" else "You have new mail."}
tine@{h}:~$ ssh-add -l
256 SHA256:qV0w7cE1xQmHb8rJcK2m tine@sever (ED25519)
tine@{h}:~$ sudo -iu dimnik
dimnik@{h}:~$ export TF_CONFIG=$(cat ucenje.tfconfig.{po-2222})
dimnik@{h}:~$ env/bin/python uci.py --podatki /srv/tuljave/letnik25 --razredi /srv/tuljave/razredi.txt --koraki 2000
{r.plain(k)}^C^C^C^Z
[1]+  Stopped                 env/bin/python uci.py --podatki /srv/tuljave/letnik25 --razredi /srv/tuljave/razredi.txt --koraki 2000
dimnik@{h}:~$ date
pet 13 nov 2026 16:3{random.randint(2,4)}:0{random.randint(1,9)} CET
dimnik@{h}:~$ ss -tlnp | grep python
LISTEN 0      4096               *:{po}             *:*    users:(("python",pid={pid},fd=14))
dimnik@{h}:~$ ping -c 3 {"pavlic" if k=="w0" else "jezersko"}
PING {"pavlic.dimnik.lan (10.77.4.15)" if k=="w0" else "jezersko.dimnik.lan (10.77.4.14)"} 56(84) bytes of data.
64 bytes from {"pavlic.dimnik.lan (10.77.4.15)" if k=="w0" else "jezersko.dimnik.lan (10.77.4.14)"}: icmp_seq=1 ttl=64 time=0.{random.randint(180,300)} ms
64 bytes from {"pavlic.dimnik.lan (10.77.4.15)" if k=="w0" else "jezersko.dimnik.lan (10.77.4.14)"}: icmp_seq=2 ttl=64 time=0.{random.randint(180,300)} ms
64 bytes from {"pavlic.dimnik.lan (10.77.4.15)" if k=="w0" else "jezersko.dimnik.lan (10.77.4.14)"}: icmp_seq=3 ttl=64 time=0.{random.randint(180,300)} ms

--- {"pavlic.dimnik.lan" if k=="w0" else "jezersko.dimnik.lan"} ping statistics ---
3 packets transmitted, 3 received, 0% packet loss, time 2031ms
rtt min/avg/max/mdev = 0.181/0.233/0.301/0.049 ms
dimnik@{h}:~$ kill -9 %1
[1]+  Killed                  env/bin/python uci.py --podatki /srv/tuljave/letnik25 --razredi /srv/tuljave/razredi.txt --koraki 2000
dimnik@{h}:~$ 
""")
w(n,"mail.eml","""From: Tine Kotnik <tine@dimnikarstvo-sever.example>
To: Zdravko <zdravko@dimnikarstvo-sever.example>
Date: Fri, 13 Nov 2026 16:41:55 +0100
Subject: dva stroja ne zakurita
Message-ID: <5f1d0c77@sever>
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

Na prenosniku (dva procesa) je šlo, sedaj pa isto na jezerskem in pavlicu stoji pol ure brez besede.
Ping gre, oba procesa poslušata. Ali imamo med strojema kakšen nftables? Pripenjam oba tmux okna.

T.
""")
pack(n,"tar.bz2",dict(cause="config.localhost-address",node=None,also=[],notes="The cluster that worked on a laptop names localhost:2222 and localhost:2223, and is started on two hosts, jezersko and pavlic; each task looks for the other on its own machine, task 0 waits for 1/2 tasks for ever. The suspected firewall is a red herring."))
# 8 oom (hard): survivors and a csv
r=Run("oom",H,P(23181),"2026-11-08 21:47:30")
n="sever-0408"
tk=r.rc("w2")[0]
for k in ("w0","w1"):
    L=r.lines(k); j=journal(r,k,fmt=syst,before=noise(H[k][0],L[0][0]-600,L[-1][0]+60,n=40)); w(n,f"{H[k][0].split('.')[0]}.log",fmtj(j))
a=r.ev[0][0]; rowz=["cas;stroj;ram_skupaj_mb;ram_na_voljo_mb;swap_prosto_mb;obrem1;temp_cpu;disk_srv_odst"]
for h in ("vrsic","ljubelj","predel"):
    pass
t=int(a)-300
av=11800; sw=2047
while t<tk+45:
    if t>a+4 and t<tk: av=max(random.randint(168,196),av-random.randint(2300,2600)); 
    if av<3000 and t<tk: sw=max(9,sw-random.randint(1150,1400))
    if t>=tk: av=random.randint(12900,13050); sw=max(sw,1893)
    for h,tot in (("vrsic",64215),("ljubelj",64215),("predel",15870)):
        x=max(160,av+random.randint(-14,14)) if h=="predel" else random.randint(57000,60500)
        o=random.uniform(.2,.9) if t<a+3 or t>tk+3 else random.uniform(3,5)
        rowz.append(f"{loc(t+random.randint(0,1)):%Y-%m-%d %H:%M:%S};{h};{tot};{x};{sw if h=='predel' else 8191};{o:.2f};{random.randint(48,66)};{random.randint(39,42)}")
    t+=5
w(n,"meritve_vse.csv","\n".join(rowz)+"\n")
w(n,"PREBERI.txt","""pometeno z vrsica in ljubelja. predel je Aleš v ponedeljek zjutraj na novo namestil (stari disk je formatiran), dnevnika zato ni.
Po mojem je bil kriv kabel, "connection reset by peer". Meritve sem dodal, ker jih imamo.
Z
""")
pack(n,"tar.gz",dict(cause="resource.host-oom-killed",node=["predel","predel.dimnik.lan","worker:2"],also=["process.killed-by-signal"],notes="Only the survivors' logs exist: worker 2 (predel) vanished at once (connection reset). The measurements show that predel, which has only 16 GB, ran out of memory and swap in the seconds before and got 13 GB back at that very moment, as after an OOM kill; the kernel log is missing, so it is an inference. The cable is a guess."))
# 9 ok1
r=Run("ok1",H,P(23171),"2026-11-19 19:02:15",paths=[("/opt/incidents/make/izh1","/srv/izhod/letnik25-c")],skew={"w1":-3571})
n="sever-0420"
for k in H:
    L=r.lines(k); j=journal(r,k,before=noise(H[k][0],L[0][0]-900,L[-1][0]+900,n=60)); w(n,f"19nov/{H[k][0].split('.')[0]}.txt",fmtj(j))
w(n,"19nov/zakaj.txt","""Ljubelj ni delal od 18:02 naprej! Zadnja vrstica korakov je ob 18:02, vrsic in predel pa sta učila ob 19:02.
Mislim, da je učenje teklo brez njega in da je model ničvreden. Poleg tega nam vsak zagon piše
"All log messages before absl::InitializeLog() is called" in "AutoGraph could not transform", to prej ni bilo (ali pa nisem videla).
Lahko nekdo pogleda, preden damo model na tablice?
    Maja
""")
w(n,"19nov/chronyc-ljubelj.txt","""$ chronyc tracking
Reference ID    : 00000000 ()
Stratum         : 0
Ref time (UTC)  : Thu Jan 01 00:00:00 1970
System time     : 0.000000000 seconds fast of NTP time
Last offset     : +0.000000000 seconds
RMS offset      : 0.000000000 seconds
Frequency       : 14.882 ppm slow
Residual freq   : +0.000 ppm
Skew            : 0.000 ppm
Root delay      : 1.000000000 seconds
Root dispersion : 1.000000000 seconds
Update interval : 0.0 seconds
Leap status     : Not synchronised
""")
pack(n,"zip",dict(cause="none",node=None,notes="All three workers went through 420 steps with the same losses, saved four checkpoints and ended with status 0. ljubelj's clock is some 59.5 minutes slow (chrony not synchronised), which made Maja believe that it had stopped; the absl and AutoGraph warnings are noise."))
# 10 ok2 docker compose
hc={"w0":("delavec-0","172.20.0.3"),"w1":("delavec-1","172.20.0.4"),"w2":("delavec-2","172.20.0.5")}
r=Run("ok3",hc,P(23301),"2026-11-02 06:55:40",paths=[("ucitelj_a","ucitelj"),("ucitelj_b","ucitelj-nov")])
n="klet-7"
out=[]
for t,k,s,x in r.ev:
    if s in "oe":
        out.append(f"{hc[k][0]}-1  | {x}")
    elif s=="x": out.append(f"{hc[k][0]}-1 exited with code 0")
w(n,"compose.log","\n".join(out)+"\n")
t=r.ev[len(r.ev)//2][0]
c=lambda t:f"[{loc(t):%a %b %d %H:%M:%S %Y}]"
dm=[]
for i,(x) in enumerate(["Linux version 6.1.0-26-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40) #1 SMP PREEMPT_DYNAMIC Debian 6.1.112-1 (2024-09-30)","Command line: BOOT_IMAGE=/boot/vmlinuz-6.1.0-26-amd64 root=/dev/mapper/klet-root ro quiet","x86/fpu: Supporting XSAVE feature 0x001: 'x87 floating point registers'","ACPI BIOS Error (bug): Could not resolve symbol [\\_SB.PCI0.LPCB.HEC.ECAV], AE_NOT_FOUND (20220331/psargs-330)","EXT4-fs (dm-0): mounted filesystem with ordered data mode. Quota mode: none.","e1000e 0000:00:1f.6 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx","br-5f0b7c2d91aa: port 1(veth7a9c001) entered blocking state"]): dm.append(c(t-86400*9+i*.3)+" "+x)
for i,x in enumerate(["veth41cc0aa: renamed from eth0","br-5f0b7c2d91aa: port 2(vethb1e02f4) entered disabled state","device vethb1e02f4 left promiscuous mode"]): dm.append(c(t-4000+i)+" "+x)
tt=t-2
for x in ["java invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0","CPU: 2 PID: 88121 Comm: java Not tainted 6.1.0-26-amd64 #1  Debian 6.1.112-1","Hardware name: Dell Inc. OptiPlex 7080/0J37VM, BIOS 1.24.0 01/12/2024","memory: usage 2097152kB, limit 2097152kB, failcnt 61120","swap: usage 0kB, limit 0kB, failcnt 0","Tasks state (memory values in pages):","[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name","[  88012]  8983 88012      562      224    45056        0             0 tini","[  88121]  8983 88121  1893344   519822  4628480        0             0 java","oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=docker-9e40c1d2.scope,mems_allowed=0,oom_memcg=/system.slice/docker-9e40c1d2.scope,task_memcg=/system.slice/docker-9e40c1d2.scope,task=java,pid=88121,uid=8983","Memory cgroup out of memory: Killed process 88121 (java) total-vm:7573376kB, anon-rss:2071944kB, file-rss:7344kB, shmem-rss:0kB, UID:8983 pgtables:4520kB oom_score_adj:0"]: dm.append(c(tt)+" "+x)
dm.append(c(tt+1.2)+" br-77ad10c2: port 1(veth0c77d1e) entered disabled state")
w(n,"dmesg-klet.txt","\n".join(dm)+"\n")
w(n,"docker-ps-a.txt",f"""CONTAINER ID   IMAGE                         COMMAND                  CREATED          STATUS                      PORTS      NAMES
3c1f0a72be11   dimnik/uci:2.21-7             "/opt/dimnik/env/bin…"   10 minutes ago   Exited (0) 9 minutes ago               klet-delavec-2-1
b80c7e03ff29   dimnik/uci:2.21-7             "/opt/dimnik/env/bin…"   10 minutes ago   Exited (0) 9 minutes ago               klet-delavec-1-1
11d20be5571a   dimnik/uci:2.21-7             "/opt/dimnik/env/bin…"   10 minutes ago   Exited (0) 9 minutes ago               klet-delavec-0-1
9e40c1d2a6b5   solr:9                        "docker-entrypoint.s…"   6 weeks ago      Exited (137) 9 minutes ago             klet-iskalnik-1
""")
w(n,"opomba.txt","V kleti je med učenjem nekaj padlo zaradi pomnilnika (dmesg), vsi kontejnerji so Exited. Na koncu delavec 2 javi StartAbort. Je učenje uspelo ali ne? Iskalnik po zapisnikih tudi ne dela. – Aleš\n")
pack(n,"tar.gz",dict(cause="none",node=None,notes="The three workers reached 300/300 and exited with code 0. Worker 2 loads a newer teacher model with an unknown attribute, which is ignored, and ends two seconds after the leader, hence its loud but harmless 'Failed to send RPC to coordination service'. The OOM kill in dmesg concerns the container of an unrelated search engine (java, solr) on the same host, in its own cgroup."))
