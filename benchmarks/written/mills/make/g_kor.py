"""Seoul: stern + kubectl, CRI pod logs, fluent-bit + Slack export from r10, r11, r12."""
import shutil, random
from lib import *
random.seed(5)
P=[("/opt/incidents/make/mwms_loop.py","/workspace/train/main.py"),("/opt/incidents/make/colorize.py","/workspace/train/colorize.py"),("/opt/tfenv","/usr/local/tf"),("/opt/incidents/tf215","/usr/local/tf"),("/root/.pyenv/versions/3.11.7","/usr/local"),("/opt/incidents/work/r10","/mnt/ckpt"),("/opt/incidents/work/r11","/mnt/ckpt"),("/opt/incidents/work/r12","/mnt/models"),
   ("sweep","panel"),("azimuth table has 359 rays, expected 360","line layer has 359 strokes, expected 360")]
out=f"{ROOT}/work/out"
def L(t,c): return [(x[0],x[1],ren(c.line(x[2]),P)) for x in sorted(t.lines,key=lambda x:x[0])]

# --- 10: stern of the namespace, kubectl get/describe
T=load(f"{ROOT}/work/r10/a.jsonl"); base=days_to(2026,5,6,17,44,T[0].start); c=Clock(base); f=f"{out}/inkfill-7f3-dump"; shutil.rmtree(f,ignore_errors=True)
rows=[]
for t in T:
    for x,s,l in L(t,c): rows.append((x,f"{t.host} tensorflow {c.utc(x).strftime('%Y-%m-%dT%H:%M:%S.%f')}{random.randint(0,999):03d}Z {l}"))
for k in range(55):                                        # the neighbour job that also runs in this namespace
    x=T[0].start+1.5+k*2.9; rows.append((x,f"linework-eval-5c9x tensorflow {c.utc(x).strftime('%Y-%m-%dT%H:%M:%S.%f')}000Z "+("eval page %d/220 psnr %.2f"%(41+k,28+random.random()*3) if k%9 else "WARNING: page %d: RESOURCE_EXHAUSTED while decoding 12000x90000 strip, falling back to tiles"%(41+k))))
rows.sort(key=lambda r:r[0]); put(f,"stern.log","\n".join(r for _,r in rows))
u=lambda s:c.utc(T[0].start+s); z=lambda s:u(s).strftime("%Y-%m-%dT%H:%M:%SZ")
put(f,"kubectl_get.txt",f"""$ kubectl -n studio get pods -o wide
NAME                    READY   STATUS        RESTARTS   AGE     IP             NODE        NOMINATED NODE
inkfill-7f3-worker-0    1/1     Terminating   0          2m33s   10.233.64.30   cpu-han-2   <none>
inkfill-7f3-worker-1    1/1     Terminating   0          2m33s   10.233.64.31   cpu-han-3   <none>
inkfill-7f3-worker-2    1/1     Terminating   0          2m33s   10.233.64.32   cpu-bukak   <none>
inkfill-7f3-worker-3    0/1     Pending       0          2m33s   <none>         <none>      <none>
linework-eval-5c9x      1/1     Running       2          3h12m   10.233.64.77   cpu-inwang  <none>
""")
put(f,"describe_worker-3.txt",f"""Name:             inkfill-7f3-worker-3
Namespace:        studio
Priority:         0
Service Account:  default
Node:             <none>
Labels:           training.kubeflow.org/job-name=inkfill-7f3
                  training.kubeflow.org/replica-index=3
                  training.kubeflow.org/replica-type=worker
Status:           Pending
Containers:
  tensorflow:
    Image:      harbor.studio.local/ml/inkfill:0.31
    Port:       2222/TCP
    Requests:
      cpu:     4
      memory:  96Gi
Conditions:
  Type           Status
  PodScheduled   False 
Node-Selectors:  <none>
Tolerations:     node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
Events:
  Type     Reason            Age                  From               Message
  ----     ------            ----                 ----               -------
  Warning  FailedScheduling  2m32s                default-scheduler  0/7 nodes are available: 2 node(s) had untolerated taint {{studio/render: true}}, 5 Insufficient memory. preemption: 0/7 nodes are available: 2 Preemption is not helpful for scheduling, 5 No preemption victims found for incoming pod.
  Warning  FailedScheduling  12s (x2 over 2m08s)  default-scheduler  0/7 nodes are available: 2 node(s) had untolerated taint {{studio/render: true}}, 5 Insufficient memory. preemption: 0/7 nodes are available: 2 Preemption is not helpful for scheduling, 5 No preemption victims found for incoming pod.
""")
put(f,"events.txt",f"""{z(-2)}   Normal    SuccessfulCreatePod   tfjob/inkfill-7f3   Created pod: inkfill-7f3-worker-3
{z(-1)}   Normal    Pulled                pod/inkfill-7f3-worker-0   Container image "harbor.studio.local/ml/inkfill:0.31" already present on machine
{z(-9000)}   Warning   OOMKilling            node/cpu-inwang     Memory cgroup out of memory: Killed process 40112 (python) total-vm:31220148kB, anon-rss:25020412kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:50120kB oom_score_adj:984
{z(-8999)}   Warning   BackOff               pod/linework-eval-5c9x   Back-off restarting failed container tensorflow in pod linework-eval-5c9x_studio
{z(149)}   Normal    Killing               pod/inkfill-7f3-worker-0   Stopping container tensorflow
{z(149)}   Normal    Killing               pod/inkfill-7f3-worker-1   Stopping container tensorflow
{z(149)}   Normal    Killing               pod/inkfill-7f3-worker-2   Stopping container tensorflow
""")
put(f,"메모.txt","멈춰 있어서 tfjob 지웠습니다 (grace 8초). 방화벽 바뀐 뒤로 2222 포트 막힌 것 아닌가요? - 지훈\n")
pack(f,"busan-0506.tar.gz","gz")
truth("busan-0506","busan-0506.tar.gz","scheduler.unschedulable",["inkfill-7f3-worker-3","worker:3"],[],"worker-3 stays Pending (FailedScheduling: taints, Insufficient memory), the coordination service waits for 1/4 task, and the TFJob is deleted by hand. linework-eval's OOM and RESOURCE_EXHAUSTED belong to another job; the blocked port is a wrong guess.")

# --- 11: CRI log files of the nodes
T=load(f"{ROOT}/work/r11/a.jsonl"); base=days_to(2026,8,24,8,10,T[0].start); f=f"{out}/var"; shutil.rmtree(f,ignore_errors=True)
uid={"worker-0":"0b7c6a1e-4a5f-4d62-9b1e-6ad0d6d51f10","worker-1":"6c7d2f80-53a9-4a8c-8a8b-3f2c5be1c0c2","worker-2":"f3a1de55-1b0e-44c7-bb4d-0f9d7cf2a7e4"}; nd={"worker-0":("cpu-han-2",0),"worker-1":("cpu-han-3",-6),"worker-2":("cpu-bukak",49)}
for t in T:
    n,o=nd[t.id]; c=Clock(base+o)
    put(f,f"log/pods/{n}/studio_{t.host}_{uid[t.id]}/tensorflow/{1 if t.id=='worker-0' else 0}.log","\n".join(f"{c.local(x+32400).strftime('%Y-%m-%dT%H:%M:%S.%f')}{random.randint(0,999):03d}+09:00 {s} F {l}" for x,s,l in L(t,c)))
c=Clock(base); t0=T[0].start
put(f,f"log/pods/cpu-han-2/studio_tonemap-19c-worker-0_{uid['worker-0']}/tensorflow/0.log",f"{c.local(t0+32400+6).strftime('%Y-%m-%dT%H:%M:%S.%f')}118+09:00 stderr F python: can't open file '/workspace/train/main.py': [Errno 107] Transport endpoint is not connected")
ev=[(2,"Warning","Failed","tonemap-19c-worker-0",'Failed to pull image "harbor.studio.local/ml/tonemap:19c": rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 10.20.0.4:443: connect: connection refused"'),(3,"Warning","BackOff","tonemap-19c-worker-0",'Back-off pulling image "harbor.studio.local/ml/tonemap:19c"'),(6,"Warning","BackOff","tonemap-19c-worker-0","Back-off restarting failed container tensorflow"),(13,"Normal","Started","tonemap-19c-worker-0","Started container tensorflow"),(22,"Warning","Unhealthy","tonemap-19c-worker-2","Readiness probe failed: dial tcp 10.233.65.42:8080: connect: connection refused"),(41,"Normal","TFJobSucceeded","tonemap-19c","TFJob studio/tonemap-19c successfully completed.")]
put(f,"events.json",json.dumps({"kind":"List","apiVersion":"v1","items":[{"kind":"Event","type":a,"reason":b,"involvedObject":{"kind":"TFJob" if o=="tonemap-19c" else "Pod","namespace":"studio","name":o},"message":m,"lastTimestamp":c.utc(t0+s).strftime("%Y-%m-%dT%H:%M:%SZ")} for s,a,b,o,m in ev]},indent=2))
pack(f,"jeju_19.tar.xz","xz")
truth("jeju_19","jeju_19.tar.xz","none",None,[],"All three workers leave the loop at step 600 and say bye; TFJobSucceeded. Image pull back-off, a first container start with 'Transport endpoint is not connected', caught ValueErrors and a failed readiness probe were survived.")

# --- 12: fluent-bit records per node, Slack export
T=load(f"{ROOT}/work/r12/a.jsonl"); base=days_to(2026,10,15,2,20,T[0].start); f=f"{out}/flatcolor"; shutil.rmtree(f,ignore_errors=True); rows=[]
for t in T:
    c=Clock(base+{"worker-0":0,"worker-1":-3,"worker-2":14}[t.id])
    for x,s,l in L(t,c):
        e=c.utc(x).replace(tzinfo=dt.timezone.utc).timestamp()
        rows.append((x,json.dumps({"date":round(e,6),"log":l+"\n","stream":s,"kubernetes":{"pod_name":t.host,"namespace_name":"studio","container_name":"tensorflow","host":{"worker-0":"cpu-han-2","worker-1":"cpu-han-3","worker-2":"cpu-bukak"}[t.id],"container_image":"harbor.studio.local/ml/colorize:4.2-tf2.15"}},ensure_ascii=False)))
rows.sort(key=lambda r:r[0]); put(f,"s3/2026/10/15/02/fluent-bit-ml_studio-22.jsonl","\n".join(r for _,r in rows))
c=Clock(base); ts=lambda s:"%.6f"%c.utc(T[0].start+s).replace(tzinfo=dt.timezone.utc).timestamp()
put(f,"slack/ml-train/2026-10-15.json",json.dumps([
 {"type":"message","user":"U02HAEUN","ts":ts(-900),"text":"flatcolor-ft-2bd 는 어제 EFS 마운트 권한 때문에 죽었고 (`PermissionError: [Errno 13] Permission denied: '/mnt/models/base-v8.keras'`) chmod 했습니다. 2be 다시 돌립니다"},
 {"type":"message","subtype":"bot_message","username":"tfjob-bot","ts":ts(2),"text":"TFJob *flatcolor-ft-2be* Running (3/3)"},
 {"type":"message","subtype":"bot_message","username":"tfjob-bot","ts":ts(14),"text":"TFJob *flatcolor-ft-2be* Failed: pods worker-0, worker-1, worker-2 exited with code 1"},
 {"type":"message","user":"U07MINSU","ts":ts(400),"text":"파일이 업로드 중에 깨진 것 아닐까요? 크기는 맞는데…"},
 {"type":"message","user":"U02HAEUN","ts":ts(520),"text":"base-v8 은 민수님이 새 이미지(2.21)에서 저장한 거죠? sha256 은 원본이랑 같아요"}],ensure_ascii=False,indent=1))
pack(f,"daegu.tar.gz","flat")
truth("daegu","daegu.tar.gz","serialization.version",None,["env.version-skew","checkpoint.mismatch"],"All workers fail alike when the Keras 2.15 image loads base-v8.keras written by Keras 3: InputLayer config with 'batch_shape', 'optional' cannot be deserialized. The permission problem was the day before's attempt; 'file corrupted' is wrong (sha equal).")
