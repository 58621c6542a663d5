import sys; from lab import *
def i01():  # a corrupt record in a shard of worker 1 (second attempt)
    L = Lab("i01", ["wx-c14.met.lan", "wx-c15.met.lan", "wx-c17.met.lan"])
    s = L.script("mw_keras.py", "nowcast_fit.py"); wd = L.dir + "/wd"
    sh(f"{PY} {HERE}/mkdata.py {wd}/data 3 4 300 2>/dev/null")
    p = f"{wd}/data/part-01-003.tfrecord"; b = bytearray(open(p, "rb").read()); 
    for k in range(20000, 20064): b[k] = 0
    open(p, "wb").write(bytes(b))
    cl = {"worker": [h + ":23456" for h in L.hosts]}
    def go(att, **k):
        for i, h in enumerate(L.hosts): L.start(f"a{att}w{i}", h, [s], {"TF_CONFIG": tfc(cl, "worker", i), "WORKDIR": wd, "APP": "nowcast", "EPOCHS": "8", "STEPS": "15", "EVERY": "3", "PAUSE": "0.06"}, py=PY215)
    go(1); L.wait_line("a1w0", "step 6 ", n=2)
    for i in range(3): L.kill(f"a1w{i}", signal.SIGTERM)
    L.wait(["a1w0", "a1w1", "a1w2"], .4); L.wait(["a1w0", "a1w1", "a1w2"], 10)
    go(2); L.wait(timeout=150); L.done()
def i02():  # the port of ps 1 is held by a stale server
    L = Lab("i02", ["n0412", "n0413", "n0418", "n0420"])
    s = L.script("tf1_ps.py", "rtm_dist.py")
    A = ["--ps_hosts", "n0412:2222,n0413:2222", "--worker_hosts", "n0418:2223,n0420:2223", "--steps", "4000"]
    def go(att):
        for j, i, h in (("ps", 0, "n0412"), ("ps", 1, "n0413"), ("worker", 0, "n0418"), ("worker", 1, "n0420")):
            L.start(f"{att}{j}{i}", h, [s, *A, "--job_name", j, "--task_index", str(i), "--logdir", L.dir + f"/ck"])
    go("a"); L.wait_line("aworker1", "local 40")
    L.kill("aworker0"); L.wait(["aworker0"], 3); time.sleep(1); L.kill("aworker1", signal.SIGTERM); L.kill("aps0", signal.SIGTERM)  # ps1 is left behind
    L.wait(["aworker0", "aworker1", "aps0"], 10)
    go("b"); L.wait_line("bps1", "rror", 60); L.wait(["bps1"], 20)
    time.sleep(1)
    for t in ("bworker0", "bworker1", "bps0"): L.kill(t, signal.SIGTERM)
    L.wait(["bworker0", "bworker1", "bps0"], 10); L.done()
def i03():  # task index 1 given twice
    L = Lab("i03", ["hpc-b021", "hpc-b022", "hpc-b023", "hpc-b024"])
    s = L.script("mw_custom.py", "unet_sr.py"); cl = {"worker": [h + ":41000" for h in L.hosts]}
    for i, (h, x) in enumerate(zip(L.hosts, [0, 1, 1, 3])): L.start(f"r{i}", h, [s, "--steps=60"], {"TF_CONFIG": tfc(cl, "worker", x)})
    L.wait(timeout=100); L.done()
for n in sys.argv[1:]: globals()[n]()
