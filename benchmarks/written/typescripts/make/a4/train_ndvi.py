import sys, time, logging
import tensorflow as tf
logging.basicConfig(format='%(levelname)s %(asctime)s %(module)s:%(lineno)d] %(message)s', level=logging.INFO, stream=sys.stderr)
svc = sys.argv[1]
tf.get_logger().propagate = False
w = tf.Variable(tf.random.normal([48, 1], stddev=.1))
def tiles(epoch):
    return tf.data.Dataset.range(60).shuffle(60, seed=epoch).map(lambda i: (tf.random.normal([32, 48]), tf.random.normal([32, 1]))).apply(
        tf.data.experimental.service.distribute(processing_mode=tf.data.experimental.service.ShardingPolicy.DYNAMIC, service=svc))
@tf.function
def step(x, y):
    with tf.GradientTape() as t: l = tf.reduce_mean((x @ w - y) ** 2)
    w.assign_sub(.05 * t.gradient(l, w)); return l
for ep in range(1, 60):
    t0 = time.time(); ls = []
    for x, y in tiles(ep):
        ls.append(float(step(x, y))); time.sleep(.012)
    logging.info('época %d: %d lotes, perda %.4f, %.1fs', ep, len(ls), sum(ls) / len(ls), time.time() - t0)
