from pk import *; import json, sys
P=[("/opt/incidents/make/klaver.py","/opt/klaver/klaver.py"),("/opt/incidents/raw/ck_c1","/mnt/nas/klaver/kp"),("/opt/incidents/raw/ck_c2","/mnt/nas/klaver/kp"),("/opt/incidents/raw/ck_g2","/mnt/nas/klaver/kp12"),("/opt/incidents/raw/ck_c3","/mnt/nas/klaver/kp"),("/opt/tfenv","/opt/klaver/venv"),("/root/.pyenv/versions/3.11.7","/usr"),("run_c.sh: line 21: ","")]
R=random.Random(17); Z="Europe/Tallinn"
def timed(x,w):
    last=w.s
    for l in x.splitlines():
        m=re.search(r"00:00:(\d{10}\.\d+)",l); m2=re.match(r"[IWEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d+)",l)
        if m: last=float(m[1])
        elif m2: last=dt.datetime(w.loc(w.s).year,*[int(m2[i]) for i in range(1,6)],int(m2[6]),tzinfo=w.tz).timestamp()
        yield last,l
def other(w,h,lo,hi,k):
    out=[]
    for _ in range(k):
        t=w.s+R.uniform(lo,hi)
        out.append((t,*R.choice([("systemd","1","Starting sysstat-collect.service - system activity accounting tool..."),("systemd","1","sysstat-collect.service: Deactivated successfully."),("systemd","1","Finished sysstat-collect.service - system activity accounting tool."),("NetworkManager","688","<info>  [%.4f] dhcp4 (enp2s0): state changed new lease, address=192.168.40.%d"%(t,{"tubin":11,"eller":12,"tormis":13,"saar":14}[h])),("CRON",str(R.randint(2000,90000)),"(root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)"),("avahi-daemon","601","Registering new address record for fe80::9a90:96ff:fec1:%x%x on enp2s0.*."%(R.randint(16,255),R.randint(16,255))),("packagekitd","1410","uid 1000 is trying to obtain org.freedesktop.packagekit.system-sources-refresh auth (only_trusted:0)"),("rtkit-daemon","990","Supervising 6 threads of 3 processes of 1 users.")])))
    return out
def journal(x,w,h,tag,pid,extra,fmt):
    ev=[(t,tag,str(pid),l) for t,l in timed(x,w) if l.strip()]+extra; ev.sort(key=lambda e:e[0]); o=[]
    for t,a,p,m in ev:
        d=w.loc(t)
        pp="[%s]"%p if p else ""
        if fmt=="short": o.append("%s %s %s%s: %s"%(d.strftime("%b %d %H:%M:%S"),h,a,pp,m))
        elif fmt=="iso": o.append("%s %s %s%s: %s"%(d.strftime("%Y-%m-%dT%H:%M:%S%z")[:-2]+":"+d.strftime("%z")[-2:],h,a,pp,m))
        else: o.append(json.dumps({"__REALTIME_TIMESTAMP":"%d"%(t*1e6),"_HOSTNAME":h,"SYSLOG_IDENTIFIER":a,"_PID":p or "0","PRIORITY":"6","MESSAGE":m,"_TRANSPORT":"kernel" if a=="kernel" else "stdout"},ensure_ascii=False))
    return "\n".join(o)+"\n"
def tail_t(x,w): return list(timed(x,w))[-1][0]
def raws(k): return {h:rd("%s/%s.log"%(k,h)) for h in ("tubin","eller","tormis","saar")}
if "c3" in sys.argv:
    n="vabrik-0907"; fresh(n); raw=raws("c3"); t0=first(raw["eller"]); w=Warp(Z,t0,"2026-09-07T06:10:02",k=20,tb=1795802386.5)
    for h,pid in (("tubin",3310),("tormis",2871),("saar",1990)):
        x=subs(w(raw[h]),*P); e=tail_t(x,w)
        ex=other(w,h,-900,500,25)
        if h=="tubin": ex+=[(e+1,"systemd","1","klaver@chief.service: Main process exited, code=exited, status=1/FAILURE"),(e+1.01,"systemd","1","klaver@chief.service: Failed with result 'exit-code'.")] if "Traceback" in raw[h] else []
        wr(n,h+".journal.txt",journal(x,w,h,"klaver",pid,ex,"iso"))
    wr(n,"kiri.txt","""Tere,

esmaspäeva hommikune treening jäi seisma. Lisasin journalctl -u 'klaver@*' väljundi (short-iso) kolmest masinast.
eller seisis häälestajate toas, Priit oli hommikul seal ja ühendas laserit (?), nüüd on masin kapis ja välja lülitatud,
ma saan sellele ligi alles neljapäeval. tormis kirjutab "Connection reset by peer", võib-olla on tormise võrgukaart katki?

Kadri
""")
    fin(n,".tar.xz","ps.unavailable",["eller","ps:0"],["process.killed-by-signal","network.unreachable-peer"],"Hard: the only parameter server (eller) vanished in the middle (sockets closed, then connection refused) and no log of it exists, so why is unknown. tormis' network card is a wrong guess; refused (not timeout) right after means the process died first, the machine still answered.")
if "c1" in sys.argv:
    n="vabrik-0331"; fresh(n); raw=raws("c1"); t0=first(raw["eller"]); w=Warp(Z,t0,"2026-03-31T14:00:21",k=float(K1),tb=float(TB1) if TB1 else None) if 0 else Warp(Z,t0,"2026-03-31T14:00:21",k=1)
    for h,role,pid in (("tubin","chief",41222),("eller","ps",3071),("tormis","worker",2955),("saar","worker",61204)):
        x=subs(w(raw[h]),*P); e=tail_t(x,w); ex=other(w,h,-2000,300,30)
        ex+=[(w.s-1,"systemd","1","Started klaver@%s.service - klaver (%s)."%(role,role))]
        if h=="saar":
            ex+=[(list(timed(x,w))[-1][0]-.5,"kernel","","cgroup: fork rejected by pids controller in /system.slice/system-klaver.slice/klaver@worker.service"),(e+.8,"systemd","1","klaver@worker.service: Main process exited, code=dumped, status=6/ABRT"),(e+.81,"systemd","1","klaver@worker.service: Failed with result 'core-dump'.")]
        wr(n,"%s/journal"%h,journal(x,w,h,"klaver@%s"%role if 0 else "python",pid,ex,"short"))
        wr(n,"%s/systemctl-cat"%h,"""# /etc/systemd/system/klaver@.service
[Unit]
Description=klaver (%%i)
After=network-online.target

[Service]
User=klaver
EnvironmentFile=/etc/klaver/%%i.env
ExecStart=/opt/klaver/venv/bin/python /opt/klaver/klaver.py --alsologtostderr $ARGS
Restart=no
%s
[Install]
WantedBy=multi-user.target
"""%("\n# /etc/systemd/system/klaver@worker.service.d/override.conf\n[Service]\nTasksMax=%s\nNice=5\n"%40 if h=="saar" else ""))
    wr(n,"00-loe-mind.txt","salt 'tubin,eller,tormis,saar' cmd.run; saar on uus masin (kolis raamatupidamisest, nende override'd jäid vist peale). Mälu 8 GB, tõenäoliselt jääb mälust puudu? tubin lihtsalt ootab, tappisin ta pärast ära.\n")
    fin(n,".tar.gz","resource.thread-limit",["saar","worker:1"],[],"saar's unit has a TasksMax override; TensorFlow cannot create threads and the process aborts (kernel: fork rejected by pids controller). Memory is a wrong guess.")
if "c2" in sys.argv:
    n="hk-1411"; fresh(n); raw=raws("c2"); t0=first(raw["eller"]); w=Warp(Z,t0,"2026-04-14T11:02:10",k=1)
    for h,pid in (("tubin",9120),("eller",3071),("tormis",2955),("saar",61204)):
        x=subs(w(raw[h]),*P)
        wr(n,h+".json",journal(x,w,h,"klaver",pid,other(w,h,-600,200,20),"json"))
    old=rd("g2/tubin.log"); wo=Warp(Z,first(old),"2026-04-12T15:30:55",k=1)
    wr(n,"12.apr/tubin.json",journal(subs(wo(old),*P),wo,"tubin","klaver",7714,other(wo,"tubin",-600,200,15),"json"))
    d=w.at(300)
    wr(n,"tubin.typescript","""Script started on %s [TERM="xterm" TTY="/dev/pts/2" COLUMNS="120" LINES="30"]
kadri@tubin:~$ uptime
 %s up 3 days, 21:14,  2 users,  load average: 0,09, 0,21, 0,17
kadri@tubin:~$ ss -tn state established '( dport = :4000 )'
Recv-Q     Send-Q          Local Address:Port            Peer Address:Port     Process     
0          0               192.168.40.11:51774          192.168.40.12:4000                 
0          0               192.168.40.11:42110          192.168.40.14:4000                 
kadri@tubin:~$ df -h /mnt/nas
Filesystem                Size  Used Avail Use%% Mounted on
nas:/volume1/klaver       7,2T  6,1T  1,1T  85%% /mnt/nas
kadri@tubin:~$ for h in tubin eller tormis saar; do getent hosts $h || echo "$h -"; done
192.168.40.11   tubin.lan tubin
192.168.40.12   eller.lan eller
tormis -
192.168.40.14   saar.lan saar
kadri@tubin:~$ dd if=/mnt/nas/klaver/proov.bin of=/dev/null bs=1M count=512
512+0 records in
512+0 records out
536870912 bytes (537 MB, 512 MiB) copied, 4,81207 s, 112 MB/s
kadri@tubin:~$ exit

Script done on %s [COMMAND_EXIT_CODE="0"]
"""%(d.strftime("%Y-%m-%d %H:%M:%S+03:00"),w.at(302).strftime("%H:%M:%S"),w.at(341).strftime("%Y-%m-%d %H:%M:%S+03:00")))
    wr(n,"kirjavahetus.txt","""Kadri 11:04  käivitasin, ringid ei hakka pihta
Priit 11:05  eile kolisime DNS-i Piholelt ruuterisse, kas see loeb?
Kadri 11:06  tormis ja saar on üleval, pingin neid oma läpakast nimega, kõik vastab
Priit 11:09  siis on NAS jälle aeglane
""")
    fin(n,".zip","network.dns",["tubin","chief:0","chief","tormis","worker:0"],["network.unreachable-peer"],"The chief on tubin waits without any error after its config dump: it has connections to eller and saar only, and getent on tubin does not know tormis although tormis is up. The NAS is a wrong guess (112 MB/s).")
