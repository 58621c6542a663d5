"""Tailings-flow model: ParameterServerStrategy, coordinator tolerates lost workers (TF 2.15)."""
import os, json, time, logging, socket
logging.basicConfig(level=logging.INFO, format='%(levelname)s %(name)s %(message)s'); log = logging.getLogger('sluice')
import tensorflow as tf
t = json.loads(os.environ['TF_CONFIG'])['task']; r = tf.distribute.cluster_resolver.TFConfigClusterResolver(); log.info('%s %s on %s tf %s', t['type'], t['index'], socket.gethostname(), tf.__version__)
if t['type'] != 'chief':
    s = tf.distribute.Server(r.cluster_spec(), job_name=t['type'], task_index=t['index'], protocol='grpc'); log.info('serving'); s.join()
st = tf.distribute.ParameterServerStrategy(r); co = tf.distribute.coordinator.ClusterCoordinator(st)
with st.scope(): w = tf.Variable(tf.zeros([16])); n = tf.Variable(0, dtype=tf.int64)
it = iter(co.create_per_worker_dataset(lambda: tf.data.Dataset.range(1 << 30).map(lambda i: tf.random.stateless_normal([16], [i, 2]) + 1.)))
@tf.function
def step(it):
    x = next(it); w.assign_sub(.01 * (w - x)); n.assign_add(1); return tf.norm(w - x)
for e in range(40):
    rs = [co.schedule(step, args=(it,)) for _ in range(40)]; co.join(); log.info('round %d done, %d steps, residual %.3f', e, int(n.numpy()), float(rs[-1].fetch())); time.sleep(.35)
log.info('evaluation rmse %.4f', float(tf.norm(w.read_value() - 1.))); log.info('done; coordinator exits'); os._exit(0)
