"""ParameterServerStrategy with a coordinator; the same file runs all task types."""
import argparse, json, logging, os, sys, time, socket
ap = argparse.ArgumentParser()
ap.add_argument('--steps', type=int, default=600); ap.add_argument('--every', type=int, default=20); ap.add_argument('--port-check', action='store_true')
ap.add_argument('--pause', type=float, default=0.0); ap.add_argument('--ckpt', default='')
a = ap.parse_args()
import tensorflow as tf
import dataset
logging.basicConfig(level=logging.INFO, format='%(asctime)s [%(levelname)s] %(message)s', stream=sys.stdout)
log = logging.getLogger('coord')
res = tf.distribute.cluster_resolver.TFConfigClusterResolver()
log.info('%s: %s %s, tensorflow %s, pid %d', socket.gethostname(), res.task_type, res.task_id, tf.__version__, os.getpid())
if res.task_type in ('worker', 'ps'):
    srv = tf.distribute.Server(res.cluster_spec(), job_name=res.task_type, task_index=res.task_id, protocol='grpc', start=True)
    srv.join()
strategy = tf.distribute.ParameterServerStrategy(res)
coord = tf.distribute.coordinator.ClusterCoordinator(strategy)
W = dataset.FEATURES
with strategy.scope():
    w = tf.Variable(tf.random.stateless_normal([W, 4], [1, 2]) * .1, name='w'); b = tf.Variable(tf.zeros([4]), name='b')
    seen = tf.Variable(0, dtype=tf.int64, name='seen')
@tf.function
def step(it):
    def fn(x, y):
        with tf.GradientTape() as t:
            l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=tf.matmul(x, w) + b))
        vs = [w, b]
        for v, g in zip(vs, t.gradient(l, vs)): v.assign_sub(.05 * g)
        seen.assign_add(1)
        return l
    x, y = next(it)
    return strategy.run(fn, args=(x, y))
ds = coord.create_per_worker_dataset(lambda: strategy.distribute_datasets_from_function(lambda ctx: dataset.make(ctx, 32)))
it = iter(ds)
log.info('coordinator ready, %d workers, %d ps', *[len(res.cluster_spec().as_dict().get(k, [])) for k in ('worker', 'ps')])
t0 = time.time(); ck = None
if a.ckpt: ck = tf.train.CheckpointManager(tf.train.Checkpoint(w=w, b=b, seen=seen), a.ckpt, 3)
n = 0
while n < a.steps:
    rs = [coord.schedule(step, args=(it,)) for _ in range(a.every)]
    coord.join(); n += a.every
    log.info('scheduled %d done, mean loss %.4f, %.1f steps/s', n, sum(float(r.fetch()) for r in rs) / len(rs), a.every / (time.time() - t0)); t0 = time.time()
    if ck and n % 200 == 0: log.info('checkpoint %s', ck.save())
    if a.pause: time.sleep(a.pause)
log.info('finished, variable seen = %d', int(seen))
