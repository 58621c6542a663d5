"""ParameterServerStrategy with a ClusterCoordinator; TF_CONFIG says which role."""
import json, os, sys, time, numpy as np
import tensorflow as tf
STEPS = int(os.environ.get("STEPS", "300")); RESTORE = os.environ.get("RESTORE", ""); WIDTH = int(os.environ.get("WIDTH", "16"))
cfg = json.loads(os.environ["TF_CONFIG"]); typ, idx = cfg["task"]["type"], cfg["task"]["index"]
def say(s): print(f"{time.strftime('%H:%M:%S')} {typ}-{idx} | {s}", flush=True)
res = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if typ in ("worker", "ps"):
    s = tf.distribute.Server(res.cluster_spec(), job_name=typ, task_index=idx, protocol="grpc", start=True)
    say(f"server up at {s.target}, tf {tf.__version__}"); 
    import threading
    def beat():
        k = 0
        while True: time.sleep(3); k += 1; say(f"alive {k * 3}s rss {open('/proc/self/statm').read().split()[1]} pages")
    threading.Thread(target=beat, daemon=True).start()
    s.join()
strategy = tf.distribute.ParameterServerStrategy(res)
coord = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    emb = tf.Variable(tf.random.uniform((64, WIDTH)), name="emb"); w = tf.Variable(tf.zeros((WIDTH, 1)), name="head"); st = tf.Variable(0, dtype=tf.int64)
ck = tf.train.Checkpoint(emb=emb, head=w, step=st); d = os.environ.get("CKDIR", "/opt/incidents/work/ck/ps"); os.makedirs(d, exist_ok=True)
mgr = tf.train.CheckpointManager(ck, d, max_to_keep=3)
if mgr.latest_checkpoint:
    say(f"restoring {mgr.latest_checkpoint}"); ck.restore(mgr.latest_checkpoint).assert_existing_objects_matched(); say(f"restored at step {int(st)}")
def ds_fn(ctx=None):
    def g():
        r = np.random.default_rng()
        while True: yield r.integers(0, 64, 32), r.normal(size=(32, 1)).astype("float32")
    return tf.data.Dataset.range(10**9).map(lambda i: (tf.random.uniform((32,), 0, 64, tf.int64), tf.random.normal((32, 1))))
@tf.function
def worker_step(it):
    def f(x, y):
        with tf.GradientTape() as t:
            loss = tf.reduce_mean((tf.nn.embedding_lookup(emb, x) @ w - y) ** 2)
        g = t.gradient(loss, [w]); w.assign_sub(0.05 * g[0]); return loss
    x, y = next(it); return strategy.run(f, args=(x, y))
it = iter(coord.create_per_worker_dataset(lambda: strategy.distribute_datasets_from_function(ds_fn)))
say("per-worker datasets created")
s = int(st)
while s < STEPS:
    rs = [coord.schedule(worker_step, args=(it,)) for _ in range(4)]
    coord.join(); s += 4; st.assign(s); time.sleep(0.04)
    say(f"step {s}/{STEPS} loss {float(rs[-1].fetch()):.4f}")
    if s % 40 == 0: say(f"checkpoint {mgr.save(s)}")
say("finished, final head norm %.4f" % float(tf.norm(w)))
