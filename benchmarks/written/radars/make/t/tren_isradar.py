"""tren_isradar - segmentering av isradar-ekkogram"""
import os, sys, json, time, logging, numpy as np
logging.basicConfig(level=logging.INFO, format='%(asctime)s %(levelname)s [%(name)s] %(message)s')
log = logging.getLogger('isradar')
import tensorflow as tf
from ekkocache import EkkoCache

tc = json.loads(os.environ['TF_CONFIG'])
rank = tc['task']['index']
opts = tf.distribute.experimental.CommunicationOptions(implementation=tf.distribute.experimental.CommunicationImplementation.RING)
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=opts)
log.info('oppgave worker:%d av %d, cache=%s', rank, strategy.num_replicas_in_sync, os.environ.get('EKKO_CACHE', 'lru:64'))
cache = EkkoCache(os.environ.get('EKKO_CACHE', 'lru:64'))
rng = np.random.default_rng(rank)

def gen():
    k = 0
    while True:
        x = cache.get(k)
        k += 1
        yield x[:128].astype('float32'), np.float32(x[:128].mean() > 0.5)

with strategy.scope():
    w1 = tf.Variable(tf.random.normal([128, 64], stddev=.1)); b1 = tf.Variable(tf.zeros([64]))
    w2 = tf.Variable(tf.random.normal([64, 1], stddev=.1))
def inp(ctx):
    return tf.data.Dataset.from_generator(gen, output_signature=(tf.TensorSpec([128]), tf.TensorSpec([]))).batch(16).prefetch(2)
it = iter(strategy.distribute_datasets_from_function(inp))
@tf.function
def step(it):
    def f(x, y):
        with tf.GradientTape() as t:
            l = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, tf.squeeze(tf.nn.relu(x @ w1 + b1) @ w2, 1)))
        vs = [w1, b1, w2]
        g = tf.distribute.get_replica_context().all_reduce('MEAN', t.gradient(l, vs))
        for v, d in zip(vs, g): v.assign_sub(.05 * d)
        return l
    return strategy.reduce('MEAN', strategy.run(f, args=next(it)), axis=None)
t0 = time.time()
for s in range(4000):
    l = step(it)
    if s % 10 == 0:
        log.info('steg %5d  tap %.5f  %.1f steg/s  ekko i cache %d', s, float(l), 10 / (time.time() - t0 + 1e-6), len(cache)); t0 = time.time()
    time.sleep(.06)
log.info('ferdig')
