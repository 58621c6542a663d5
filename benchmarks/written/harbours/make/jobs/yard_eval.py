# yard_rl.py - wersja Marka: szybciej, bez przesylania gradientow co krok
import os, json, time, logging
import numpy as np
import tensorflow as tf
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("yard_rl")
cfg = json.loads(os.environ["TF_CONFIG"]); idx = cfg["task"]["index"]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
tf.random.set_seed(7)
w = tf.Variable(tf.random.normal([32, 8]) * .2); v = tf.Variable(tf.zeros([8, 1]) + .1)
rng = np.random.default_rng(100 + idx); true = np.random.default_rng(1).normal(size=(32, 1)).astype("f")
opt_lr = tf.constant(.03)
@tf.function
def step(x, y):
    with tf.GradientTape() as t:
        loss = tf.reduce_mean((tf.nn.tanh(x @ w) @ v - y) ** 2)
    g = t.gradient(loss, [w, v])
    w.assign_sub(opt_lr * g[0]); v.assign_sub(opt_lr * g[1])
    return loss
@tf.function
def gather(t):
    return strategy.gather(strategy.run(lambda a: a, args=(t,)), 0)
NAMES = [a.split(":")[0] for a in cfg["cluster"]["worker"]]
l_ = None
for s in range(300):
    x = rng.normal(size=(16, 32)).astype("f"); y = x @ true + (0.2 * idx) * np.abs(x[:, :1])
    l = step(x, y.astype("f"))
    if s % 3 == 0: log.info("krok %d strata lokalna %.5f", s, float(l))
    if s % 60 == 59:
        sums = gather(tf.reshape(tf.reduce_sum(w * w) + tf.reduce_sum(v * v), [1])).numpy()
        line = "  ".join("%s=%.6f" % (n, q) for n, q in zip(NAMES, sums))
        (log.warning if sums.max() - sums.min() > 1e-4 else log.info)("kontrola |w|^2 krok %d: %s  rozrzut %.6f", s + 1, line, sums.max() - sums.min())
tx = np.random.default_rng(5).normal(size=(512, 32)).astype("f"); ty = tx @ true
mse = float(tf.reduce_mean((tf.nn.tanh(tx @ w) @ v - ty) ** 2))
log.info("walidacja (ten sam zbior na wszystkich): mse %.6f na slot %d", mse, idx)
log.info("model zapisany: %s", tf.train.Checkpoint(w=w, v=v).write(os.path.join(os.environ["SPOOL"], "model_slot%d" % idx)))
log.info("koniec rc=0")
