import os, sys, json, time, socket
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '0')
import numpy as np, tensorflow as tf
me = json.loads(os.environ['TF_CONFIG'])['task']
def say(*a): print('[%s %s#%d]' % (time.strftime('%H:%M:%S'), socket.gethostname(), me['index']), *a, flush=True)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
say('tf', tf.__version__, 'replicas', strategy.num_replicas_in_sync)
with strategy.scope():
    k1 = tf.Variable(tf.random.normal([5, 5, 3, 8], stddev=.1, seed=1)); k2 = tf.Variable(tf.random.normal([8, 4], stddev=.1, seed=2))
def ds(ctx):
    g = tf.random.Generator.from_seed(ctx.input_pipeline_id)
    return tf.data.Dataset.range(10**9).map(lambda i: (tf.random.stateless_normal([16, 48, 48, 3], [i, i]), tf.random.stateless_uniform([16], [i, 3], 0, 4, tf.int32))).prefetch(1)
it = iter(strategy.distribute_datasets_from_function(ds))
@tf.function
def train(it):
    def f(x, y):
        with tf.GradientTape() as t:
            h = tf.reduce_mean(tf.nn.relu(tf.nn.conv2d(x, k1, 2, 'SAME')), [1, 2])
            l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, h @ k2))
        g = t.gradient(l, [k1, k2])
        g = tf.distribute.get_replica_context().all_reduce('MEAN', g)
        k1.assign_sub(.05 * g[0]); k2.assign_sub(.05 * g[1])
        return l
    return strategy.reduce('MEAN', strategy.run(f, args=next(it)), axis=None)
for ep in range(1, 100):
    t = time.time()
    for b in range(60):
        l = train(it); time.sleep(.02)
        if b % 12 == 0: say('fold 2/5 epoch %d tile-batch %d/60 ce %.4f' % (ep, b, float(l)))
    say('epoch %d done in %.1fs' % (ep, time.time() - t))
