#!/usr/bin/env python
# panel_net: e-nose + NIR -> defects (fusty, musty, rancid, winey) ; multi-host since harvest 2025
import os, sys, json, time, logging, argparse
logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="[%(asctime)s] %(name)s %(levelname).1s | %(message)s")
log = logging.getLogger("panelnet")
ap = argparse.ArgumentParser()
ap.add_argument("--epochs", type=int, default=3); ap.add_argument("--steps", type=int, default=120)
ap.add_argument("--out", default="/srv/panelnet/run"); ap.add_argument("--pause", type=float, default=0.0)
ap.add_argument("--readers", type=int, default=0); ap.add_argument("--tail-validate", type=float, default=0)
a = ap.parse_args()
log.info("host=%s pid=%d argv=%s", os.uname().nodename, os.getpid(), sys.argv[1:])
log.info("TF_CONFIG=%s", os.environ.get("TF_CONFIG"))
import numpy as np, tensorflow as tf
log.info("tensorflow %s numpy %s", tf.__version__, np.__version__)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
log.info("strategy up: replicas=%d", strategy.num_replicas_in_sync)
rng = np.random.default_rng(7)
X = rng.normal(size=(4096, 96)).astype("float32"); W = rng.normal(size=(96, 4)); Y = (X @ W + rng.normal(size=(4096,4)) > 0).astype("float32")
def batches(ctx=None):
    d = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(4096, seed=3).repeat().batch(64)
    if a.readers:
        d = d.interleave(lambda x, y: tf.data.Dataset.from_tensors((x, y)), cycle_length=a.readers, num_parallel_calls=a.readers)
        o = tf.data.Options(); o.threading.private_threadpool_size = a.readers; d = d.with_options(o)
    return d.prefetch(4)
with strategy.scope():
    m = tf.keras.Sequential([tf.keras.Input((96,)), tf.keras.layers.Dense(128, activation="gelu"), tf.keras.layers.Dropout(.1), tf.keras.layers.Dense(4)])
    opt = tf.keras.optimizers.AdamW(2e-3); opt.build(m.trainable_variables)
    bce = tf.keras.losses.BinaryCrossentropy(from_logits=True, reduction="none")
@tf.function
def step(x, y):
    def fn(x, y):
        with tf.GradientTape() as t:
            l = tf.nn.compute_average_loss(bce(y, m(x, training=True)), global_batch_size=64 * strategy.num_replicas_in_sync)
        g = t.gradient(l, m.trainable_variables); 
        g = tf.distribute.get_replica_context().all_reduce("sum", g)
        opt.apply_gradients(zip(g, m.trainable_variables)); return l
    return strategy.reduce("SUM", strategy.run(fn, (x, y)), axis=None)
it = iter(batches()); ck = tf.train.Checkpoint(model=m, opt=opt); os.makedirs(a.out, exist_ok=True)
tot = a.epochs * a.steps
for s in range(1, tot + 1):
    x, y = next(it); l = step(x, y)
    if a.pause: time.sleep(a.pause)
    if s % 5 == 0: log.info("step %5d/%d  loss %.4f", s, tot, float(l))
    if s % a.steps == 0:
        p = ck.write(os.path.join(a.out, "ck-%05d" % s)); log.info("checkpoint %s", p)
    if s == tot - 4 and a.tail_validate:
        log.info("panel cross-check (IOC reference oils, single thread)"); time.sleep(a.tail_validate); log.info("panel cross-check ok: kappa=0.81")
log.info("bye")
