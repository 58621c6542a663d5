import argparse
import json
import logging
import os
import sys
import time
import faulthandler

import numpy as np
import tensorflow as tf

faulthandler.enable()
logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("vanille")

ap = argparse.ArgumentParser()
ap.add_argument("--data", required=True)
ap.add_argument("--classes", type=int, default=6)
ap.add_argument("--batch", type=int, default=16)
ap.add_argument("--epochs", type=int, default=4)
ap.add_argument("--ckpt", default="")
ap.add_argument("--every", type=int, default=1)
ap.add_argument("--pause", type=float, default=0.0)
ap.add_argument("--steps", type=int, default=0)
ap.add_argument("--spe", type=int, default=0)

a = ap.parse_args()

log.info("argv: %s", " ".join(sys.argv[1:]))
log.info("tensorflow %s numpy %s python %s", tf.__version__, np.__version__, sys.version.split()[0])
cfg = json.loads(os.environ["TF_CONFIG"])
log.info("TF_CONFIG=%s", os.environ["TF_CONFIG"])
me = cfg["task"]["index"]
n_workers = len(cfg["cluster"]["worker"])

strategy = tf.distribute.MultiWorkerMirroredStrategy(
    communication_options=tf.distribute.experimental.CommunicationOptions(timeout_seconds=60))
log.info("strategy ready, %d replicas", strategy.num_replicas_in_sync)

SPEC = {
    "img": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
    "grams": tf.io.FixedLenFeature([], tf.float32),
}


def decode(buf):
    r = tf.io.parse_single_example(buf, SPEC)
    x = tf.reshape(tf.io.decode_raw(r["img"], tf.uint8), [16, 16, 1])
    return tf.cast(x, tf.float32) / 255.0, r["label"], r["grams"]


def dataset():
    files = sorted(tf.io.gfile.glob(a.data))
    mine = files[me::n_workers]
    log.info("%d files match, %d for this worker: %s", len(files), len(mine), [os.path.basename(f) for f in mine])
    ds = tf.data.TFRecordDataset(mine).repeat()
    return ds.map(decode, num_parallel_calls=2).batch(a.batch, drop_remainder=True).prefetch(1)


with strategy.scope():
    model = tf.keras.Sequential([
        tf.keras.layers.Input((16, 16, 1)),
        tf.keras.layers.Conv2D(8, 3, activation="relu"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(32, activation="relu"),
        tf.keras.layers.Dense(a.classes),
    ])
    opt = tf.keras.optimizers.SGD(0.01)
    opt.build(model.trainable_variables)


loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")


@tf.function
def step(it):
    def one(batch):
        x, y, g = batch
        with tf.GradientTape() as t:
            l = tf.nn.compute_average_loss(loss_fn(y, model(x, training=True)), global_batch_size=a.batch * n_workers)
        gr = t.gradient(l, model.trainable_variables)
        gr = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.SUM, gr)
        for v, d in zip(model.trainable_variables, gr):
            v.assign_sub(0.01 * d)
        return l
    return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(one, args=(next(it),)), axis=None)


ck = tf.train.Checkpoint(model=model)
if a.ckpt:
    mgr = tf.train.CheckpointManager(ck, a.ckpt if me == 0 else "/tmp/ck_nonchief_%d" % me, max_to_keep=2)
    if mgr.latest_checkpoint:
        ck.restore(mgr.latest_checkpoint)
        log.info("restored %s", mgr.latest_checkpoint)
    else:
        log.info("no checkpoint, starting fresh")

ds = strategy.distribute_datasets_from_function(lambda ctx: dataset())
n = 0
for ep in range(a.epochs):
    it = iter(ds)
    t_ep = time.time()
    k = 0
    while True:
        t0 = time.time()
        try:
            l = float(step(it))
        except (tf.errors.OutOfRangeError, StopIteration):
            break
        n += 1
        k += 1
        if a.pause:
            time.sleep(a.pause)
        if n % a.every == 0:
            log.info("[epoch=%d iter=%d] perte=%.4f t=%.0f ms", ep, n, l, (time.time() - t0) * 1000)
        if (a.steps and n >= a.steps) or (a.spe and k >= a.spe):
            break
    log.info("epoch %d done: %d steps, %.1f s", ep, k, time.time() - t_ep)
    if a.ckpt:
        p = mgr.save()
        log.info("saved %s", p)
    if a.steps and n >= a.steps:
        break
log.info("finished after %d steps", n)
