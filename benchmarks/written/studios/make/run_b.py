import sys; from lab import *
def ps(name, hosts, nps, nw, env=None, app="train_ps.py", subs=(), port=2222, py=None, start=True):
    """hosts: chief, ps..., workers..."""
    L = Lab(name, hosts); s = L.script("ps_coord.py", app, subs); os.makedirs(L.dir + "/wd")
    L.cl = {"chief": [f"{hosts[0]}:{port}"], "ps": [f"{h}:{port}" for h in hosts[1:1+nps]], "worker": [f"{h}:{port}" for h in hosts[1+nps:1+nps+nw]]}
    L.one = lambda t, i, tag=None, **k: L.start(tag or f"{t}{i}", dict(zip([(a, b) for a in L.cl for b in range(len(L.cl[a]))], hosts))[(t, i)], [s], {"TF_CONFIG": tfc(L.cl, t, i), "WORKDIR": L.dir + "/wd", **(env or {}), **k.pop("env", {})}, py=py, **k)
    if start:
        for t in ("ps", "worker", "chief"):
            for i in range(len(L.cl[t])): L.one(t, i)
    return L
def i04():  # the checkpoint volume of the coordinator fills up
    L = ps("i04", ["trainer", "ps-0", "ps-1", "worker-0", "worker-1"], 2, 2, {"ROWS": "6000", "ROUNDS": "40", "CLOSURES": "20"}, "matchrank.py", start=False)
    sh(f"mount -t tmpfs -o size=9m tmpfs {L.dir}/wd; dd if=/dev/zero of={L.dir}/wd/old_run.tar bs=1k count=2600 2>/dev/null")
    for t in ("ps", "worker", "chief"):
        for i in range(len(L.cl[t])): L.one(t, i)
    L.wait(["chief0"], 120)
    for t in L.p: L.kill(t, signal.SIGTERM)
    L.wait(timeout=10); sh(f"df -h {L.dir}/wd > {L.dir}/df.txt; ls -la {L.dir}/wd >> {L.dir}/df.txt"); L.done(); sh(f"umount {L.dir}/wd")
def i06():  # a parameter server dies; its own log is not collected
    L = ps("i06", ["chief-0", "ps-0", "ps-1", "worker-0", "worker-1", "worker-2"], 2, 3, {"ROUNDS": "200"}, "churn_ps.py")
    L.wait_line("chief0", "round 20 "); L.kill("ps1"); L.wait(["chief0"], 100)
    for t in L.p: L.kill(t, signal.SIGTERM)
    L.wait(timeout=10); L.done()
def i16():  # a worker is killed and comes back; the coordinator carries on to the end
    L = ps("i16", ["chief-0", "ps-0", "worker-0", "worker-1"], 1, 2, {"ROUNDS": "30", "SLEEP": "0.7"}, "ctr_ps.py")
    L.wait_line("chief0", "round 5 "); L.kill("worker1", signal.SIGTERM); time.sleep(3); L.one("worker", 1, "worker1b"); L.wait(["chief0"], 150)
    for t in L.p: L.kill(t, signal.SIGTERM)
    L.wait(timeout=10); L.done()
def i05():  # a native op crashes in worker 2
    L = Lab("i05", ["lnx-train03", "lnx-train04", "lnx-train05", "lnx-train07"])
    c = L.dir + "/src/libmeshfeat.c"; os.makedirs(L.dir + "/src"); open(c, "w").write('static int n;\nvoid mesh_feat(float*p,long k){ if(++n>90){ volatile float*q=p; q+=(1L<<42); *q=1; } for(long i=0;i<k;i++)p[i]*=1.001f; }\n')
    sh(f"gcc -shared -fPIC -o {L.dir}/src/libmeshfeat.so {c}")
    s0 = L.script("tf1_ps.py", "pose_worker.py", [("def augment(x):\n    return (x + np.random.normal(scale=0.01, size=x.shape)).astype(np.float32)",
      "import ctypes, faulthandler\nfaulthandler.enable()\nlib = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), \"libmeshfeat.so\"))\n\n\ndef augment(x):\n    x = np.ascontiguousarray(x, np.float32)\n    lib.mesh_feat(x.ctypes.data_as(ctypes.c_void_p), ctypes.c_long(x.size))\n    return x")])
    sh(f"cp {L.dir}/src/libmeshfeat.so {L.dir}/src/libmeshfeat_ok.so")
    open(c, "w").write('void mesh_feat(float*p,long k){ for(long i=0;i<k;i++)p[i]*=1.001f; }\n')
    os.makedirs(L.dir + "/ok"); sh(f"gcc -shared -fPIC -o {L.dir}/ok/libmeshfeat.so {c}; cp {s0} {L.dir}/ok/pose_worker.py")
    A = ["--ps_hosts", "lnx-train03:7000", "--worker_hosts", "lnx-train04:7000,lnx-train05:7000,lnx-train07:7000", "--steps", "2500", "--logdir", L.dir + "/ck"]
    for j, i, h in (("ps", 0, 0), ("worker", 0, 1), ("worker", 1, 2), ("worker", 2, 3)):
        L.start(f"{j}{i}", L.hosts[h], [s0 if (j, i) == ("worker", 2) else L.dir + "/ok/pose_worker.py", *A, "--job_name", j, "--task_index", str(i)])
    L.wait(["worker2"], 60); time.sleep(4)
    for t in ("worker0", "worker1", "ps0"): L.kill(t, signal.SIGTERM)
    L.wait(timeout=10); L.done()
def i07():  # the name of ps 1 does not resolve; the workers wait until the job's deadline
    H = ["anomaly-tf-ps-0.ran-ml.svc", "anomaly-tf-ps-1.ran-ml.svc", "anomaly-tf-worker-0.ran-ml.svc", "anomaly-tf-worker-1.ran-ml.svc"]
    L = Lab("i07", H, unresolved=["anomaly-tf-ps-1.ran-ml.svc"]); s = L.script("tf1_ps.py", "anomaly.py")
    A = ["--ps_hosts", f"{H[0]}:2222,{H[1]}:2222", "--worker_hosts", f"{H[2]}:2222,{H[3]}:2222", "--logdir", L.dir + "/ck"]
    for j, i, h in (("ps", 0, 0), ("ps", 1, 1), ("worker", 0, 2), ("worker", 1, 3)): L.start(f"{j}{i}", H[h], [s, *A, "--job_name", j, "--task_index", str(i)])
    L.wait(timeout=75, then=signal.SIGTERM); L.done()
for n in sys.argv[1:]: globals()[n]()
