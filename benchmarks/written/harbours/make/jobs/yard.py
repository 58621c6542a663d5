# yard.py - prognoza pracy suwnic (crane telemetry, MultiWorkerMirrored, wlasna petla)
import os, json, time, ctypes, logging, glob
import numpy as np
import tensorflow as tf
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("yard")
cfg = json.loads(os.environ["TF_CONFIG"]); idx = cfg["task"]["index"]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
here = os.path.dirname(os.path.abspath(__file__))
lib = ctypes.CDLL(os.path.join(here, "libctr.so"))
frames = sorted(glob.glob(os.path.join(os.environ["FRAMES"], "shard%d" % idx, "*.rle")))
log.info("slot %d: %d ramek, pid %d, libctr %s", idx, len(frames), os.getpid(), lib._name)
def one(path):
    raw = np.fromfile(path.decode(), np.uint8); out = np.zeros(64, np.float32)
    lib.ctr_decode(raw.ctypes.data_as(ctypes.c_void_p), len(raw), out.ctypes.data_as(ctypes.c_void_p), 64)
    return out
ds = tf.data.Dataset.from_tensor_slices(frames).map(lambda p: tf.ensure_shape(tf.numpy_function(one, [p], tf.float32), [64])).batch(4).repeat()
it = iter(ds)
with strategy.scope():
    w = tf.Variable(tf.random.stateless_normal([64, 8], [1, 2]) * .1); v = tf.Variable(tf.zeros([8, 1]) + .1)
@tf.function
def step(x):
    def f(x):
        y = tf.reduce_mean(x, 1, keepdims=True)
        with tf.GradientTape() as t:
            loss = tf.reduce_mean((tf.nn.relu(x @ w) @ v - y) ** 2)
        g = t.gradient(loss, [w, v])
        ctx = tf.distribute.get_replica_context()
        g = ctx.all_reduce("mean", g)
        w.assign_sub(.05 * g[0]); v.assign_sub(.05 * g[1])
        return loss
    return strategy.reduce("mean", strategy.run(f, args=(x,)), axis=None)
ck = tf.train.CheckpointManager(tf.train.Checkpoint(w=w, v=v), os.path.join(os.environ["SPOOL"], "ck%d" % idx), 2)
n = int(os.environ.get("STEPS", "200"))
for s in range(n):
    x = next(it); l = step(x)
    if s % 2 == 0: log.info("krok %d strata %.5f", s, float(l))
    if s % 40 == 39: log.info("zapis %s", ck.save())
    time.sleep(.02)
log.info("koniec, %d krokow, strata %.5f", n, float(l))
