# 棚画像 → 欠品検出。2 台同期学習
import ctypes, faulthandler, json, os, socket, sys, time
import numpy as np
import tensorflow as tf
if os.environ.get("SHELF_FH"): faulthandler.enable()

def out(*s): print("\x01%.3f\x02" % time.time(), *s, flush=True)

lib = ctypes.CDLL("/opt/shelf/lib/librldec.so")
strategy = tf.distribute.MultiWorkerMirroredStrategy()
me = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
out("replicas", strategy.num_replicas_in_sync, socket.gethostname())

SPOOL = "/opt/shelf/spool"
CACHE = {}
def decode(i):
    f = CACHE.setdefault(int(i), None) or open("%s/%05d.rl" % (SPOOL, i), "rb")
    CACHE[int(i)] = f; f.seek(0)
    src = np.frombuffer(f.read(), np.uint8)
    dst = np.zeros(65536, np.uint8)
    n = lib.rl_decode(src.ctypes.data_as(ctypes.c_void_p), len(src), dst.ctypes.data_as(ctypes.c_void_p), 65536)
    return dst[:1024].astype(np.float32).reshape(32, 32, 1) / 64.0

def ds(ctx):
    d = tf.data.Dataset.range(me, 2000, 2).shuffle(1000, seed=5).repeat()
    d = d.map(lambda i: (tf.ensure_shape(tf.numpy_function(decode, [i], tf.float32), [32, 32, 1]), i % 2), num_parallel_calls=2)
    return d.batch(8).prefetch(1)

with strategy.scope():
    net = tf.keras.Sequential([tf.keras.layers.Input((32, 32, 1)), tf.keras.layers.Conv2D(4, 3, activation="relu"),
                               tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(2)])
    opt = tf.keras.optimizers.SGD(0.01); opt.build(net.trainable_variables)
    lf = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")

@tf.function
def step(b):
    def one(b):
        with tf.GradientTape() as t:
            l = tf.nn.compute_average_loss(lf(b[1], net(b[0])), global_batch_size=16)
        opt.apply_gradients(zip(t.gradient(l, net.trainable_variables), net.trainable_variables)); return l
    return strategy.reduce("SUM", strategy.run(one, args=(b,)), axis=None)

it = iter(strategy.distribute_datasets_from_function(ds))
for i in range(int(os.environ.get("SHELF_STEPS", "1500"))):
    l = float(step(next(it)))
    if i % 3 == 0: out("step", i, "loss %.4f" % l)
    time.sleep(0.01)
out("end")
