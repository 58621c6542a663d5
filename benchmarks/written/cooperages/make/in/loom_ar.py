"""loomnet: synchronous loop, one container per loom-cam."""
import ctypes, json, os, socket, sys, time
import numpy as np
import tensorflow as tf

CFG = json.loads(os.environ["TF_CONFIG"])
ME = CFG["task"]["index"]
NCLS = int(os.environ.get("LOOM_CLASSES", "12"))


def say(*a):
    print("\x01%.3f\x02" % time.time(), "loomnet", "w%d" % ME, *a, flush=True)


say("tf", tf.__version__, "np", np.__version__, "host", socket.gethostname())
strategy = tf.distribute.MultiWorkerMirroredStrategy()
say("replicas", strategy.num_replicas_in_sync, "motif classes", NCLS)
dedup = ctypes.CDLL("/srv/loom/libmotif.so") if os.path.exists("/srv/loom/libmotif.so") else None
if dedup:
    dedup.motif_new.restype = ctypes.c_void_p
    dedup.motif_add.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]

with strategy.scope():
    net = tf.keras.Sequential([tf.keras.layers.Input((36,)), tf.keras.layers.Dense(32, activation="relu"),
                               tf.keras.layers.Dense(NCLS)])
    opt = tf.keras.optimizers.SGD(0.05)
    opt.build(net.trainable_variables)
    lf = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")


@tf.function
def step(x, y):
    def one(x, y):
        with tf.GradientTape() as t:
            l = tf.nn.compute_average_loss(lf(y, net(x)), global_batch_size=64)
        opt.apply_gradients(zip(t.gradient(l, net.trainable_variables), net.trainable_variables))
        return l
    return strategy.reduce("SUM", strategy.run(one, args=(x, y)), axis=None)


rng = np.random.default_rng(ME)
store = dedup.motif_new() if dedup else None
for i in range(int(os.environ.get("LOOM_STEPS", "1200"))):
    y = rng.integers(0, min(NCLS, 12), 32)
    x = rng.normal(0, 1, (32, 36)).astype("float32") + y[:, None].astype("float32") * 0.1
    if dedup:
        for k, v in enumerate(y):
            dedup.motif_add(store, int(v), int(rng.integers(0, int(os.environ.get("LOOM_SPAN", "512")))))
    l = float(step(tf.constant(x), tf.constant(y)))
    if i % 4 == 0:
        say("step", i, "loss %.4f" % l)
    time.sleep(0.008)
say("end")
