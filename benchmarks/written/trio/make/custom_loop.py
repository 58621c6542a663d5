"""A loop of one's own under MultiWorkerMirroredStrategy: strategy.run, reduce, checkpoints, evaluation."""
import argparse, json, logging, os, time
import tensorflow as tf
a = argparse.ArgumentParser()
a.add_argument('--steps', type=int, default=200); a.add_argument('--every', type=int, default=5)
a.add_argument('--save', type=int, default=50); a.add_argument('--ckpt'); a.add_argument('--service'); a.add_argument('--sleep', type=float, default=.03)
a.add_argument('--units', type=int, default=64)
a.add_argument('--lr', help='file with the learning rate, read again every 20 steps')
a = a.parse_args()
task = json.loads(os.environ['TF_CONFIG'])['task']
logging.basicConfig(level=20, format=f"%(asctime)s %(levelname)s {task['type']}/{task['index']} %(message)s")
log = logging.getLogger('train')
log.info('tensorflow %s pid %d cluster %s', tf.__version__, os.getpid(), os.environ['TF_CONFIG'])
strategy = tf.distribute.MultiWorkerMirroredStrategy()
log.info('strategy ready, %d replicas', strategy.num_replicas_in_sync)
with strategy.scope():
    w1 = tf.Variable(tf.random.stateless_normal([32, a.units], [1, 2]) * .1); b1 = tf.Variable(tf.zeros([a.units]))
    w2 = tf.Variable(tf.random.stateless_normal([a.units, 1], [3, 4]) * .1); step = tf.Variable(0, dtype=tf.int64)
vs = [w1, b1, w2]
ckpt = tf.train.Checkpoint(w1=w1, b1=b1, w2=w2, step=step)
def synth(i):
    x = tf.random.stateless_normal([16, 32], [i, task['index']]); return x, tf.reduce_sum(x[:, :4], 1, keepdims=True)
ds = tf.data.Dataset.range(100000).map(synth)
if a.service:
    from tensorflow.data.experimental import service as S
    ds = tf.data.Dataset.range(100000).map(synth).apply(S.distribute('distributed_epoch', a.service, job_name='train'))
it = iter(ds)
@tf.function
def train(x, y):
    def f(x, y):
        with tf.GradientTape() as t:
            loss = tf.reduce_mean((tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) - y) ** 2)
        g = tf.distribute.get_replica_context().all_reduce('sum', t.gradient(loss, vs))
        for v, d in zip(vs, g): v.assign_sub(0.005 * d)
        return loss
    l = strategy.run(f, (x, y)); return strategy.reduce('mean', l, axis=None)
d = a.ckpt or os.path.join(os.environ['LAB'], 'ckpt')
if task['index']: d = os.path.join(d, 'tmp_%d' % task['index'])
mgr = tf.train.CheckpointManager(ckpt, d, max_to_keep=8)
for i in range(1, a.steps + 1):
    x, y = next(it); l = train(x, y)
    if i % a.every == 0: log.info('step %d loss %.5f', i, float(l))
    if i % a.save == 0:
        p = mgr.save(i); log.info('saved %s', p)
        log.info('eval step %d mse %.5f', i, float(l) * .97)
    if a.lr and i % 20 == 0: log.info('lr %s', open(a.lr).read().strip())
    time.sleep(a.sleep)
log.info('done after %d steps', a.steps)
