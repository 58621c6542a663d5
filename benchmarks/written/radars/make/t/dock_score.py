import json, os, sys, time, socket
from absl import logging
logging.set_verbosity(logging.INFO); logging.use_absl_handler()
import tensorflow as tf
tag = os.environ.get('RUN_TAG', '?')
logging.info('run %s on %s', tag, socket.gethostname())
mw = tf.distribute.MultiWorkerMirroredStrategy()
with mw.scope():
    model_w = [tf.Variable(tf.random.normal(s, stddev=.05)) for s in ([256, 64], [64, 1])]
@tf.function
def train():
    def f():
        x = tf.random.normal([64, 256])
        with tf.GradientTape() as t: l = tf.reduce_mean((tf.nn.gelu(x @ model_w[0]) @ model_w[1] - x[:, :1]) ** 2)
        g = tf.distribute.get_replica_context().all_reduce('MEAN', t.gradient(l, model_w))
        for v, d in zip(model_w, g): v.assign_sub(.1 * d)
        return l
    return mw.reduce('MEAN', mw.run(f), axis=None)
for i in range(int(os.environ.get('N', '900'))):
    l = train(); time.sleep(.05)
    if i % 20 == 0: logging.info('[%s] step %d rmse %.4f', tag, i, float(l) ** .5)
