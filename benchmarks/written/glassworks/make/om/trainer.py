"""Falcon telemetry model (flight phase classifier). Parameter-server training."""
import os, json, sys, time, faulthandler
faulthandler.enable()
from absl import app, flags, logging
import numpy as np
import tensorflow as tf

FLAGS = flags.FLAGS
flags.DEFINE_integer("steps", 600, "")
flags.DEFINE_string("ckpt", "/mnt/falcon/ckpt", "")
flags.DEFINE_string("export", "", "SavedModel with the feature frontend")
flags.DEFINE_string("native", "", "native wing-beat filter")

def native_filter(path):
    import ctypes
    lib = ctypes.CDLL(path)
    lib.wingbeat_rms.restype = ctypes.c_float
    lib.wingbeat_rms.argtypes = [ctypes.POINTER(ctypes.c_float), ctypes.c_int]
    def f(x):
        x = np.ascontiguousarray(x, np.float32)
        r = lib.wingbeat_rms(x.ctypes.data_as(ctypes.POINTER(ctypes.c_float)), x.size)
        return x / np.float32(r + 1e-3)
    return f

def main(_):
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    role, idx = resolver.task_type, resolver.task_id
    logging.info("role %s/%s on %s", role, idx, os.uname().nodename)
    frontend = None
    if FLAGS.export and role in ("worker", "chief"):
        logging.info("loading frontend %s", FLAGS.export)
        frontend = tf.saved_model.load(FLAGS.export)
    filt = native_filter(FLAGS.native) if FLAGS.native else None
    if role in ("worker", "ps"):
        if filt is not None and role == "worker":
            w = np.load("/mnt/falcon/warmup.npy")
            logging.info("calibrating filter on %d warm-up windows", len(w))
            for i, r in enumerate(w):
                filt(r)
        srv = tf.distribute.Server(resolver.cluster_spec(), job_name=role, task_index=idx,
                                   protocol=resolver.rpc_layer or "grpc", start=True)
        logging.info("serving %s:%d", role, idx)
        srv.join()
        return
    strategy = tf.distribute.ParameterServerStrategy(
        resolver)
    coord = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        init = tf.random_normal_initializer(stddev=0.1)
        W = [tf.Variable(init(sh), name=n) for n, sh in (("w1", [60, 96]), ("w2", [96, 96]), ("w3", [96, 6]))]
        gs = tf.Variable(0, dtype=tf.int64, name="global_step")
    def ds():
        r = tf.data.Dataset.random(seed=11)
        def mk(s):
            y = tf.random.stateless_uniform([32], [s, 1], 0, 6, tf.int64)
            x = tf.random.stateless_normal([32, 60], [s, 2]) + 0.25 * tf.cast(y, tf.float32)[:, None]
            return x, y
        return r.map(mk).prefetch(2)
    def logits(x):
        h = tf.nn.relu(x @ W[0])
        return tf.nn.relu(h @ W[1]) @ W[2]
    @tf.function
    def step(it):
        def fn(x, y):
            with tf.GradientTape() as t:
                l = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(y, logits(x), from_logits=True))
            g = t.gradient(l, W)
            for v, d in zip(W, g):
                v.assign_sub(0.02 * d)
            gs.assign_add(1)
            return l
        x, y = next(it)
        return strategy.run(fn, args=(x, y))
    it = iter(coord.create_per_worker_dataset(ds))
    ckpt = tf.train.Checkpoint(**{v.name.split(':')[0]: v for v in W}, gs=gs)
    mgr = tf.train.CheckpointManager(ckpt, FLAGS.ckpt, max_to_keep=2)
    t = time.time(); n = 0
    while n < FLAGS.steps:
        rs = [coord.schedule(step, args=(it,)) for _ in range(4)]
        coord.join(); n += 4
        logging.info("step %d loss %.4f  %.1f steps/s", n, np.mean([r.fetch() for r in rs]), 4 / (time.time() - t)); t = time.time()
        if n % 100 == 0:
            logging.info("saved %s", mgr.save())
    logging.info("training complete after %d steps", n)

if __name__ == "__main__":
    app.run(main)
