from pk import *
# A: kaltwasser-pegel plain folders
d=fresh("A"); D=-864000; subs=std("/opt/pegel/venv/lib/python3.11/site-packages","/opt/pegel/bin")+[]
hs=["kw-rechen0%d"%i for i in (1,2,3,4)]
skew={"kw-rechen02":-3.4,"kw-rechen04":1.2}
for k,h in enumerate(hs):
    rows=conv(load("A",h),D,subs); t0=rows[0][0]
    L=[]
    for t,s in rows: L.append(s)
    if h in skew:
        L=[re.sub(r"^(2026-11-18 \d\d:\d\d:\d\d),(\d{3})",lambda m:F(dt.datetime.strptime(m[1]+"+0000","%Y-%m-%d %H:%M:%S%z").timestamp()+int(m[2])/1e3+skew[h],"%Y-%m-%d %H:%M:%S,%f")[:-3],x) for x in L]
    w(d,f"{h}/app.log",L)
    ex=[]
    if h=="kw-rechen04": ex=[(t0+3,f"kernel: [@UP] e1000e 0000:00:1f.6 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx"),(t0+30,"kernel: [@UP] perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500")]
    w(d,f"{h}/syslog",syslog(h,t0-3600,t0+100,1,ex,ip="10.61.4.%d"%(21+k)))
    w(d,f"{h}/stapel.txt",[re.sub("/opt/tfenv/bin/python","/opt/pegel/venv/bin/python",re.sub("/opt/incidents/make","/opt/pegel/bin",x)).replace("/root/.pyenv/versions/3.11.7","/opt/pegel/venv") for x in open(f"{B}/raw/A/{h}.pyspy").read().splitlines()])
    pid=open(f"{B}/raw/A/{h}.pyspy").readline().split()[1].rstrip(":")
    w(d,f"{h}/top.txt",[f"top - {F(t0+60,'%H:%M:%S',1)} up 41 days,  3:12,  1 user,  load average: 0.{R.randint(10,40)}, 0.{R.randint(10,50)}, 0.4{k}","Tasks: 211 total,   1 running, 210 sleeping,   0 stopped,   0 zombie","%Cpu(s):  0.7 us,  0.4 sy,  0.0 ni, 98.8 id,  0.0 wa,  0.0 hi,  0.1 si,  0.0 st","MiB Mem :  64210.4 total,  51002.1 free,   4120.8 used,   9087.5 buff/cache","","    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND",f"  {pid} pegel     30  10 2611804 512332 301244 S   0.3   0.8   0:06.{R.randint(10,99)} python"])
w(d,"LIESMICH.txt",["Training Pegelnetz haengt wieder, seit Mittwochabend. Alle vier Prozesse leben, Last fast null, keine Fehlermeldung.","Verdacht: kw-rechen01 (Chef) oder die Netzwerkkarte von kw-rechen04, die hatte beim Start einen Link-Up.","Uhr von kw-rechen02 geht nach. Stapel mit py-spy gezogen, danach abgeschossen. -- Gruss, H. Petersen"])
pack(d,"kaltwasser-0341",".tar.gz","sync.hang",["kw-rechen03","worker:2","10.61.4.23"] and "kw-rechen03",["user.code-error"],"All four workers stop after step ~125 without error; three wait inside the collective, only kw-rechen03 (worker:2) waits in Queue.get because its producer and cache-janitor threads hold each other's lock (py-spy); its queue length falls before the stop. kw-rechen01 as chief and kw-rechen04's link message are false leads; clocks disagree.")
# B: polish journald export
d=fresh("B"); D=-1900800-3600*9
hs=["wezel-krk-11","wezel-krk-12","wezel-krk-13","wezel-krk-14"]
for k,h in enumerate(hs):
    rows=conv(load("B",h),D,std("/usr/local/tory/py311/lib/python3.11/site-packages","/usr/local/tory/popyt")); out=[]
    t0=rows[0][0]; ev=[(t,"python","popyt@%d.service"%k,s,24100+k) for t,s in rows]
    ev.append((t0-2,"systemd","init.scope",f"Started popyt@{k}.service - Prognoza popytu na bilety (instancja {k}).",1))
    if k==2: ev+= [(t0+a,"kernel","-","mce: CPU3: Core temperature above threshold, cpu clock throttled (total events = %d)"%(a*3+1),0) for a in (2,)]+[(t0+2.004,"kernel","-","mce: CPU3: Core temperature/speed normal",0)]
    if k==1: ev+=[(t0+7+a*2.7,"zbieracz-kopii","backup.service",f"rsync: przesłano {R.randint(200,900)} MB z /dane/bilety do magazyn-krk:/kopie (priorytet normalny)",3310) for a in range(6)]
    t=t0-900
    while t<t0+40: ev.append((t,*R.choice([("chronyd","chronyd.service","Selected source 172.22.8.1"),("sssd_be","sssd.service","Backend is online"),("chronyd","chronyd.service","System clock wrong by 0.000031 seconds"),("CROND","crond.service","(root) CMD (/usr/lib64/sa/sa1 1 1)"),("systemd","init.scope","Starting system activity accounting tool...")]),900+R.randint(0,50))); t+=R.expovariate(1/11)
    ev.sort(key=lambda e:e[0]); o=[]
    for n,(t,i,u,m,p) in enumerate(ev):
        o.append(json.dumps({"__CURSOR":f"s=91c0{k};i={n+40960:x};b=77aa{k}","__REALTIME_TIMESTAMP":str(int(t*1e6)),"_HOSTNAME":h,"PRIORITY":"6" if i!="kernel" else "4","SYSLOG_IDENTIFIER":i,"_PID":str(p),"_SYSTEMD_UNIT":u,"_TRANSPORT":"stdout" if i=="python" else ("kernel" if i=="kernel" else "journal"),"MESSAGE":m},ensure_ascii=False))
    w(d,f"{h}.journal.json",o)
w(d,"zgloszenie.md",["# Zgłoszenie 8812","Trening dziś trzy razy wolniejszy niż wczoraj. Wszystkie węzły pokazują ten sam czas kroku, błędów brak, trening kończy się poprawnie.","krk-13 zgłaszał temperaturę - czy to on?","","`journalctl -o json --since -20min > $(hostname).journal.json` z każdego węzła"])
pack(d,"torowisko-8812",".tar.xz","sync.straggler","wezel-krk-12",[],"Steps go from about 25 ms to about 370 ms on all nodes at once from step 40 on; only wezel-krk-12 (worker:1) reports a large wczytanie_wsadu (input load) of 300-450 ms, the others 0 ms and wait for it. The single thermal notice of wezel-krk-13 was before the first step and is a false lead; the run itself ends well.")
# C: gitlab CI job log
d=fresh("C"); D=-86400*4-3600*3
subs=std("/usr/local/lib/python3.11/site-packages","/builds/hinshitsu/momi-senbetsu",make={"C.py":"/builds/hinshitsu/momi-senbetsu/gakushu.py"})
hs=["tane-gpu1","tane-gpu2","tane-gpu3"]; al=[]
for k,h in enumerate(hs):
    rr=load("C",h)
    for t,s in conv(rr,D,subs): al.append((t,h,s))
    al.append((rr[-1][0]+D,h,f"@ exit status {rc(rr)}"))
    fx=lambda s:re.sub(r"^(\d\d):(\d\d):(\d\d) (\[選別)",lambda m:"%02d:%s:%s %s"%((int(m[1])-3)%24,m[2],m[3],m[4]),s)
al.sort(key=lambda x:x[0]); t0=al[0][0]
o=["\x1b[0KRunning with gitlab-runner 17.5.3 (12030cf4)\x1b[0;m","\x1b[0K  on tane-runner-02 t3_xKq9p, system ID: s_8a1b2c3d4e5f\x1b[0;m",f"section_start:{int(t0)-40}:prepare_executor\r\x1b[0K\x1b[0K\x1b[36;1mPreparing the \"shell\" executor\x1b[0;m\x1b[0;m","\x1b[0KUsing Shell (bash) executor...\x1b[0;m",f"section_end:{int(t0)-39}:prepare_executor\r\x1b[0K",f"section_start:{int(t0)-38}:get_sources\r\x1b[0K\x1b[0K\x1b[36;1mGetting source from Git repository\x1b[0;m\x1b[0;m","\x1b[32;1mFetching changes with git depth set to 20...\x1b[0;m","Reinitialized existing Git repository in /builds/hinshitsu/momi-senbetsu/.git/","\x1b[32;1mChecking out 5d0c9a17 as detached HEAD (ref is nightly)...\x1b[0;m",f"section_end:{int(t0)-30}:get_sources\r\x1b[0K",f"section_start:{int(t0)-29}:step_script\r\x1b[0K\x1b[0K\x1b[36;1mExecuting \"step_script\" stage of the job script\x1b[0;m\x1b[0;m","\x1b[32;1m$ ./bunsan.sh --hosts tane-gpu1,tane-gpu2,tane-gpu3 --port 20020 gakushu.py\x1b[0;m"]
for t,h,s in al: o.append(f"{F(t,'%Y-%m-%dT%H:%M:%S.%f')}Z 01O <{h}> {fx(s)}")
o+=["bunsan.sh: tane-gpu1 異常終了 (1)","bunsan.sh: tane-gpu3 異常終了 (1)","bunsan.sh: tane-gpu2 正常終了",f"section_end:{int(al[-1][0])+1}:step_script\r\x1b[0K","\x1b[31;1mERROR: Job failed: exit status 1","\x1b[0;m"]
w(d,"job_48213_raw.log",o)
w(d,"merge_request_comment.txt","夜間ジョブが落ちました。gpu1 と gpu3 が Socket closed で失敗、gpu2 は緑です。gpu1(親)のネットワークを疑っています。\n昨日 momi-007 のデータを差し替えました(不良画像を除去)。\n")
pack(d,"tanemaki-ci-48213",".zip","data.uneven-shards","tane-gpu2",[],"Worker 1 (tane-gpu2) has fewer records (its share after momi-007 was shortened), runs 32 steps per epoch instead of 42, ends all epochs with status 0 and closes its sockets; the two others then fail with Socket closed in the collective. The nodes with errors (gpu1, gpu3) and the suspected network are false leads.")
