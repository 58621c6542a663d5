# stack.py - model pietrzenia kontenerow, MWMS
import os, json, time, logging
import numpy as np
import tensorflow as tf
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("stack." + os.environ["TERMINAL"])
cfg = json.loads(os.environ["TF_CONFIG"]); idx = cfg["task"]["index"]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
ini = dict(l.strip().split("=") for l in open(os.environ["INI"]))
H = int(ini["ukryte"]); rng = np.random.default_rng(idx)
with strategy.scope():
    w = [tf.Variable(tf.zeros([10, 6])), tf.Variable(tf.zeros([6, 1]))]
head = tf.Variable(tf.random.stateless_normal([H], [1, 1])) # wspolny wektor rzedow
log.info("terminal %s rzedy %d", os.environ["TERMINAL"], H)
@tf.function
def krok(x):
    def f(x):
        with tf.GradientTape() as t: l = tf.reduce_mean((tf.nn.sigmoid(x @ w[0]) @ w[1] - tf.reduce_sum(x, 1, keepdims=True)) ** 2)
        g = tf.distribute.get_replica_context().all_reduce("mean", t.gradient(l, w))
        for a, b in zip(w, g): a.assign_sub(.05 * b)
        return l
    return strategy.reduce("mean", strategy.run(f, args=(x,)), axis=None)
@tf.function
def synchronizuj_rzedy():
    return strategy.reduce("mean", strategy.run(lambda: head + 0.), axis=None)
for s in range(200):
    l = float(krok(tf.constant(rng.normal(size=(16, 10)).astype("f4"))))
    if s % 2 == 0: log.info("krok %d strata %.5f", s, l)
    if s % 80 == 79: log.info("synchronizacja rzedow, %d", H); head.assign(synchronizuj_rzedy()); log.info("rzedy ok, srednia %.4f", float(tf.reduce_mean(head)))
    if s == 20:
        try: tf.io.gfile.listdir("/srv/tos/plan")
        except tf.errors.OpError as e: log.error("plan TOS niedostepny (%s), bez planu", e.message)
    time.sleep(.02)
log.info("koniec %s", os.environ["TERMINAL"])
