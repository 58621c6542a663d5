import sys; sys.path.insert(0,"/opt/incidents/make")
from lib import *
from p1 import FI,PLr,H,jl,ports
from p2 import SL,VH,sacct,MXr,MH,KE
import random
def TR(run,start,**kw):
    P=ports(run); S=[(f"127.0.0.1:{p}",f"10.233.{70+i*3}.{18+i}:5000") for i,p in enumerate(P)]
    S+=[("/opt/incidents/make/core.py","/usr/src/hali/dokuma.py"),("/opt/tfenv/lib/","/usr/local/lib/"),(r"/opt/incidents/data/\w",r"/veri/parca"),(r"/opt/incidents/ck/\d+",r"/kayit/hali")]
    return Run(run,start,S,**kw)
def cri(r,k,pid=True):
    rnd=random.Random(k); out=[]
    pids=r.pids()
    for t,q,s,l in r.ev:
        if q==k: 
            l=re.sub(rf"(\s){pids[k]}(\s)",r"\g<1>7\2",l) if "0000 00:00" in l else l
            out.append(f"{D(t,'%Y-%m-%dT%H:%M:%S.%f',3)}{rnd.randint(0,999):03d}+03:00 std{s} F {l}")
    return out
def tr14():
    r=TR("r14",dt.datetime(2026,9,24,11,3,7),k=11,first="step=1 ",last="step=180 "); b=Box("Nevsehir-2409")
    for i in range(3): b.put(f"pods/hali_yikama-{i}_{'3f2a9b1c 81d07e44 c55e1f90'.split()[i]}-6a0e-4b1e-9c37-0242ac12000{i}/dokuma/0.log",cri(r,f"worker{i}"))
    tk=r.exits()["worker1"][0]-.06; rnd=random.Random(2); E=[]
    cid="cri-containerd-9d1be0c3f4a86b7725e1d0aa93c7f5b8e64021c7d9ab3e5f6071829304a5b6c7.scope"; sl="/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod81d07e44_6a0e_4b1e_9c37_0242ac120001.slice"
    pw=r.pids()["worker1"]
    def k(t,m,p=6): E.append((t,p,m))
    t=r.start-900
    while t<tk+600:
        t+=rnd.expovariate(1/35); k(t,rnd.choice(["cni0: port %d(veth%08x) entered forwarding state"%(rnd.randint(3,19),rnd.randint(0,2**32-1)),"IPv6: ADDRCONF(NETDEV_CHANGE): eth0: link becomes ready","eth0: renamed from tmp%05x"%rnd.randint(0,2**20-1),"device veth%08x left promiscuous mode"%rnd.randint(0,2**32-1),"cni0: port %d(veth%08x) entered disabled state"%(rnd.randint(3,19),rnd.randint(0,2**32-1))]))
    k(tk-.03,"python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=984",4)
    k(tk-.03,"CPU: 5 PID: %d Comm: python Not tainted 5.15.0-119-generic #129-Ubuntu"%pw,4)
    k(tk-.029,"Hardware name: Supermicro SYS-5019D-FN8TP/X11SDV-8C-TP8F, BIOS 1.9 02/20/2024",4)
    for m in ["Call Trace:"," <TASK>"," dump_stack_lvl+0x4a/0x63"," dump_stack+0x10/0x16"," dump_header+0x53/0x228"," oom_kill_process.cold+0xb/0x10"," out_of_memory+0x106/0x2e0"," mem_cgroup_out_of_memory+0x13f/0x160"," try_charge_memcg+0x687/0x740"," charge_memcg+0x45/0xb0"," __mem_cgroup_charge+0x2d/0x90"," do_anonymous_page+0x11a/0x3c0"," handle_pte_fault+0x209/0x240"," __handle_mm_fault+0x405/0x6f0"," handle_mm_fault+0xd8/0x2c0"," do_user_addr_fault+0x1c9/0x670"," exc_page_fault+0x77/0x170"," asm_exc_page_fault+0x27/0x30"," </TASK>"]: k(tk-.028,m,4)
    k(tk-.02,"memory: usage 1126400kB, limit 1126400kB, failcnt 214"); k(tk-.02,"swap: usage 0kB, limit 9007199254740988kB, failcnt 0"); k(tk-.02,f"Memory cgroup stats for {sl}/{cid}:")
    k(tk-.01,"Tasks state (memory values in pages):"); k(tk-.01,"[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name"); k(tk-.01,f"[  {pw}]     0 {pw}  1384221   281902  3190784        0           984 python")
    k(tk-.005,f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset={cid},mems_allowed=0,oom_memcg={sl}/{cid},task_memcg={sl}/{cid},task=python,pid={pw},uid=0")
    k(tk-.004,f"Memory cgroup out of memory: Killed process {pw} (python) total-vm:5536884kB, anon-rss:1092212kB, file-rss:35396kB, shmem-rss:0kB, UID:0 pgtables:3116kB oom_score_adj:984",3)
    E.sort(key=lambda e:e[0])
    b.put("dugum-04/cekirdek.json",[json.dumps({"_HOSTNAME":"dugum-04","PRIORITY":str(p),"_TRANSPORT":"kernel","SYSLOG_IDENTIFIER":"kernel","MESSAGE":m,"__REALTIME_TIMESTAMP":str(int(t*1e6)),"__MONOTONIC_TIMESTAMP":str(int((t-r.start+864213)*1e6)),"_BOOT_ID":"c07fd19d6a7e4b4e8f2f0b8a54e4f3d1"}) for t,p,m in E])
    b.put("get-pods.txt","""NAME        READY   STATUS    RESTARTS   AGE   IP             NODE       NOMINATED NODE   READINESS GATES
yikama-0    0/1     Error     0          31m   10.233.70.18   dugum-02   <none>           <none>
yikama-1    0/1     Error     0          31m   10.233.73.19   dugum-04   <none>           <none>
yikama-2    0/1     Error     0          31m   10.233.76.20   dugum-07   <none>           <none>
""")
    b.put("yazisma.txt","""[14:22] Nurcan: eğitim yine durdu. 0 ile 2 "Connection reset by peer" diyor, 1'in günlüğü ortadan kesik, hiç hata yok
[14:24] Kadir: calico güncellemesi bu sabahtı, ağ sıfırlanmıştır. cni0 satırları da dolu
[14:25] Nurcan: düğüm 04'ün çekirdek günlüğünü de ekledim ama okumadım, json
""")
    b.ship("tar.gz").truth("resource.host-oom-killed",["yikama-1","dugum-04","worker:1","10.233.73.19"],[],"Worker 1 (pod yikama-1 on dugum-04) is killed by the memory cgroup's OOM killer, visible only in the node's kernel journal as JSON; its own log just stops and the two others get Connection reset by peer from task 1. Calico and cni0 lines are noise.")
def tr13():
    r=TR("r13",dt.datetime(2026,10,30,7,44,21),k=14,first="step=1 ",last="step=97 "); b=Box("Urgup-3010")
    end=r.exits()["worker0"][0]
    for i in (0,1): b.put(f"yikama-{i}.log",cri(r,f"worker{i}"))
    b.put("kubectl.txt",f"""nurcan@merkez:~$ date
Fri Oct 30 11:02:40 +03 2026
nurcan@merkez:~$ kubectl -n hali get pods -o wide
NAME        READY   STATUS    RESTARTS   AGE   IP             NODE       NOMINATED NODE   READINESS GATES
yikama-0    0/1     Error     0          18m   10.233.70.18   dugum-02   <none>           <none>
yikama-1    0/1     Error     0          18m   10.233.73.19   dugum-04   <none>           <none>
yikama-2    1/1     Running   0          18m   10.233.76.20   dugum-07   <none>           <none>
nurcan@merkez:~$ kubectl get nodes
NAME       STATUS   ROLES           AGE    VERSION
dugum-01   Ready    control-plane   512d   v1.28.9
dugum-02   Ready    <none>          512d   v1.28.9
dugum-04   Ready    <none>          511d   v1.28.9
dugum-07   Ready    <none>          340d   v1.28.9
nurcan@merkez:~$ kubectl -n hali top pod
NAME        CPU(cores)   MEMORY(bytes)
yikama-2    0m           618Mi
nurcan@merkez:~$ kubectl -n hali exec yikama-2 -- ls -l /kayit/hali/r2
total 40
-rw-r--r-- 1 root root 3891 Oct 30 10:45 ckpt-1.data-00000-of-00001
-rw-r--r-- 1 root root  412 Oct 30 10:45 ckpt-1.index
-rw-r--r-- 1 root root 3891 Oct 30 10:46 ckpt-2.data-00000-of-00001
-rw-r--r-- 1 root root  412 Oct 30 10:46 ckpt-2.index
-rw-r--r-- 1 root root  261 Oct 30 10:46 checkpoint
nurcan@merkez:~$ kubectl -n hali get events
No resources found in hali namespace.
nurcan@merkez:~$ kubectl -n hali logs yikama-2 > yikama-2.log
(unuttum, pod silindikten sonra boş geldi)
""")
    b.put("yikama-2.log","")
    b.put("not.md","0 ve 1 diyor ki task:2 çökmüş, ama pod Running. Kadir'e göre ağ koptu, exec ise hemen cevap verdi. Sonunda pod'u sildim.\n")
    b.ship("zip").truth("sync.hang",["yikama-2","worker:2","dugum-07","10.233.76.20"],["collective.timeout"],"Hard: worker 2's own log is lost. Survivors say task 2 stopped sending heartbeats and 'crashed', yet the pod is Running without restarts, its node Ready, exec works and it uses 0m CPU with memory still held: the process was stopped/hung (in reality SIGSTOP). Network loss is contradicted by the working exec.")
def vn11():
    r=SL("r11",dt.datetime(2026,7,21,1,20,33)); b=Box("HaDong-48377")
    for i in range(2): b.put(f"roi.48377.{VH[i]}.log",[l for t,l in r.of(f"worker{i}")])
    r2=SL("r11ok",dt.datetime(2026,7,14,1,31,2),k=9,first="step=1 ",last="xong")
    for i in range(2): b.put(f"truoc/roi.48102.{VH[i]}.log",[l for t,l in r2.of(f"worker{i}")])
    b.put("sacct.txt",["$ sacct -j 48377 -o JobID,JobName,State,ExitCode,Start,End,NodeList%15"]+[l.replace(D(r.exits()['worker1'][0]+3,'%Y-%m-%dT%H:%M:%S',7),D(r.start+1312,'%Y-%m-%dT%H:%M:%S',7)) for l in sacct("48377","roi",r,2,"CANCELLED","0:15")])
    b.put("pdsh.txt",["$ pdsh -w roi-0[1-2] 'ulimit -n; ulimit -u; ps -L -u nuoc --no-headers | wc -l; uptime'","roi-01: 65536","roi-01: 513482","roi-01: 214","roi-01:  08:49:12 up 61 days, 22:10,  0 users,  load average: 0.31, 0.40, 0.52","roi-02: 65536","roi-02: 1024","roi-02: 1019","roi-02:  08:49:12 up 3 days, 14:02,  1 user,  load average: 6.02, 5.88, 5.71"])
    b.put("ghi-chu.txt","Job 48377 đứng yên 20 phút không ra bước nào, em huỷ bằng scancel. roi-01 cứ chờ task:1.\nroi-02 mới cài lại tuần trước, chị Hạnh chạy jupyter ở đó. Em đoán tường lửa của bản cài mới chặn cổng 28101?\nAnh xem giúp: có dòng Fatal Python error: Aborted ở roi-02, chắc do bản python.\n")
    b.ship("tar.xz").truth("resource.thread-limit",["roi-02","worker:1","192.168.60.102"],["process.abort-check"],"The gRPC server of worker 1 on roi-02 cannot create threads (pthread_create failed: Resource temporarily unavailable, then a CHECK aborts); pdsh shows max user processes 1024 with 1019 threads of that user there. roi-01 waits for task 1 until scancel; firewall and Python build are wrong guesses.")
def vn12():
    r=SL("r12",dt.datetime(2026,8,3,13,2,40),k=9,first="step=1 ",last="msg=\"bước\""); b=Box("HaDong-48901")
    sc=lambda l: l.replace(', "decode_ms": 170','')
    for i in range(3): b.put(f"{VH[i]}/roi.48901.out",[sc(l) for t,l in r.of(f"worker{i}")])
    ex=r.exits()
    b.put("squeue.txt","""$ squeue -u nuoc
             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
             48901       roi      roi     nuoc  R       4:48      3 roi-[01-03]
""")
    b.put("pdsh-mpstat.txt",["$ pdsh -w roi-0[1-3] 'uptime; cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor; nproc' | sort","roi-01:  20:07:31 up 70 days, 10:02,  0 users,  load average: 1.92, 1.80, 1.31","roi-01: performance","roi-01: 32","roi-02:  20:07:31 up 12 days,  1:55,  0 users,  load average: 1.88, 1.79, 1.30","roi-02: performance","roi-02: 32","roi-03:  20:07:31 up 70 days, 10:04,  1 user,  load average: 33.61, 33.20, 32.97","roi-03: performance","roi-03: 32"])
    b.put("thu.txt","Từ: Tuấn\nChào nhóm, job 48901 chậm gấp ba hôm qua mà không báo lỗi gì. sync_ms ở roi-01 và roi-02 tăng vọt (gần 2 giây), của roi-03 thì thấp, nên em nghĩ cáp mạng roi-01 và roi-02 hỏng. Anh Phong đổi cáp giúp em nhé.\n")
    b.ship("tgz",False).truth("sync.straggler",["roi-03","worker:2","192.168.60.103"],[],"No error: on roi-03 every step's input takes about 1.4-2 s (in_ms) and its sync_ms is tiny, while the two others wait in the all-reduce (sync_ms near 1.8 s); load 33 on 32 cores there. The mail blames the cables of the two waiting machines.")
def mx4():
    r=MXr("r4",dt.datetime(2026,4,15,16,30,0)); b=Box("Oaxaca-88"); 
    hosts={"ps0":"comal-0","worker0":"metate-1","worker1":"metate-2","worker2":"metate-3"}
    fx=lambda l: re.sub(r"^(\d\d)\.(\d\d)\.(\d{4}) (\d\d:\d\d:\d\d)",r"\3-\2-\1 \4",l)
    for k,h in hosts.items(): b.put(f"{h}.log",[fx(l) for t,l in r.of(k)])
    ex=r.exits(); L=[]
    for k,h in hosts.items(): L.append((r.start+.3,f"{h}: lanzado {k[:-1]} {k[-1]} pid {r.pids()[k]}"))
    for k,(t,pid,rc) in ex.items(): L.append((t,f"{hosts[k]}: pid {pid} terminó, código {rc} ({'señal '+str(-rc) if rc<0 else 'salida'})"))
    t=max(x for x,_,_ in ex.values())
    for k,h in hosts.items():
        if k not in ex: L.append((t+7.6,f"{h}: detenido por operador"))
    b.put("molendero.log",[f"{D(t)} molendero {m}" for t,m in sorted(L)])
    first=min(ex.items(),key=lambda x:x[1][0])[0]
    b.put("mensaje.txt","Chucho: el servidor de parámetros tira puros avisos de ABORTED Cleanup, yo digo que es él. Refugio actualizó libnixtamal a la 2.4 en dos máquinas, en metate-1 no se pudo (faltaba gcc) y ahí sigue sin preparar los lotes en C.\n")
    names={"worker1":["metate-2","worker:1"],"worker2":["metate-3","worker:2"]}
    b.ship("tar.bz2").truth("process.abort-check",names.get(first,[]),["process.segfault"] if any(v[2]==-11 for v in ex.values()) else [],f"glibc's heap check aborts the workers that use the new native batch preparer (free(): invalid next size / signal 6), {hosts[first]} first; metate-1 without the library goes on, and so does the parameter server. 'ABORTED: Cleanup' lines are harmless noise of the session.")
    print(first,ex)
def pl9():
    r=PLr("r9",dt.datetime(2026,11,9,18,0,7),k=6,first=r"krok 1 |lokalnie 1\)",last="krok 5"); b=Box("Wolsztyn-12")
    names={"worker0":"robotnik0","worker1":"robotnik1"}
    for k,n in names.items(): b.put(f"logs/{n}.txt",[l for t,l in r.of(k)])
    ex=r.exits(); e=ex["ps1"][0] if "ps1" in ex else r.ev[-1][0]
    b.put("ps.txt",f"""$ docker compose ps -a
NAME                IMAGE                                               COMMAND                  SERVICE     CREATED          STATUS                       PORTS
solanka-ps0-1         rejestr.kwasnystaw.example/kiszonka:2026.10-cpu   "python -u /app/kisz…"   ps0         52 minutes ago   Up 52 minutes
solanka-robotnik0-1   rejestr.kwasnystaw.example/kiszonka:2026.10-cpu   "python -u /app/kisz…"   robotnik0   52 minutes ago   Up 52 minutes
solanka-robotnik1-1   rejestr.kwasnystaw.example/kiszonka:2026.10-cpu   "python -u /app/kisz…"   robotnik1   52 minutes ago   Up 52 minutes
""")
    b.put("mail.eml",f"""From: wieslaw@kwasnystaw.example
To: halina@kwasnystaw.example
Date: Mon, 09 Nov 2026 20:02:11 +0100
Subject: solanka znowu stoi
Content-Type: text/plain; charset=utf-8

Halina,
roboty chodzą, ale od dłuższego czasu nic się nie rusza. Druga połowa klastra (ps1) stoi
u Tomka na beczka-d i nie mam tam konta, Tomek na urlopie. Zgaduję, że dysk na wyniki pełny?
df -h pokazuje 41 procent. Przesyłam co mam z beczka-a.
W.
""")
    b.ship("zip").truth("ps.unavailable",["ps:1","beczka-d"],["network.unreachable-peer"],"Hard: only the two workers' logs. Parameter server 1 (another machine whose logs nobody has) disappears; the workers lose their session and keep waiting for it. Nothing tells why it died; the full-disk guess is refuted by df.")
    print(ex)
if __name__=="__main__":
    for f in sys.argv[1:]:
        try: globals()[f]()
        except Exception:
            import traceback; print(f); traceback.print_exc()
