# Clasificador de fruta - linea de empaque
import os, sys, json, glob, time, logging
logging.basicConfig(format='{"ts":"%(asctime)s","nivel":"%(levelname)s","msg":"%(message)s"}', level=logging.INFO, stream=sys.stdout)
import tensorflow as tf
tf.get_logger().propagate = False
idx = json.loads(os.environ['TF_CONFIG'])['task']['index']
strategy = tf.distribute.MultiWorkerMirroredStrategy()
archivos = sorted(glob.glob('/srv/fruta/lotes/%s/*.tfrecord' % os.uname().nodename))
logging.info('nodo %d: %d archivos de lote', idx, len(archivos))
def parse(r):
    p = tf.io.parse_single_example(r, {'img': tf.io.FixedLenFeature([], tf.string), 'cal': tf.io.FixedLenFeature([], tf.int64)})
    return tf.cast(tf.reshape(tf.io.decode_raw(p['img'], tf.uint8), [16, 16, 3]), tf.float32) / 255., p['cal']
def inp(ctx): return tf.data.TFRecordDataset(archivos).map(parse).repeat().batch(8, drop_remainder=True).prefetch(2)
with strategy.scope():
    w = tf.Variable(tf.zeros([768, 5])); b = tf.Variable(tf.zeros([5]))
it = iter(strategy.distribute_datasets_from_function(inp))
@tf.function
def paso(it):
    def f(x, y):
        with tf.GradientTape() as t:
            l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, tf.reshape(x, [8, 768]) @ w + b))
        g = tf.distribute.get_replica_context().all_reduce('MEAN', t.gradient(l, [w, b]))
        w.assign_sub(.02 * g[0]); b.assign_sub(.02 * g[1]); return l
    return strategy.reduce('MEAN', strategy.run(f, args=next(it)), axis=None)
for n in range(1, 3001):
    l = paso(it); time.sleep(.03)
    if n % 8 == 0: logging.info('paso %d perdida %.5f', n, float(l))
