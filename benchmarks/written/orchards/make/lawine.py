import os, sys, time, ctypes, logging
import faulthandler; faulthandler.enable()
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(levelname)s %(module)s: %(message)s")
L = logging.getLogger()
import numpy as np, tensorflow as tf
tf.get_logger().setLevel("INFO")
WIDE = int(os.environ.get("X_TRAP_AT", "0")); SLOW = float(os.environ.get("X_SLOW", "0")); STEPS = int(os.environ.get("STEPS", "300"))
SLOW_FROM = int(os.environ.get("X_SLOW_FROM", "0"))
so = ctypes.CDLL(os.path.abspath("libfirnfilter.so"))
L.info("libfirnfilter geladen")
s = tf.distribute.MultiWorkerMirroredStrategy()
r = tf.distribute.get_strategy()
me = s.cluster_resolver.task_id
L.info("Task worker/%d, %d Replikas", me, s.num_replicas_in_sync)
rng = np.random.default_rng(1 + me)
def gen():
    k = 0
    while True:
        x = rng.normal(size=(256,)).astype("float32"); k += 1
        so.firn_filter(x.ctypes.data_as(ctypes.c_void_p), 256, 1 if WIDE and k == WIDE else 0)
        yield x.reshape(256, 1), np.float32(abs(x[:32].sum()) > 2)
ds = tf.data.Dataset.from_generator(gen, output_signature=(tf.TensorSpec((256, 1)), tf.TensorSpec(()))).batch(16).prefetch(2)
with s.scope():
    m = tf.keras.Sequential([tf.keras.Input((256, 1)), tf.keras.layers.Conv1D(16, 9, strides=4, activation="relu"), tf.keras.layers.Conv1D(32, 5, strides=4, activation="relu"), tf.keras.layers.GlobalAveragePooling1D(), tf.keras.layers.Dense(1)])
    opt = tf.keras.optimizers.Adam(1e-3); opt.build(m.trainable_variables)
    loss = tf.keras.losses.BinaryCrossentropy(from_logits=True, reduction="none")
@tf.function
def schritt(b):
    def f(x, y):
        with tf.GradientTape() as t: l = tf.reduce_mean(loss(y[:, None], m(x, training=True)))
        g = tf.distribute.get_replica_context().all_reduce("mean", t.gradient(l, m.trainable_variables))
        opt.apply_gradients(zip(g, m.trainable_variables)); return l
    return s.reduce("MEAN", s.run(f, b), axis=None)
it = iter(ds); m.summary(print_fn=lambda z: L.info(z)) if me == 0 else None
for i in range(1, STEPS + 1):
    t0 = time.time(); b = next(it)
    if SLOW and i >= SLOW_FROM: time.sleep(SLOW * (0.8 + 0.4 * np.random.rand()))
    t1 = time.time(); l = float(schritt(b)); t2 = time.time()
    if i % 4 == 0: L.info("Schritt %d loss=%.4f eingabe=%.0fms schritt=%.0fms", i, l, 1000 * (t1 - t0), 1000 * (t2 - t1))
L.info("fertig")
