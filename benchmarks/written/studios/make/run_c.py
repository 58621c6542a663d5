import sys; from lab import *
def mw(name, hosts, app, argv=(), env=None, subs=(), port=4000, per=None, cg=None, src="mw_custom.py", skip=()):
    L = Lab(name, hosts); s = L.script(src, app, subs); L.s = s; L.cl = {"worker": [f"{h}:{port}" for h in hosts]}
    for i, h in enumerate(hosts):
        if i not in skip: L.start(f"w{i}", h, [s, *argv, *((per or {}).get(i, ()))], {"TF_CONFIG": tfc(L.cl, "worker", i), **(env(i) if env else {})}, cg=(cg or {}).get(i))
    return L
def after(L, tag, t, grace=6, sig=signal.SIGTERM):  # the launcher: when one task ends badly, the others are ended
    L.wait([tag], t, then=None); time.sleep(grace)
    for x in L.p:
        if L.p[x].poll() is None: L.kill(x, sig)
    L.wait(timeout=8); L.done()
def i08():  # the model was made wider between two attempts: the backup does not fit
    L = Lab("i08", ["gpu-a1", "gpu-a2"]); s = L.script("mw_keras.py", "train_tagger.py"); wd = L.dir + "/wd"
    sh(f"{PY} {HERE}/mkdata.py {wd}/data 2 2 600 2>/dev/null"); cl = {"worker": [h + ":12345" for h in L.hosts]}
    def go(a, width):
        for i, h in enumerate(L.hosts): L.start(f"{a}w{i}", h, [s], {"TF_CONFIG": tfc(cl, "worker", i), "WORKDIR": wd, "APP": "tagger", "EPOCHS": "12", "STEPS": "25", "WIDTH": width}, py=PY215)
    go("a", "64"); L.wait_line("aw0", "step 10 ", n=4)
    for t in ("aw0", "aw1"): L.kill(t)
    L.wait(timeout=10); go("b", "96"); L.wait(timeout=60); L.done()
def i09():  # worker 2 has other features; a second job beside it is fine
    L = mw("i09", ["ml-1", "ml-2", "ml-3"], "fit_rank.py", ["--steps=80"], per={2: ["--features=18"]}); L.wait(timeout=40); L.done()
    L = mw("i09b", ["ml-4", "ml-5"], "fit_rank.py", ["--steps=150"]); L.wait(timeout=60); L.done()
def i10():  # worker 2 has fewer examples and stays in its evaluation; the others wait
    L = mw("i10", ["node31", "node32", "node33"], "seg_mw.py", ["--steps=600", "--every=10"], per={0: ["--examples=9600"], 1: ["--examples=9600"], 2: ["--examples=5900"]},
      subs=[("    logging.info(\"task %d done\", task)", "    logging.info(\"waiting for the report of the other tasks\")\n    while not os.path.exists(\"/tmp/report_done\"):\n        time.sleep(0.5)\n    logging.info(\"task %d done\", task)")])
    L.wait_line("w2", "input exhausted", 60); time.sleep(45)
    for t in L.p: L.kill(t, signal.SIGTERM)
    L.wait(timeout=10); L.done()
def i11():  # a stuck sensor makes a column constant; standardising it gives NaN
    L = mw("i11", ["lamb-01", "lamb-02", "lamb-03"], "turb.py", ["--steps=200"], env=lambda i: {"STUCK_FROM": "2100" if i == 1 else None}, subs=[
      ("def batches(", "def standardise(x):\n    return (x - x.mean(0)) / x.std(0)\n\n\ndef read_sensor(rng, n, k):\n    x = rng.normal(size=(n, k))\n    if FLAGS.examples - LEFT[0] >= int(os.environ.get(\"STUCK_FROM\", 10**9)):\n        x[:, 5] = 17.25\n    return x\n\n\nLEFT = [0]\n\n\ndef batches("),
      ("x = rng.normal(size=(FLAGS.batch, FLAGS.features)).astype", "LEFT[0] = left\n        x = standardise(read_sensor(rng, FLAGS.batch, FLAGS.features)).astype"),
      ("loss = tf.reduce_mean((tf.nn.relu(x @ w1) @ w2 - y) ** 2)", "loss = tf.debugging.check_numerics(tf.reduce_mean((tf.nn.relu(x @ w1) @ w2 - y) ** 2), \"loss\")")])
    L.wait(timeout=60); L.done()
def i12():  # one node lacks a shared library
    lib = OUT + "/eccodes/lib"; os.makedirs(lib, exist_ok=True); sh(f"echo 'int codes_get_api_version(void){{return 22300;}}' > {lib}/e.c; gcc -shared -fPIC -Wl,-soname,libeccodes.so.0 -o {lib}/libeccodes.so.0 {lib}/e.c")
    L = mw("i12", ["cn1107", "cn1108", "cn1110", "cn1113"], "ens_post.py", ["--steps=100"], env=lambda i: {"LD_LIBRARY_PATH": "/opt/eccodes/lib" if i == 2 else os.path.abspath(lib)}, subs=[
      ("import json, os, sys, time", "import ctypes, json, os, sys, time"), ("FLAGS = flags.FLAGS", "FLAGS = flags.FLAGS\neccodes = ctypes.CDLL(\"libeccodes.so.0\")")])
    after(L, "w2", 40, 12)
def i14():  # the pids limit of one node's job cgroup is far too low
    cg = "/sys/fs/cgroup/pids/T_i14"; os.makedirs(cg, exist_ok=True); open(cg + "/pids.max", "w").write("14")
    L = mw("i14", [f"chetemi-{i}" for i in (2, 3, 5, 6, 8, 9, 11, 12)], "lm_small.py", ["--steps=60"], cg={5: cg}); after(L, "w5", 90, 6); os.rmdir(cg)
    L = mw("i14b", ["chifflot-1", "chifflot-4"], "lm_small.py", ["--steps=200"]); L.wait(timeout=60); L.done()
def i17():  # ends well; the metrics host refuses and the program says so
    L = mw("i17", ["tf-worker-0", "tf-worker-1", "tf-worker-2"], "qoe.py", ["--steps=240", "--ckpt=" + os.path.abspath(OUT) + "/i17/ck"], subs=[
      ("def batches(", "def push(step, loss):\n    import requests\n    try:\n        requests.post(\"http://tf-worker-0:9091/metrics/job/qoe\", data=f\"loss {loss}\\n\", timeout=2)\n    except requests.RequestException:\n        logging.exception(\"could not push metrics of step %d, going on\", step)\n\n\ndef batches("),
      ("            t = time.time()\n        if", "            t = time.time()\n        if task == 0 and step % 60 == 30:\n            push(step, float(loss))\n        if")]); L.wait(timeout=90); L.done()
def i19():  # worker 2 is killed; only what two others said is kept
    L = mw("i19", ["gs-node-11", "gs-node-12", "gs-node-13", "gs-node-14"], "anim_net.py", ["--steps=2000", "--pause=0.03"]); L.wait_line("w0", "step=150"); L.kill("w2"); L.wait(timeout=60); L.done()
def i20():  # ps 0 is stopped; the workers hang silently until they are ended
    L = Lab("i20", ["ge-07", "ge-08", "ge-12"]); s = L.script("tf1_ps.py", "glm_async.py")
    A = ["--ps_hosts", "ge-07:3333", "--worker_hosts", "ge-08:3333,ge-12:3333", "--steps", "9000", "--pause", "0.01"]
    for j, i, h in (("ps", 0, 0), ("worker", 0, 1), ("worker", 1, 2)): L.start(f"{j}{i}", L.hosts[h], [s, *A, "--job_name", j, "--task_index", str(i)])
    L.wait_line("worker1", "local 600"); L.kill("ps0", signal.SIGSTOP); time.sleep(40)
    for t in ("worker0", "worker1"): L.kill(t, signal.SIGUSR2)
    time.sleep(1); L.kill("ps0"); L.wait(timeout=8); L.done()
def ds(name, hosts, rows, bad=None, env=None, subs=(), cg=None, ntrain=1):
    L = Lab(name, hosts); s = L.script("ds.py", "feed.py", subs); d = L.dir + "/data"; os.makedirs(d); import random; random.seed(4)
    for f in range(6):
        with open(f"{d}/seg{f:03d}.txt", "w") as o:
            for r in range(rows):
                k = 9 if bad == (f, r) else 8
                o.write(",".join(f"{random.gauss(0, 1):.4f}" for _ in range(k)) + "\n")
    e = {"DISPATCHER": hosts[0] + ":5050", "DATA": d, **(env or {})}
    L.one = lambda role, h, tag=None, **k: L.start(tag or role, h, [s, role], dict(e, **k.pop("env", {})), cg=(cg or {}).get(role), **k)
    L.one("dispatcher", hosts[0])
    n = len(hosts) - 1 - ntrain
    for i in range(n): L.one(f"worker-{i}", hosts[1 + i])
    for i in range(n): L.wait_line(f"worker-{i}", "registered", 40)
    for i in range(ntrain): L.one("trainer" + (f"-{i}" if ntrain > 1 else ""), hosts[1 + n + i])
    return L
def i13():  # a line with nine columns in one file
    L = ds("i13", ["build-srv2", "build-srv4", "build-srv5", "build-srv7"], 500, bad=(4, 333)); after(L, "trainer", 90, 3)
def i15():  # a data worker goes over its memory limit
    cg = "/sys/fs/cgroup/memory/T_i15"; os.makedirs(cg, exist_ok=True); open(cg + "/memory.limit_in_bytes", "w").write(str(400 << 20))
    L = ds("i15", ["nomad-c3", "nomad-c4", "nomad-c6", "nomad-c9"], 9000, cg={"worker-1": cg}, subs=[(".map(lambda l: tf.strings.to_number(tf.strings.split(l, \",\"), tf.float32), num_parallel_calls=2)", ".map(lambda l: tf.tile(tf.strings.to_number(tf.strings.split(l, \",\"), tf.float32), [4000]), num_parallel_calls=2).cache()")], env={"PAUSE": "0.04"})
    L.wait(["worker-1"], 90, then=None); sh(f"cat {cg}/memory.max_usage_in_bytes {cg}/memory.failcnt > {L.dir}/cg.txt"); after(L, "worker-1", 2, 12); time.sleep(1); sh(f"rmdir {cg}", check=False)
def i18():  # a data worker dies and is started again; training ends well
    L = ds("i18", ["ds-dispatcher", "ds-worker-0", "ds-worker-1", "trainer-0"], 1700, env={"SHARDING": "OFF", "PAUSE": "0.02", "EVERY": "20", "DWORK": os.path.abspath(OUT) + "/i18/dw"}); L.wait_line("trainer", "step 300 "); L.kill("worker-1"); time.sleep(2); L.one("worker-1", "ds-worker-1", "worker-1b"); L.wait(["trainer"], 120, then=None); after(L, "trainer", 1, 1)
for n in sys.argv[1:]: globals()[n]()
