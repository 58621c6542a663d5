"""ParameterServerStrategy with a ClusterCoordinator; ps and workers are plain servers."""
import argparse, json, logging, os, time
import tensorflow as tf
a = argparse.ArgumentParser()
a.add_argument('--steps', type=int, default=300); a.add_argument('--data'); a.add_argument('--sleep', type=float, default=.05)
a = a.parse_args()
r = tf.distribute.cluster_resolver.TFConfigClusterResolver()
logging.basicConfig(level=20, format='%(asctime)s %(name)s %(levelname)s %(message)s')
log = logging.getLogger(f'{r.task_type}-{r.task_id}')
log.info('tensorflow %s pid %d', tf.__version__, os.getpid())
if r.task_type in ('worker', 'ps'):
    s = tf.distribute.Server(r.cluster_spec(), job_name=r.task_type, task_index=r.task_id, protocol='grpc', start=True)
    log.info('server up at %s', s.target); s.join()
st = tf.distribute.ParameterServerStrategy(r)
co = tf.distribute.coordinator.ClusterCoordinator(st)
log.info('coordinator ready')
with st.scope():
    w = tf.Variable(tf.random.normal([16, 8]) * .1); u = tf.Variable(tf.random.normal([8, 1]) * .1); it_no = tf.Variable(0, dtype=tf.int64)
def make():
    if a.data:
        ds = tf.data.Dataset.list_files(a.data, shuffle=True).interleave(tf.data.TFRecordDataset, cycle_length=2).repeat()
        ds = ds.map(lambda s: tf.reshape(tf.io.decode_raw(s, tf.float32), [17]))
        return ds.map(lambda v: (v[:16], v[16:])).batch(16)
    ds = tf.data.Dataset.range(10**6).map(lambda i: tf.random.stateless_normal([16, 16], [i, 7]))
    return ds.map(lambda x: (x, tf.reduce_sum(x[:, :3], 1, keepdims=True)))
@tf.function
def step(it):
    x, y = next(it)
    with tf.GradientTape() as t:
        l = tf.reduce_mean((tf.nn.relu(x @ w) @ u - y) ** 2)
    for v, g in zip([w, u], t.gradient(l, [w, u])): v.assign_sub(.005 * g)
    it_no.assign_add(1)
    return l
pit = iter(co.create_per_worker_dataset(make))
for i in range(0, a.steps, 5):
    rs = [co.schedule(step, (pit,)) for _ in range(5)]
    co.join()
    log.info('step %d loss %.5f pending 0', i + 5, sum(float(x.fetch()) for x in rs) / 5)
    if (i + 5) % 50 == 0: log.info('eval step %d', i + 5)
    time.sleep(a.sleep)
log.info('finished')
