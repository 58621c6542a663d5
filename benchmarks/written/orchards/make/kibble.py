"""kibble-vision: shape/burn/breakage grading on extruder line 3. Entry point of the training image."""
import os, sys, json, time, ssl, urllib.request, datetime, traceback
def log(level, msg, **kw):
    print(json.dumps({"ts": datetime.datetime.utcnow().isoformat(timespec="milliseconds") + "Z", "lvl": level, "pod": os.environ.get("POD_NAME", os.uname().nodename), "msg": msg, **kw}), flush=True)
MODE = os.environ.get("INPUT", "synthetic")
log("info", "boot", image="registry.pawsitive.internal/ml/kibble-vision:2.14.3", argv=sys.argv[1:])
import numpy as np, tensorflow as tf
log("info", "tensorflow imported", tf=tf.__version__, keras=tf.keras.__version__)
res = tf.distribute.cluster_resolver.TFConfigClusterResolver()
st = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=res)
R = st.num_replicas_in_sync; me = res.task_id; log("info", "strategy ready", replicas=R, task=me)
URL = os.environ.get("BUCKET_URL")
def fetch(n):
    for k in range(4):
        try:
            with urllib.request.urlopen(f"{URL}/lots/lot-{n:04d}.npy", timeout=10) as r: return r.read()
        except Exception as e:
            log("warn", "fetch failed", lot=n, attempt=k + 1, error=repr(e)); 
            if k == 3: raise
            time.sleep(1.5 * (k + 1))
def shm_batches(rng):
    from multiprocessing import shared_memory
    keep = []; n = int(os.environ.get("RING", "64"))
    while True:
        s = shared_memory.SharedMemory(create=True, size=4 << 20); v = np.ndarray((1 << 20,), "float32", buffer=s.buf)
        v[:] = rng.random(1 << 20, dtype="float32"); keep.append((s, v))
        if len(keep) > n: o, _v = keep.pop(0); del _v; o.close(); o.unlink()
        yield v[: 32 * 256].reshape(32, 256)
rng = np.random.default_rng(me + 11)
with st.scope():
    m = tf.keras.Sequential([tf.keras.Input((256,)), tf.keras.layers.Dense(64, activation="relu"), tf.keras.layers.Dense(5)])
    op = tf.keras.optimizers.Adam(3e-4); op.build(m.trainable_variables)
@tf.function(reduce_retracing=True)
def step(x, y):
    def f(x, y):
        with tf.GradientTape() as t: l = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(y, m(x, training=True), from_logits=True))
        g = tf.distribute.get_replica_context().all_reduce("mean", t.gradient(l, m.trainable_variables)); op.apply_gradients(zip(g, m.trainable_variables)); return l
    return st.reduce("MEAN", st.run(f, (x, y)), axis=None)
gen = shm_batches(rng) if MODE == "shm" else None; N = int(os.environ.get("STEPS", "300")); lot = 0; t0 = time.time()
for i in range(1, N + 1):
    if URL and i % 25 == 1: fetch(lot); lot += 1; log("info", "lot loaded", lot=lot - 1)
    x = next(gen).copy() if gen else rng.random((32, 256), dtype="float32")
    l = float(step(tf.constant(x), tf.constant((x[:, 0] * 5).astype("int64"))))
    if i % 2 == 0: log("info", "step", step=i, loss=round(l, 4), ips=round(32 * R * i / (time.time() - t0), 1))
log("info", "done")
