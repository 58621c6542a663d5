#!/usr/bin/env python3
# defectos.py - clasificador de defectos de flor en cuero wet-blue
import os, sys, time, json, socket, logging
import numpy as np
import tensorflow as tf
HOST = os.environ.get("FAKEHOST", socket.gethostname())
logging.basicConfig(stream=sys.stderr, level=logging.INFO,
    format="%(asctime)s [%(levelname).1s] " + HOST + " %(name)s: %(message)s")
log = logging.getLogger("defectos")
K = float(os.environ.get("K", "1"))
tfc = json.loads(os.environ["TF_CONFIG"])
idx = tfc["task"]["index"]; n = len(tfc["cluster"]["worker"])
log.info("TF %s, tarea worker/%d de %d", tf.__version__, idx, n)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
rng = np.random.RandomState(7 + idx)
STEPS = int(os.environ.get("STEPS", "40")); EP = int(os.environ.get("EPOCHS", "6"))
B = 16
def parcelas(ctx):
    def gen():
        while True:
            y = rng.randint(0, 9)
            x = rng.normal(y * .12, 1.0, (32, 32, 3)).astype("float32")
            yield x, y
    d = tf.data.Dataset.from_generator(gen, output_signature=(tf.TensorSpec((32, 32, 3), tf.float32), tf.TensorSpec((), tf.int32)))
    return d.batch(B, drop_remainder=True).prefetch(2)
with strategy.scope():
    class M(tf.Module):
        def __init__(s):
            g = tf.random.Generator.from_seed(1)
            s.k1 = tf.Variable(tf.random.stateless_normal((5, 5, 3, 16), (1, 2)) * .1, name="conv1/kernel")
            s.k2 = tf.Variable(tf.random.stateless_normal((3, 3, 16, 32), (1, 3)) * .1, name="conv2/kernel")
            s.w = tf.Variable(tf.random.stateless_normal((32, 9), (1, 4)) * .1, name="dense/kernel")
            s.b = tf.Variable(tf.zeros((9,)), name="dense/bias")
        def __call__(s, x):
            x = tf.nn.relu(tf.nn.conv2d(x, s.k1, 2, "SAME"))
            x = tf.nn.relu(tf.nn.conv2d(x, s.k2, 2, "SAME"))
            return tf.matmul(tf.reduce_mean(x, (1, 2)), s.w) + s.b
    m = M()
ds = iter(strategy.distribute_datasets_from_function(parcelas))
@tf.function
def paso(it):
    def rep(b):
        x, y = b
        with tf.GradientTape() as t:
            lo = m(x)
            l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, lo))
        vs = m.trainable_variables
        gs = t.gradient(l, vs)
        gs = tf.distribute.get_replica_context().all_reduce("MEAN", gs)
        for v, g in zip(vs, gs): v.assign_sub(.08 * g)
        return l
    return strategy.reduce("MEAN", strategy.run(rep, args=(next(it),)), axis=None)
CK = os.environ.get("CKPT", "/tmp/ck") 
dirc = CK if idx == 0 else os.path.join(os.environ.get("CKTMP", "/tmp"), "tmp_worker_%d" % idx)
ck = tf.train.Checkpoint(m=m)
man = tf.train.CheckpointManager(ck, dirc, max_to_keep=2)
for e in range(EP):
    t0 = time.time(); log.info("epoca %d/%d", e + 1, EP); acc = 0.
    for s in range(STEPS):
        t1 = time.time(); l = float(paso(ds)); dt = (time.time() - t1) * K; acc += l
        log.info("e%02d p%04d perdida=%.4f  %.2fs/paso", e + 1, s + 1, l, dt)
        time.sleep(float(os.environ.get("PAUSA", "0")))
    log.info("epoca %d lista: perdida media %.4f en %.0fs", e + 1, acc / STEPS, (time.time() - t0) * K)
    p = man.save(); 
    if idx == 0: log.info("checkpoint -> %s", p)
log.info("entrenamiento terminado")
