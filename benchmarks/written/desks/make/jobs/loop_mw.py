"""Custom training loop over MultiWorkerMirroredStrategy."""
import argparse, faulthandler, glob, json, os, signal, sys, time, socket
faulthandler.enable(); faulthandler.register(signal.SIGUSR1, all_threads=True)
import numpy as np
import tensorflow as tf
p = argparse.ArgumentParser()
p.add_argument('--steps', type=int, default=120); p.add_argument('--every', type=int, default=2)
p.add_argument('--batch', type=int, default=16); p.add_argument('--features', type=int, default=32)
p.add_argument('--data', default=''); p.add_argument('--lr', type=float, default=0.01)
p.add_argument('--vocab', default=''); p.add_argument('--cache', default=''); p.add_argument('--eval-every', type=int, default=40)
p.add_argument('--timeout', type=float, default=0.0); p.add_argument('--guard', action='store_true'); p.add_argument('--sleep', type=float, default=0.0)
a = p.parse_args()
t00 = time.time()
idx = json.loads(os.environ['TF_CONFIG'])['task']['index']
def say(*x): print('[%7.2f] %s r%d |' % (time.time() - t00, socket.gethostname().split('.')[0], idx), *x, flush=True)
say('tf', tf.__version__, 'TF_CONFIG', os.environ['TF_CONFIG'])
strategy = tf.distribute.MultiWorkerMirroredStrategy()
say('replicas in sync:', strategy.num_replicas_in_sync)

def cached(shard):
    """One decode of each shard per cluster: the first that comes takes the lock."""
    lock, out = os.path.join(a.cache, 'shard-%02d.lock' % shard), os.path.join(a.cache, 'shard-%02d.npy' % shard)
    while True:
        try:
            fd = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY); break
        except FileExistsError:
            time.sleep(0.5)
    os.write(fd, b'%d' % os.getpid())
    if not os.path.exists(out):
        np.save(out, np.random.RandomState(shard).randn(256, a.features).astype('float32'))
    arr = np.load(out); os.close(fd); os.unlink(lock)
    return arr
vocab = len(open(a.vocab).read().split('\n')) - 1 if a.vocab else 0
if vocab: say('vocabulary:', vocab, 'entries')
W = np.random.RandomState(1).randn(a.features, 1).astype('float32')

def batches():
    if a.cache:
        shard = idx
        while True:
            arr = cached(shard)
            say('shard %02d in memory (%d rows)' % (shard, len(arr)))
            for i in range(0, len(arr), a.batch): yield arr[i:i + a.batch], arr[i:i + a.batch] @ W
            shard += strategy.num_replicas_in_sync
    elif a.data:
        files = sorted(glob.glob(a.data))[idx::strategy.num_replicas_in_sync]
        say('my files:', [os.path.basename(f) for f in files])
        for f in files:
            arr = np.load(f)
            say('open', os.path.basename(f), arr.shape)
            for i in range(0, len(arr) - a.batch + 1, a.batch): yield arr[i:i + a.batch, :-1], arr[i:i + a.batch, -1:]
    else:
        r = np.random.RandomState(100 + idx)
        while True:
            x = r.randn(a.batch, a.features).astype('float32'); yield x, x @ W
with strategy.scope():
    w1 = tf.Variable(tf.random.stateless_normal([a.features, 32], seed=[1, 2]) * 0.1, name='w1')
    w2 = tf.Variable(tf.random.stateless_normal([32, 1], seed=[3, 4]) * 0.1, name='w2')
    emb = tf.Variable(tf.zeros([vocab, 8]), name='token_embedding') if vocab else None
    opt = tf.keras.optimizers.SGD(a.lr)
    opt.build([w1, w2] + ([emb] if vocab else []))
vs = [w1, w2] + ([emb] if vocab else [])
@tf.function
def step(x, y):
    def fn(x, y):
        with tf.GradientTape() as t:
            h = tf.nn.tanh(x @ w1)
            loss = tf.reduce_mean((h @ w2 - y) ** 2)
            if vocab: loss += 1e-3 * tf.reduce_sum(emb ** 2)
        g = t.gradient(loss, vs)
        if a.guard: g = [tf.debugging.check_numerics(x, 'gradient of ' + v.name.split(':')[0]) for x, v in zip(g, vs)]
        g = tf.distribute.get_replica_context().all_reduce('mean', g, options=tf.distribute.experimental.CommunicationOptions(timeout_seconds=a.timeout or None))
        for v, q in zip(vs, g): v.assign_sub(a.lr * q)
        return loss
    l = strategy.run(fn, args=(x, y))
    return strategy.reduce('mean', l, axis=None)
n, ts, it = 0, time.time(), batches()
while n < a.steps:
    try:
        x, y = next(it)
    except StopIteration:
        say('end of data after step %d, waiting for the others' % n)
        while True: time.sleep(1)
    loss = step(tf.constant(x), tf.constant(y)); n += 1
    if a.sleep: time.sleep(a.sleep)
    if n % a.every == 0:
        say('step %4d loss %.5f  %.1f steps/s' % (n, float(loss), a.every / (time.time() - ts))); ts = time.time()
    if n % a.eval_every == 0 and idx == 0:
        say('checkpoint candidate at step %d |w1|=%.4f |w2|=%.4f' % (n, float(tf.norm(w1)), float(tf.norm(w2))))
say('done', n, 'steps')
