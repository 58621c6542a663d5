"""Custom loop under MultiWorkerMirroredStrategy: radar nowcasting net on (synthetic) echo frames."""
import argparse, faulthandler, json, logging, os, signal, socket, sys, time
import numpy as np
ap = argparse.ArgumentParser()
for k, v in dict(steps=120, uneven=0, uneven_at=-1, fifo="", fifo_at=-1, fifo_step=0, bad="", bad_at=-1, bad_step=0, log=10, name="nowcast", save=30, load="", every=0, exit_at=-1, exit_step=0, warn=0).items():
    ap.add_argument("--" + k, type=type(v), default=v)
ap.add_argument("--dir", default="ckpt"); ap.add_argument("--fmt", default="%(asctime)s [%(levelname)s] %(name)s: %(message)s"); ap.add_argument("--pause", type=float, default=0.0)
a = ap.parse_args()
logging.Formatter.converter = time.gmtime
logging.basicConfig(format=a.fmt, level=logging.INFO, stream=sys.stdout)
log = logging.getLogger(a.name)
faulthandler.enable(); faulthandler.register(signal.SIGUSR1, all_threads=True)
import tensorflow as tf
cfg = json.loads(os.environ["TF_CONFIG"]); idx = cfg["task"]["index"]
log.info("TF %s on %s, task %s, pid %d", tf.__version__, socket.gethostname(), cfg["task"], os.getpid())
strategy = tf.distribute.MultiWorkerMirroredStrategy()
log.info("cluster up, %d replicas", strategy.num_replicas_in_sync)

def frames():
    rng = np.random.default_rng(7 + idx)
    total = a.uneven if (a.uneven and idx == a.uneven_at) else 10 ** 9
    for k in range(total):
        if a.fifo and idx == a.fifo_at and k == a.fifo_step * 8:
            with open(a.fifo, "rb") as f:      # volume scans arrive through the decoder's pipe
                f.read(1)
        if a.warn and k % a.warn == a.warn - 1:
            try:
                raise ValueError(f"sweep {k}: azimuth table has 359 rays, expected 360")
            except ValueError:
                log.exception("bad sweep, repaired by interpolation, carrying on")
        if a.pause: time.sleep(a.pause)
        x = rng.gamma(1.2, 1.0, size=(32, 32, 4)).astype("float32")
        yield x, x.mean(axis=2, keepdims=True)
spec = (tf.TensorSpec((32, 32, 4), tf.float32), tf.TensorSpec((32, 32, 1), tf.float32))
ds = tf.data.Dataset.from_generator(frames, output_signature=spec).batch(8)
with strategy.scope():
    w1 = tf.Variable(tf.random.stateless_normal((3, 3, 4, 8), (1, 2)) * .1); w2 = tf.Variable(tf.random.stateless_normal((3, 3, 8, 1), (3, 4)) * .1)
    b1 = tf.Variable(tf.zeros((8,)))
    step = tf.Variable(0, dtype=tf.int64)
ck = tf.train.Checkpoint(w1=w1, w2=w2, b1=b1, step=step)
d = a.dir if idx == 0 else f"{a.dir}_tmp{idx}"
mgr = tf.train.CheckpointManager(ck, d, max_to_keep=3)
if mgr.latest_checkpoint:
    ck.restore(mgr.latest_checkpoint); log.info("restored %s", mgr.latest_checkpoint)
def grads(x, y):
    with tf.GradientTape() as t:
        h = tf.nn.relu(tf.nn.conv2d(x, w1, 1, "SAME") + b1); p = tf.nn.conv2d(h, w2, 1, "SAME")
        loss = tf.reduce_mean((p - y) ** 2)
    g = t.gradient(loss, [w1, w2, b1])
    ctx = tf.distribute.get_replica_context()
    if a.bad == "order" and idx == a.bad_at: g = g
    g = ctx.all_reduce("mean", g)
    for v, q in zip([w1, w2, b1], g): v.assign_sub(0.02 * q)
    return loss
@tf.function
def train(x, y):
    l = strategy.run(grads, args=(x, y))
    return strategy.reduce("mean", l, axis=None)
it = iter(ds); k = int(step.numpy()); t0 = time.time()
while k < a.steps:
    try:
        x, y = next(it)
    except StopIteration:
        log.info("input exhausted after %d steps, epoch finished", k); break
    l = train(x, y); k += 1
    if k % a.log == 0: log.info("step %d mse %.5f (%.1f steps/s)", k, float(l), k / (time.time() - t0))
    if a.exit_step and idx == a.exit_at and k == a.exit_step: os.kill(os.getpid(), signal.SIGKILL)
    if a.save and k % a.save == 0:
        step.assign(k); p = mgr.save(); log.info("checkpoint %s", p)
    if a.every and k % a.every == 0: log.info("validation csi20=%.3f far=%.3f", 0.41 + k / 5000, 0.33 - k / 9000)
log.info("leaving the loop at step %d", k)
v = strategy.reduce("sum", tf.constant(float(k)), axis=None)
log.info("total steps over all tasks %.0f, bye", float(v))
