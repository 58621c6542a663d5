"""Team 6 (Ulsan, Kubernetes/Argo from a Windows laptop). Incidents ulsan-hull2207, ulsan-hull2214, ulsan-hull2231."""
from cluster import *
import sys
J = os.path.join(HERE, "jobs")
P = lambda c: [(c.dir + "/", "/workspace/"), ("/root/.pyenv/versions/3.11.7/", "/usr/local/"), ("/opt/tfenv/", "/opt/venv/"), (os.path.dirname(os.path.dirname(PY215)) + "/", "/opt/venv/"), (os.path.abspath(os.path.join(OUT, "np2")), "/workspace/.local/lib/python3.11/site-packages")]
def conf(cl, t, i): return json.dumps({"cluster": cl, "task": {"type": t, "index": i}})
def code(c, *fs):
    os.makedirs(c.dir + "/code"); [shutil.copy(J + "/" + f, c.dir + "/code") for f in fs]
ps16 = lambda s: ("\ufeff" + s.replace("\n", "\r\n")).encode("utf-16-le")   # PowerShell 5 redirection
def uneven():
    hs = [f"weld-train-worker-{i}" for i in range(8)]
    c = Cluster("ul2207", "10.244.6", hs, "KST-9")
    try:
        code(c, "weld.py"); man = []
        for i in range(8): man += [{"file": f"hull2207/block{i}{k}.rec", "owner": i, "count": 280 if (i, k) != (5, 1) else 196} for k in range(2)]
        json.dump(man, open(c.dir + "/manifest.json", "w"), indent=1)
        for i, h in enumerate(hs): c.run(h, "code/weld.py", f"{i}.log", dict(TF_CONFIG=conf({"worker": [x + ":2222" for x in hs]}, "worker", i), MANIFEST=c.dir + "/manifest.json", SYNC_DIR=c.dir + "/sync"))
        c.until("5.log", "지표", 120); time.sleep(16)
        for h in (0, 5): c.kill(hs[h], signal.SIGUSR1)
        time.sleep(3)
        for h in hs: c.kill(h, signal.SIGTERM)
        r = c.wait(timeout=8)
        for h in hs: c.kill(h, signal.SIGKILL)
        r = c.wait(timeout=3); D = -86400 * 3
        files = {f"kubectl logs\\{h}.txt".replace("\\", "/"): ps16(shift(sub(c.lines(f"{i}.log"), P(c)), D)) for i, h in enumerate(hs)}
        files["argo get.txt"] = ps16("Name:                weld-train-8x7kq\nNamespace:           weld\nStatus:              Failed\nMessage:             workflow shutdown with strategy:  Terminate\nConditions:          \n PodRunning          False\n\nSTEP                  TEMPLATE  PODNAME               DURATION  MESSAGE\n \u2716 weld-train-8x7kq   train                                     workflow shutdown with strategy:  Terminate\n" + "".join(f" \u251c\u2500\u26a0 {h}   tf   {h}   58s   workflow shutdown with strategy:  Terminate\n" for h in hs))
        files["events.txt"] = ps16("LAST SEEN   TYPE      REASON      OBJECT                     MESSAGE\n41m         Warning   BackOff     pod/label-export-77d4      Back-off restarting failed container main in pod label-export-77d4\n38m         Warning   OOMKilled   pod/label-export-77d4      Memory cgroup out of memory: Killed process 312 (node)\n9m          Warning   Unhealthy   pod/weld-train-worker-2    Readiness probe failed: Get \"http://10.244.6.24:6006/\": dial tcp 10.244.6.24:6006: connect: connection refused\n")
        files["manifest.json"] = json.dumps(man, indent=1)
        files["메모.txt"] = "8대 전부 멈춤. 에러 없음. SIGUSR1로 0번 5번 스택 찍고 argo terminate 했음.\n박대리: worker-2 readiness 실패가 원인 아닌가?\n".encode("cp949")
        A = "ulsan-hull2207.zip"; pack(A, files)
        truth(A, "data.uneven-shards", ["weld-train-worker-5", "worker:5"], ["sync.hang"], "worker-5 has fewer records (manifest 196 instead of 280): it ends its local steps and waits in barrier(0) while the other seven wait in train_step (stacks). Terminated by hand. Red herrings: readiness probe of worker-2, OOM of label-export pod.")
    finally: c.close()
def abi():
    hs = ["bead-cls-chief-0", "bead-cls-worker-0", "bead-cls-worker-1"]
    c = Cluster("ul2214", "10.244.7", hs, "KST-9")
    try:
        code(c, "weld.py"); man = [{"file": f"b{i}", "owner": i, "count": 240} for i in range(3)]; json.dump(man, open(c.dir + "/manifest.json", "w"))
        cl = {"chief": [hs[0] + ":2222"], "worker": [h + ":2222" for h in hs[1:]]}
        def go(tag, bad):
            rows = {h: [] for h in hs}; pos = {h: 0 for h in hs}
            for i, h in enumerate(hs): c.run(h, "code/weld.py", f"{h}{tag}.log", dict(TF_CONFIG=conf(cl, "chief" if i == 0 else "worker", max(0, i - 1)), MANIFEST=c.dir + "/manifest.json", SYNC_DIR=c.dir + "/sync", **({"PYTHONPATH": os.path.abspath(os.path.join(OUT, "np2"))} if bad and i == 2 else {})), py=PY215, key=h + tag)
            end = time.time() + 45
            while time.time() < end and not all(c.p[h + tag].poll() is not None for h in hs):
                for h in hs:
                    t = c.lines(f"{h}{tag}.log"); new = t[pos[h]:]; k = new.rfind("\n") + 1; rows[h] += [(time.time(), x) for x in new[:k].split("\n")[:-1]]; pos[h] += k
                time.sleep(.1)
            for h in hs: c.kill(h + tag, signal.SIGTERM)
            c.wait([h + tag for h in hs], timeout=5)
            for h in hs:
                c.kill(h + tag, signal.SIGKILL)
                t = c.lines(f"{h}{tag}.log"); rows[h] += [(time.time(), x) for x in t[pos[h]:].split("\n") if x]
            return rows
        D = -86400 * 7
        before = go("-a", False); mid = time.time(); rows = go("-b", True)
        for h in hs: rows[h] = [(t - 86400 + 900, shift(x, -86400 + 900)) for t, x in before[h]] + rows[h]
        res = [{"stream": {"namespace": "weld", "pod": h, "container": "tf", "node_name": f"usn-k8s-{4+i}", "stream": "stderr"}, "values": [[str(int((t + D) * 1e9) + n), shift(sub(x, P(c)), D)] for n, (t, x) in reversed(list(enumerate(rows[h])))]} for i, h in enumerate(hs)]
        tol = [{"stream": {"namespace": "weld", "pod": "bead-cls-launcher-x2x9p", "container": "init", "node_name": "usn-k8s-4", "stream": "stdout"}, "values": [[str(int((mid + D - 20 + q) * 1e9)), m] for q, m in ((6, "init: all hosts resolve, go"), (4, "init: nslookup bead-cls-worker-1: ok"), (1, "init: nslookup bead-cls-worker-1: NXDOMAIN, retry in 3s"), (0, "init: waiting for headless service"))]}]
        A = "ulsan-hull2214.tar.gz"
        pack(A, {"loki_query_range.json": json.dumps({"status": "success", "data": {"resultType": "streams", "result": tol + res, "stats": {"summary": {"totalLinesProcessed": sum(map(len, rows.values()))}}}}, ensure_ascii=False), "pods.txt": ps16("NAME                READY   STATUS    RESTARTS   AGE\n" + f"{hs[0]}    0/1     Error     0   5m\n{hs[1]}   0/1     Error     0   5m\n{hs[2]}   0/1     Error     0   5m\n"), "slack_복사.txt": "김: chief 가 worker 기다리기만 함 → 기다리다 삭제\n이: DNS 문제 또? init 에 NXDOMAIN 보임\n김: worker-1 이미지에 어제 albumentations 추가한 건 나\n"})
        truth(A, "env.python-abi", ["bead-cls-worker-1", "worker:1"], ["env.version-skew", "env.missing-library"], "worker-1 picks NumPy 2.0.2 from ~/.local with TF 2.15 compiled against NumPy 1.x ('compiled using NumPy 1.x cannot be run in NumPy 2.0.2', _ARRAY_API not found); the others only wait for it and were deleted. The run of the day before (older image, same pod names) in the same export ended well. Red herring: NXDOMAIN retry of the init container that succeeded.")
    finally: c.close()
def survived():
    hs = ["seam-coord", "seam-ps-0", "seam-w-0", "seam-w-1"]
    c = Cluster("ul2231", "10.244.9", hs, "KST-9")
    try:
        code(c, "churn_ps.py"); t = open(c.dir + "/code/churn_ps.py").read()
        t = "# seam 분류 (ParameterServerStrategy)\n" + t.replace("koordinaattori: odotan workereita", "coordinator: worker 대기").replace("kuuntelee", "listen").replace("epookki", "에폭").replace("range(20)", "range(60)").replace("range(40)", "range(12)").replace("        x = tf.random.normal", "        x = tf.random.normal")
        t = t.replace('flush=True)\n', 'flush=True)\n', 1).rstrip() + "; time.sleep(.25)\ntf.train.Checkpoint(w=w).write(os.environ['MODEL_DIR'] + '/final'); print('저장 완료', flush=True)\n"
        open(c.dir + "/code/seam.py", "w").write(t); os.remove(c.dir + "/code/churn_ps.py")
        cl = {"chief": [hs[0] + ":2222"], "ps": [hs[1] + ":2222"], "worker": [h + ":2222" for h in hs[2:]]}
        st = lambda h, ty, i, key: c.run(h, "code/seam.py", key + ".log", dict(TF_CONFIG=conf(cl, ty, i), MODEL_DIR=c.dir), key=key)
        st(hs[1], "ps", 0, hs[1]); st(hs[2], "worker", 0, hs[2]); st(hs[3], "worker", 1, hs[3]); st(hs[0], "chief", 0, hs[0])
        c.until("seam-coord.log", "에폭 18 ", 60); c.kill("seam-w-1", signal.SIGKILL); tk = time.time(); time.sleep(2); st(hs[3], "worker", 1, "seam-w-1b")
        r = c.wait(["seam-coord"], timeout=90); 
        for k in list(c.p): c.kill(k, signal.SIGTERM)
        r2 = c.wait(timeout=5); D = -86400 * 1
        allp = "".join("".join(f"[pod/{k}/tf] {x}\n" for x in shift(sub(c.lines(k + '.log'), P(c)), D).splitlines()) for k in ("seam-coord", "seam-ps-0", "seam-w-0", "seam-w-1b")).replace("pod/seam-w-1b", "pod/seam-w-1")
        prev = shift(sub(c.lines("seam-w-1.log"), P(c)), D)
        A = "ulsan-hull2231.zip"
        pack(A, {"stern_all.log": ps16(allp), "seam-w-1 --previous.log": ps16(prev), "describe seam-w-1.txt": ps16(f"Name:             seam-w-1\nNamespace:        weld\nNode:             usn-k8s-9/10.1.0.19\nStatus:           Running\nContainers:\n  tf:\n    State:          Running\n      Started:      {stamp(tk+2,'%a, %d %b %Y %H:%M:%S +0900',9*3600+D)}\n    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n      Finished:     {stamp(tk,'%a, %d %b %Y %H:%M:%S +0900',9*3600+D)}\n    Restart Count:  1\n    Limits:\n      memory:  1Gi\n"), "job.txt": ps16("NAME         COMPLETIONS   DURATION   AGE\nseam-coord   1/1           71s        9m\n")})
        truth(A, "none", None, [], f"Worker pod seam-w-1 was OOM-killed and restarted, the coordinator noticed (UNAVAILABLE, retry) and finished all 60 epochs and the save; coordinator rc {r}. Job completed 1/1.")
    finally: c.close()
if __name__ == "__main__":
    for f in sys.argv[1:]: print(globals()[f]())
