import os, sys, json, time, socket, faulthandler
if os.environ.get("FH"): faulthandler.enable()
sys.path.insert(0, os.environ["SITE"])
import numpy as np
import cuplib
import tensorflow as tf
me = socket.gethostname()
def say(*a): print(time.strftime("%H:%M:%S"), me, *a, flush=True)
say("cuplib", cuplib.__version__ if os.environ.get("SHOWVER") else "loaded", "| tensorflow", tf.__version__, "| numpy", np.__version__)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
K = float(os.environ.get("K", "1")); R = strategy.cluster_resolver.task_id
ring = cuplib.FrameRing() if hasattr(cuplib, "FrameRing") and os.environ.get("RING") else None
with strategy.scope():
    W = [tf.Variable(tf.random.stateless_normal(s, (5, i)) * .08, name="k%d" % i) for i, s in enumerate([(48, 64), (64, 64), (64, cuplib.N_ATTR)])]
rng = np.random.default_rng(100 + R)
def batches():
    for f in range(int(os.environ["BATCHES"])):
        x = rng.normal(size=(32, 48)).astype("float32"); y = x[:, :cuplib.N_ATTR].argmax(1).astype("int32")
        if ring is not None: ring.push(x)
        yield x, y
opt = tf.data.Options(); opt.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
ds = tf.data.Dataset.from_generator(batches, output_signature=(tf.TensorSpec((32, 48), tf.float32), tf.TensorSpec((32,), tf.int32))).with_options(opt)
it = iter(strategy.distribute_datasets_from_function(lambda c: ds))
@tf.function(reduce_retracing=True)
def step(x, y):
    def fn(x, y):
        with tf.GradientTape() as t:
            h = x
            for w in W[:-1]: h = tf.nn.tanh(h @ w)
            l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, h @ W[-1]))
        for w, g in zip(W, tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN, t.gradient(l, W))): w.assign_sub(.3 * g)
        return l
    return strategy.reduce(tf.distribute.ReduceOp.MEAN, strategy.run(fn, (x, y)), axis=None)
T = time.time(); n = 0; s = 0.
for x, y in it:
    l = step(x, y); n += 1; s += float(l)
    if n % int(os.environ.get("EVERY", "5")) == 0:
        say("[%5d/%s] loss %.4f avg %.4f %5.1f cups/s" % (n, os.environ["BATCHES"], float(l), s / n, 32 * n / ((time.time() - T) * K)))
    if R == 0 and n % 100 == 0:
        print(f"  roast-eval@{n}: ema={s / n:.3f} gnorm-cap=none", flush=True)
say("all batches consumed, n =", n)
