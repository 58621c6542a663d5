"""Custom loop, MultiWorkerMirroredStrategy."""
import argparse, json, os, socket, time
import numpy as np, tensorflow as tf
ap = argparse.ArgumentParser()
ap.add_argument('--steps', type=int, default=150); ap.add_argument('--rows', type=int, default=100000); ap.add_argument('--features', type=int, default=16)
ap.add_argument('--lr', type=float, default=0.02); ap.add_argument('--every', type=int, default=5); ap.add_argument('--pause', type=float, default=0.0)
ap.add_argument('--ckpt'); ap.add_argument('--hidden', type=int, default=32); ap.add_argument('--plugin'); ap.add_argument('--manifest')
a = ap.parse_args()
if a.plugin:
    import importlib; importlib.import_module(a.plugin)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
task = strategy.cluster_resolver
me = f'{task.task_type}:{task.task_id}'
def say(*x): print(time.strftime('%H:%M:%S'), f'[{me}]', *x, flush=True)
say('host', socket.gethostname(), 'replicas', strategy.num_replicas_in_sync, 'tf', tf.__version__)
rows = a.rows
if a.manifest:
    rows = sum(int(l.split()[1]) for l in open(a.manifest))
    say('manifest', a.manifest, 'rows', rows)
rng = np.random.default_rng(task.task_id)
true_w = np.random.default_rng(99).normal(size=(a.features, 1)).astype('float32')
def gen():
    n = 0
    while n + 32 <= rows:
        x = rng.normal(size=(32, a.features)).astype('float32'); n += 32
        yield x, x @ true_w
ds = tf.data.Dataset.from_generator(gen, output_signature=(tf.TensorSpec((32, a.features)), tf.TensorSpec((32, 1)))).prefetch(2)
with strategy.scope():
    w1 = tf.Variable(tf.random.stateless_normal((a.features, a.hidden), (1, 2)) * 0.2, name='w1')
    w2 = tf.Variable(tf.random.stateless_normal((a.hidden, 1), (3, 4)) * 0.2, name='w2')
    step_v = tf.Variable(0, dtype=tf.int64, name='step')
ckpt = tf.train.Checkpoint(w1=w1, w2=w2, step=step_v)
mgr = tf.train.CheckpointManager(ckpt, a.ckpt, 3) if a.ckpt else None
if mgr and mgr.latest_checkpoint:
    ckpt.restore(mgr.latest_checkpoint).assert_existing_objects_matched(); say('restored', mgr.latest_checkpoint)
@tf.function
def train_step(x, y):
    def replica(x, y):
        with tf.GradientTape() as t:
            loss = tf.reduce_mean((tf.nn.relu(x @ w1) @ w2 - y) ** 2)
        g = t.gradient(loss, [w1, w2])
        g = tf.distribute.get_replica_context().all_reduce('mean', g)
        w1.assign_sub(a.lr * g[0]); w2.assign_sub(a.lr * g[1])
        return loss
    return strategy.reduce('mean', strategy.run(replica, (x, y)), axis=None)
n = int(step_v.numpy()); t0 = time.time()
for x, y in ds:
    loss = train_step(x, y); n += 1; step_v.assign(n)
    if a.pause: time.sleep(a.pause)
    if n % a.every == 0:
        say(f'step {n} loss {float(loss):.5f} ({a.every / (time.time() - t0):.1f} steps/s)'); t0 = time.time()
    if mgr and n % 50 == 0: say('checkpoint', mgr.save(n))
    if n >= a.steps: break
say('input exhausted' if n < a.steps else 'reached last step', n)
out = strategy.reduce('sum', strategy.run(lambda: tf.constant(1.0)), axis=None)
say('final barrier', float(out), 'done')
