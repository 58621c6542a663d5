"""ParameterServerStrategy with a ClusterCoordinator; the role comes from TF_CONFIG."""
import argparse, json, logging, os, socket, sys, time
import numpy as np, tensorflow as tf
logging.basicConfig(level=logging.INFO, format='%(asctime)s [%(process)d] %(levelname)s %(message)s', stream=sys.stdout)
log = logging.getLogger('ads')
ap = argparse.ArgumentParser()
ap.add_argument('--steps', type=int, default=60); ap.add_argument('--per', type=int, default=10); ap.add_argument('--lr', type=float, default=0.02)
ap.add_argument('--ckpt', default='../ckpt'); ap.add_argument('--dim', type=int, default=24); ap.add_argument('--vocab', type=int, default=1000)
ap.add_argument('--clip-log', action='store_true'); ap.add_argument('--pause', type=float, default=0.0); ap.add_argument('--labels', default='ok')
a = ap.parse_args()
resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ('worker', 'ps'):
    log.info('%s:%d on %s starts its server', resolver.task_type, resolver.task_id, socket.gethostname())
    s = tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol='grpc', start=True)
    log.info('serving at %s', s.target); s.join()
log.info('coordinator on %s, tensorflow %s', socket.gethostname(), tf.__version__)
strategy = tf.distribute.ParameterServerStrategy(resolver, variable_partitioner=tf.distribute.experimental.partitioners.FixedShardsPartitioner(max(1, resolver.cluster_spec().num_tasks('ps'))))
coord = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    emb = tf.Variable(tf.random.stateless_normal((a.vocab, a.dim), (1, 2)) * 0.1, name='emb')
    w = tf.Variable(tf.zeros((a.dim, 1)), name='w')
    step_v = tf.Variable(0, dtype=tf.int64, name='step')
ckpt = tf.train.Checkpoint(emb=emb, w=w, step=step_v)
mgr = tf.train.CheckpointManager(ckpt, a.ckpt, 2)
if mgr.latest_checkpoint:
    log.info('restoring %s', mgr.latest_checkpoint); ckpt.restore(mgr.latest_checkpoint); log.info('restored at step %d', int(step_v.numpy()))
def per_worker():
    def gen():
        r = np.random.default_rng(int(time.time() * 1e3) % 2**32)
        k = 0
        while True:
            ids = r.integers(0, a.vocab, size=(64, 5)); y = (ids.mean(1, keepdims=True) / a.vocab).astype('float32'); k += 1
            if a.labels == 'log' and k > 40: y = np.log(y - 0.5 * (k % 3 == 0)).astype('float32')
            yield ids, y
    return tf.data.Dataset.from_generator(gen, output_signature=(tf.TensorSpec((64, 5), tf.int64), tf.TensorSpec((64, 1)))).prefetch(1)
@tf.function
def worker_step(it):
    ids, y = next(it)
    with tf.GradientTape() as t:
        e = tf.reduce_mean(tf.nn.embedding_lookup(emb, ids), 1)
        loss = tf.reduce_mean((e @ tf.convert_to_tensor(w) - y) ** 2)
    g = t.gradient(loss, list(w.variables) if hasattr(w, 'variables') else [w])
    for v, d in zip(w.variables if hasattr(w, 'variables') else [w], g): v.assign_sub(a.lr * d)
    return loss
it = iter(coord.create_per_worker_dataset(per_worker))
log.info('per-worker datasets made')
first = int(step_v.numpy())
for s in range(first, first + a.steps):
    rs = [coord.schedule(worker_step, args=(it,)) for _ in range(a.per)]
    coord.join()
    loss = float(np.mean([r.fetch() for r in rs])); step_v.assign_add(1)
    if s % 2 == 0: log.info('round %d loss %.5f', s, loss)
    if not np.isfinite(loss):
        log.error('loss is not finite (%s) at round %d, giving up', loss, s); raise FloatingPointError(f'non-finite loss {loss} at round {s}')
    if s % 10 == 9: log.info('saved %s', mgr.save(s))
    if a.pause: time.sleep(a.pause)
log.info('all rounds done')
