from pk import *; import json
P=[("/opt/incidents/make/b_entry.py","/app/entry.py"),("/opt/incidents/raw/bdata2","/gogn/thorskur"),("/opt/incidents/raw/bdata","/gogn/thorskur"),("/opt/tfenv/lib/python3.11","/usr/local/lib/python3.11"),("10.244.3.11","10.244.1.87"),("10.244.3.12","10.244.4.15"),("10.244.3.13","10.244.2.201"),("/root/.pyenv/versions/3.11.7","/usr/local")]
R=random.Random(11)
import sys
NODES=["frystir-1","frystir-4","frystir-2"]
def age(s): return "%dd"%(s//86400) if s>172800 else "%dh"%(s//3600) if s>10800 else "%dm%ds"%(s//60,s%60) if s<600 else "%dm"%(s//60) if s>180 else "%ds"%s
if "b1" in sys.argv:
    n="INC-2209"; fresh(n)
    raw=[rd("b1/w%d.log"%i) for i in range(3)]; t0=first(raw[0])
    tt=float(re.search(r"W0000 00:00:(\d+\.\d+) +\d+ preemption",raw[1]).group(1)); w=Warp("Atlantic/Reykjavik",t0,"2026-05-06T03:11:20",k=18,tb=tt)
    for i in (0,1,2): wr(n,"logs/beinaleit-worker-%d%s.log"%(i,".previous-from-loki" if i==1 else ""),subs(w(raw[i]),*P))
    T=w.ep(tt)-w.s
    wr(n,"pods.txt",f"""$ kubectl -n sjon get pods -o wide
NAME                                READY   STATUS                   RESTARTS        AGE     IP             NODE        NOMINATED NODE   READINESS GATES
beinaleit-worker-0                  1/1     Running                  1 (3m ago)      15m     10.244.1.87    frystir-1   <none>           <none>
beinaleit-worker-1                  0/1     Pending                  0               3m11s   <none>         <none>      <none>           <none>
beinaleit-worker-2                  1/1     Running                  1 (3m ago)      15m     10.244.2.201   frystir-2   <none>           <none>
label-studio-7c5f6d9c44-8x2wq       1/1     Running                  0               41d     10.244.1.14    frystir-1   <none>           <none>
myndasafn-sync-29081295-k7tjp       0/1     ContainerStatusUnknown   0               25m     10.244.4.16    frystir-4   <none>           <none>
myndasafn-sync-29081310-5mz9d       0/1     Completed                0               7m      10.244.1.92    frystir-1   <none>           <none>
redis-0                             1/1     Running                  3 (41d ago)     88d     10.244.2.9     frystir-2   <none>           <none>
$ kubectl get nodes
NAME        STATUS   ROLES           AGE    VERSION
frystir-0   Ready    control-plane   412d   v1.29.6
frystir-1   Ready    <none>          412d   v1.29.6
frystir-2   Ready    <none>          412d   v1.29.6
frystir-4   Ready    <none>          97d    v1.29.6
""")
    ev=[(-760,"Normal","Scheduled","pod/beinaleit-worker-1","Successfully assigned sjon/beinaleit-worker-1 to frystir-4"),(-758,"Normal","Pulled","pod/beinaleit-worker-1",'Container image "registry.sjon.is/beinaleit:0.19.3" already present on machine'),(-757,"Normal","Created","pod/beinaleit-worker-1","Created container trainer"),(-757,"Normal","Started","pod/beinaleit-worker-1","Started container trainer"),
    (-1321,"Normal","Scheduled","pod/myndasafn-sync-29081295-k7tjp","Successfully assigned sjon/myndasafn-sync-29081295-k7tjp to frystir-4"),(-1300,"Normal","SuccessfulCreate","job/myndasafn-sync-29081295","Created pod: myndasafn-sync-29081295-k7tjp"),
    (-9,"Warning","EvictionThresholdMet","node/frystir-4","Attempting to reclaim ephemeral-storage"),(-6,"Warning","Evicted","pod/myndasafn-sync-29081295-k7tjp","The node was low on resource: ephemeral-storage. Threshold quantity: 10521984000, available: 10041116Ki. Container rsync was using 44180032Ki, request is 0, has larger consumption of ephemeral-storage."),(-6,"Normal","Killing","pod/myndasafn-sync-29081295-k7tjp","Stopping container rsync"),
    (0,"Warning","Evicted","pod/beinaleit-worker-1","The node was low on resource: ephemeral-storage. Threshold quantity: 10521984000, available: 10196212Ki. Container trainer was using 1204188Ki, request is 0, has larger consumption of ephemeral-storage."),(0,"Normal","Killing","pod/beinaleit-worker-1","Stopping container trainer"),(1,"Normal","NodeHasDiskPressure","node/frystir-4","Node frystir-4 status is now: NodeHasDiskPressure"),
    (4,"Normal","SuccessfulCreate","statefulset/beinaleit-worker","create Pod beinaleit-worker-1 in StatefulSet beinaleit-worker successful"),(5,"Warning","FailedScheduling","pod/beinaleit-worker-1","0/4 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 1 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }, 2 node(s) didn't match pod anti-affinity rules. preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling."),
    (12,"Normal","Pulled","pod/beinaleit-worker-0",'Container image "registry.sjon.is/beinaleit:0.19.3" already present on machine'),(14,"Normal","Started","pod/beinaleit-worker-0","Started container trainer"),(13,"Normal","Started","pod/beinaleit-worker-2","Started container trainer"),(-400,"Warning","Unhealthy","pod/label-studio-7c5f6d9c44-8x2wq",'Readiness probe failed: Get "http://10.244.1.14:8080/health": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'),(-100,"Warning","Unhealthy","pod/redis-0","Readiness probe failed: command \"sh -c redis-cli ping\" timed out")]
    R.shuffle(ev)
    wr(n,"events.txt","LAST SEEN   TYPE      REASON                 OBJECT                              MESSAGE\n"+"".join("%-11s %-9s %-22s %-35s %s\n"%(age(int(191-t)),a,b,c,d) for t,a,b,c,d in ev))
    wr(n,"slack.md",f"""**#sjon-train**

> **hrafnhildur** {w.at(T+40):%H:%M}  beinaleit is down again, worker-0 and -2 restarted by themselves and now hang at "Waiting for … tasks to connect"
> **hrafnhildur** {w.at(T+70):%H:%M}  the worker-1 pod has no previous log (kubectl logs -p says not found) so I took its lines from Loki
> **ingo** {w.at(T+95):%H:%M}  redis readiness is flapping on frystir-2, maybe the network between nodes again?
> **hrafnhildur** {w.at(T+160):%H:%M}  worker-1 logged a SIGTERM. did anybody delete the pod?
> **ingo** {w.at(T+181):%H:%M}  not me
""")
    fin(n,".zip","scheduler.evicted",["beinaleit-worker-1","worker:1","frystir-4"],[],"frystir-4 ran low on ephemeral storage because of the myndasafn-sync rsync job; kubelet evicted the sync pod and then beinaleit-worker-1 (SIGTERM then gone). The new pod cannot be scheduled (disk-pressure taint) which is a consequence. Redis and label-studio probe failures are noise.")
if "b2" in sys.argv:
    n="sauda-5150"; fresh(n)
    raw=[rd("b2/w%d.log"%i) for i in range(3)]; t0=first(raw[0]); w=Warp("Atlantic/Reykjavik",t0,"2026-08-18T20:30:00",k=5,tb=1795802077.5)
    es=[]
    for i in range(3):
        last=None
        for ln in subs(w(raw[i]),*P).splitlines():
            m=re.search(r"00:00:(\d+\.\d+)",ln); 
            if ln.startswith("{"): 
                last=dt.datetime.fromisoformat(json.loads(ln)["ts"].replace("Z","+00:00")).timestamp()
            elif m: last=float(m.group(1))
            last=last or w.s
            t=dt.datetime.fromtimestamp(last,dt.timezone.utc).isoformat(timespec="microseconds").replace("+00:00","Z")
            es.append({"@timestamp":t,"kubernetes":{"pod_name":"beinaleit-worker-%d"%i,"namespace_name":"sjon","host":NODES[i],"container_name":"trainer"},"stream":"stdout" if ln.startswith("{") else "stderr","log":ln})
    es2=[]
    for k in range(160):
        t=w.s+R.uniform(-300,260); es2.append({"@timestamp":dt.datetime.fromtimestamp(t,dt.timezone.utc).isoformat(timespec="microseconds").replace("+00:00","Z"),"kubernetes":{"pod_name":"redis-0","namespace_name":"sjon","host":"frystir-2","container_name":"redis"},"stream":"stdout","log":"1:M %s * %s"%(dt.datetime.fromtimestamp(t,dt.timezone.utc).strftime("%d %b %Y %H:%M:%S.%f")[:-3],R.choice(["100 changes in 300 seconds. Saving...","Background saving started by pid %d"%R.randint(100,9999),"DB saved on disk","Background saving terminated with success"]))})
    al=sorted(es,key=lambda e:e["@timestamp"])   # stable
    al=sorted(al+es2,key=lambda e:e["@timestamp"])
    wr(n,"export-2026-08-18.ndjson","".join(json.dumps(e)+"\n" for e in al))
    wr(n,"README.txt","Exported from OpenSearch, index k8s-sjon-2026.08.18, 20:25-20:45, no filter.\nworker-0 shows 'Socket closed'/UNAVAILABLE at the end -> looks like the CNI bug again?\nData was re-synced from the ship archive this afternoon (rsync --inplace over the 4G router, it was cut once, restarted, finished OK).\n")
    fin(n,".tar.gz","data.corrupt-record",["beinaleit-worker-1","worker:1"],[],"worker-1 hits DataLossError 'corrupted record at 176262' in its shard list (step 56); the other pods only see their peer go away. CNI guess is wrong, redis lines are noise.",cmd="tar czf OUT README.txt export-2026-08-18.ndjson")
if "b3" in sys.argv:
    n="INC-2240"; fresh(n)
    raw=[rd("b3/w%d.log"%i) for i in range(3)]; t0=first(raw[0]); w=Warp("Atlantic/Reykjavik",t0,"2026-06-22T12:58:31",k=4)
    for i in range(3): wr(n,"beinaleit-worker-%d.log"%i,subs(w(raw[i]),*P))
    wr(n,"describe.txt","""Name:             beinaleit-worker-2
Namespace:        sjon
Priority:         0
Service Account:  default
Node:             frystir-2/10.20.0.12
Start Time:       Mon, 22 Jun 2026 12:58:24 +0000
Labels:           app=beinaleit
                  apps.kubernetes.io/pod-index=2
                  controller-revision-hash=beinaleit-worker-6d8f5b7c
                  statefulset.kubernetes.io/pod-name=beinaleit-worker-2
Annotations:      <none>
Status:           Running
IP:               10.244.2.201
Controlled By:    StatefulSet/beinaleit-worker
Containers:
  trainer:
    Container ID:  containerd://0f6a3d2c9e4b7715ab1c64be2f5d0198c3a7d5e2f88c61b4d3e9a0f7c2b1d654
    Image:         registry.sjon.is/beinaleit:0.19.5
    Image ID:      registry.sjon.is/beinaleit@sha256:5d3c1e0a7b9f2c4e6d8a0b1c3e5f7a9b2d4c6e8f0a1b3c5d7e9f1a2b4c6d8e0f
    Port:          2222/TCP
    Host Port:     0/TCP
    Command:
      python
      /app/entry.py
    State:          Running
      Started:      Mon, 22 Jun 2026 12:58:26 +0000
    Ready:          True
    Restart Count:  0
    Limits:
      cpu:     4
      memory:  12Gi
    Requests:
      cpu:        3
      memory:     8Gi
    Environment:
      DATA:        /gogn/thorskur
      STEPS:       700
    Mounts:
      /gogn from gogn (ro)
      /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-b7kq2 (ro)
Conditions:
  Type                        Status
  PodReadyToStartContainers   True 
  Initialized                 True 
  Ready                       True 
  ContainersReady             True 
  PodScheduled                True 
QoS Class:                   Burstable
Events:
  Type     Reason            Age    From               Message
  ----     ------            ----   ----               -------
  Warning  FailedScheduling  2m10s  default-scheduler  0/4 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 node(s) didn't match pod anti-affinity rules. preemption: 0/4 nodes are available: 1 Insufficient memory, 3 Preemption is not helpful for scheduling.
  Normal   Scheduled         2m4s   default-scheduler  Successfully assigned sjon/beinaleit-worker-2 to frystir-2
  Normal   Pulled            2m3s   kubelet            Container image "registry.sjon.is/beinaleit:0.19.5" already present on machine
  Normal   Created           2m3s   kubelet            Created container trainer
  Normal   Started           2m2s   kubelet            Started container trainer
""")
    wr(n,"note.txt","ingo: new image 0.19.5 on all three. It was Pending at first and then there are a lot of W and E looking lines at start (oneDNN, cuda, 'will not be optimized'). data_ms of worker-1 jumps now and then.\nIs this broken in the same way as INC-2209? I did not wait for the result, had to go to the quay.\nhrafnhildur: logs taken later the same day with kubectl logs\n")
    fin(n,".tar.gz","none",None,[],"Healthy run: all 3 pods log done after step 700, loss goes down. FailedScheduling was resolved after seconds; startup warnings are usual, and so is the heartbeat error (Connection refused) of worker-2 after its done, because the leader had already exited.")
