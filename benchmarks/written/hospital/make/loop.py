"""Custom training loop, MultiWorkerMirroredStrategy."""
import argparse, json, logging, os, sys, time, socket
ap = argparse.ArgumentParser()
ap.add_argument('--steps', type=int, default=300); ap.add_argument('--every', type=int, default=5)
ap.add_argument('--batch', type=int, default=32); ap.add_argument('--lr', type=float, default=0.05)
ap.add_argument('--ckpt', default=''); ap.add_argument('--ckpt-every', type=int, default=50)
ap.add_argument('--style', default='py'); ap.add_argument('--sleep', type=float, default=0.02)
ap.add_argument('--eval-every', type=int, default=100); ap.add_argument('--resume', action='store_true')
ap.add_argument('--hb', type=int, default=0); ap.add_argument('--eager', action='store_true'); ap.add_argument('--dump', type=int, default=0)
a = ap.parse_args()
import tensorflow as tf
import dataset
if a.dump:
    import faulthandler; faulthandler.dump_traceback_later(a.dump, repeat=True)
host = socket.gethostname()
logging.basicConfig(level=logging.INFO, format={'py': '%(asctime)s %(levelname)s %(name)s: %(message)s', 'short': '[%(asctime)s] %(message)s',
                    'host': f'%(asctime)s {host} trainer[%(process)d]: %(message)s'}.get(a.style, '%(message)s'),
                    datefmt='%H:%M:%S' if a.style == 'short' else None, stream=sys.stdout)
log = logging.getLogger('train')
log.info('host %s pid %d tensorflow %s', host, os.getpid(), tf.__version__)
log.info('args %s', vars(a))
if hasattr(dataset, 'early'): dataset.early(tf, log)
opts = tf.distribute.experimental.CommunicationOptions(timeout_seconds=a.hb) if a.hb else None
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=opts)
rank = strategy.cluster_resolver.task_id or 0
log.info('strategy ready: rank %d, replicas in sync %d', rank, strategy.num_replicas_in_sync)
W = dataset.FEATURES
with strategy.scope():
    mk = lambda n, sh: tf.Variable(tf.random.stateless_normal(sh, [1, len(n)]) * .1, name=n, aggregation=tf.VariableAggregation.MEAN)
    vs = [mk('dense1/kernel', [W, 32]), mk('dense1/bias', [32]), mk('head/kernel', [32, 4]), mk('head/bias', [4])]
gstep = tf.Variable(0, dtype=tf.int64, trainable=False)
def forward(x):
    return tf.matmul(tf.nn.relu(tf.matmul(x, vs[0]) + vs[1]), vs[2]) + vs[3]
def train_fn(batch):
    x, y = batch
    with tf.GradientTape() as t:
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=forward(x)))
        if hasattr(dataset, 'loss_hook'): loss = dataset.loss_hook(loss)
    g = t.gradient(loss, [v for v in vs])
    for v, d in zip(vs, g): v.assign_sub(a.lr * d)
    return loss
@tf.function
def train_step(batch):
    per = strategy.run(train_fn, args=(batch,))
    return strategy.reduce(tf.distribute.ReduceOp.MEAN, per, axis=None)
ck = mgr = None
if a.ckpt:
    ck = tf.train.Checkpoint(step=gstep, **{f'v{i}': v for i, v in enumerate(vs)})
    d = a.ckpt if rank == 0 else os.path.join('/tmp', f'ckpt_tmp_{os.getpid()}')
    mgr = tf.train.CheckpointManager(ck, d, max_to_keep=3)
    if a.resume:
        last = tf.train.latest_checkpoint(a.ckpt)
        log.info('restoring from %s', last)
        if last: ck.restore(last).assert_existing_objects_matched()
        log.info('restored, step %d', int(gstep))
if getattr(dataset, 'LOCAL', False):  # every worker reads its own list, no global batch
    it = iter(dataset.make(tf.distribute.InputContext(strategy.num_replicas_in_sync, rank, strategy.num_replicas_in_sync), a.batch))
else:
    it = iter(strategy.distribute_datasets_from_function(lambda ctx: dataset.make(ctx, a.batch)))
t0 = time.time()
while int(gstep) < a.steps:
    if hasattr(dataset, 'before_step'): dataset.before_step(int(gstep), rank, log)
    batch = next(it, None)
    if batch is None:
        log.info('input exhausted after step %d', int(gstep)); break
    loss = float(train_step(batch)); gstep.assign_add(1); s = int(gstep)
    if a.sleep: time.sleep(a.sleep)
    if s % a.every == 0:
        dt_ = time.time() - t0; t0 = time.time()
        if a.style == 'json': print(json.dumps({'ts': round(time.time(), 3), 'host': host, 'rank': rank, 'step': s, 'loss': round(loss, 5), 'sec_per_step': round(dt_ / a.every, 4)}))
        elif a.style == 'bar': print(f'step {s:>5}/{a.steps}  loss={loss:.4f}  {a.every*a.batch/dt_:.1f} samples/s')
        else: log.info('step %d loss %.5f (%.1f ms/step)', s, loss, 1000 * dt_ / a.every)
    if a.eval_every and s % a.eval_every == 0:
        x, y = dataset.holdout()
        acc = float(tf.reduce_mean(tf.cast(tf.equal(tf.argmax(forward(x), 1), y), tf.float32)))
        log.info('eval step %d holdout accuracy %.4f', s, acc)
    if mgr and s % a.ckpt_every == 0:
        log.info('saved %s', mgr.save(checkpoint_number=s))
log.info('training finished after %d steps, last loss %.5f', int(gstep), loss)
if hasattr(dataset, 'after'): dataset.after(rank, log)
