# majani: tea leaf grading. roles: dispatcher | dataworker | trainer
import os, sys, json, time, resource, glob, faulthandler, signal, threading
role = sys.argv[1]
def j(lvl, event, **k): print(json.dumps({"lvl": lvl, "event": event, "role": role, **k}), flush=True)
faulthandler.register(signal.SIGUSR1, all_threads=True)
import numpy as np, tensorflow as tf
j("info", "boot", tf=tf.__version__, pid=os.getpid(), pod=os.uname().nodename, nofile=resource.getrlimit(resource.RLIMIT_NOFILE)[0])
if role == "dispatcher":
    d = tf.data.experimental.service.DispatchServer(tf.data.experimental.service.DispatcherConfig(port=5050, job_gc_check_interval_ms=5000, worker_timeout_ms=20000))
    j("info", "listening", target=d.target); d.join()
if role == "dataworker":
    w = tf.data.experimental.service.WorkerServer(tf.data.experimental.service.WorkerConfig(dispatcher_address=sys.argv[2], worker_address=sys.argv[3], port=5051, heartbeat_interval_ms=2000))
    j("info", "listening", addr=sys.argv[3])
    while True:
        time.sleep(10); j("info", "alive", fds=len(os.listdir("/proc/self/fd")), tasks=w._num_tasks())
# trainer
SHAMBA = os.environ["SHAMBA"]; STEPS = int(os.environ.get("STEPS", "300")); CYC = int(os.environ.get("CYCLE", "8"))
def pipeline():
    fs = sorted(glob.glob(f"{SHAMBA}/*.tfrecord")); j("info", "files", n=len(fs), first=os.path.basename(fs[0]), cycle=CYC)
    def parse(b):
        e = tf.io.parse_single_example(b, {"x": tf.io.FixedLenFeature([64], tf.float32), "g": tf.io.FixedLenFeature([], tf.int64)}); return e["x"], e["g"]
    ds = tf.data.Dataset.from_tensor_slices(fs).shuffle(len(fs), seed=7).repeat()
    ds = ds.interleave(lambda f: tf.data.TFRecordDataset(f), cycle_length=CYC, num_parallel_calls=CYC, deterministic=False)
    return ds.map(parse, num_parallel_calls=2).batch(32, drop_remainder=True)
mode = os.environ.get("MODE", "service")
if mode == "service":
    ds = pipeline().apply(tf.data.experimental.service.distribute("parallel_epochs", sys.argv[2], job_name=os.environ.get("JOB", "gredi"), max_outstanding_requests=4)).prefetch(2)
    net = tf.keras.Sequential([tf.keras.layers.Input((64,)), tf.keras.layers.Dense(64, "relu"), tf.keras.layers.Dense(5)])
    opt = tf.keras.optimizers.SGD(0.05)
    @tf.function
    def step(x, y):
        with tf.GradientTape() as t: l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, net(x, training=True)))
        opt.apply_gradients(zip(t.gradient(l, net.trainable_variables), net.trainable_variables)); return l
    it = iter(ds); j("info", "train_start", steps=STEPS)
    for k in range(STEPS):
        t0 = time.time(); x, y = next(it); t1 = time.time(); l = float(step(x, y)); j("info", "step", k=k, loss=round(l, 4), wait_ms=round(1e3 * (t1 - t0), 1), step_ms=round(1e3 * (time.time() - t1), 1))
        time.sleep(float(os.environ.get("NAP", "0.05")))
        if (k + 1) % 200 == 0: net.save_weights(os.environ.get("OUT", "/tmp") + f"/gredi-{os.uname().nodename}.weights.h5"); j("info", "checkpoint", k=k + 1)
    j("info", "done"); sys.exit(0)
# MODE=mirrored: every trainer reads its own shamba; augmentation thread pool
st = tf.distribute.MultiWorkerMirroredStrategy()
j("info", "strategy", replicas=st.num_replicas_in_sync)
import queue, fcntl
Q = queue.Queue(8); rng = np.random.default_rng(4)
KACHE = os.environ["KACHE"]
def jaza():
    # fills the queue; a batch of each 25 is stored in the cache shared with the labelling pod
    n = 0
    while True:
        x = rng.normal(size=(32, 64)).astype("f"); n += 1
        if n % 25 == 0:
            with open(KACHE + "/kache.lock", "w") as f:
                fcntl.flock(f, fcntl.LOCK_EX); np.save(KACHE + f"/b{n % 100}.npy", x)
        Q.put((x, np.abs(x[:, :5]).argmax(1)))
threading.Thread(target=jaza, daemon=True, name="jaza").start()
with st.scope():
    W = tf.Variable(tf.random.normal([64, 64], stddev=.1, seed=1)); O = tf.Variable(tf.random.normal([64, 5], stddev=.1, seed=2))
@tf.function
def step(x, y):
    def f(x, y):
        with tf.GradientTape() as t: l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, tf.nn.relu(x @ W) @ O))
        g = tf.distribute.get_replica_context().all_reduce("mean", t.gradient(l, [W, O]))
        W.assign_sub(.2 * g[0]); O.assign_sub(.2 * g[1]); return l
    return st.reduce("mean", st.run(f, (x, y)), axis=None)
for k in range(STEPS):
    t0 = time.time(); x, y = Q.get(); t1 = time.time(); l = float(step(tf.constant(x), tf.constant(y)))
    j("info", "step", k=k, loss=round(l, 4), wait_ms=round(1e3 * (t1 - t0), 1), step_ms=round(1e3 * (time.time() - t1), 1)); time.sleep(0.04)
j("info", "done")
