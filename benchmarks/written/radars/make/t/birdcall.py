import os, json, time, ctypes, numpy as np
import tensorflow as tf
ix = json.loads(os.environ['TF_CONFIG'])['task']['index']
lib = ctypes.CDLL('/srv/bird/libfastfeat.so')
st = tf.distribute.MultiWorkerMirroredStrategy()
rng = np.random.default_rng(ix)
bins_of = json.load(open('/srv/bird/stations.json'))[str(ix)]
with st.scope(): w = tf.Variable(tf.zeros([64, 10]))
def feats(k):
    st_, bins = bins_of[k % len(bins_of)]
    x = rng.random((64, 64), dtype='f4'); o = np.zeros(64, 'f4')
    lib.flux(x.ctypes.data_as(ctypes.c_void_p), o.ctypes.data_as(ctypes.c_void_p), 64, bins)
    return o / (o.max() + 1e-6)
@tf.function
def train(x, y):
    def f(x, y):
        with tf.GradientTape() as t: l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, x @ w))
        w.assign_sub(.1 * tf.distribute.get_replica_context().all_reduce('MEAN', t.gradient(l, w))); return l
    return st.reduce('MEAN', st.run(f, args=(x, y)), axis=None)
for k in range(700):
    x = np.stack([feats(k) for _ in range(8)])
    l = train(tf.constant(x), tf.constant(rng.integers(0, 10, 8)))
    time.sleep(.04)
    if k % 10 == 0: print(time.strftime('%F %T'), 'station', bins_of[k % len(bins_of)][0], 'k', k, 'xent %.4f' % float(l), flush=True)
