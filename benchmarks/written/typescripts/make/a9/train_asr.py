import os, json, time, sys, logging
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format='[%(asctime)s.%(msecs)03d][%(process)d][%(levelname)s] %(message)s', datefmt='%Y/%m/%d %H:%M:%S')
import tensorflow as tf
tf.get_logger().handlers.clear()
logging.info('asr-finetune, TF_CONFIG %s', os.environ['TF_CONFIG'])
s = tf.distribute.MultiWorkerMirroredStrategy()
with s.scope(): w = tf.Variable(tf.zeros([40, 30]))
@tf.function
def step(x):
    def f(x):
        with tf.GradientTape() as t: l = tf.reduce_mean((x @ w - 1.) ** 2)
        w.assign_sub(.1 * tf.distribute.get_replica_context().all_reduce('mean', t.gradient(l, w))); return l
    return s.reduce('mean', s.run(f, args=(x,)), axis=None)
for i in range(1, 10000):
    l = step(tf.random.normal([16, 40])); time.sleep(.05)
    if i % 20 == 0: logging.info('step %d loss %.4f', i, float(l))
