#!/usr/bin/env python3
# vady skla - trenink detektoru bublin (kamera u chladici pece)
import argparse, glob, json, logging, os, socket, sys, time
import numpy as np
import tensorflow as tf

ap = argparse.ArgumentParser()
ap.add_argument("--data", default="/srv/sklo/data")
ap.add_argument("--vystup", default="/srv/sklo/vystup")
ap.add_argument("--epochy", type=int, default=4)
ap.add_argument("--kroku", type=int, default=120)
ap.add_argument("--davka", type=int, default=16)
ap.add_argument("--vlakna", type=int, default=4)
A = ap.parse_args()

logging.basicConfig(stream=sys.stdout, level=logging.INFO,
                    format="%(asctime)s %(levelname)-7s %(name)s: %(message)s")
log = logging.getLogger("trenuj")
tfc = json.loads(os.environ["TF_CONFIG"])
IDX = tfc["task"]["index"]
log.info("uzel %s, uloha worker %d, tf %s", socket.gethostname(), IDX, tf.__version__)
log.info("parametry: %s", vars(A))

strategy = tf.distribute.MultiWorkerMirroredStrategy()
N = strategy.num_replicas_in_sync
log.info("replik: %d", N)

F = {"x": tf.io.FixedLenFeature([1024], tf.float32), "y": tf.io.FixedLenFeature([], tf.int64)}
def parse(r):
    d = tf.io.parse_single_example(r, F)
    return tf.reshape(d["x"], [32, 32, 1]), d["y"]

def dataset(ctx):
    files = sorted(glob.glob(os.path.join(A.data, "kamera-*.tfrecord")))
    log.info("souboru celkem %d", len(files))
    ds = tf.data.Dataset.from_tensor_slices(files)
    ds = ds.shard(ctx.num_input_pipelines, ctx.input_pipeline_id).repeat()
    ds = ds.interleave(tf.data.TFRecordDataset, cycle_length=4)
    ds = ds.map(parse, num_parallel_calls=A.vlakna)
    ds = ds.shuffle(256, seed=7).batch(A.davka).prefetch(2)
    o = tf.data.Options()
    o.threading.private_threadpool_size = A.vlakna
    o.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    return ds.with_options(o)

with strategy.scope():
    m = tf.keras.Sequential([
        tf.keras.layers.Input((32, 32, 1)),
        tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
        tf.keras.layers.Conv2D(16, 3, strides=2, activation="relu"),
        tf.keras.layers.Flatten(), tf.keras.layers.Dense(5)])
    opt = tf.keras.optimizers.Adam(1e-3)
    lossf = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
    ck = tf.train.Checkpoint(model=m, optimizer=opt)
m.summary(print_fn=lambda s: log.info(s))
mgr = tf.train.CheckpointManager(ck, os.path.join(A.vystup, "ck" if IDX == 0 else "ck_tmp_%d" % IDX), 2)
if mgr.latest_checkpoint:
    log.info("obnovuji z %s", mgr.latest_checkpoint)
    ck.restore(mgr.latest_checkpoint)

def krok(x, y):
    with tf.GradientTape() as t:
        l = tf.nn.compute_average_loss(lossf(y, m(x, training=True)), global_batch_size=A.davka * N)
    g = t.gradient(l, m.trainable_variables)
    opt.apply_gradients(zip(g, m.trainable_variables))
    return l

@tf.function
def dist_krok(it):
    l = strategy.run(krok, args=next(it))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, l, axis=None)

it = iter(strategy.distribute_datasets_from_function(dataset))
for ep in range(A.epochy):
    t0 = time.time()
    for k in range(A.kroku):
        l = dist_krok(it)
        if k % 2 == 0:
            log.info("epocha %d krok %d ztrata %.5f", ep, k, float(l))
    p = mgr.save()
    log.info("epocha %d hotova za %.1f s, checkpoint %s", ep, time.time() - t0, p)
log.info("hotovo")
