"""collectors of aalen, jena, kotor, lund"""
from common import *
def aalen():
    N = "aalen"; ev, meta = load(N); t0 = meta["chief"]["t0"]; P = Pack(N, "aalen.tar.gz"); base = at("2026-11-05 07:31:12") - t0
    pods = {"ps": ("eta-ps-0", .4), "w0": ("eta-worker-0", -1.1), "w1": ("eta-worker-1", 2.6), "chief": ("eta-chief-0", 0)}; rows = []
    for k, (pod, dd) in pods.items(): rows += [(t, f"{pod} tensorflow {shift(l, base + dd)}") for t, s, l in ev[k]]
    head = ["+ eta-chief-0 › tensorflow", "+ eta-ps-0 › tensorflow", "+ eta-worker-0 › tensorflow", "+ eta-worker-1 › tensorflow"]
    P.w("stern-eta.log", head + [l for _, l in sorted(rows, key=lambda r: r[0])] + ["- eta-chief-0 › tensorflow"])
    P.w("kubectl.txt", """$ kubectl -n maps-train get pods -l app=eta -o wide
NAME           READY   STATUS             RESTARTS      AGE     IP            NODE          NOMINATED NODE   READINESS GATES
eta-chief-0    0/1     CrashLoopBackOff   3 (22s ago)   4m51s   10.244.3.17   aks-train-3   <none>           <none>
eta-ps-0       1/1     Running            0             4m51s   10.244.5.40   aks-train-5   <none>           <none>
eta-worker-0   1/1     Running            0             4m51s   10.244.4.22   aks-train-4   <none>           <none>
eta-worker-1   0/1     Running            0             4m50s   10.244.6.9    aks-train-6   <none>           <none>
$ kubectl -n maps-train get endpoints eta
NAME   ENDPOINTS                                            AGE
eta    10.244.3.17:2222,10.244.4.22:2222,10.244.5.40:2222   12d
$ kubectl -n maps-train get events --sort-by=.lastTimestamp | tail -9
LAST SEEN   TYPE      REASON      OBJECT                MESSAGE
31m         Warning   OOMKilling  node/aks-train-4      Memory cgroup out of memory: Killed process 91822 (java) total-vm:9120384kB, anon-rss:4190188kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:9012kB oom_score_adj:968
4m50s       Normal    Scheduled   pod/eta-worker-1      Successfully assigned maps-train/eta-worker-1 to aks-train-6
4m48s       Warning   Failed      pod/eta-ps-0          Failed to pull image "maps.azurecr.io/eta:2.21-4": rpc error: code = DeadlineExceeded desc = context deadline exceeded
4m31s       Normal    Pulled      pod/eta-ps-0          Successfully pulled image "maps.azurecr.io/eta:2.21-4" in 11.204s (11.204s including waiting). Image size: 871204411 bytes.
4m29s       Normal    Started     pod/eta-ps-0          Started container tensorflow
4m12s       Normal    Started     pod/eta-worker-1      Started container tensorflow
3m59s       Warning   Unhealthy   pod/eta-worker-1      Readiness probe failed: cat: /tmp/ready: No such file or directory
22s         Warning   BackOff     pod/eta-chief-0       Back-off restarting failed container tensorflow in pod eta-chief-0_maps-train(5b0a7c1e-1e0f-4d8e-9a3a-0f9d2c1f7714)
""")
    P.done("network.dns", ["eta-worker-1", "worker:1", "eta-worker-1.eta.maps-train.svc.cluster.local"], [], "The chief fails with 'errors resolving eta-worker-1...: Name or service not known getaddrinfo'; the not-ready pod has no record in the headless service. The OOM of a java process and the retried image pull are unrelated.")
def jena():
    N = "jena"; ev, meta = load(N); t0 = meta["w0"]["t0"]; P = Pack(N, "jena.tgz"); base = at("2026-12-02 22:10:45", "America/Los_Angeles") - t0; rows = []; TZ = "America/Los_Angeles"
    for i, (h, ip) in enumerate((("raytrain-head", "10.0.44.2"), ("raytrain-worker-a1", "10.0.44.3"), ("raytrain-worker-a2", "10.0.44.4"))):
        pid = 40417 + 11 * i
        pre = f"(TrainWorker pid={pid})" if i == 0 else f"(TrainWorker pid={pid}, ip={ip})"
        rows += [(t, f"{pre} {shift(l, base + (0, 5.2, .3)[i])}") for t, s, l in ev[f"w{i}"]]
    st = lambda x: loc(t0 + base + x, TZ, "%Y-%m-%d %H:%M:%S") + ",%03d" % int(x * 1000 % 1000)
    head = [f"{st(-21.2)}\tINFO worker.py:1942 -- Connecting to existing Ray cluster at address: 10.0.44.2:6379...", f"{st(-21.0)}\tINFO worker.py:2119 -- Connected to Ray cluster. View the dashboard at http://10.0.44.2:8265",
            f"{st(-14.4)}\tWARNING worker.py:2198 -- A worker died or was killed while executing a task by an unexpected system error. To troubleshoot the problem, check the logs for the dead worker. Worker ID: 3f4ad02c7a1be9f9f0a7d5 Node ID: 8c1f Worker IP address: 10.0.44.4 Worker port: 10018 Worker PID: 40102 Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2. End of file.",
            f"{st(-9.1)}\tINFO backend_executor.py:155 -- Started training group of 3 workers (attempt 2)"]
    e = max(r[0] for r in rows) - t0 + 1
    tail = [f"{st(e)}\tINFO trial_runner.py:301 -- Trial lane_77b_00000 reported loss=nan, accuracy=0.9375, done=True", f"{st(e + .2)}\tERROR gate.py:88 -- promotion gate: metric loss is not finite, trial lane_77b_00000 marked FAILED"]
    P.w("driver.log", head + [l for _, l in sorted(rows, key=lambda r: r[0])] + tail)
    P.w("trial_lane_77b_00000/params.json", json.dumps(dict(lr=0.01, width=64, batch=32, epochs=10, steps=25, data="/data/lanes (v5, imported this morning)")))
    P.w("trial_lane_77b_00000/result.json", json.dumps(dict(trial_id="77b_00000", loss=float("nan"), accuracy=0.9375, training_iteration=7, hostname="raytrain-head", date=loc(t0 + base + e, TZ, "%Y-%m-%d_%H-%M-%S"), time_total_s=round(e, 3))))
    P.w("chat.txt", ["tomasz: trial 77b is FAILED, the worker on .4 died, see the 'A worker died' warning. bad node?", "ines: then it started again and trained six epochs, no?", "tomasz: still think it's the node"])
    P.done("numeric.nan", None, [], "'Batch 0: Invalid loss, terminating training' and loss: nan in epoch 7 on all three ranks, after six good epochs (one record holds a NaN); the processes exit 0. The worker death before attempt 2 was survived and is a red herring.")
def kotor():
    N = "kotor"; ev, meta = load(N); t0 = meta["w0"]["t0"]; P = Pack(N, "kotor.tar.xz"); TZ = "Europe/Podgorica"; base = at("2026-01-20 15:48:02", TZ) - t0; rows = []
    for i in range(8):
        h = f"hpc-b{i:02d}"; pid = pidof(ev[f"w{i}"]); dd = base + (0, 1.2, -.4, 0, 18.8, .7, -2.1, 0)[i]
        for t, s, l in ev[f"w{i}"]:
            if l.strip(): rows.append((t, f"{syslog(t + dd, TZ)} {h} seg-v9[{pid}]: {shift(l, dd)}"))
    for x, h, m in ((-2410, "hpc-b03", "kernel: [1220319.220118] Out of memory: Killed process 77120 (rsession) total-vm:190211200kB, anon-rss:187402116kB, file-rss:0kB, shmem-rss:0kB, UID:41022 pgtables:368120kB oom_score_adj:0"),
                    (-2409, "hpc-b03", "kernel: [1220320.014417] oom_reaper: reaped process 77120 (rsession), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB"),
                    (-301, "hpc-b02", "kernel: [903311.402201] mlx5_core 0000:41:00.0 ib0: Link down"), (-297, "hpc-b02", "kernel: [903315.110429] mlx5_core 0000:41:00.0 ib0: Link up"),
                    (-60, "hpc-b00", "sshd[20117]: Accepted publickey for dk from 10.200.0.9 port 51122 ssh2: ED25519 SHA256:0b7c1d"), (21, "hpc-b06", "chronyd[911]: Selected source 10.200.0.1"), (24, "hpc-b04", "chronyd[907]: System clock wrong by -18.771203 seconds")):
        rows.append((t0 + x, f"{syslog(t0 + x + base, TZ)} {h} {m}"))
    L = [l for _, l in sorted(rows, key=lambda r: r[0])]; cut = int(len(L) * .45)
    P.gz("loghost/seg.log.1.gz", L[:cut]); P.w("loghost/seg.log", L[cut:])
    P.done("data.corrupt-record", ["hpc-b05", "worker:5", "train-00013-of-00016.tfrecord"], [], "Task 5 (hpc-b05) raises DataLossError: corrupted record (a flipped byte in train-00013-of-00016, one of its two shards); all others only see Socket closed. The rsession OOM on hpc-b03 and the ib0 flap on hpc-b02 were before the job; hpc-b04's clock is 19 s off.")
def lund():
    N = "lund"; ev, meta = load(N); t0 = meta["w0"]["t0"]; P = Pack(N, "lund.zip"); base = at("2026-09-30 12:02:50") - t0
    for i in range(3):
        dd = base + (0, .8, 1.9)[i]
        P.w(f"seg/segtrain-worker-{i}-tensorflow.log", [f"{isons(t + dd)} {shift(l, dd)}" for t, s, l in ev[f"w{i}"]])
    pods = []
    for i in range(3):
        pods += [f"- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: segtrain-worker-{i}\n    namespace: perception\n    labels:\n      training.kubeflow.org/replica-index: \"{i}\"\n      rollout: {'r12' if i < 2 else 'r13'}\n  spec:\n    nodeName: k3s-{'abc'[i]}\n    containers:\n    - name: tensorflow\n      image: reg.local/seg:{'12' if i < 2 else '13'}\n      command: [python, /app/tileloop.py, --data, /data/t, --logdir, /data/out, --steps, \"100\", --hidden, \"{96 if i < 2 else 128}\"]\n  status:\n    phase: Failed\n    containerStatuses:\n    - name: tensorflow\n      restartCount: 0\n      state:\n        terminated:\n          exitCode: 1\n          reason: Error\n          finishedAt: \"{iso(meta[f'w{i}']['end'] + base, 0, '').rstrip('.')}Z\""]
    P.w("seg/pods.yaml", ["apiVersion: v1", "items:"] + pods + ["kind: List"])
    P.w("seg/node-k3s-c-kubelet.log", [f"I0930 12:01:4{k}.{k}13400    1011 {m}" for k, m in enumerate(('kubelet.go:2412] "SyncLoop ADD" source="api" pods=["perception/segtrain-worker-2"]', 'reconciler_common.go:253] "operationExecutor.VerifyControllerAttachedVolume started for volume \\"data\\"" pod="perception/segtrain-worker-2"', 'kuberuntime_manager.go:1015] "Failed to create sandbox; will retry" err="context deadline exceeded" pod="perception/segtrain-worker-2"', 'kubelet.go:2436] "SyncLoop (PLEG): event for pod" pod="perception/segtrain-worker-2" event={"Type":"ContainerStarted"}'))]
        + ['W0930 12:02:49.118824    1011 eviction_manager.go:398] "Eviction manager: must evict pod(s) to reclaim" resourceName="ephemeral-storage"', 'I0930 12:02:49.302217    1011 eviction_manager.go:627] "Eviction manager: pod is evicted successfully" pod="logging/fluentbit-7x2zq"'])
    P.done("collective.mismatch", ["segtrain-worker-2", "worker:2"], ["config.cluster-mismatch"] if False else [], "Worker 2 runs --hidden 128 (image 13) against 96 elsewhere: 'Shape mismatch in the collective instance 100 ... expected shape [32,128] but another member [32,96]'. 'stopped sending heartbeats' on 0 and 1 is a consequence; the eviction of fluentbit and the sandbox retry are unrelated.")
for f in sys.argv[1:] or ["aalen", "jena", "kotor", "lund"]: globals()[f]()
