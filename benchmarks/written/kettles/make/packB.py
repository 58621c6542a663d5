from pk import *
# D: S3 dump with odd names
d=fresh("D"); D=-86400*2+3600*5
subs=std("/opt/conda/lib/python3.11/site-packages","/home/ec2-user/grader2",make={"D.py":"/home/ec2-user/grader2/avg_train.py"})
for k in (1,2,3):
    h=f"ip-10-33-7-1{k}"; rows=load("D",h); L=[]
    def tshift(s): return re.sub(r"^(2026/11/29 \d\d:\d\d:\d\d)",lambda m:F(dt.datetime.strptime(m[1]+"+0000","%Y/%m/%d %H:%M:%S%z").timestamp()+D,"%Y/%m/%d %H:%M:%S"),s)
    c=[(t,tshift(s)) for t,s in conv(rows,D,subs)]
    id_="i-0%015x"%R.getrandbits(60)
    lines=[s for t,s in c]; half=len(lines)//2
    w(d,f"grader2-logs/dt={F(c[0][0],'%Y-%m-%d')}/h={F(c[0][0],'%H')}/{h}.ap-northeast-1.compute.internal%2Fstdout.{F(c[0][0],'%Y%m%d-%H%M')}_0.part",lines[:half])
    w(d,f"grader2-logs/dt={F(c[0][0],'%Y-%m-%d')}/h={F(c[0][0],'%H')}/{h}.ap-northeast-1.compute.internal%2Fstdout.{F(c[0][0],'%Y%m%d-%H%M')}_1.part",lines[half:])
    w(d,f"grader2-logs/meta/{id_}_cloud-init-output",[f"Cloud-init v. 24.4.1 running 'modules:final' at {F(c[0][0]-200,'%a, %d %b %Y %H:%M:%S')} +0000. Up 21.{k}4 seconds.",f"hostname {h}",f"aws s3 cp s3://tane-artifacts/grader2/run.env /home/ec2-user/grader2/run.env","download: s3://tane-artifacts/grader2/run.env to home/ec2-user/grader2/run.env" if k!=3 else "download: s3://tane-artifacts/grader2/run.env to home/ec2-user/grader2/run.env (not modified)",f"Cloud-init v. 24.4.1 finished at {F(c[0][0]-170,'%a, %d %b %Y %H:%M:%S')} +0000. Datasource DataSourceEc2Local.  Up 5{k}.20 seconds"])
w(d,"grader2-logs/eval/_SUCCESS_but_see_note.txt",["精度評価: node1 0.914, node2 0.914, node3 0.887 (同じモデルのはずなのに違う)","終了コードは全て 0。通信エラーは見当たらない。node1 の eval 値だけ少し低いので node1 が怪しい?"])
pack(d,"tanemaki-s3-0915",".zip","numeric.divergence","ip-10-33-7-13",[],"All three nodes finish with status 0 and without errors, but after every averaging round node1 and node2 print the same |w| and crc while node3 (ip-10-33-7-13) always has another one and drifts away: its exchange does not take effect. The team's suspicion of node1 is a false lead.")
# F: tf.data service OOM: k8s export
d=fresh("F"); D=-86400*11
subs=std("/usr/local/lib/python3.11/dist-packages","/app",make={"F_disp.py":"/app/servico_dados.py"})
for h,node,lim in (("tfdata-dispatcher-0","pool-geral-a1","2Gi"),("tfdata-worker-0","pool-mem-b2","16Gi"),("tfdata-worker-1","pool-geral-a3","700Mi"),("treino-0","pool-gpu-c1","24Gi")):
    rows=load("F",h); r=rc(rows) if h=="tfdata-worker-1" else None
    def ts(s): return re.sub(r"^(2026-11-28T\d\d:\d\d:\d\dZ)",lambda m:F(dt.datetime.strptime(m[1],"%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=dt.timezone.utc).timestamp()+D,"%Y-%m-%dT%H:%M:%SZ"),s)
    c=conv(rows,D,subs); w(d,f"logs/{h}.log",[f"{F(t,'%Y-%m-%dT%H:%M:%S.%f')}000Z {ts(s)}" for t,s in c])
    t0=c[0][0]; te=c[-1][0]
    st=["    State:          Running",f"      Started:      {F(t0-1,'%a, %d %b %Y %H:%M:%S')} +0000","    Ready:          True"] if r is None else ["    State:          Terminated","      Reason:       OOMKilled","      Exit Code:    137",f"      Started:      {F(t0-1,'%a, %d %b %Y %H:%M:%S')} +0000",f"      Finished:     {F(rows[-1][0]+D,'%a, %d %b %Y %H:%M:%S')} +0000","    Ready:          False"]
    w(d,f"describe/{h}.txt",[f"Name:             {h}","Namespace:        vento","Priority:         0",f"Node:             {node}/10.100.0.{R.randint(4,60)}",f"Start Time:       {F(t0-9,'%a, %d %b %Y %H:%M:%S')} +0000",f"Labels:           app={h.rsplit('-',1)[0]}",f"Status:           {'Running' if r is None else 'Failed'}","Containers:","  main:","    Image:          registo.brisa.example/vento/dados:3.4.1",*st,"    Restart Count:  0","    Limits:",f"      memory:  {lim}","    Requests:","      memory:  512Mi","Conditions:","  Type              Status",f"  Ready             {'True' if r is None else 'False'}","Events:          <none>"])
w(d,"get-pods.txt",["NAME                  READY   STATUS      RESTARTS   AGE","tfdata-dispatcher-0   1/1     Running     0          58s","tfdata-worker-0       1/1     Running     0          58s","tfdata-worker-1       0/1     OOMKilled   0          58s","treino-0              1/1     Running     0          52s"])
T=load("F","tfdata-worker-1")[-1][0]+D
w(d,"node-pool-geral-a3.dmesg",[re.sub(r"/bk_f","/kubepods/burstable/pod6b1f2c7e-1d3a-4b8e-9f0c-55aa0c2de711/1f8e",l) for l in open(f"{B}/raw/F/dmesg").read().splitlines() if not re.search(r"br0|\bv\d+:|multicast",l)])
w(d,"leia-me.txt",["O treinador está parado no primeiro lote há quase um minuto; 'treino-0' não tem erros. Será o dispatcher?","Nota: o dw0 usa 7 GB de memória, parece-nos uma fuga. Recolhido com kubectl logs --timestamps."])
pack(d,"brisa-vento-27",".tgz","resource.host-oom-killed","tfdata-worker-1",[],"tfdata-worker-1 (limit 700Mi, shuffle buffer of 2000000 elements) is killed by the memory cgroup (exit 137, dmesg of its node) seconds after the job starts, silently in its own log; trainer waits for the first batch. The big RSS of tfdata-worker-0 (limit 16Gi) and the dispatcher are false leads.")
# G journald text export
d=fresh("G"); D=-86400*7+3600*6
subs=std("/usr/local/tory/py311/lib/python3.11/site-packages","/usr/local/tory/popyt",make={"G.py":"/usr/local/tory/popyt/estymator.py"})+[(r"/opt/incidents/t/tory","/dane/potoki")]
for k,h in enumerate(["wezel-gdn-01","wezel-gdn-02","wezel-gdn-03"]):
    rows=load("G",h); c=conv(rows,D,subs); off=1
    ev=[(t,f"estymator[{25990+k*37}]: {s}") for t,s in c]
    ev+=[(c[0][0]-1.2,"systemd[1]: Started estymator.service - Estymator popytu."),(c[-1][0]+.9,"systemd[1]: estymator.service: Main process exited, code=exited, status=1/FAILURE"),(c[-1][0]+.91,"systemd[1]: estymator.service: Failed with result 'exit-code'."),(c[-1][0]+.92,f"systemd[1]: estymator.service: Consumed {8+k}.{R.randint(100,999)}s CPU time.")]
    if k==0: ev.append((c[0][0]-300,"kernel: ixgbe 0000:3b:00.0 ens1f0: NIC Link is Down")); ev.append((c[0][0]-296,"kernel: ixgbe 0000:3b:00.0 ens1f0: NIC Link is Up 10 Gbps, Flow Control: RX/TX"))
    t=c[0][0]-1800
    while t<c[-1][0]+60: ev.append((t,R.choice(["chronyd[911]: Selected source 172.22.9.1","CROND[%d]: (root) CMD (/usr/lib64/sa/sa1 1 1)"%R.randint(4000,90000),"systemd[1]: sysstat-collect.service: Deactivated successfully.","systemd[1]: Starting system activity accounting tool...","sssd_be[1022]: Backend is online","systemd-logind[880]: Removed session %d."%R.randint(10,900)]))); t+=R.expovariate(1/17)
    ev.sort(key=lambda e:e[0]); md=["sty","lut","mar","kwi","maj","cze","lip","sie","wrz","paź","lis","gru"]
    w(d,f"{h}_journal.txt",[f"{md[int(F(t,'%m',off))-1]} {F(t,'%d %H:%M:%S.%f',off)} {h} {s}" for t,s in ev])
    w(d,f"{h}_unit.txt",["# /etc/systemd/system/estymator.service","[Unit]","Description=Estymator popytu","[Service]","User=tory","ExecStart=/usr/local/tory/popyt/start.sh",]+(["LimitNOFILE=8192"] if k<2 else ["#LimitNOFILE=8192   # TODO przywrócić po aktualizacji","LimitNOFILE=256"]))
pack(d,"torowisko-gdn-8907",".tar.bz2","resource.fd-limit","wezel-gdn-03",[],"wezel-gdn-03 (worker:2) fails first with RESOURCE_EXHAUSTED ... Too many open files while interleaving 260 shard files; its unit has LimitNOFILE=256, the others 8192. Then worker:0 sees Socket closed and worker:1 loses the coordination leader; the old link flap of gdn-01 is a false lead.")
# I docker compose logs
d=fresh("I"); D=-86400*16-3600*4
subs=std("/usr/local/lib/python3.11/dist-packages","/workspace",make={"I.py":"/workspace/train_chai.py"})
al=[]
for k in range(3):
    h=f"trainer{k}"; rows=load("I",h)
    for t,s in conv(rows,D,subs): al.append((t,h,s))
    al.append((rows[-1][0]+D,h,None))
for k in range(3): al.append((al[0][0]-5,"redis","1:M * Ready to accept connections tcp"))
al.sort(key=lambda x:x[0]); o=[]; col={"trainer0":33,"trainer1":36,"trainer2":32,"redis":35}
seen=0
for t,h,s in al:
    if h=="redis":
        if seen: continue
        seen=1
    nm=(f"chai-{h}-1") 
    if s is None: o.append(f"chai-{h}-1 exited with code 1"); continue
    o.append(f"\x1b[{col[h]}m{nm:<16} | \x1b[0m{F(t,'%Y-%m-%dT%H:%M:%S.%f')}000Z {s}")
w(d,"compose-logs-t.txt",o)
w(d,"docker-compose.yml",["services:"]+sum([[f"  trainer{k}:",f"    image: chai/price:0.9.{4 if k!=1 else 4}","    hostname: trainer%d"%k,"    volumes:",f"      - {'/mnt/auction/2026-w46' if k!=1 else '/mnt/auction/2026-w47'}:/data:ro","    networks: [ring]"] for k in range(3)],[])+["  redis:","    image: redis:7-alpine","networks:","  ring: {ipam: {config: [{subnet: 172.28.0.0/16}]}}"])
w(d,"note.md",["Since Tuesday `chai` does not start. trainer0 and trainer2 say trainer1 stopped heartbeats, so we already moved trainer1 to a new host twice. Same. EAT is UTC+3, docker prints UTC."])
pack(d,"chai-auction-3",".tar.gz","collective.mismatch","trainer1",["config.cluster-mismatch"] and ["data.shape-mismatch"],"trainer1 builds garden_embedding with 42 rows from a newer vocabulary (other data mount) while the others have 40, so the first variable broadcast fails there with Shape mismatch in the collective instance; the others later report only that task 1 stopped heartbeats. The host of trainer1 is not at fault.")
# K slurm-like
d=fresh("K"); D=-86400*19
subs=std("/opt/conda/envs/senbetsu/lib/python3.11/site-packages","/shared/senbetsu",make={"H.py":"/shared/senbetsu/kyodo.py"})+[(r"\[H\] classification des essences: tâche","[kyodo] 起動 task"),(r"^I 28/11 (\d\d):",lambda m:"I 10/11 %02d:"%((int(m[1])+14)%24))]
for k in range(4):
    h=f"tane-b{k+1}"; rows=load("K",h); c=conv(rows,D,subs)
    w(d,f"out/kyodo.{h}.o77120",[s for t,s in c])
T=load("K","tane-b4")[0][0]+D
w(d,"launch/kidou.sh",["#!/bin/bash","# 各ホストで起動する。番号は hosts.tsv から","ME=$(hostname -s)","IDX=$(awk -v h=$ME '$1==h{print $2}' /shared/senbetsu/hosts.tsv)","export TF_CONFIG=$(python mk_tfconfig.py --index $IDX)","exec python /shared/senbetsu/kyodo.py"])
w(d,"launch/pbs_server.log",[f"{F(T-20,'%m/%d/%Y %H:%M:%S',9)};0008;PBS_Server;Job;77120.tane-head;Job Queued at request of sato@tane-head, owner = sato@tane-head, job name = kyodo",f"{F(T-18,'%m/%d/%Y %H:%M:%S',9)};0008;PBS_Server;Job;77120.tane-head;Job Run at request of Scheduler@tane-head on exec_host tane-b1/0+tane-b2/0+tane-b3/0+tane-b4/0",f"{F(T+90,'%m/%d/%Y %H:%M:%S',9)};0008;PBS_Server;Job;77120.tane-head;Job deleted at request of sato@tane-head"])
w(d,"memo.txt",["b1 が「task:1 が再起動した」と言うので b2 を調べましたが、b2 は再起動していません(uptime 88日)。","b3 と b4 は何も言わず止まっています。先週 b4 を追加したばかりです。"])
pack(d,"tanemaki-pbs-77120",".tar","config.task-index","tane-b4",["config.cluster-mismatch"],"tane-b4 was started with index 1 like tane-b2 (its own start line and 'Started server with target: grpc://10.33.20.12:8470'), so the leader sees task:1 connect with a different incarnation and fails the barrier. tane-b2 did not restart; it is wrongly accused.")
