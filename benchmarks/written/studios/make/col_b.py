import sys, random, base64; from clib import *; from col_a import W
def c07():
    r = Run("i07", W("i07", "/opt/anomaly", "/mnt/nfs/anomaly", "10.244.9.", env="/usr/local") + [("/usr/local/lib/python3.11", "/usr/local/lib/python3.11")], -86400 * 2 + 4000)
    b = Bag("kuopio_62"); P = {"ps0": "anomaly-tf-ps-0", "ps1": "anomaly-tf-ps-1", "worker0": "anomaly-tf-worker-0", "worker1": "anomaly-tf-worker-1"}
    o = []
    for t, g, s, x in r.lines():
        o.append((t, {"@timestamp": iso(t + 0.4, 6), "log": x, "stream": "std" + s, "time": iso(t, 9), "kubernetes": {"pod_name": P[g], "namespace_name": "ran-ml", "host": f"worker-{len(P[g]) % 5}{P[g][-1]}", "container_name": "tensorflow"}}))
    t0, t1 = r.t0("worker0"), r.t1("worker0"); names = ["anomaly-tf-ps-1.ran-ml.svc", "ran-kpi-db.ran-ml.svc"]
    for k in range(14):
        t = t0 + 12 + 4.7 * k; n = names[0] if k % 3 else names[1]; rc = "NXDOMAIN" if n == names[0] else "NOERROR"
        o.append((t, {"@timestamp": iso(t + .3, 6), "log": f"[INFO] 10.244.9.{13 + k % 2}:{41022 + 317 * k} - {5000 + 91 * k} \"A IN {n}.cluster.local. udp 61 false 512\" {rc} qr,aa,rd {154 if rc == 'NXDOMAIN' else 104} 0.000{141 + k}s", "stream": "stdout", "time": iso(t, 9), "kubernetes": {"pod_name": "coredns-7f9c4b-xk2" + "lq"[k % 2], "namespace_name": "kube-system", "host": "master-1", "container_name": "coredns"}}))
    o.append((t1 - 5000, {"@timestamp": iso(t1 - 5000, 6), "log": "[ERROR] plugin/errors: 2 grafana.com. A: read udp 10.244.0.7:40112->192.0.2.53:53: i/o timeout", "stream": "stdout", "time": iso(t1 - 5000, 9), "kubernetes": {"pod_name": "coredns-7f9c4b-xk2l", "namespace_name": "kube-system", "host": "master-1", "container_name": "coredns"}}))
    b.put("fluentbit-export.ndjson", "".join(json.dumps(x) + "\n" for _, x in sorted(o, key=lambda e: e[0])))
    g = lambda n, ip: f"NAME{'':<18}TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)    AGE\n"
    b.put("describe-tfjob.txt", f"Name:         anomaly-tf\nNamespace:    ran-ml\nKind:         TFJob\nSpec:\n  Run Policy:\n    Active Deadline Seconds:  75\n    Clean Pod Policy:  None\nStatus:\n  Conditions:\n    Last Transition Time:  {iso(t0 - 4, 0)}\n    Message:               TFJob anomaly-tf is running.\n    Reason:                TFJobRunning\n    Type:                  Running\n    Last Transition Time:  {iso(t1, 0)}\n    Message:               TFJob anomaly-tf has failed because it was active longer than specified deadline\n    Reason:                TFJobFailed\n    Status:                True\n    Type:                  Failed\nEvents:\n  Type     Reason                   Age    From               Message\n  ----     ------                   ----   ----               -------\n  Normal   SuccessfulCreatePod      3m50s  tfjob-controller   Created pod: anomaly-tf-ps-0\n  Normal   SuccessfulCreatePod      3m50s  tfjob-controller   Created pod: anomaly-tf-ps-1\n  Normal   SuccessfulCreateService  3m50s  tfjob-controller   Created service: anomaly-tf-ps-0\n  Warning  FailedCreateService      3m50s  tfjob-controller   Error creating: services \"anomaly-tf-ps-1\" is forbidden: exceeded quota: ran-ml, requested: services=1, used: services=20, limited: services=20\n")
    b.put("debug-session.txt", "$ kubectl -n ran-ml exec anomaly-tf-worker-0 -- python3 -c \"import socket; print(socket.gethostbyname('anomaly-tf-ps-0.ran-ml.svc'))\"\n10.244.9.11\n$ kubectl -n ran-ml exec anomaly-tf-worker-0 -- python3 -c \"import socket; print(socket.gethostbyname('anomaly-tf-ps-1.ran-ml.svc'))\"\nTraceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n" + DNSERR + "\ncommand terminated with exit code 1\n")
    b.pack("tgz", "network.dns", ["anomaly-tf-ps-1", "ps:1", "/job:ps/task:1"], ["scheduler.time-limit"] if 0 else [], "The workers wait for ps 1 ('CreateSession still waiting for response from worker: /job:ps/replica:0/task:1') until the job's active deadline; the name anomaly-tf-ps-1.ran-ml.svc does not resolve (gaierror, NXDOMAIN in coredns; its service was not created because of a quota). Red herrings: the deadline itself, coredns' external timeout, py_func deprecation. ps 1 itself runs and listens.")
DNSERR = "socket.gaierror: [Errno -2] Name or service not known"
def c09():
    sk = {"ml-2": 12}
    r = Run("i09", W("i09", "/home/rt/rank", "/home/rt/rank/out", "192.168.7.", env="/home/rt/miniconda3/envs/tf"), -86400 * 7 + 3600, sk); q = Run("i09b", W("i09b", "/home/rt/rank", "/home/rt/rank/out", "192.168.7.", env="/home/rt/miniconda3/envs/tf"), -86400 * 7 + 3600)
    b = Bag("export-Nov-2026"); d = ts(r.t0("w0"), "%Y-%m-%d")
    U = {"U02RT": "rtakeda", "U07LB": "lbianchi", "U01SM": "smoreau"}
    b.put("users.json", json.dumps([{"id": k, "name": v, "deleted": False, "tz": "Europe/Rome"} for k, v in U.items()], indent=2)); b.put("channels.json", json.dumps([{"id": "C9RANK", "name": "rank-training", "members": list(U)}], indent=2))
    msg = []
    def m(t, u, x, **k): msg.append({"client_msg_id": f"{int(t*7):x}", "type": "message", "user": u, "text": x, "ts": f"{t:.6f}", **k})
    e = r.t1("w0") + 30; blk = lambda x: "```" + x.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") + "```"
    m(r.t0("w0") - 300, "U02RT", "launching the 3 node run on ml-1..3 (rank-A) and right after it the 2 node baseline on ml-4/5 (rank-B). If one breaks ping me")
    m(e, "U07LB", "one of them is dead, wandb shows nothing. here is the pane from ml-1 " + blk(r.text(["w0"])))
    m(e + 20, "U07LB", "ml-2:\n" + blk(r.text(["w1"])))
    m(e + 61, "U01SM", "ml-1 rebooted last week with an mce I think, also saw `EDAC MC0: 1 CE` there this morning. my money is on that box")
    m(e + 95, "U07LB", "and ml-3, it looks different " + blk(r.text(["w2"])))
    m(e + 130, "U02RT", "baseline seems ok? can you paste", thread_ts=f"{e:.6f}")
    m(e + 200, "U07LB", "ml-4 " + blk(q.text(["w0"])) + "\nml-5 " + blk(q.text(["w1"])), thread_ts=f"{e:.6f}")
    m(e + 260, "U02RT", "ok so rank-B went through, rank-A not. will look after lunch", reactions=[{"name": "eyes", "users": ["U07LB"], "count": 1}])
    b.put(f"rank-training/{d}.json", json.dumps(msg, indent=4)); b.put("rank-training/canvas_in_the_conversation.json", "[]")
    b.pack("zip", "collective.mismatch", ["ml-3", "worker:2", "/job:worker/task:2"], ["data.shape-mismatch"], "Job rank-A: 'Shape mismatch in the collective instance' on worker 2 (ml-3), which has variables of [18,32] where the others have [16,32]; it exits and the others report it as crashed. Job rank-B on ml-4/5 ends well. Red herrings: the MCE/EDAC remark about ml-1, 'tasks have crashed'.")
def c12():
    r = Run("i12", W("i12", "/perm/nl6/enspost", None, "10.110.2.", env="/usr/local/apps/tensorflow/2.21") , -86400 * 10 - 7000)
    b = Bag("jobid_5521877"); o = ""
    for t, g, s, x in r.lines(): o += f"{g[1:]}: {x}\n"
    j = 5521877; e = r.t1("w2"); a = r.t0("w0"); f = r.t1("w0")
    o2 = f"srun: error: cn1110: task 2: Exited with exit code 1\nsrun: Terminating StepId={j}.0\nslurmstepd: error: *** STEP {j}.0 ON cn1107 CANCELLED AT {ts(f - 8, '%Y-%m-%dT%H:%M:%S')} ***\nsrun: Job step aborted: Waiting up to 32 seconds for job step to finish.\nsrun: error: cn1107: task 0: Killed\nsrun: error: cn1113: task 3: Killed\nsrun: error: cn1108: task 1: Killed\n"
    b.put("slurm-5521877.out", "[ECMWF-INFO -ecprologue] --------------------------------------------------\n[ECMWF-INFO -ecprologue] JobName = ens_post   NodeList = cn[1107-1108,1110,1113]\n[ECMWF-INFO -ecprologue] --------------------------------------------------\nRemark: ecCodes module 2.30.0 loaded, 'grib_api' is deprecated\nslurmstepd: error: x11: unable to setup X11 forwarding (ignored)\n" + o + o2)
    b.put("sacct.txt", f"$ sacct -j {j} --format=JobID,JobName%12,State%20,ExitCode,Elapsed,MaxRSS,NodeList%30\nJobID            JobName                State ExitCode    Elapsed     MaxRSS                       NodeList\n------------ ------------ -------------------- -------- ---------- ---------- ------------------------------\n{j}          ens_post               FAILED      1:0   00:00:{int(f-a)+3:02d}            cn[1107-1108,1110,1113]\n{j}.batch       batch               FAILED      1:0   00:00:{int(f-a)+3:02d}      9120K                         cn1107\n{j}.0          python            CANCELLED      0:15   00:00:{int(f-a):02d}    402118K        cn[1107-1108,1110,1113]\n")
    b.put("notes.rst", "Post-processing job\n===================\n\n* yesterday's run was cancelled by me (wrong cycle), not interesting\n* ``cn1113`` had a high load in Ganglia at 06 UTC, IT says it was a backup\n* Someone should look at why step 0 says *waiting for 1/4 tasks*\n")
    b.pack("tar.gz", "env.missing-library", ["cn1110", "task 2", "worker:2"], [], "Task 2 on cn1110 cannot load libeccodes.so.0 (OSError) and exits; the others wait for it ('Waiting for 1/4 tasks') until srun cancels the step. Red herrings: CANCELLED/Killed of the others, X11, load on cn1113.")
def c13():
    r = Run("i13", W("i13", "C:/BuildAgent" if 0 else "/opt/buildagent/work/7f1a/feed", "/mnt/assets", "10.6.0.", env="/opt/tf") + [("/opt/buildagent/work/7f1a/feed/run/data", "/mnt/assets/mocap")], -86400 * 4 + 600)
    b = Bag("tc_build_20417"); o = ""; h = lambda t: ts(t, "%H:%M:%S")
    a = r.t0("dispatcher") - 20
    o += f"Build 'GameAI :: Mocap feed training' #20417, default branch 'release/26.3'\nStarted '{ts(a, '%Y-%m-%d %H:%M:%S')}' on 'build-srv1' by 'Git trigger'\nFinished '{ts(r.t1('dispatcher')+5, '%Y-%m-%d %H:%M:%S')}' with status 'FAILURE Process exited with code 1 (Step: train (Command Line))'\n"
    o += f"[{h(a)}]i: TeamCity server version is 2026.07 (build 188113)\n[{h(a)}] : Collecting changes in 2 VCS roots\n[{h(a+1)}]W: [Collecting changes in 2 VCS roots] Failed to fetch from mirror git-eu2, using git-eu1 (attempt 2 of 3)\n[{h(a+6)}] : Step 1/2: flake8 (Command Line)\n[{h(a+9)}]W:\t [Step 1/2] E501 line too long (131 > 120 characters) (ignored)\n[{h(a+15)}] : Step 2/2: train (Command Line)\n"
    for t, g, s, x in r.lines(): o += f"[{h(t)}]{'W' if s == 'err' else ' '}:\t [Step 2/2] {r.info[g]['host'] + ' ' + g:<22}| {x}\n"
    e = r.t1("dispatcher") + 3
    o += f"[{h(e)}]W:\t [Step 2/2] Process exited with code 1\n[{h(e)}]E:\t [Step 2/2] Process exited with code 1 (Step: train (Command Line))\n[{h(e+1)}] : Publishing internal artifacts\n[{h(e+2)}]W: [Publishing artifacts] Artifacts path 'out/*.keras' not found\n"
    b.put("GameAI_MocapFeed_20417.log", o)
    b.pack("zip", "data.shape-mismatch", None, ["data.corrupt-record"] if 0 else [], "The tf.data workers cannot batch: 'Cannot batch tensors with different shapes in component 0. First element had shape [8] and element ... had shape [9]': one line of an input file has nine columns. No node is at fault (the tf.data worker that names it only read the line). Red herrings: git mirror retry, flake8, missing artifacts.")
if __name__ == "__main__":
    for n in sys.argv[1:]: globals()[n]()
