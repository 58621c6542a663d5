import os, sys, json, time, argparse, logging
a = argparse.ArgumentParser()
for k, d in dict(epochs=4, steps=30, pace=0.05, ckpt='ckpt', resume=0, dim=16).items(): a.add_argument('--' + k, type=type(d), default=d)
A = a.parse_args()
logging.basicConfig(level=logging.INFO, format='%(asctime)s %(levelname)s %(name)s: %(message)s'); log = logging.getLogger('recsys')
import numpy as np, tensorflow as tf
R = tf.distribute.cluster_resolver.TFConfigClusterResolver()
log.info('tensorflow %s on %s as %s:%s pid %d', tf.__version__, os.uname().nodename, R.task_type, R.task_id, os.getpid())
if R.task_type in ('worker', 'ps'):
    s = tf.distribute.Server(R.cluster_spec(), job_name=R.task_type, task_index=R.task_id, protocol='grpc', start=True)
    log.info('server up at %s', s.target)
    while True:
        time.sleep(8); log.info('%s:%d alive, rss %s kB', R.task_type, R.task_id, open('/proc/self/status').read().split('VmRSS:')[1].split()[0])
st = tf.distribute.ParameterServerStrategy(R, variable_partitioner=tf.distribute.experimental.partitioners.MinSizePartitioner(min_shard_bytes=1 << 12, max_shards=2))
c = tf.distribute.coordinator.ClusterCoordinator(st)
with st.scope():
    emb = tf.Variable(tf.random.normal([4000, A.dim]), name='item_embedding'); w = tf.Variable(tf.random.normal([A.dim, 1]), name='head_w'); gs = tf.Variable(0, dtype=tf.int64, name='global_step')
ck = tf.train.Checkpoint(emb=emb, w=w, step=gs); mgr = tf.train.CheckpointManager(ck, A.ckpt, max_to_keep=3)
if mgr.latest_checkpoint:
    log.info('restoring %s', mgr.latest_checkpoint); ck.restore(mgr.latest_checkpoint); log.info('resumed at step %d', gs.numpy())
def dfn():
    return tf.data.Dataset.from_tensor_slices((np.random.randint(0, 4000, 4096), np.random.rand(4096, 1).astype('f'))).shuffle(512).repeat().batch(64)
it = iter(c.create_per_worker_dataset(dfn))
@tf.function
def step(it):
    def f(i, y):
        with tf.GradientTape() as t:
            l = tf.reduce_mean((tf.matmul(tf.nn.embedding_lookup(emb, i), w) - y) ** 2)
        for v, g in zip([w], t.gradient(l, [w])): v.assign_sub(0.01 * g)
        gs.assign_add(1); return l
    return st.run(f, args=next(it))
for ep in range(A.epochs):
    for k in range(A.steps):
        r = c.schedule(step, args=(it,)); time.sleep(A.pace)
        if k % 5 == 4: c.join(); log.info('epoch %d step %d loss %.5f', ep, k + 1, r.fetch())
    c.join(); log.info('epoch %d done, global step %d, saved %s', ep, gs.numpy(), mgr.save())
log.info('done')
