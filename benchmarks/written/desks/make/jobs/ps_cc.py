"""ParameterServerStrategy with a ClusterCoordinator; every task runs this file."""
import argparse, glob, json, os, sys, time, logging
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format='%(asctime)s [%(levelname)s] %(message)s')
log = logging.getLogger('ps')
os.environ.setdefault('GRPC_FAIL_FAST', 'use_caller')
import numpy as np
import tensorflow as tf
p = argparse.ArgumentParser()
p.add_argument('--epochs', type=int, default=6); p.add_argument('--steps', type=int, default=20)
p.add_argument('--files', default=''); p.add_argument('--sleep', type=float, default=0.0)
a = p.parse_args()
res = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if res.task_type in ('ps', 'worker'):
    log.info('%s:%d on %s starts its server', res.task_type, res.task_id, os.uname().nodename)
    s = tf.distribute.Server(res.cluster_spec(), job_name=res.task_type, task_index=res.task_id, protocol='grpc', start=True)
    log.info('listening at %s', s.target)
    s.join()
log.info('coordinator: cluster %s', res.cluster_spec().as_dict())
strategy = tf.distribute.experimental.ParameterServerStrategy(res)
coord = tf.distribute.experimental.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    w = tf.Variable(tf.zeros([16, 1]), name='w'); b = tf.Variable(tf.zeros([1]), name='b')
    steps = tf.Variable(0, dtype=tf.int64, name='steps')
def make_ds():
    if a.files:
        ds = tf.data.Dataset.list_files(a.files, shuffle=True, seed=3)
        ds = ds.interleave(lambda f: tf.data.TFRecordDataset(f).repeat(), cycle_length=160, block_length=1)
        ds = ds.map(lambda r: tf.io.parse_tensor(r, tf.float32)).map(lambda v: (v[:16], v[16:]))
    else:
        ds = tf.data.Dataset.random(seed=5).map(lambda s: tf.random.stateless_normal([17], [s, 1])).map(lambda v: (v[:16], v[16:] * .1 + v[:1]))
    return ds.repeat().batch(32).prefetch(1)
@tf.function
def per_worker(): return strategy.distribute_datasets_from_function(lambda ctx: make_ds())
it = iter(coord.create_per_worker_dataset(per_worker))
@tf.function
def step(it):
    x, y = next(it)
    with tf.GradientTape() as t: loss = tf.reduce_mean((x @ w + b - y) ** 2)
    gw, gb = t.gradient(loss, [w, b])
    w.assign_sub(0.02 * gw); b.assign_sub(0.02 * gb); steps.assign_add(1)
    return loss
for e in range(a.epochs):
    t0 = time.time()
    rs = [coord.schedule(step, args=(it,)) for _ in range(a.steps)]
    coord.join()
    ls = [float(r.fetch()) for r in rs]
    for i in range(0, len(ls), 5): log.info('epoch %d step %d loss %.4f', e, i, ls[i])
    log.info('epoch %d: mean loss %.4f, %d updates in all, %.1f s', e, sum(ls) / len(ls), int(steps.numpy()), time.time() - t0)
    if a.sleep: time.sleep(a.sleep)
log.info('training done')
