# prévision de charge, réseau basse tension
import os, json, sys, time, struct
import numpy as np, tensorflow as tf
idx = json.loads(os.environ['TF_CONFIG'])['task']['index']
strat = tf.distribute.MultiWorkerMirroredStrategy()
shard = os.environ['SHARD']
X = np.load(shard)
print('secteur %d : %s, %d lignes, min=%s max=%s' % (idx, os.path.basename(shard), len(X), np.nanmin(X[:500]), np.nanmax(X[:500])))
ds = tf.data.Dataset.from_tensor_slices(X).batch(32, drop_remainder=True).repeat()
with strat.scope():
    W = tf.Variable(tf.zeros([24, 1])); b = tf.Variable(0.)
it = iter(strat.distribute_datasets_from_function(lambda c: ds))
@tf.function
def pas(it):
    def f(x):
        h, y = x[:, :24], x[:, 24:]
        with tf.GradientTape() as t:
            perte = tf.reduce_mean((h @ W + b - y) ** 2)
        sur = tf.debugging.check_numerics(perte, 'perte locale')
        g = tf.distribute.get_replica_context().all_reduce('mean', t.gradient(perte, [W, b]))
        W.assign_sub(.01 * g[0]); b.assign_sub(.01 * g[1])
        return sur
    return strat.reduce('mean', strat.run(f, args=(next(it),)), axis=None)
for n in range(1, 2000):
    p = pas(it); time.sleep(.05)
    if n % 15 == 0: print('pas %5d   perte moyenne %.6f' % (n, float(p)))
