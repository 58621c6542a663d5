from pk import *
# E k8s, DNS
d=fresh("E"); D=-86400*8+7200; P="eolica-prev-7"; subs=std("/usr/local/lib/python3.11/dist-packages","/app",make={"E.py":"/app/treino_coord.py"})
pods=[("chief-0","10.244.3.17","no-a3"),("ps-0","10.244.5.40","no-a5"),("ps-1","10.244.1.9","no-a1"),("worker-0","10.244.3.18","no-a3"),("worker-1","10.244.5.41","no-a5"),("worker-2","10.244.2.77","no-a2")]
t0=None; ev=["LAST SEEN   TYPE      REASON      OBJECT                         MESSAGE"]; gp=["NAME                     READY   STATUS    RESTARTS   AGE   IP            NODE    NOMINATED NODE   READINESS GATES"]
for p,ip,no in pods:
    n=f"{P}-{p}"; c=conv(load("E",n),D,subs); t0=t0 or c[0][0]
    w(d,f"export/pods/{n}/main.log",[f"{F(t,'%Y-%m-%dT%H:%M:%S.%f')}{R.randint(100,999)}Z stderr F {s}" if not s.startswith("{") else f"{F(t,'%Y-%m-%dT%H:%M:%S.%f')}{R.randint(100,999)}Z stdout F {s}" for t,s in c])
    y=["apiVersion: v1","kind: Pod","metadata:",f"  name: {n}","  namespace: treino",f"  labels: {{job: {P}, papel: {p.split('-')[0]}, indice: \"{p[-1]}\"}}","spec:",f"  hostname: {n}"]+([] if p=="ps-1" else [f"  subdomain: {P}"])+[f"  nodeName: {no}","  restartPolicy: Never","  containers:","  - name: main","    image: registo.brisa.example/eolica/prev:7.2.0","    ports: [{containerPort: 2222}]","status:","  phase: Running",f"  podIP: {ip}",f"  startTime: \"{F(c[0][0]-3,'%Y-%m-%dT%H:%M:%SZ')}\""]
    w(d,f"export/pods/{n}/pod.yaml",y); gp.append(f"{n:<24} 1/1     Running   0          71s   {ip:<13} {no}   <none>           <none>")
    ev+=[f"73s         Normal    Scheduled   {'pod/'+n:<30} Successfully assigned treino/{n} to {no}",f"72s         Normal    Pulled      {'pod/'+n:<30} Container image \"registo.brisa.example/eolica/prev:7.2.0\" already present on machine",f"72s         Normal    Started     {'pod/'+n:<30} Started container main"]
ev.append("69s         Warning   DNSConfigForming   pod/eolica-prev-7-worker-2         Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 10.96.0.10 10.100.0.2 10.100.0.3")
w(d,"export/events.txt",ev); w(d,"export/get-pods-wide.txt",gp)
o=[]; t=t0-30
names=[f"{P}-{p}.{P}.treino.svc" for p,_,_ in pods]
while t<t0+60:
    if t>t0+5 and R.random()<.6:
        n=R.choice(names); ip=dict((f"{P}-{p}.{P}.treino.svc",i) for p,i,_ in pods)
        src=R.choice([x[1] for x in pods]); q=R.choice(["A","AAAA"])
        if "ps-1" in n: o.append((t,f"[INFO] {src}:{R.randint(33000,60000)} - {R.randint(1,65000)} \"{q} IN {n}.cluster.local. udp 71 false 1232\" NXDOMAIN qr,aa,rd 164 0.000{R.randint(100,400)}s")); o.append((t+.004,f"[INFO] {src}:{R.randint(33000,60000)} - {R.randint(1,65000)} \"{q} IN {n}. udp 57 false 1232\" NXDOMAIN qr,rd,ra 132 0.00{R.randint(1000,4000)}s"))
        else: o.append((t,f"[INFO] {src}:{R.randint(33000,60000)} - {R.randint(1,65000)} \"{q} IN {n}.cluster.local. udp 71 false 1232\" NOERROR qr,aa,rd {R.randint(104,150)} 0.000{R.randint(100,400)}s"))
    else:
        n=R.choice(["kubernetes.default.svc.cluster.local","registo.brisa.example.treino.svc.cluster.local","metricas.obs.svc.cluster.local","api.meteo.example.obs.svc.cluster.local"]); bad="example" in n
        o.append((t,f"[INFO] 10.244.{R.randint(1,6)}.{R.randint(2,99)}:{R.randint(33000,60000)} - {R.randint(1,65000)} \"A IN {n}. udp 60 false 1232\" {'NXDOMAIN' if bad else 'NOERROR'} qr,aa,rd {R.randint(104,160)} 0.000{R.randint(100,400)}s"))
    t+=R.expovariate(4)
o.sort(); w(d,"export/kube-system/coredns-7c65d6cfc9-x2m4p.log",[".:53","[INFO] plugin/reload: Running configuration SHA512 = 591cf328cccc12bc490481273e738df59329c62c0b729d94e8b61db9961c2fa5f046dd37f1cf888b953814040d180f52594972691cd6ff41be96639138a43908","CoreDNS-1.11.3","linux/amd64, go1.21.11, a6338e9"]+[s for _,s in o])
w(d,"export/endpoints.yaml",["apiVersion: v1","kind: Endpoints","metadata: {name: "+P+", namespace: treino}","subsets:","- addresses:"]+[f"  - {{ip: {ip}"+("" if p=="ps-1" else f", hostname: {P}-{p}")+f", targetRef: {{kind: Pod, name: {P}-{p}}}}}" for p,ip,_ in pods]+["  ports: [{name: tf, port: 2222}]"])
w(d,"pedido.txt",["O coordenador não começa a treinar. Todos os pods Running, nenhum erro. Reiniciámos o chief duas vezes.","worker-2 tem um aviso de DNSConfigForming."])
EXTRA=any("DNS" in s for _,s in load("E",P+"-chief-0"))
pack(d,"brisa-eolica-7",".zip","network.dns",P+"-ps-1",["network.unreachable-peer","sync.hang"],"The coordinator cannot reach "+P+"-ps-1: its pod has no subdomain, the headless service gives it no hostname record, CoreDNS answers NXDOMAIN for its name only, though the pod runs and its server is up. worker-2's DNSConfigForming warning and the NXDOMAIN of foreign search domains are false leads.")
# J kaltwasser, PS killed
d=fresh("J"); D=-86400*3-3600*2
subs=std("/opt/pegel/venv/lib/python3.11/site-packages","/opt/pegel/bin",make={"E.py":"/opt/pegel/bin/koordinator.py"})+[("coordenador: modelo de previsão eólica v3.1","Koordinator: Abflussmodell"),("servidor a arrancar","Server startet"),("servidor pronto","Server bereit"),("época concluída","Epoche fertig"),("estratégia criada","Strategie angelegt"),('"papel"','"rolle"'),('"nivel"','"stufe"'),('"epoca"','"epoche"'),('"perda"','"verlust"'),('"passos"','"schritte"'),('2222\\}','2300}'),('"porto"','"port"')]
kt,kp=open(f"{B}/raw/J/killtime").read().split()[:2]; kt=float(kt)+D
for h,ip in (("kw-koord","10.61.5.10"),("kw-ps01","10.61.5.11"),("kw-ps02","10.61.5.12"),("kw-rechen07","10.61.5.27"),("kw-rechen08","10.61.5.28")):
    rows=load("J",h); c=conv(rows,D,subs); t0=c[0][0]; ex=[]
    w(d,f"{h}/app.log",[s for _,s in c])
    if h=="kw-ps02": ex=[(kt-.08,f"CRON[{int(kp)+40}]: (root) CMD (/usr/local/sbin/aufraeumen.sh >/dev/null)"),(kt-.02,f"aufraeumen.sh: Prozess {kp} (pegel, python) laeuft ausserhalb der Warteschlange, sende KILL"),(kt+.4,"systemd[1]: pegel-ps.service: Main process exited, code=killed, status=9/KILL"),(kt+.41,"systemd[1]: pegel-ps.service: Failed with result 'signal'.")]
    if h=="kw-rechen08": ex=[(kt-900,"kernel: [@UP] Out of memory: Killed process 8812 (rstudio-server) total-vm:9120044kB, anon-rss:7411200kB, file-rss:0kB, shmem-rss:0kB, UID:1011 pgtables:15012kB oom_score_adj:0")]
    for hh in ("kw-ps01",):
        if h==hh: ex.append((kt-.05,f"CRON[41200]: (root) CMD (/usr/local/sbin/aufraeumen.sh >/dev/null)")); ex.append((kt,"aufraeumen.sh: nichts zu tun"))
    w(d,f"{h}/syslog",syslog(h,t0-2400,c[-1][0]+80,1,ex,ip=ip,rate=12))
w(d,"LIESMICH.txt",["Abflussmodell abgebrochen, Koordinator meldet einen Fehler. Auf rechen08 lief vorher der Speicher voll (RStudio), vielleicht daher?","PIDs sind echt, Protokolle unveraendert. H. Petersen"])
pack(d,"kaltwasser-0377",".tar.bz2","process.killed-by-signal","kw-ps02",["ps.unavailable"],"A cleaning cron script (aufraeumen.sh) on kw-ps02 sends SIGKILL to the parameter server's process (syslog of kw-ps02, status=9/KILL); the coordinator then loses /job:ps task 1 and fails. The OOM kill of rstudio on kw-rechen08 was 15 minutes before and of another process.")
# L healthy docker compose
d=fresh("L"); D=-86400*13-3600*9
subs=std("/usr/local/lib/python3.11/dist-packages","/workspace",make={"F_disp.py":"/workspace/feed.py"})+[("dados treinador","feed learner"),("dados dispatcher","feed dispatcher"),(r"dados (dw\d)",r"feed \1"),("serviço de dados","data service"),("dispatcher pronto","dispatcher up"),("worker pronto","worker up"),("memoria_rss_mb","rss_mb"),("treinador à espera do primeiro lote","waiting for first batch"),(r"passo (\d+) perda ([\d.]+) espera_media_ms",r"step \1 loss \2 avg_ms"),(r" fim$"," finished ok"),(r"^2026-11-28T(\d\d:\d\d:\d\dZ)",lambda m:"@@T"+m[1])]
al=[]
for h in ("tfdata-dispatcher-0","tfdata-worker-0","tfdata-worker-1","learner-a","learner-b"):
    rows=load("L",h)
    for t,s in conv(rows,D,subs): al.append((t,h,re.sub(r"@@T\S+",F(t,'%Y-%m-%dT%H:%M:%SZ'),s)))
    if h.startswith("learner"): al.append((rows[-1][0]+D,h,None))
al.sort(key=lambda x:x[0])
w(d,"logs/all.log",[(f"{h}-1 exited with code 0" if s is None else f"{h}-1  | {s}") for t,h,s in al])
for h in ("learner-a","learner-b"): w(d,f"logs/inspect-{h}.json",json.dumps([{"Name":f"/chai-{h}-1","State":{"Status":"exited","Running":False,"OOMKilled":False,"ExitCode":0},"Config":{"Hostname":h,"Image":"chai/feed:0.9.4"}}],indent=1))
w(d,"docker-daemon.log",[f"time=\"{F(al[0][0]-a,'%Y-%m-%dT%H:%M:%S',3)}.{R.randint(100000000,999999999)}+03:00\" level={l} msg=\"{m}\"" for a,l,m in ((620,"warning","failed to prune image docker.io/library/redis@sha256:1b2c: conflict: unable to delete (cannot be forced) - image is being used by running container"),(300,"info","ignoring event topic=/tasks/delete type=*events.TaskDelete"),(90,"warning","Health check for container 5d1f error: context deadline exceeded"),(6,"info","Loading containers: done."))])
w(d,"question.txt",["Is anything wrong here? We see 'Failed to ...' and UNAVAILABLE lines at the start of each run. Results seem fine."])
pack(d,"chai-feed-12",".tgz","none",None,[],"Healthy run: both learners reach their last step, print finished and exit 0; retry lines at start of one data worker only mean that the dispatcher was not up yet; the daemon's warnings are older and ordinary.")
