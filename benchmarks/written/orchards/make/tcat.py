from lib import *
r=random.Random(404)
V={'/opt/tfenv/lib/':'/usr/local/lib/','/opt/tfenv/bin/':'/usr/local/bin/','/opt/incidents/make/':'/workspace/','/root/.pyenv/versions/3.11.7':'/usr/local'}
def cut(L):
    c=[k for k,l in enumerate(L) if 'StartAbort' in l]; return L[:c[0]] if c else L
# ---------- K1
w=W('k1','2026-04-21 02:31:15',1,0); n='K1'; fresh(n); a=w.f(w.s0)
for i in (0,1): put(n,'logs/kv-train-7-worker-%d.txt'%i,cut(w.read('kv-train-7-worker-%d'%i,V)))
put(n,'logs/kv-train-7-worker-2.txt','')
put(n,'get-pods.txt','''NAME                  READY   STATUS    RESTARTS       AGE     IP             NODE        NOMINATED NODE   READINESS GATES
kv-infer-6b9d-4xq2v   1/1     Running   2 (9d ago)     31d     10.244.5.18    pf-node06   <none>           <none>
kv-infer-6b9d-s8rtp   1/1     Running   0              31d     10.244.2.40    pf-node03   <none>           <none>
kv-train-7-worker-0   1/1     Running   0              38m   10.244.3.11    pf-node04   <none>           <none>
kv-train-7-worker-1   1/1     Running   0              38m   10.244.4.12    pf-node05   <none>           <none>
kv-train-7-worker-2   0/1     Pending   0              38m   <none>         <none>      <none>           <none>
label-studio-0        0/1     CrashLoopBackOff   311 (3m1s ago)   26h     10.244.2.77    pf-node03   <none>           <none>
''')
msg='0/7 nodes are available: 1 node(s) were unschedulable, 2 node(s) had untolerated taint {line: extruder-rt}, 4 Insufficient cpu. preemption: 0/7 nodes are available: 3 Preemption is not helpful for scheduling, 4 No preemption victims found for incoming pod.'
put(n,'describe-pods.txt','''Name:             kv-train-7-worker-2
Namespace:        petfood-ml
Priority:         0
Service Account:  kv-train
Node:             <none>
Labels:           app=kv-train
                  run=7
                  training.kubeflow.org/replica-index=2
Status:           Pending
IP:
IPs:              <none>
Controlled By:    TFJob/kv-train-7
Containers:
  tensorflow:
    Image:      registry.pawsitive.internal/ml/kibble-vision:2.14.3
    Port:       22222/TCP
    Host Port:  0/TCP
    Requests:
      cpu:     14
      memory:  24Gi
    Environment:
      TF_CONFIG:  {"cluster":{"worker":["kv-train-7-worker-0:22222","kv-train-7-worker-1:22222","kv-train-7-worker-2:22222"]},"task":{"type":"worker","index":2},"environment":"cloud"}
    Mounts:
      /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-x7p5d (ro)
Conditions:
  Type           Status
  PodScheduled   False
QoS Class:                   Burstable
Node-Selectors:              <none>
Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                             node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
Events:
  Type     Reason            Age                     From               Message
  ----     ------            ----                    ----               -------
  Warning  FailedScheduling  38m                     default-scheduler  %s
  Warning  FailedScheduling  2m29s (x7 over 33m)     default-scheduler  %s
'''%(msg,msg))
put(n,'events.txt','''LAST SEEN   TYPE      REASON             OBJECT                    MESSAGE
3m1s        Warning   BackOff            pod/label-studio-0        Back-off restarting failed container label-studio in pod label-studio-0_petfood-ml(0f8b7d0e-54c4-4d2f-92c5-6c1e0b3f9a11)
2m29s       Warning   FailedScheduling   pod/kv-train-7-worker-2   %s
47m         Normal    Pulled             pod/label-studio-0        Container image "heartexlabs/label-studio:1.13.1" already present on machine
'''%msg)
put(n,'chat.txt','''[10:05] พี่ต้น: kv-train-7 ค้างตั้งแต่เก้าโมงครึ่ง log หยุดที่ coordination service
[10:06] Nok: worker-1 ไม่มี error เลยนะ น่าจะ gRPC ค้าง ลอง restart worker-0 ไหม
[10:09] Nok: label-studio-0 ล้มอยู่ เกี่ยวกันไหม
[10:13] พี่ต้น: pf-node02 cordon ไว้เปลี่ยนพัดลมเมื่อวาน ยังไม่ได้ uncordon? ช่างบอกเสร็จแล้ว
[10:14] พี่ต้น: ส่ง log ให้ทีม platform ก่อน
''')
sh('tar czf %sLamphun-7.tar.gz *'%SET,n)
truth('Lamphun-7','Lamphun-7.tar.gz','scheduler.unschedulable',['kv-train-7-worker-2','worker:2'],[],'worker-2 stays Pending for 38 minutes (one cordoned node, two tainted, four with too little cpu), so workers 0 and 1 wait in the coordination service. label-studio-0 in CrashLoopBackOff and the gRPC guess are unrelated.')
# ---------- K2
w=W('k2','2026-06-02 03:10:00',1,0); n='K2'; fresh(n); L0=w.read('kv-train-9-worker-0',V); L1=w.read('kv-train-9-worker-1',V)
x=min(re.search(r'"ts": "([^"]+)"',l)[1] for l in L0+L1 if 'fetch failed' in l); xt=T(x[:19].replace('T',' '))
for h,L in (('0',L0),('1',L1)): put(n,'kv-train-9-worker-%s.log'%h,L)
put(n,'kubectl_all.txt','''$ kubectl -n petfood-ml get po -o wide
NAME                  READY   STATUS    RESTARTS   AGE   IP            NODE
kv-train-9-worker-0   0/1     Error     0          11m   10.244.3.11   pf-node04
kv-train-9-worker-1   0/1     Error     0          11m   10.244.4.12   pf-node05
minio-0               1/1     Running   0          58d   10.244.2.13   pf-node03

$ kubectl -n petfood-ml logs minio-0 --tail=6
API: SYSTEM()
Time: 23:58:41 UTC 06/01/2026
DeploymentID: 3d1f4a0b-6b07-4a55-9c6f-0f7a3b1d2e90
Error: Following error has been printed 3 times.. dial tcp 10.96.114.20:9093: connect: connection refused (*net.OpError)

$ openssl s_client -connect minio-0:9000 </dev/null 2>/dev/null | openssl x509 -noout -subject -dates
subject=CN = minio-0
notBefore=%s GMT
notAfter=%s GMT

$ date -u
Tue Jun  2 03:21:55 UTC 2026
'''%(F(xt-90*86400,'%b %e %H:%M:%S %Y'),F(xt-2,'%b %e %H:%M:%S %Y')))
put(n,'note.txt','''ตายพร้อมกันสองตัวตอนตีสามกว่า (เวลา UTC) / both workers died in the same minute.
I think somebody deleted lot-0080 from the bucket, since lot 79 loaded well. Or is the clock of pf-node04 wrong?
-- Nok
''')
sh('zip -qr %sLamphun-9.zip .'%SET,n)
truth('Lamphun-9','Lamphun-9.zip','network.tls',['minio-0'],['storage.network-fs'],'The server certificate of the object store minio-0 expired while the job ran; both workers fail with CERTIFICATE_VERIFY_FAILED, certificate has expired, after four tries. Red herrings: a deleted lot, node clocks, the alertmanager errors of MinIO.')
# ---------- K3
w=W('k3','2026-08-05 08:44:10',1,0); n='K3'; fresh(n)
for i in (0,1):
    L=w.read('kv-train-11-worker-%d'%i,V); L=['Bus error (core dumped)\n' if l.startswith('Bus error') else l for l in L]
    put(n,'worker-%d/log.txt'%i,L)
    st={0:('Error','1'),1:('Error','135')}[i]
    end=[re.search(r'"ts": "([^"]+)"',l)[1] for l in L if '"ts"' in l][-1]
    et=T(end[:19].replace('T',' '))+1+i*0
    put(n,'worker-%d/describe.txt'%i,'''Name:             kv-train-11-worker-%d
Namespace:        petfood-ml
Node:             pf-node0%d/10.9.0.4%d
Status:           Failed
IP:               10.244.3.1%d
Controlled By:    TFJob/kv-train-11
Containers:
  tensorflow:
    Image:         registry.pawsitive.internal/ml/kibble-vision:2.14.3
    State:          Terminated
      Reason:       %s
      Exit Code:    %s
      Started:      %s
      Finished:     %s
    Ready:          False
    Restart Count:  0
    Limits:
      memory:  24Gi
    Environment:
      INPUT:     shm
      RING:      500
      STEPS:     1500
      POD_NAME:  kv-train-11-worker-%d (v1:metadata.name)
    Mounts:
      /dev/shm from dshm (rw)
Volumes:
  dshm:
    Type:       EmptyDir (a temporary directory that shares a pod's lifetime)
    Medium:     Memory
    SizeLimit:  %s
QoS Class:       Burstable
Events:          <none>
'''%(i,4+i,4+i,1+i,st[0],st[1],F(w.f(w.s0)-1,'%a, %d %b %Y %H:%M:%S +0700',7),F(et,'%a, %d %b %Y %H:%M:%S +0700',7),i,['3Gi','1300Mi'][i]))
put(n,'top-nodes.txt','''NAME        CPU(cores)   CPU%   MEMORY(bytes)   MEMORY%
pf-node03   2210m        27%    14820Mi         46%
pf-node04   911m         5%     9120Mi          14%
pf-node05   1302m        8%     22307Mi         34%
pf-node06   188m         1%     4031Mi          6%
''')
put(n,'README','kv-train-11, first run with the shared ring buffer. pf-node05 had its DIMM swapped in July (Nok: bad RAM again?). no OOM in dmesg of both nodes, we looked.\n')
sh('tar cf - * | xz > %sLamphun-11.tar.xz'%SET,n)
truth('Lamphun-11','Lamphun-11.tar.xz','resource.shm-exhausted',['kv-train-11-worker-1','worker:1'],['process.segfault'],'worker-1 gets SIGBUS (exit 135) after about 325 buffers of 4 MB in a /dev/shm of 1300Mi, the ring wants 500 and worker-0 has 3Gi; worker-0 then sees connection reset. The swapped DIMM is a guess; there is no explicit no-space message.')
