"""Pangyo (Kubernetes): incidents pangyo-a, pangyo-b, pangyo-c.   usage: t3.py 1|2|3"""
from common import *
import json
def tcf(c, t, i): return json.dumps({"cluster": c, "task": {"type": t, "index": i}})
FIX = {"/opt/tfenv/lib": "/usr/local/lib", "/opt/tfenv": "/usr/local", os.path.join(ROOT, "tf215"): "/usr/local"}
def clean(p, d, off=0): return rename(shift(p.text(), off), {**FIX, d: "/app"})

def one():
    H = {"aim-chief-0": "10.244.7.10", "aim-ps-0": "10.244.7.20", "aim-ps-1": "10.244.7.21", "aim-worker-0": "10.244.7.30", "aim-worker-1": "10.244.7.31"}
    d = fresh("pangyoa"); shutil.copy(f"{HERE}/anticheat.py", d); net = Net(H)
    C = {"chief": ["aim-chief-0:2222"], "ps": ["aim-ps-0:2222", "aim-ps-1:2222"], "worker": ["aim-worker-0:2222", "aim-worker-1:2222"]}
    try:
        P = {h: Proc(h, [TF215, f"{d}/anticheat.py"], host=h, net=net, env={"AC_MODE": "ps", "CKPT": f"{d}/ckpt", "TF_CONFIG": tcf(C, h.split("-")[1], int(h[-1]))}) for h in H}
        P["aim-chief-0"].wait_for("epoch 3 ", 90); time.sleep(1.0); P["aim-ps-1"].kill()
        P["aim-chief-0"].wait(70); time.sleep(2); finish(list(P.values()), 1, signal.SIGTERM)
    finally: net.close()
    for p in P.values(): print(p.name, p.rc, len(p.lines))
    t = f"{d}/b"; vis = ["aim-chief-0", "aim-worker-0", "aim-worker-1"]
    rows = sorted([(tt, n, l) for n in vis for tt, l in P[n].lines])
    out = "".join(f"+ {n} › tensorflow\n" for n in vis)
    for tt, n, l in rows: out += f"{n} tensorflow {ts(tt+32400,'%Y-%m-%dT%H:%M:%S.')}{int(tt%1*1e9):09d}+09:00 " + rename(l.decode('utf-8', 'replace').rstrip('\n'), {**FIX, d: "/app"}) + "\n"
    out += "".join(f"- {n} › tensorflow\n" for n in vis)
    put(t, "stern-aim-chief-worker.log", out)
    put(t, "메모.txt", "stern -n anticheat 'aim-(chief|worker)' -t > stern-aim-chief-worker.log\nps 파드는 이미 지워져서 로그가 없음 (cleanPodPolicy: All). 이벤트도 1시간 지나서 사라짐.\n민수: worker 쪽 cuda 경고 때문 아니냐?\n")
    pack("pangyo-a", "tar.gz", t, dict(cause="ps.unavailable", culprit_node=["aim-ps-1", "ps:1"], also_acceptable=["network.unreachable-peer", "process.killed-by-signal", "resource.host-oom-killed"],
        notes="Only the coordinator's and workers' logs were kept: the coordinator loses /job:ps/replica:0/task:1 (UnavailableError); why the ps died cannot be seen. Red herring: Minsu's remark about CUDA warnings on CPU workers."))

def two():
    H = {"replay-worker-0": "10.244.8.10", "replay-worker-1": "10.244.8.11", "replay-worker-2": "10.244.8.12"}
    d = fresh("pangyob"); shutil.copy(f"{HERE}/anticheat.py", d); net = Net(H); C = {"worker": [f"{h}:2222" for h in H]}
    try:
        ps = [Proc(h, [TF221, f"{d}/anticheat.py"], host=h, net=net, env={"AC_MODE": "shm", "TF_CONFIG": tcf(C, "worker", i), **({"PYTHONFAULTHANDLER": "1"} if i == 1 else {})},
               pre="mount -t tmpfs -o size=%s shm /dev/shm" % ("64m" if i == 1 else "400m")) for i, h in enumerate(H)]
        ps[1].wait(90); finish(ps, 40)
    finally: net.close()
    for p in ps: print(p.name, p.rc, len(p.lines))
    t = f"{d}/b"; nodes = ["pg-kube-w04", "pg-kube-w11", "pg-kube-w04"]; off = {"pg-kube-w04": 0, "pg-kube-w11": 7}
    for i, p in enumerate(ps):
        o = off[nodes[i]]; js = ""; cid = __import__("hashlib").sha256(p.name.encode() + b"pg").hexdigest()
        for tt, l in p.lines:
            js += json.dumps({"log": rename(shift(l.decode("utf-8", "replace"), o), {**FIX, d: "/app"}), "stream": "stderr", "time": ts(tt + o, "%Y-%m-%dT%H:%M:%S.") + f"{int(tt%1*1e9):09d}Z"}, ensure_ascii=False) + "\n"
        put(t, f"{nodes[i]}/var/log/containers/{p.name}_anticheat_tensorflow-{cid[:64]}.log", js)
    def rc(p): return p.rc if p.rc >= 0 else 128 - p.rc
    put(t, "kubectl-get-pods.txt", "NAME              READY   STATUS   RESTARTS   AGE   IP            NODE          NOMINATED NODE   READINESS GATES\n" + "".join(f"{p.name}   0/1     Error    0          2m    {H[p.name]}   {n}   <none>           <none>\n" for p, n in zip(ps, nodes)))
    put(t, "describe-worker-1.txt", f"Name:             replay-worker-1\nNamespace:        anticheat\nNode:             pg-kube-w11/10.20.4.11\nStatus:           Failed\nContainers:\n  tensorflow:\n    State:          Terminated\n      Reason:       Error\n      Exit Code:    {rc(ps[1])}\n      Started:      {ts(ps[1].t0+7+32400,'%a, %d %b %Y %H:%M:%S')} +0900\n      Finished:     {ts(ps[1].t1+7+32400,'%a, %d %b %Y %H:%M:%S')} +0900\n    Limits:\n      cpu:     2\n      memory:  8Gi\n    Mounts:\n      /app from app (rw)\nVolumes:\n  app:\n    Type:       ConfigMap (a volume populated by a ConfigMap)\nEvents:\n  Type     Reason     Age    From     Message\n  ----     ------     ----   ----     -------\n  Warning  Unhealthy  95s    kubelet  Readiness probe failed: dial tcp 10.244.8.11:2222: connect: connection refused\n  Normal   Started    2m     kubelet  Started container tensorflow\n")
    put(t, "pg-kube-w11/dmesg-T.txt", "[Thu Nov 26 22:40:19 2026] memory: usage 2097152kB, limit 2097152kB, failcnt 5511\n[Thu Nov 26 22:40:19 2026] Memory cgroup out of memory: Killed process 40122 (java) total-vm:9421184kB, anon-rss:2071220kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:4810kB oom_score_adj:984\n[Fri Nov 27 03:11:02 2026] cni0: port 9(veth7f3c11aa) entered forwarding state\n")
    pack("pangyo-b", "tar.xz", t, dict(cause="resource.shm-exhausted", culprit_node=["replay-worker-1", "pg-kube-w11", "worker:1"], also_acceptable=[],
        notes="replay-worker-1 dies of SIGBUS (Fatal Python error: Bus error) while filling a shared-memory segment; its own log shows /dev/shm 60M/64M just before (the others have 400M). Red herring: yesterday's memory cgroup OOM of a java process on that node, readiness probe."))

def three():
    H = {"match-dispatcher-0": "10.244.9.5", **{f"match-feeder-{i}": f"10.244.9.{20+i}" for i in range(3)}, **{f"match-worker-{i}": f"10.244.9.{30+i}" for i in range(4)}}
    d = fresh("pangyoc"); shutil.copy(f"{HERE}/anticheat.py", d); net = Net(H); C = {"worker": [h + ":2222" for h in H if "worker" in h]}
    def go(h): 
        r, i = h.split("-")[1], int(h[-1]); e = {"AC_MODE": "dsvc", "CKPT": f"{d}/disp"}
        e["TF_CONFIG"] = tcf(C, r, i) if r == "worker" else json.dumps({"task": {"type": r, "index": i}})
        return Proc(h, [TF221, f"{d}/anticheat.py"], host=h, net=net, env=e)
    try:
        P = {}
        for h in H:
            P[h] = go(h)
            if "feeder" in h or "disp" in h: time.sleep(1)
        P["match-worker-0"].wait_for("step 60 ", 100); P["match-feeder-1"].kill(); P["match-feeder-1"].wait(5); old = P["match-feeder-1"]
        time.sleep(7); P["match-feeder-1"] = go("match-feeder-1")
        for i in range(4): P[f"match-worker-{i}"].wait(80)
        time.sleep(1); finish([p for p in P.values() if "worker" not in p.name], 1, signal.SIGTERM); finish(list(P.values()), 5)
    finally: net.close()
    for p in [*P.values(), old]: print(p.name, p.rc, len(p.lines))
    t = f"{d}/b"; out = ""
    for h in H:
        for p in ([old, P[h]] if h == "match-feeder-1" else [P[h]]):
            if p is old: out += "# kubectl logs --previous match-feeder-1\n"
            out += "".join(f"[pod/{h}/tensorflow] {l}\n" for l in clean(p, d).split("\n")[:-1])
    put(t, "logs-prefix-all.txt", out)
    put(t, "get-events.txt", f"LAST SEEN   TYPE      REASON      OBJECT                 MESSAGE\n3m          Normal    Started     pod/match-feeder-1     Started container tensorflow\n2m          Warning   BackOff     pod/match-feeder-1     Back-off restarting failed container tensorflow in pod match-feeder-1_anticheat\n2m          Normal    Pulled      pod/match-feeder-1     Container image \"reg.pg.local/anticheat:0.88\" already present on machine\n1m          Normal    SuccessfulCreatePod   tfjob/match   Created pod: match-worker-3\n40s         Normal    TFJobSucceeded        tfjob/match   TFJob anticheat/match successfully completed.\n")
    put(t, "get-pods.txt", "NAME                 READY   STATUS      RESTARTS      AGE\n" + "".join(f"{h:<21}" + ("0/1     Completed   0             4m\n" if "worker" in h else "1/1     Running     1 (2m ago)    4m\n" if h == "match-feeder-1" else "1/1     Running     0             4m\n") for h in H))
    put(t, "slack-export/2026-11-27.json", json.dumps([{"type": "message", "user": "U0JIHOON", "ts": f"{old.t1+60:.6f}", "text": "match-feeder-1 죽었어요 :rotating_light: UNAVAILABLE 계속 뜨는데 학습 망한 거 아닌가요?"}, {"type": "message", "user": "U0SORA", "ts": f"{old.t1+95:.6f}", "text": "노드 드레인 때문일 거예요 일단 지켜보죠"}], ensure_ascii=False, indent=1))
    pack("pangyo-c", "zip", t, dict(cause="none", culprit_node=None, also_acceptable=[],
        notes="tf.data service worker match-feeder-1 died once and was restarted; its clients retried, all four trainers reached the last step ('학습 종료') and the TFJob succeeded. Scary: UNAVAILABLE lines, BackOff event, Slack alarm."))
if __name__ == "__main__": {"1": one, "2": two, "3": three}[sys.argv[1]]()
