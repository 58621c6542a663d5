from rend import *
random.seed(11)
P=lambda a,n=3:{a+i:f"w{i}" for i in range(n)}

# 1 mism : "pometi" archive
r=Run("mism",H,P(23001),"2026-11-17 18:42:07",paths=[("razredi-14.txt","razredi.txt")])
n="sever-0417"
w(n,"pometeno/00_KAJ.txt","""POMETI v2.3            tor 17 nov 2026 18:49:31 CET
kdo:      zdravko
kaj:      ucenje letnik25 (3 stroji)
zakaj:    pade takoj po zagonu, trikrat zapored. Prejšnji teden je isto teklo brez težav.
          Na predelu sem včeraj menjal omrežni kabel (stari je imel zlomljen jeziček), mogoče je to?
          vrsic pravi da predel ne pošilja več utripov, torej mreža?
""")
for k in H:
    h=H[k][0].split(".")[0]
    w(n,f"pometeno/{h}/ucenje.log",r.plain(k))
    w(n,f"pometeno/{h}/stroj.txt",f"""== uname -a
Linux {h} 6.8.0-48-generic #48-Ubuntu SMP PREEMPT_DYNAMIC Fri Sep 27 14:04:52 UTC 2024 x86_64 x86_64 x86_64 GNU/Linux
== uptime
 18:49:{random.randint(10,29)} up {'1 day,  2:11' if h=='predel' else '63 days, 10:04'},  1 user,  load average: 0.{random.randint(10,60)}, 0.{random.randint(10,60)}, 0.31
== free -m
               total        used        free      shared  buff/cache   available
Mem:           64215        {random.randint(2100,2600)}       {random.randint(40000,50000)}          12       {random.randint(9000,15000)}       61032
Swap:           8191           0        8191
== ip -br addr
lo               UNKNOWN        127.0.0.1/8 ::1/128
eno1             UP             {H[k][1]}/24
eno2             DOWN
== ip -s link show eno1
2: eno1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 3c:ec:ef:{random.randint(10,99)}:{random.randint(10,99)}:{random.randint(10,99)} brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
    {random.randint(10**9,9*10**9)} {random.randint(10**6,9*10**6)}      0     {random.randint(0,40)}       0   {random.randint(1000,9000)}
    TX:  bytes packets errors dropped carrier collsns
    {random.randint(10**9,9*10**9)} {random.randint(10**6,9*10**6)}      0       0       0       0
== ls -l /srv/tuljave
total {16 if h!='predel' else 20}
drwxr-xr-x 2 dimnik dimnik 4096 Nov  3 09:12 letnik25
-rw-r--r-- 1 dimnik dimnik  {'101' if h!='predel' else '107'} {'Nov  3 09:13' if h!='predel' else 'Nov 16 16:27'} razredi.txt
""")
pack(n,"tgz",dict(cause="collective.mismatch",node=["predel","predel.dimnik.lan","worker:2"],also=["data.shape-mismatch"],notes="predel has a razredi.txt of 14 classes, the others 13, so the initial broadcast of variables fails with a shape mismatch ([32,14] against [32,13]) on worker 2. The others then report task 2 as not sending heartbeats ten seconds later. Red herring: the network cable that was replaced on predel the day before."))
# 2 uneven : journal short-iso
r=Run("uneven",H2,P(23101),"2026-11-05 02:10:44")
n="sever-0409"
for k in H2:
    L=r.lines(k); a,b=L[0][0],L[-1][0]
    j=journal(r,k,before=noise(H2[k][0],a-1800,b+300,n=70)); w(n,f"{H2[k][0].split('.')[0]}.journal.txt",fmtj(j))
w(n,"beri.me","""Tine, poglej prosim: nočno učenje na popisu (jezersko, pavlic, crnivec) se konča z "Socket closed".
jezersko in pavlic sta rdeča, crnivec je zelen (status 0!), zato ga nisem gledala.
journalctl -o short-iso --since 01:40 --until 02:20 z vseh treh.
Zagon:  zakuri ucenje --stroji jezersko,pavlic,crnivec -- --podatki /srv/tuljave/popis --epohe 6
Popis je bil v sredo na novo razrezan (24 kosov).
   Maja
""")
pack(n,"tar.xz",dict(cause="data.uneven-shards",node=["crnivec","crnivec.dimnik.lan","worker:2"],also=[],notes="Each worker goes six epochs over its own shards; worker 2 (crnivec) has less data, finishes after 212 steps with status 0 and leaves, the other two wait in the next all-reduce and fail with Socket closed. The green unit on crnivec is the one that ended first; nothing crashed."))
# 3 fd : json export
r=Run("fd",H,P(23111),"2026-11-20 13:05:31",paths=[("/srv/tuljave/drobno","/srv/tuljave/drobno")])
n="sever-0422"
for k in H:
    h=H[k][0].split(".")[0]; p=r.pid(k); L=r.lines(k); a,b=L[0][0],L[-1][0]
    out,_,_=journal(r,k,before=noise(h,a-300,b+60,n=25)); rows=[]
    for i,(t,x) in enumerate(out):
        m=re.match(r"([\w.-]+)(?:\[(\d+)\])?: (.*)",x,re.S)
        d={"__CURSOR":f"s=8d0c{abs(hash(h))%10**8:08x};i={i+40211:x};b=71f3","__REALTIME_TIMESTAMP":str(int(t*1e6)),"_HOSTNAME":h,"PRIORITY":"6","SYSLOG_IDENTIFIER":m[1],"_PID":m[2] or "1","_TRANSPORT":"stdout" if m[1]=="zakuri" else "syslog","MESSAGE":m[3]}
        if m[1]=="zakuri": d["_SYSTEMD_UNIT"]="zakuri@ucenje.service"
        rows.append(json.dumps(d,ensure_ascii=False))
    w(n,f"izvoz/{h}.jsonl","\n".join(rows)+"\n")
w(n,"zakuri@.service","""# /etc/systemd/system/zakuri@.service (z vrsica; na vseh naj bi bil enak, upravlja ga salt)
[Unit]
Description=Dimnik ucenje (%i)
After=network-online.target

[Service]
User=dimnik
EnvironmentFile=/etc/dimnik/%i.env
ExecStart=/opt/dimnik/env/bin/python /opt/dimnik/uci.py $ARGS
SyslogIdentifier=zakuri
LimitNOFILE=65536
""")
w(n,"sporocilo.txt","""Od: Tine
Zadeva: Fwd: drobno ne gre čez prvi korak

Drobno (180 majhnih kosov) na trojici vrsic/ljubelj/predel. Obstane na prvem koraku, po ~20 s pade.
vrsic pravi "connection attempt timed out" proti 10.77.4.12. Ping dela, nc na 2222 se poveže (!), torej ni požarni zid.
Letnik25 na isti trojici normalno dela.
Izvoz je journalctl -o json.
""")
pack(n,"zip",dict(cause="resource.fd-limit",node=["ljubelj","ljubelj.dimnik.lan","worker:1"],also=[],notes="On ljubelj (worker 1) gRPC says 'File descriptor limit reached. Retrying.' once a second from the first step on, so it cannot accept peers' connections; the others see a connect timeout before the SETTINGS frame. Looks like a network timeout from vrsic and predel; the unit file shown is vrsic's only."))
# 4 stop
r=Run("stop",H2,P(23141),"2026-11-11 09:14:02")
n="sever-0411"
tl=[t for t,k,s,x in r.ev if s=="s" and x=="SIGSTOP"][0]; tc=[t for t,k,s,x in r.ev if s=="s" and x=="SIGCONT"][0]
cap="\n".join(x for t,x in r.lines("w1") if t<tl+1)
S=f"Script started on {loc(r.ev[0][0]-70):%Y-%m-%d %H:%M:%S}+01:00 [TERM=\"xterm-256color\" TTY=\"/dev/pts/2\" COLUMNS=\"180\" LINES=\"48\"]\n"
pid=r.pid("w1"); pp=pid-9
S+=f"""maja@pavlic:~$ sudo -u dimnik -s
dimnik@pavlic:/home/maja$ cd /opt/dimnik
dimnik@pavlic:/opt/dimnik$ zakuri --tu ucenje
{cap}
^Z
[1]+  Stopped                 zakuri --tu ucenje
dimnik@pavlic:/opt/dimnik$ df -h /srv
Filesystem      Size  Used Avail Use% Mounted on
/dev/sdb1       1.8T  733G  1.1T  41% /srv
dimnik@pavlic:/opt/dimnik$ ls /srv/tuljave
drobno  letnik25  popis  razredi.txt
dimnik@pavlic:/opt/dimnik$ fg
zakuri --tu ucenje
"""
S+="\n".join(x for t,x in r.lines("w1") if t>=tl+1)+"\ndimnik@pavlic:/opt/dimnik$ exit\nmaja@pavlic:~$ exit\n\nScript done on "+f"{loc(r.ev[-1][0]+20):%Y-%m-%d %H:%M:%S}+01:00 [COMMAND_EXIT_CODE=\"1\"]\n"
w(n,"pavlic.typescript",S)
for k in ("w0","w2"):
    j=journal(r,k,fmt=syst,before=noise(H2[k][0],r.ev[0][0]-400,r.ev[-1][0]+30,n=22)); w(n,f"{H2[k][0].split('.')[0]}-journal.log",fmtj(j))
w(n,"klepet.txt","""[09:21] maja: jezersko in crnivec sta crknila sredi učenja, "task:1 unhealthy", mogoče pavlic nima več prostora na disku?
[09:22] tine: disk je ok. preempt? "e.g. preemption, eviction" piše
[09:22] zdravko: mi nimamo preemptiona :)
[09:23] maja: jaz sem na pavlicu pognala ročno ker unit tam ni delal (gl. script). potem sem videla da po fg piše Connection refused od jezerskega
[09:24] tine: torej je jezersko prvi umrl?
""")
pack(n,"tar.gz",dict(cause="sync.hang",node=["pavlic","pavlic.dimnik.lan","worker:1"],also=["process.killed-by-signal"],notes="Maja ran worker 1 in the foreground on pavlic and suspended it with Ctrl-Z (Stopped) to look at the disk; heartbeats ceased, after ten seconds the others aborted, and on fg worker 1 only found its peers gone. Red herrings: disk, preemption, 'Connection refused' from jezersko which is a consequence."))
# 5 thread : k3s
hp={"w0":("ucenje-0","10.42.1.17"),"w1":("ucenje-1","10.42.2.9"),"w2":("ucenje-2","10.42.3.30")}
r=Run("thread",{k:(v[0]+".ucenje",v[1]) for k,v in hp.items()},P(23161),"2026-11-24 07:30:12")
n="kurilnica-88"
for k in hp: w(n,f"logs/{hp[k][0]}.log","\n".join(iso(t)[:19]+f".{int(t%1*1e9):09d}+01:00 stderr F "+x if k!="w1" else x for t,x in r.lines(k))+"\n")
t1=r.rc("w1")[0]
w(n,"describe.txt",f"""Name:             ucenje-1
Namespace:        dimnik
Priority:         0
Service Account:  default
Node:             ljubelj/10.77.4.12
Start Time:       Tue, 24 Nov 2026 07:30:09 +0100
Labels:           app=ucenje
                  apps.kubernetes.io/pod-index=1
                  controller-revision-hash=ucenje-6c5d9f7f4b
                  statefulset.kubernetes.io/pod-name=ucenje-1
Annotations:      <none>
Status:           Running
IP:               10.42.2.9
Controlled By:  StatefulSet/ucenje
Containers:
  delavec:
    Container ID:  containerd://4f0b5e6a2d1c0977a0f9d2b7f9d2f8a1c36e51c64f51f4f3a8b9f4b61f0f2ac3
    Image:         registr.dimnik.lan/dimnik/uci:2.21-7
    Port:          2222/TCP
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Exit Code:    134
      Started:      Tue, 24 Nov 2026 07:31:31 +0100
      Finished:     Tue, 24 Nov 2026 07:31:36 +0100
    Ready:          False
    Restart Count:  3
    Limits:
      cpu:     8
      memory:  24Gi
    Requests:
      cpu:     4
      memory:  16Gi
    Environment:
      TF_CPP_MIN_LOG_LEVEL:  0
    Mounts:
      /srv/tuljave from tuljave (ro)
Conditions:
  Type                        Status
  PodReadyToStartContainers   True
  Initialized                 True
  Ready                       False
  ContainersReady             False
  PodScheduled                True
QoS Class:                   Burstable
Node-Selectors:              <none>
Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                             node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
Events:
  Type     Reason     Age                 From               Message
  ----     ------     ----                ----               -------
  Normal   Scheduled  101s                default-scheduler  Successfully assigned dimnik/ucenje-1 to ljubelj
  Normal   Pulled     20s (x4 over 99s)   kubelet            Container image "registr.dimnik.lan/dimnik/uci:2.21-7" already present on machine
  Normal   Created    20s (x4 over 99s)   kubelet            Created container: delavec
  Normal   Started    20s (x4 over 98s)   kubelet            Started container delavec
  Warning  BackOff    5s (x6 over 86s)    kubelet            Back-off restarting failed container delavec in pod ucenje-1_dimnik(9d1a4b0c-6f0e-4cc1-8a53-6b0c0a1c7e11)
""")
w(n,"pods.txt",f"""NAME       READY   STATUS             RESTARTS     AGE    IP           NODE      NOMINATED NODE   READINESS GATES
ucenje-0   1/1     Running            0            104s   10.42.1.17   vrsic     <none>           <none>
ucenje-1   0/1     CrashLoopBackOff   3 (5s ago)   101s   10.42.2.9    ljubelj   <none>           <none>
ucenje-2   1/1     Running            0            99s    10.42.3.30   predel    <none>           <none>
meritve-6f9d7c9cbb-k2x7p   1/1   Running   14 (3d ago)   41d   10.42.2.4   ljubelj   <none>   <none>
""")
w(n,"ljubelj-k3s-config.yaml","""# /etc/rancher/k3s/config.yaml na ljubelju (na novo nameščen v petek)
server: https://vrsic.dimnik.lan:6443
token: <izbrisano>
kubelet-arg:
  - "max-pods=60"
  - "pod-max-pids=34"
  - "image-gc-high-threshold=80"
""".replace("34","48"))
w(n,"opis.md","""### kurilnica-88: ucenje-1 se vrti v CrashLoopBackOff
- image je isti kot na drugih dveh; logi so od prvega poskusa (`kubectl logs -f`), naslednji trije so enaki
- exit 134 = 134-128 = 6, torej pomnilnik? dvignil limit s 16 na 24Gi, enako
- ucenje-0 in -2 samo čakata
""")
pack(n,"tar.gz",dict(cause="resource.thread-limit",node=["ucenje-1","ljubelj","worker:1","ljubelj.dimnik.lan"],also=[],notes="Pod ucenje-1 aborts at start: 'Thread ... creation via pthread_create() failed' with ret 11 (EAGAIN); the re-installed node ljubelj runs its kubelet with pod-max-pids=48. The others wait for task 1. Red herrings: the memory limit that was raised, the old restarts of an unrelated pod."))
