"""Trainers that feed from the tf.data service (each its own replica, gradients are local; a sweep of seeds)."""
import argparse, logging, os, time
import tensorflow as tf
from tensorflow.data.experimental import service as S
a = argparse.ArgumentParser()
a.add_argument('--dispatcher'); a.add_argument('--seed', type=int); a.add_argument('--steps', type=int, default=150)
a.add_argument('--fat', type=int, default=0); a.add_argument('--fifo'); a.add_argument('--sleep', type=float, default=.1)
a = a.parse_args()
logging.basicConfig(level=20, format='%(asctime)s [trainer ' + str(a.seed) + '] %(message)s')
log = logging.getLogger(); log.info('tensorflow %s pid %d', tf.__version__, os.getpid())
def one(i):
    x = tf.random.stateless_normal([8, 12], [i, a.seed]); return x, tf.reduce_sum(x, 1, keepdims=True)
def fat(i):   # decoded "images", cached in memory by the data worker
    return tf.random.stateless_uniform([a.fat, 1024, 256], [i, 1])
ds = tf.data.Dataset.range(10**6)
if a.fat:
    ds = tf.data.Dataset.range(10**6).map(fat).cache().map(lambda t: (t[0, :8, :12], t[0, :8, :1]))
elif a.fifo:  # the last part of the manifest comes from a staging program
    ds = tf.data.Dataset.from_tensor_slices([a.fifo + '/part-0', a.fifo + '/part-1', a.fifo + '/part-2'])
    ds = ds.flat_map(tf.data.TextLineDataset).map(lambda s: tf.strings.to_number(s, tf.int64)).map(one)
else:
    ds = ds.map(one)
ds = ds.apply(S.distribute('parallel_epochs', a.dispatcher, job_name='job', max_outstanding_requests=4))
w = tf.Variable(tf.zeros([12, 1]))
@tf.function
def step(x, y):
    with tf.GradientTape() as t: l = tf.reduce_mean((x @ w - y) ** 2)
    w.assign_sub(.01 * t.gradient(l, w)); return l
n = 0
for x, y in ds:
    n += 1; l = step(x, y)
    if n % 2 == 0: log.info('step %d loss %.5f', n, float(l))
    if n % 50 == 0: log.info('validation after %d steps: %.5f', n, float(l))
    if n >= a.steps: break
    time.sleep(a.sleep)
log.info('trainer %d done, %d steps', a.seed, n)
