"""Valkeakoski: syslog-ng tree, journald JSON, Windows zip from r04, r05, r06."""
import shutil
from lib import *
P=[("/opt/incidents/make/mwms_loop.py","/srv/rata/oppi/opeta.py"),("/opt/incidents/make/tf1_ps.py","/srv/rata/vika/opeta_vika.py"),("/opt/tfenv","/srv/rata/venv"),("/opt/incidents/work/r04","/srv/rata/malli"),("/opt/incidents/work/r05","/srv/rata/malli"),("/opt/incidents/work/r06","/srv/rata/malli"),("/root/.pyenv/versions/3.11.7","/usr")]
out=f"{ROOT}/work/out"
def L(t,c,key=0): return [(x[0],x[1],ren(c.line(x[2]),P)) for x in sorted(t.lines,key=lambda x:x[0])]
off={"pm4-kela":0,"pm4-puristin":2,"pm4-kuivain":-54,"pm4-viira":1}
ips={"pm4-kela":"172.22.40.21","pm4-puristin":"172.22.40.22","pm4-kuivain":"172.22.40.23","pm4-viira":"172.22.40.24"}
iso=lambda d:d.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]+"+02:00"

# --- 04: what the syslog-ng server got, and kuivain's own file from a USB stick (the server got nothing after the loss)
T=load(f"{ROOT}/work/r04/a.jsonl"); base=days_to(2026,2,17,1,26,T[0].start); f=f"{out}/lokit"; shutil.rmtree(f,ignore_errors=True)
drop=float(open(f"{ROOT}/work/r04/ss").readline()); ss=open(f"{ROOT}/work/r04/ss").read().split("\n",1)[1]
ss="\n".join(l.rstrip() for l in ss.splitlines())
for t in T:
    c=Clock(base+off[t.host],2); rows=[(x,f"{iso(c.local(x))} {t.host} rata-oppi[{t.pid}]: {l}") for x,_,l in L(t,c)]
    if t.host=="pm4-puristin":
        rows+=[(t.start-7000+i,f"{iso(c.local(t.start-7000+i))} pm4-puristin smartd[811]: Device: /dev/sdb [SAT], 8 Currently unreadable (pending) sectors") for i in (0,1800)]
    rows.append((t.end,f"{iso(c.local(t.end))} {t.host} systemd[1]: rata-oppi.service: Main process exited, code=exited, status=1/FAILURE"))
    rows.append((t.end+.01,f"{iso(c.local(t.end+.01))} {t.host} systemd[1]: rata-oppi.service: Failed with result 'exit-code'."))
    rows.sort(key=lambda r:r[0])
    if t.host=="pm4-kuivain":
        put(f,"usb-tikku/kuivain_messages","\n".join(r for _,r in rows)); rows=[r for r in rows if r[0]<drop]
    put(f,f"remote/{ips[t.host]}/messages","\n".join(r for _,r in rows))
c=Clock(base,2)
put(f,"remote/172.22.40.1/messages",f"{iso(c.local(drop-86000))} sw-pm4-1 %LINK-3-UPDOWN: Interface GigabitEthernet0/7, changed state to down\n{iso(c.local(drop-85990))} sw-pm4-1 %LINK-3-UPDOWN: Interface GigabitEthernet0/7, changed state to up\n{iso(c.local(drop-420))} sw-pm4-1 %SYS-5-CONFIG_I: Configured from console by automaatio on vty0 (172.22.8.15)")
put(f,"ss.txt",f"# otettu n. 19 s katkon alusta, molemmat koneet\n"+ss)
put(f,"ping.txt","""pm4-kela:~ # ping -c 5 172.22.40.23
PING 172.22.40.23 (172.22.40.23) 56(84) bytes of data.

--- 172.22.40.23 ping statistics ---
5 packets transmitted, 0 received, 100% packet loss, time 4082ms

pm4-kuivain:~ # ip -br link
lo               UNKNOWN        00:00:00:00:00:00 <LOOPBACK,UP,LOWER_UP>
eth0             UP             3c:ec:ef:4a:71:9c <BROADCAST,MULTICAST,UP,LOWER_UP>
pm4-kuivain:~ # uptime
 03:41:10  up 12 days  6:02,  1 user,  load average: 1,08, 1,01, 0,77
""")
put(f,"vuorokirja.txt","yovuoro/Hakala: rata-oppi kaatui kaikilla neljalla. puristimen levylla on smart-virheita, varmaan se? kuivain oli kylla pystyssa koko ajan.\n")
pack(f,"oulu-902.tar.gz","gz")
truth("oulu-902","oulu-902.tar.gz","network.timeout",["pm4-kuivain","worker:2","172.22.40.23"],["network.unreachable-peer"],"pm4-kuivain stays up and trains, but its packets vanish in both directions: its heartbeat RPC ends with DEADLINE_EXCEEDED, the others see it stop heartbeating, ss shows unacked retransmits, ping 100 % loss with link up. SMART sectors on puristin, the link flap of the day before and 'The tasks have crashed' are red herrings.")

# --- 05: journalctl -o json of all three hosts in one file
Pre=load(f"{ROOT}/work/r05/pre.jsonl"); T=load(f"{ROOT}/work/r05/a.jsonl"); base=days_to(2026,4,8,19,5,T[0].start); f=f"{out}/jctl"; shutil.rmtree(f,ignore_errors=True); R=[]
mid={"pm4-kela":"5d1f0c8e9b7a4f0bb0f26a1d5e0b8c11","pm4-puristin":"a71e77c06c924a3a8e2c65a0c0be7f02","pm4-viira":"0cc9e2d8e7b84a61a1d25fb6f3f7d903"}
def rec(t,c,host,msg,pid,unit,ident,prio,tr="stdout",mono=None):
    us=int(c.utc(t).replace(tzinfo=dt.timezone.utc).timestamp()*1e6)
    d={"__REALTIME_TIMESTAMP":str(us),"_BOOT_ID":mid[host][::-1],"_MACHINE_ID":mid[host],"_HOSTNAME":host,"PRIORITY":str(prio),"_TRANSPORT":tr,"SYSLOG_IDENTIFIER":ident,"MESSAGE":msg}
    if unit: d["_SYSTEMD_UNIT" if tr=="stdout" else "UNIT"]=unit
    if pid: d["_PID"]=str(pid)
    R.append((us,json.dumps(d,ensure_ascii=False)))
for run,sh_ in ((Pre,-86400+900),(T,0)):
    for i,t in enumerate(run):
        c=Clock(base+off[t.host]+sh_,3); u=f"rata-oppi@{i}.service"
        rec(t.start-.2,c,t.host,f"Started Rata: hajautettu opetus, tehtava {i}.",1,u,"systemd",6,"journal")
        for x,_,l in L(t,c): rec(x,c,t.host,l,t.pid,u,"opeta.py",6)
        if run is Pre: rec(t.end,c,t.host,f"{u}: Deactivated successfully.",1,u,"systemd",6,"journal")
        elif t.rc==-6:
            rec(t.end,c,t.host,f"{u}: Main process exited, code=dumped, status=6/ABRT",1,u,"systemd",5,"journal"); rec(t.end+.01,c,t.host,f"{u}: Failed with result 'core-dump'.",1,u,"systemd",4,"journal")
            rec(t.end-.4,c,t.host,f"cgroup: fork rejected by pids controller in /system.slice/system-rata\\x2doppi.slice/{u}",None,None,"kernel",6,"kernel")
        else:
            for q,m,pr in ((0,f"Stopping Rata: hajautettu opetus, tehtava {i}...",6),(90,f"{u}: State 'stop-sigterm' timed out. Killing.",4),(90.01,f"{u}: Killing process {t.pid} (python) with signal SIGKILL.",5),(90.1,f"{u}: Main process exited, code=killed, status=9/KILL",5),(90.2,f"{u}: Failed with result 'timeout'.",4)): rec(t.start+2400+q,c,t.host,m,1,u,"systemd",pr,"journal")
c=Clock(base,3); t=T[0]
rec(t.start-50000,c,"pm4-kela","Out of memory: Killed process 7741 (halcon_server) total-vm:18233180kB, anon-rss:11722104kB, file-rss:0kB, shmem-rss:0kB, UID:480 pgtables:24120kB oom_score_adj:0",None,None,"kernel",3,"kernel")
rec(t.start-3000,c,"pm4-viira","error: kex_exchange_identification: Connection closed by remote host",2210,"sshd.service","sshd",3)
R.sort(); put(f,"rata-oppi.json","\n".join(r for _,r in R))
put(f,"rata-oppi@.service","[Unit]\nDescription=Rata: hajautettu opetus, tehtava %i\nAfter=network-online.target\n\n[Service]\nUser=rata\nEnvironmentFile=/etc/rata/oppi-%i.env\nExecStart=/srv/rata/venv/bin/python /srv/rata/oppi/opeta.py --steps 400\nTimeoutStopSec=90\n\n[Install]\nWantedBy=multi-user.target\n")
put(f,"kommentti.txt","Janne: kela ja viira odottivat 40 min. halconin OOM oli aamulla, muistia pitaisi siis lisata kelaan?\n(Anssi ajoi eilen uudet ansible-roolit puristimelle, 10-resources.conf)\n")
pack(f,"kotka_5.tar.gz","flat")
truth("kotka_5","kotka_5.tar.gz","resource.thread-limit",["pm4-puristin","worker:1"],["process.abort-check"],"puristin: 'Check failed: ret == 0 (11 vs. 0) Thread GrpcWorkerEnvPool creation via pthread_create() failed' and the kernel's 'fork rejected by pids controller'. The two others wait 40 min and are stopped. The run of the day before ended well; the OOM of halcon_server on kela is another process.")

# --- 06: two jobs, Windows zip, CRLF, one text file per unit
T=load(f"{ROOT}/work/r06/a.jsonl"); Pre=load(f"{ROOT}/work/r06/pre.jsonl"); base=days_to(2026,9,1,5,40,T[0].start); f=f"{out}/PM4 vika 1.9"; shutil.rmtree(f,ignore_errors=True)
def w(name,rows): put(f,name,"\r\n".join(rows)+"\r\n")
for run,tag,sft in ((Pre,"ma",-64000),(T,"ti",0)):
    for t in run:
        job,task=t.id.split("@"); c=Clock(base+off[t.host]+sft,3)
        rows=[f"{iso(c.local(x))[:19]}+0300 {t.host} {job}[{t.pid}]: {l}" for x,_,l in L(t,c)]
        e=t.end
        if t.rc==0: rows.append(f"{iso(c.local(e))[:19]}+0300 {t.host} systemd[1]: {job}-{task}.service: Deactivated successfully.")
        elif t.rc==1: rows.append(f"{iso(c.local(e))[:19]}+0300 {t.host} systemd[1]: {job}-{task}.service: Main process exited, code=exited, status=1/FAILURE")
        else: rows.append(f"{iso(c.local(e))[:19]}+0300 {t.host} systemd[1]: {job}-{task}.service: Main process exited, code=killed, status=9/KILL")
        w(f"{tag}/{job}/{task} {t.host}.txt",rows)
w("Lue minut.txt",["Hei, tiistaiaamun ajot koneilta kela/puristin/viira, molemmat mallit. ma = eilinen vikamallin ajo ennen kuin luokat lisattiin.","Kosteusmallissa tulee paljon 'Local rendezvous is aborting' -> onko se rikki? Pekka sanoi etta verkkokortti.","viira: worker1 jai odottamaan, tapoin sen (kill -9) aamupalaverin jalkeen."])
w("luokat.csv",["id;nimi;lisatty","0;ehja;2024-02-11","1;reika;2024-02-11","2;tahra;2024-02-11","3;ryppy;2024-02-11","4;raita;2025-01-20","5;hyonteinen;2025-01-20","6;limaklimppi;2025-06-03","7;paallystevirhe;2026-08-31","8;reunarepeama;2026-08-31"])
pack(f,"imatra.zip","zip")
truth("imatra","imatra.zip","checkpoint.mismatch",None,["data.shape-mismatch"],"Job vika on Tuesday: the chief's restore of model.ckpt-7xx fails, 'Assign requires shapes of both tensors to match' (head of 9 classes against a 7-class checkpoint). vika worker1 only waits for the model. Job kosteus ended well; its rendezvous ABORTED lines are normal.")
