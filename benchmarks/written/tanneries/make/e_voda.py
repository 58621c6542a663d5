#!/usr/bin/env python3
# uzavery.py - kontrola zavitov a etikiet; spusta sa cez srun
import os, sys, json, re, time, socket, signal, ctypes, fcntl, faulthandler, argparse
ap = argparse.ArgumentParser(); ap.add_argument("--kroky", type=int, default=600); ap.add_argument("--index", default="slurm"); ap.add_argument("--cache", default=""); ap.add_argument("--jadro", default=""); ap.add_argument("--log", type=int, default=1)
A = ap.parse_args()
faulthandler.enable(); faulthandler.register(signal.SIGUSR1, all_threads=True)
import tensorflow as tf
h = socket.gethostname(); t00 = time.time(); K = float(os.environ.get("K", "1"))
def p(*a): print("[%s +%07.1fs]" % (h, (time.time() - t00) * K), *a, flush=True)
if A.index == "slurm":
    cr = tf.distribute.cluster_resolver.SlurmClusterResolver(port_base=9100, gpus_per_node=1, gpus_per_task=1, auto_set_gpu=False)
else:   # index z mena uzla, posledna cislica
    ws = ["%s:9100" % x for x in A.index.split(",")]; i = int(h[-1]) - 1
    os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": ws}, "task": {"type": "worker", "index": i}})
    p("TF_CONFIG", os.environ["TF_CONFIG"]); cr = tf.distribute.cluster_resolver.TFConfigClusterResolver()
p("python", sys.version.split()[0], "tf", tf.__version__, "job", os.environ.get("SLURM_JOB_ID"), "proc", os.environ.get("SLURM_PROCID"), "cpus", os.cpu_count())
st = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=cr)
me = cr.task_id
lib = ctypes.CDLL(A.jadro) if A.jadro else None
with st.scope():
    w = tf.Variable(tf.random.stateless_normal((300, 80), (2, 2)) * .05); v = tf.Variable(tf.random.stateless_normal((80, 3), (2, 3)) * .05)
@tf.function
def krok(x, y):
    def f(x, y):
        with tf.GradientTape() as t: l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, tf.nn.relu(x @ w) @ v))
        for q, g in zip((w, v), tf.distribute.get_replica_context().all_reduce("SUM", t.gradient(l, (w, v)))): q.assign_sub(.05 * g)
        return l
    return st.reduce("MEAN", st.run(f, (x, y)), axis=None)
g = tf.random.Generator.from_seed(40 + me)
for s in range(A.kroky):
    if A.cache and s % 60 == 0 and s:
        p("obnovujem cache snimok")
        with open(os.path.join(A.cache, "snimky.%d.lock" % me), "w") as fh: fcntl.flock(fh, fcntl.LOCK_EX); time.sleep(.1)
        p("cache ok")
    x = g.normal((24, 300)); y = tf.cast(tf.reduce_sum(x[:, :9], 1) > 0, tf.int32)
    if lib: lib.ostrenie(ctypes.c_int(s))
    t = time.time(); l = float(krok(x, y))
    if s % A.log == 0: p("krok %5d strata %.5f (%.2f s)" % (s, l, (time.time() - t) * K))
p("hotovo")
