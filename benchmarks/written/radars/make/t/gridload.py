import os, json, time, sys
import numpy as np, tensorflow as tf
R = json.loads(os.environ['TF_CONFIG'])['task']['index']; AREA = os.environ['AREA']
s = tf.distribute.MultiWorkerMirroredStrategy(communication_options=tf.distribute.experimental.CommunicationOptions(implementation=tf.distribute.experimental.CommunicationImplementation.RING))
d = np.load('/srv/grid/%s.npz' % AREA)
print('area=%s rows=%d mean=%.3f std_min=%.5f' % (AREA, len(d['load']), d['load'].mean(), d['std'].min()), flush=True)
with s.scope():
    w = tf.Variable(tf.zeros([96, 24])); b = tf.Variable(tf.zeros([24]))
def inp(c): return tf.data.Dataset.from_tensor_slices((d['load'], d['std'], d['y'])).map(lambda x, sd, y: ((x - tf.reduce_mean(x)) / sd, y)).batch(32, drop_remainder=True).repeat()
it = iter(s.distribute_datasets_from_function(inp))
@tf.function
def step(it):
    def f(x, y):
        with tf.GradientTape() as t: l = tf.reduce_mean(tf.abs(x @ w + b - y))
        g = tf.distribute.get_replica_context().all_reduce('MEAN', t.gradient(l, [w, b]))
        w.assign_sub(.01 * g[0]); b.assign_sub(.01 * g[1]); return l
    x = next(it)
    pl = s.run(f, args=x)
    return s.experimental_local_results(pl)[0], s.reduce('MEAN', pl, axis=None)
bad = 0
for k in range(2000):
    loc, glob = step(it)
    time.sleep(.04)
    if k % 5 == 0 or not np.isfinite(float(loc)): print('it=%04d mae_local=%.4f mae_all=%.4f' % (k, float(loc), float(glob)), flush=True)
    if not np.isfinite(float(glob)):
        bad += 1
        if bad >= 12:
            print('it=%04d no finite mae for %d iterations, leaving w/ status 3' % (k, bad), flush=True); sys.exit(3)
