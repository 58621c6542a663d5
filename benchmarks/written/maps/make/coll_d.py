"""collectors of pecs, riga, siena, turku, ulm, varna, wismar"""
from common import *
def pecs():
    # kubelet's own container log files (CRI format), restart counts in the file names, partial kubectl describe
    N = "pecs"; ev, meta = load(N); t0 = meta["chief"]["t0"]; P = Pack(N, "pecs.tar.gz"); base = at("2026-06-25 03:14:09") - t0
    m = {"chief": ("eta2-chief-0", "0", 0), "ps0": ("eta2-ps-0", "0", .2), "ps1": ("eta2-ps-1", "0", -.4), "w0": ("eta2-worker-0", "0", 1.3), "w1": ("eta2-worker-1", "0", -2.2), "w1b": ("eta2-worker-1", "1", -2.2)}
    for k, (pod, n, dd) in m.items():
        u = __import__("hashlib").md5(pod.encode()).hexdigest()[:12]
        P.w(f"var/log/pods/maps-train_{pod}_{u}/tensorflow/{n}.log", [f"{isons(t + base + dd)} std{s} F {shift(l, base + dd)}" for t, s, l in ev[k]])
    kill = meta["w1b"]["t0"] - 6 + base - 2.2; z = lambda t: loc(t, fmt="%a, %d %b %Y %H:%M:%S +0000")
    P.w("describe_eta2-worker-1.txt", f"""Name:             eta2-worker-1
Namespace:        maps-train
Priority:         0
Node:             pool-b-114/10.1.4.114
Status:           Running
IP:               10.244.9.6
Containers:
  tensorflow:
    Image:          maps.azurecr.io/eta:2.21-4
    State:          Running
      Started:      {z(kill + 6)}
    Last State:     Terminated
      Reason:       Error
      Exit Code:    137
      Started:      {z(meta['w1']['t0'] + base)}
      Finished:     {z(kill)}
    Ready:          True
    Restart Count:  1
    Limits:
      cpu:     2
      memory:  6Gi
Events:
  Type     Reason     Age                From     Message
  ----     ------     ----               ----     -------
  Warning  Unhealthy  3m2s (x3 over 3m)  kubelet  Liveness probe failed: command timed out: "/probe.sh" timed out after 1s
  Normal   Killing    3m                 kubelet  Container tensorflow failed liveness probe, will be restarted
  Normal   Pulled     2m55s              kubelet  Container image "maps.azurecr.io/eta:2.21-4" already present on machine
  Normal   Started    2m54s              kubelet  Started container tensorflow
""")
    P.w("on-call-handover.txt", ["alert WorkerPreempted fired for eta2 at night, I collected everything before it gets rotated.", "Somebody said the ps crashed? I did not look further."])
    P.done("none", None, [], "The coordinator lost eta2-worker-1 (killed by its liveness probe, exit 137), took it back after the restart and ended with 'training finished, global_step=...' and exit 0. The scary worker failure lines and the handover's remark about a ps crash are red herrings.")
def riga():
    # docker json-file logs of two attempts, plus cloud metadata of the preempted instance
    N = "riga"; ev, meta = load(N); t0 = meta["a1w0"]["t0"]; P = Pack(N, "riga.zip"); base = at("2026-10-18 10:22:08") - t0
    for a in ("a1", "a2"):
        for i in range(3):
            dd = base + (540 if a == "a2" else 0) + (0, 4.4, -1.9)[i]; cid = ("7c1e90", "b2f7d3")[a == "a2"] + f"{i}4a9" * 3
            P.w(f"spot-a{i+1}/containers/{cid}/{cid}-json.log", [json.dumps({"log": shift(l, dd) + "\n", "stream": "std" + s, "time": isons(t + dd)}) for t, s, l in ev[f"{a}w{i}"]])
    k = meta["a1w2"]["end"] + base
    P.w("spot-a3/metadata-events.json", json.dumps({"instance": "spot-a3", "events": [{"type": "PREEMPTED", "time": iso(k - 30, 3), "action": "TERMINATE_WITH_RESTART"}, {"type": "STARTED", "time": iso(k + 300, 3)}]}, indent=1))
    P.w("bucket-listing.txt", [f"   {sz:>9}  {loc(meta['a2w0']['t0'] + base + 540 + x, fmt='%Y-%m-%dT%H:%M:%SZ')}  gs://lanes-eu/runs/r1/ckpt-{e:02d}.weights.h5" for e, sz, x in ((8, 60224, 16), (9, 60224, 18))])
    P.done("none", None, [], "Attempt 1 lost spot-a3 to a preemption; attempt 2 resumed from BackupAndRestore and all three tasks ended with 'done, final ...'. The 'Could not parse example' warnings are garbage records that the input skips on purpose.")
def siena():
    # OpenSearch CSV export; only three of the four hosts ship logs there
    import csv, io
    N = "siena"; ev, meta = load(N); t0 = meta["w0"]["t0"]; P = Pack(N, "siena.tgz"); base = at("2026-04-08 11:50:30", "Asia/Tokyo") - t0; rows = []
    for i in range(3):
        dd = base + (0, 1.7, -.2)[i]
        rows += [(t, [iso(t + dd, 3), f"m{i}.veh-ml", "adas-seg", "std" + s, shift(l, dd)]) for t, s, l in ev[f"w{i}"]]
    o = io.StringIO(); w = csv.writer(o, quoting=csv.QUOTE_ALL); w.writerow(["@timestamp", "host.name", "service", "stream", "message"])
    for _, r in sorted(rows, key=lambda r: r[0]): w.writerow(r)
    P.w("opensearch_export_adas-seg.csv", o.getvalue())
    x = lambda d: iso(t0 + base + d, 3)
    P.w("opensearch_export_hosts.csv", '"@timestamp","host.name","message"\n' + "".join(f'"{x(d)}","{h}","{m}"\n' for d, h, m in ((-5020, "m1.veh-ml", "kernel: Out of memory: Killed process 5521 (matlab) total-vm:40213004kB, anon-rss:31200940kB, file-rss:0kB, shmem-rss:0kB, UID:2211 pgtables:63120kB oom_score_adj:0"), (-12, "m0.veh-ml", "systemd: Started adas-seg.service."), (-11.2, "m2.veh-ml", "systemd: Started adas-seg.service."), (-10.9, "m1.veh-ml", "systemd: Started adas-seg.service."), (3, "m2.veh-ml", "smartd: Device: /dev/sda [SAT], 8 Currently unreadable (pending) sectors"))))
    P.done("network.unreachable-peer", ["m3.veh-ml", "worker:3", "10.12.0.13"], ["collective.timeout", "process.killed-by-signal"], "Only the victims' logs: tasks 0 to 2 see task 3 vanish (RecvBuf from task:3: Connection reset by peer); why it died is not in the bundle (truth: SIGKILL). The matlab OOM on m1 was 80 minutes before, smartd is unrelated.")
def turku():
    # journalctl -o json of the coordinator's host only
    N = "turku"; ev, meta = load(N); t0 = meta["chief"]["t0"]; P = Pack(N, "turku.tar.gz"); base = at("2026-11-20 21:07:55", "Europe/Helsinki") - t0; e = ev["chief"]; pid = pidof(e); J = []
    def j(t, ident, msg, pr="6", p=None): J.append((t, {"__REALTIME_TIMESTAMP": str(int((t + base) * 1e6)), "_HOSTNAME": "tk-chief", "SYSLOG_IDENTIFIER": ident, "PRIORITY": pr, "_PID": str(p or pid), "MESSAGE": msg}))
    j(t0 - 700, "kernel", "Memory cgroup out of memory: Killed process 60132 (node) total-vm:22412212kB, anon-rss:2093316kB, file-rss:0kB, shmem-rss:0kB, UID:1003 pgtables:7012kB oom_score_adj:0", "3", 0)
    j(t0 - .1, "systemd", "Started eta-coordinator.service - ETA training coordinator.", "6", 1)
    for t, s, l in e: j(t, "python", shift(l, base))
    x = meta["chief"]["end"]; j(x + .1, "systemd", "eta-coordinator.service: Main process exited, code=exited, status=1/FAILURE", "5", 1); j(x + .12, "systemd", "eta-coordinator.service: Failed with result 'exit-code'.", "4", 1)
    P.w("tk-chief.journal.json", [json.dumps(d) for _, d in sorted(J, key=lambda r: r[0])])
    P.done("ps.unavailable", ["tk-ps-b", "ps:1"], ["network.unreachable-peer", "process.killed-by-signal"], "Only the coordinator's journal: it loses /job:ps/replica:0/task:1; the reason (truth: SIGKILL of the ps on tk-ps-b) cannot be seen. The OOM of a node process on tk-chief was before the start.")
def ulm():
    # a GitLab issue with pasted logs of the two healthy tasks
    N = "ulm"; ev, meta = load(N); t0 = meta["w0"]["t0"]; P = Pack(N, "ulm.zip"); base = at("2026-01-27 17:02:40", "Europe/Berlin") - t0
    body = ["# kart / training #318: third crash this week", "", "**Reported by:** @fweiss · **Labels:** training, p2", "", "Since the switch to the new rack the lane job ends like this after a few epochs. kart-03's disk was wiped by the reinstall before I could save its log, sorry. Here are the two others.", ""]
    for i in range(2):
        dd = base + (0, 31.5)[i]; body += [f"<details><summary>kart-0{i+1}: /var/log/kart/lane.log</summary>", "", "```", *[shift(l, dd) for t, s, l in ev[f"w{i}"]], "```", "", "</details>", ""]
    body += ["---", "@bhuber: looks like out of memory to me, the task \"crashed\". We had that in the old rack in December (`Killed process 3391 (python)` on kart-02).", "", "@fweiss: kart-02 has 256 GB now and its dmesg is empty since the boot.", "", "@nagios-bot: `kart-01 CRITICAL - load average 19.2` (recovered after 2 min, nightly backup)"]
    P.w("issue-318.md", body)
    P.done("collective.timeout", ["kart-03", "worker:2"], ["sync.hang", "network.timeout", "network.unreachable-peer"], "Only tasks 0 and 1 are there: they see that task 2 stopped sending heartbeats; whether it hung, died or lost its network cannot be told (truth: it was stopped with SIGSTOP). The memory theory in the comments has no support.")
def varna():
    # docker compose logs --timestamps, one stream, with compose's colourless prefixes
    N = "varna"; ev, meta = load(N); t0 = meta["w0"]["t0"]; P = Pack(N, "varna.tar.xz"); base = at("2026-08-30 04:45:17") - t0; rows = []
    for i in range(3): rows += [(t, f"train-{i}-1  | {isons(t + base)} {shift(l, base)}") for t, s, l in ev[f"w{i}"]]
    rows.append((meta["w1"]["end"] + .2, f"train-1-1 exited with code {128 - meta['w1']['rc'] if meta['w1']['rc'] < 0 else meta['w1']['rc']}"))
    P.w("compose.log", ["time=\"2026-08-30T04:45:15Z\" level=warning msg=\"/srv/train/docker-compose.yml: the attribute `version` is obsolete, it will be ignored, please remove it to avoid potential confusion\"", "Attaching to train-0-1, train-1-1, train-2-1"] + [l for _, l in sorted(rows, key=lambda r: r[0])])
    P.w("docker-inspect.txt", ["$ docker inspect -f '{{.Name}} pids={{.HostConfig.PidsLimit}} mem={{.HostConfig.Memory}} oom={{.State.OOMKilled}}' $(docker ps -aq)", "/train-train-0-1 pids=<nil> mem=8589934592 oom=false", f"/train-train-1-1 pids={PM} mem=8589934592 oom=false", "/train-train-2-1 pids=<nil> mem=8589934592 oom=false", "/scraper-1 pids=512 mem=268435456 oom=true"])
    P.done("resource.thread-limit", ["train-1", "train-1-1", "worker:1"], [], "train-1 cannot create threads (its container has a pids limit); tasks 0 and 2 only wait for it and were stopped. The OOM-killed scraper container and the compose warning are unrelated.")
PM = 40
def wismar():
    # one Slurm log per node, gz of a healthy one, conda/pip listings, an older failed attempt
    N = "wismar"; ev, meta = load(N); t0 = meta["w0"]["t0"]; P = Pack(N, "wismar.tgz"); TZ = "Europe/Berlin"; base = at("2026-02-03 08:31:09", TZ) - t0
    for i in range(3):
        dd = base + (0, -20.2, 3.3)[i]; L = [shift(l, dd) for t, s, l in ev[f"w{i}"]]
        (P.gz if i == 2 else P.w)(f"lanes.90211.node03{i+1}.log" + (".gz" if i == 2 else ""), L)
    P.w("lanes.90207.node031.log", ["slurmstepd: error: execve(): /opt/venv/bin/pyhton: No such file or directory", "slurmstepd: error: *** STEP 90207.0 ON node031 CANCELLED AT 2026-02-03T08:24:50 DUE TO TASK FAILURE ***"])
    P.w("node032.pip-path.txt", ["$ ssh node032 'ls -d ~/.local/lib/python3.11/site-packages/*; echo $PYTHONPATH'", "/home/ag/.local/lib/python3.11/site-packages/numpy", "/home/ag/.local/lib/python3.11/site-packages/numpy-2.1.3.dist-info", "/home/ag/.local/lib/python3.11/site-packages/numpy.libs", "/home/ag/.local/lib/python3.11/site-packages", "$ ssh node031 'ls ~/.local/lib/python3.11/site-packages; echo $PYTHONPATH'   # homes are local here", "ls: cannot access '/home/ag/.local/lib/python3.11/site-packages': No such file or directory", "", "$ /opt/venv/bin/pip list | grep -i -e numpy -e tensorflow", "numpy                        1.26.4", "tensorflow-cpu               2.15.1"])
    P.done("env.python-abi", ["node032", "worker:1"], ["env.version-skew"], "node032 imports numpy 2.1.3 from the user's own site-packages and tensorflow 2.15 (built for numpy 1) fails at import; the others waited for task 1 and were stopped. Job 90207 failed before by a typing error.")
for f in sys.argv[1:] or ["pecs", "riga", "siena", "turku", "ulm", "varna", "wismar"]: globals()[f]()
