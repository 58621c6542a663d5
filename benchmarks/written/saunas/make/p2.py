import sys; sys.path.insert(0,"/opt/incidents/make")
from lib import *
from p1 import FI,PLr,H,jl,launcher,ports
import random
def fi1():
    r=FI("r1",dt.datetime(2026,10,22,1,48,11,500000),k=9,first='"step": 1,',last='"step": 131,')
    b=Box("Kemi-2210"); p=r.pids()["worker1"]; tk=r.exits()["worker1"][0]-.06
    for i,h in enumerate(H): b.put(f"{h}/aja.jsonl",jl(r,i))
    b.put("lauteet.log",launcher(r,H,["ryhmä loyly: 0/3 valmis, 3/3 epäonnistui. Löyly loppui kesken."]))
    rnd=random.Random(3)
    for hi,h in enumerate(H):
        L=[]; t=r.start-2400
        ev=[]
        while t<r.start+1500:
            t+=rnd.expovariate(1/18); ev.append((t,rnd.choice(["systemd[1]: Started session-%d.scope - Session %d of User kiuas."%((rnd.randint(100,300),)*2),"chronyd[701]: Selected source 10.44.8.2","systemd[1]: Starting fwupd-refresh.service - Refresh fwupd metadata and update motd...","systemd[1]: fwupd-refresh.service: Deactivated successfully.","kernel: perf: interrupt took too long (%d > %d), lowering kernel.perf_event_max_sample_rate to 63000"%(rnd.randint(3100,3300),rnd.randint(3050,3099)),"prometheus-node-exporter[688]: ts=x caller=stdlib.go:105 level=error msg=\"error gathering metrics: broken pipe\"".replace("ts=x","ts="+D(t,"%Y-%m-%dT%H:%M:%S.%f")[:-3]+"Z")])))
        for q in range(-2,2):
            tq=(int(tk)//600)*600+q*600+1+hi*.2; tq= tk-.2+600*(q+0) if hi==1 else tq
            ev.append((tq-.4,"CRON[%d]: (root) CMD (/usr/local/sbin/siivooja --ikä 2 --käyttäjä kiuas)"%rnd.randint(20000,29999)))
            if hi==1 and q==0: ev.append((tk,f"siivooja[{rnd.randint(25000,29000)}]: orpo prosessi {p} (python, kiuas, ei istuntoa): kill -9"))
            else: ev.append((tq+.1,f"siivooja[{rnd.randint(20000,29999)}]: ei siivottavaa"))
        for t,x in sorted(ev): L.append(f"{D(t,'%Y-%m-%dT%H:%M:%S.%f',2)}+02:00 {h} {x}")
        b.put(f"{h}/syslog",L)
        b.put(f"{h}/uptime.txt",f"$ uptime\n 09:12:{rnd.randint(10,50)} up {rnd.randint(20,90)} days,  3:{rnd.randint(10,59)},  1 user,  load average: 0.{rnd.randint(10,60)}, 0.21, 0.18\n$ free -m\n               total        used        free      shared  buff/cache   available\nMem:          128642        4{rnd.randint(100,999)}      101{rnd.randint(100,999)}          12       2{rnd.randint(1000,9999)}      12{rnd.randint(1000,3999)}\nSwap:           8191           0        8191\n")
    b.put("huom.md","Ajo kaatui 3:50 paikkeilla. Kiuas-01 ja -03 valittavat suljettua pistoketta. Muisti loppu? dmesg oli tyhjä kaikilla kolmella (katsottu `dmesg -T | grep -i oom`), joten en liittänyt. /Pekka\n")
    b.ship("tar.gz",False).truth("process.killed-by-signal",["kiuas-02","worker:1","10.44.8.12"],[],"A root cron clean-up script on kiuas-02 takes worker 1 for an orphan and kills it with SIGKILL; the launcher sees signal 9 and the two others die of Socket closed. No OOM anywhere; the remark about memory is wrong.")
KH=["ropegrade-0","ropegrade-1","ropegrade-2"]
def KE(run,start,**kw):
    P=ports(run); S=[(f"127.0.0.1:{p}",f"10.12.{3+i}.{41+i*7}:4000") for i,p in enumerate(P)]
    S+=[("/opt/incidents/make/core.py","/opt/ropegrade/spin.py"),("/opt/tfenv/","/opt/venv/"),(r"/opt/incidents/data/\w",r"/bales/in"),(r"/opt/incidents/ck/(kepre|ke16|\d+)",r"/bales/ck")]
    return Run(run,start,S,**kw)
def merged(r,seed=1,tail=30,names=KH,ns="sisal",extra=()):
    rnd=random.Random(seed); E=[]
    for t,k,s,l in r.ev:
        if k.startswith("worker"): E.append((t+rnd.uniform(.01,.5),{"ts":ms(t)+"Z","pod":names[int(k[-1])],"container":"spin","stream":"std"+s,"msg":l}))
    end=max(t for t,*_ in r.ev)+tail; t=r.start-40; n=rnd.randint(20000,40000)
    while t<end:
        t+=rnd.uniform(9.8,10.3); n+=rnd.randint(10,300)
        E.append((t,{"ts":ms(t)+"Z","pod":rnd.choice(names),"container":"logmux","stream":"stderr","msg":rnd.choice(["flush ok chunks=%d bytes=%d"%(rnd.randint(1,9),n),"tail: /var/log/spin/current rotated=false lag_ms=%d"%rnd.randint(2,90),"GET /healthz 200 %dus"%rnd.randint(80,900)])}))
    for x in extra: E.append(x)
    E.sort(key=lambda e:e[0]); return [json.dumps(d,ensure_ascii=False) for _,d in E]
def ke15():
    r=KE("r15",dt.datetime(2026,8,12,6,20,31)); b=Box("Voi-118")
    b.put("mux.ndjson",merged(r,5))
    b.put("mux-yesterday.ndjson",merged(KE("r16pre",dt.datetime(2026,8,11,6,20,30),k=3,first="step=1 ",last="step=200 "),6))
    b.put("README","""Two merged logs from the mux sidecar, yesterday (fine) and today (dead in under a minute).
Between the two: Otieno rolled the nodes' kernels on pool-b, and Wanjiru started passing the grader's settings
per pod with SPIN_OVERRIDES in the pod template instead of one config map. Otieno thinks gRPC needs a newer kernel.
Node for ropegrade-2 was rebooted twice.
""")
    b.put("pods.txt","""NAME          READY   STATUS             RESTARTS      AGE   IP            NODE           NOMINATED NODE   READINESS GATES
ropegrade-0   1/2     Error              0             4m    10.12.3.41    pool-a-7xk2    <none>           <none>
ropegrade-1   1/2     Error              0             4m    10.12.4.48    pool-b-m4qd    <none>           <none>
ropegrade-2   1/2     Error              0             4m    10.12.5.55    pool-b-zz8c    <none>           <none>
""")
    b.ship("tar.bz2").truth("collective.mismatch",["ropegrade-1","worker:1","pool-b-m4qd","10.12.4.48"],["data.shape-mismatch"],"Worker 1 (ropegrade-1) was started with hidden 48, the others with 32 (see the conf printed at boot), so the first packed all-reduce has shape [864] against [576] and all three abort with Shape mismatch in the collective instance. Kernel roll and reboots are innocent.")
def ke16():
    r=KE("r16",dt.datetime(2026,9,2,4,2,11)); r0=KE("r16pre",dt.datetime(2026,9,1,17,30,0),k=6,first="step=1 ",last="step=200 "); b=Box("Kilifi-77")
    b.put("2026-09-01/mux.ndjson",merged(r0,9)); b.put("2026-09-02/mux.ndjson",merged(r,10))
    L=["wanjiru@desk:~$ for p in 0 1 2; do kubectl -n sisal exec ropegrade-$p -c logmux -- sh -c 'hostname; ls -l /bales/ck/r'$p'; date'; done"]
    e=max(t for t,*_ in r0.ev)
    for i in range(3):
        L+=[KH[i],"total 132"]
        for k in (8,9,10):
            sz=os.path.getsize(f"{BC}/ck/ke16/r{i}/ckpt-{k}.data-00000-of-00001"); L.append(f"-rw-r--r--    1 root     root         {sz} Sep  1 17:30 ckpt-{k}.data-00000-of-00001")
            L.append(f"-rw-r--r--    1 root     root           {os.path.getsize(f'{BC}/ck/ke16/r{i}/ckpt-{k}.index')} Sep  1 17:30 ckpt-{k}.index")
        L+=["-rw-r--r--    1 root     root           261 Sep  1 17:30 checkpoint","Wed Sep  2 04:31:%02d UTC 2026"%(10+i)]
    b.put("2026-09-02/ls.txt",L)
    b.put("chat.txt","""Wanjiru: hujambo, the morning resume is dead again, Socket closed from 1 and 2. network policy?
Otieno: mtandao uko sawa. ropegrade-0 says IndexError, must be your python list somewhere
Wanjiru: i did not touch spin.py since July
Otieno: pool-a lost mains at about half past eight last evening (2030 EAT), generator took 40 s. the run had finished by then? 
Wanjiru: finished 17:3x UTC, so just. all three said run complete
""")
    b.ship("tgz").truth("checkpoint.corrupt",["ropegrade-0","worker:0"],[],"On resume worker 0 cannot read its last checkpoint (IndexError: Read less bytes than requested in CheckpointReader; ls shows ckpt-10.data at 20480 bytes against 43630 elsewhere), after a power cut on its node; the others get Socket closed from task 0. Network policy and a Python list error are wrong guesses.")
def SL(run,start,**kw):
    P=ports(run); S=[(f"127.0.0.1:{p}",f"192.168.60.{101+i}:28{100+i}") for i,p in enumerate(P)]
    S+=[("/opt/incidents/make/core.py","/home/nuoc/roi/tap.py"),("/opt/tfenv/","/opt/py311/"),(r"/opt/incidents/data/\w",r"/nas/roi/mau"),("/opt/incidents/mnt/ck","/scratch/roi/ck"),(r"/opt/incidents/ck/\d+",r"/scratch/roi/ck")]
    return Run(run,start,S,**kw)
VH=["roi-01","roi-02","roi-03","roi-04"]
def sacct(job,name,r,n,state,st,steps=True,off=7):
    ex=r.exits(); s=D(r.start-2,"%Y-%m-%dT%H:%M:%S",off); e=D(max([t for t,_,_ in ex.values()] or [r.ev[-1][0]])+3,"%Y-%m-%dT%H:%M:%S",off)
    L=["JobID           JobName      State ExitCode               Start                 End        NodeList","------------ ---------- ---------- -------- ------------------- ------------------- ---------------"]
    L.append(f"{job:<12} {name:>10} {state:>10} {st:>8} {s} {e} {'roi-[01-0%d]'%n:>15}")
    L.append(f"{job+'.batch':<12} {'batch':>10} {state:>10} {st:>8} {s} {e} {'roi-01':>15}")
    L.append(f"{job+'.0':<12} {'python':>10} {state:>10} {st:>8} {s} {e} {'roi-[01-0%d]'%n:>15}")
    return L
def vn10():
    r=SL("r10",dt.datetime(2026,7,9,15,11,50),k=8,first="step=1 ",last="step=(99|100) "); b=Box("HaDong-48213")
    for i in range(3): b.put(f"roi.48213.{VH[i]}.log",[l for t,l in r.of(f"worker{i}")])
    b.put("sacct.txt",["$ sacct -j 48213 -o JobID,JobName,State,ExitCode,Start,End,NodeList%15"]+sacct("48213","roi",r,3,"FAILED","1:0"))
    b.put("pdsh-df.txt",["$ pdsh -w roi-0[1-3] df -h /scratch /nas /tmp | dshbak -c","----------------","roi-01","----------------","Filesystem      Size  Used Avail Use% Mounted on","/dev/nvme0n1p3  880G  212G  624G  26% /scratch","nas:/vol/roi     40T   38T  2.1T  95% /nas","tmpfs            63G  1.1M   63G   1% /tmp","----------------","roi-02","----------------","Filesystem      Size  Used Avail Use% Mounted on","/dev/nvme0n1p3  880G  880G     0 100% /scratch","nas:/vol/roi     40T   38T  2.1T  95% /nas","tmpfs            63G  904K   63G   1% /tmp","----------------","roi-03","----------------","Filesystem      Size  Used Avail Use% Mounted on","/dev/nvme0n1p3  880G  399G  437G  48% /scratch","nas:/vol/roi     40T   38T  2.1T  95% /nas","tmpfs            63G  1.0M   63G   1% /tmp"])
    b.put("ghi-chu.txt","Anh Tuấn ơi, job 48213 chết lúc hơn 10 giờ tối. Em nghĩ tại NAS gần đầy (95%) hoặc tại switch, vì roi-01 và roi-03 báo Socket closed.\nRoi-02 có vẻ chỉ chết theo.\n")
    b.ship("zip").truth("resource.disk-full",["roi-02","worker:1"],[],"Saving checkpoint 5 on roi-02 fails with ResourceExhaustedError (no space left; df shows /scratch 100 % there), its process leaves and the two others get Socket closed. The NAS at 95 % and the switch are red herrings.")
def MXr(run,start,**kw):
    P=ports(run); S=[(f"127.0.0.1:{p}",f"10.90.2.{21+i}:7100") for i,p in enumerate(P)]
    S+=[("/opt/incidents/make/core.py","/opt/tortilla/bucle.py"),("/opt/incidents/make/ds.py","/opt/tortilla/surtido.py"),("/opt/incidents/make/tfps.py","/opt/tortilla/prensa.py"),("/opt/tfenv/","/opt/tortilla/.venv/"),(r"localhost:3\d{4}",r"localhost:7100"),(r"/opt/incidents/make/libnixtamal.so","/opt/tortilla/lib/libnixtamal.so"),(r"/opt/incidents/data/\w",r"/datos/masa"),(r"/opt/incidents/ck/(mxpre|\d+)",r"/puntos/masa"),(r"0\.0\.0\.0:3\d{4}",r"0.0.0.0:7100"),(r"port: 3\d{4}",r"port: 7100"),(r"(?<=, )(\d\d)\.11",r"\1.11")]
    return Run(run,start,S,**kw)
MH=["metate-1","metate-2","metate-3"]
def mx6():
    r=MXr("r6",dt.datetime(2026,5,19,9,4,12),k=6,first="step=(21|41) ",last="fin de"); r0=MXr("r6pre",dt.datetime(2026,5,18,19,30,2),k=10,first="step=1 ",last="fin de")
    b=Box("Tlaxcala-9")
    for i in range(3):
        b.put(f"{MH[i]}/2026-05-18.log",[l for t,l in r0.of(f"worker{i}")]); b.put(f"{MH[i]}/2026-05-19.log",[l for t,l in r.of(f"worker{i}")])
        b.put(f"{MH[i]}/salida.txt","\n".join(f"{d} {MH[i]} código de salida 0" for d in ("2026-05-18","2026-05-19"))+"\n")
    b.put("correo.txt","""De: Refugio
Para: equipo prensas
Asunto: evaluación rara

Los tres terminaron sin errores, pero si evalúo con los pesos de una máquina da un resultado y con los de otra da otro.
La noche del 18 se apagó el aire en el cuarto y Chucho movió discos de metate-3 (restauró /puntos del respaldo de las 7 y media).
Chucho dice que son redondeos de oneDNN, que hasta el arranque lo advierte. ¿Le ponemos TF_ENABLE_ONEDNN_OPTS=0?
""")
    b.ship("tar.xz").truth("numeric.divergence",["metate-3","worker:2"],["checkpoint.mismatch"],"No error at all: metate-3 resumed from ckpt-1 (step 20, restored from a backup) while the two others resumed from ckpt-2 (step 40); since gradients are averaged but weights stay local, its weight fingerprint differs from theirs for the whole run. oneDNN rounding is a wrong guess (the other two agree to every digit).")
def mx5():
    P=ports("r5"); r=MXr("r5",dt.datetime(2026,6,24,13,20,0),k=4,first="n=1 ",last="paso n="); b=Box("Puebla-31")
    q=r.of
    hosts={"despacho":"comal-0","molino1":"metate-1","molino2":"metate-2","comal":"comal-1"}
    b.put("molinos.log",[f"{hosts[k]} {l}" for t,k,s,l in r.ev if k in("despacho","molino1","molino2")])
    b.put("comal-1.log",[l for t,l in q("comal")])
    b.put("nota.txt","""Resumen de Lupita: el entrenador en comal-1 se cayó a medio lote, los dos molinos y el despacho siguen vivos (los apagué a mano a las 8:10).
metate-2 estuvo actualizando paquetes a esa hora. El archivo 202 lo copiamos el lunes por USB porque la red estaba lenta, los otros por rsync.
""")
    e=max(t for t,*_ in r.ev)
    b.put("metate-2-apt.log",["Start-Date: 2026-06-24  07:19:02","Commandline: /usr/bin/unattended-upgrade","Upgrade: libssl3:amd64 (3.0.2-0ubuntu1.18, 3.0.2-0ubuntu1.19), openssl:amd64 (3.0.2-0ubuntu1.18, 3.0.2-0ubuntu1.19)","End-Date: 2026-06-24  07:19:09"])
    b.ship("tar.gz").truth("data.corrupt-record",["metate-1","molino1","10.90.2.22"],[],"The tf.data service worker on metate-1 reads a corrupted record (offset 57576 of some file, likely the one copied by USB) and the trainer on comal-1 dies of DataLossError. The upgrade on metate-2 is innocent; the file itself is the cause, metate-1 only happened to read it.")
def pl7():
    r=PLr("r7",dt.datetime(2026,10,1,5,30,3)); b=Box("Sieradz-4")
    r.subs.append((r"0\.0\.0\.0:\d{5}",r"0.0.0.0:2222")); r=PLr("r7",dt.datetime(2026,10,1,5,30,3)); 
    hh={"ps0":"beczka-a","worker0":"beczka-b","worker1":"beczka-c","worker2":"beczka-d"}
    for k,h in hh.items():
        pid=r.pids()[k]; j,i=k[:-1],k[-1]; u=f"kiszonka@{j}-{i}.service"
        L=[f"{D(r.start-.5,'%Y-%m-%dT%H:%M:%S',2)}+0200 {h} systemd[1]: Started {u} - Trener ogorkow {j} {i}."]
        for t,l in r.of(k): L.append(f"{D(t,'%Y-%m-%dT%H:%M:%S',2)}+0200 {h} trener[{pid}]: "+re.sub(r"0\.0\.0\.0:\d{5}","0.0.0.0:2222",l))
        if k in r.exits():
            t=r.exits()[k][0]; L+=[f"{D(t,'%Y-%m-%dT%H:%M:%S',2)}+0200 {h} systemd[1]: {u}: Main process exited, code=exited, status=1/FAILURE",f"{D(t,'%Y-%m-%dT%H:%M:%S',2)}+0200 {h} systemd[1]: {u}: Failed with result 'exit-code'."]
        else:
            t=r.start+1500
            w=[(q,l) for q,l in r.of(k) if "still waiting" in l]
            if w:
                last,l=w[-1]; tid=re.search(r"00:00:\d+\.\d+\s+(\d+) ",l)[1]; lt=float(re.search(r"00:00:(\d+\.\d+)",l)[1])
                while lt+10.0003<t:
                    lt+=10+random.random()*.0004
                    L.append(f"{D(lt,'%Y-%m-%dT%H:%M:%S',2)}+0200 {h} trener[{pid}]: "+re.sub(r"00:00:\d+\.\d+",f"00:00:{lt:.6f}",l))
            L+=[f"{D(t,'%Y-%m-%dT%H:%M:%S',2)}+0200 {h} systemd[1]: Stopping {u} - Trener ogorkow {j} {i}...",f"{D(t,'%Y-%m-%dT%H:%M:%S',2)}+0200 {h} systemd[1]: {u}: Deactivated successfully.",f"{D(t,'%Y-%m-%dT%H:%M:%S',2)}+0200 {h} systemd[1]: Stopped {u} - Trener ogorkow {j} {i}."]
        b.put(f"{h}.journal",L)
    S=["$ for h in a b c d; do ssh beczka-$h ss -ltnp; done   # 8:05, po zatrzymaniu"]
    for h in "abcd":
        S+=[f"# beczka-{h}","State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess","LISTEN 0      128          0.0.0.0:22        0.0.0.0:*    users:((\"sshd\",pid=912,fd=3))","LISTEN 0      4096         0.0.0.0:9100      0.0.0.0:*    users:((\"node_exporter\",pid=877,fd=3))"]
        if h=="c": S.append("LISTEN 0      4096               *:2222            *:*    users:((\"python\",pid=18840,fd=11))")
    b.put("ss.txt",S)
    b.put("notatka.txt","Halina: od 7:30 nic nie rusza, robotnik 0 w kółko pisze że czeka na task:1. Restart ps-a nie pomógł. Wczoraj wieczorem Tomek próbował coś ręcznie w screenie na wszystkich beczkach, mówi że posprzątał.\n")
    b.ship("tar.gz").truth("network.port-in-use",["beczka-c","worker:1","172.28.4.21"],[],"Worker 1 on beczka-c cannot bind port 2222 (No address added ... Could not start gRPC server) because a stale python (pid 18840, left over from manual trials) still listens there; worker 0 waits for task:1 for ever until the units are stopped.")
if __name__=="__main__":
    for f in sys.argv[1:]:
        try: globals()[f]()
        except Exception:
            import traceback; print(f); traceback.print_exc()
