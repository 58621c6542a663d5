import os, sys, json, time, argparse, logging
a = argparse.ArgumentParser()
for k, d in dict(mode='fit', epochs=4, steps=25, batch=16, lr=0.01, pace=0.02, data='', url='', dim=24, hidden=32, resume=0, oddbatch=0, oddstep=0, shard='', ckpt='backup', verbose=2, nval=0, threads=0).items():
    a.add_argument('--' + k, type=type(d), default=d)
A = a.parse_args()
logging.basicConfig(level=logging.INFO, format='%(asctime)s %(levelname)s %(name)s: %(message)s')
log = logging.getLogger('train')
import numpy as np, tensorflow as tf
host = os.uname().nodename
cfg = json.loads(os.environ['TF_CONFIG']); task = cfg['task']; idx = task['index']
log.info('host=%s pid=%d tensorflow=%s task=%s/%d', host, os.getpid(), tf.__version__, task['type'], idx)
if A.url:
    import requests
    log.info('fetching label map %s', A.url)
    r = requests.get(A.url, timeout=10, verify=os.environ.get('REQUESTS_CA_BUNDLE', True)); r.raise_for_status()
    log.info('label map: %d bytes', len(r.content))
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=tf.distribute.experimental.CommunicationOptions(timeout_seconds=float(os.environ.get('COLL_TIMEOUT', '0')) or None))
log.info('replicas in sync: %d', strategy.num_replicas_in_sync)
def model_fn():
    return tf.keras.Sequential([tf.keras.Input((A.dim,)), tf.keras.layers.Dense(A.hidden, activation='relu', name='enc'), tf.keras.layers.Dense(10, name='head')])
rng = np.random.default_rng(7 + idx)
def gen(n):
    x = rng.normal(size=(n, A.dim)).astype('float32'); y = (np.abs(x.sum(1)) % 10).astype('int64'); return x, y
def parse(s):
    f = tf.io.parse_single_example(s, {'x': tf.io.FixedLenFeature([A.dim], tf.float32), 'y': tf.io.FixedLenFeature([], tf.int64)}); return f['x'], f['y']
if A.mode == 'fit':
    with strategy.scope():
        m = model_fn(); m.compile(tf.keras.optimizers.SGD(A.lr), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=['accuracy'])
    x, y = gen(A.batch * A.steps)
    ds = tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(A.batch, drop_remainder=True)
    o = tf.data.Options(); o.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF; ds = ds.with_options(o)
    class Pace(tf.keras.callbacks.Callback):
        def on_train_batch_end(s, b, logs=None):
            time.sleep(A.pace)
            if b % 10 == 9: log.info('batch %d loss %.4f', b + 1, float(logs['loss']))
    cbs = [Pace(), tf.keras.callbacks.TerminateOnNaN()]
    if A.ckpt: cbs.append(tf.keras.callbacks.BackupAndRestore(f'{A.ckpt}/{"chief" if idx == 0 else "w%d" % idx}' if A.ckpt != 'backup' else f'backup/{idx}', save_freq='epoch'))
    m.fit(ds, epochs=A.epochs, steps_per_epoch=A.steps, callbacks=cbs, verbose=A.verbose)
    log.info('training finished'); sys.exit(0)
# ---- custom loop
with strategy.scope():
    m = model_fn(); opt = tf.keras.optimizers.SGD(A.lr)
    loss_o = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction='none')
def dfn(ctx):
    b = A.batch
    if A.shard:
        d = tf.data.TFRecordDataset(A.shard % idx).map(parse)
        log.info('reading %s', A.shard % idx)
    else:
        d = tf.data.Dataset.from_tensor_slices(gen(b * A.steps))
    return d.batch(b, drop_remainder=True).prefetch(2)
@tf.function
def step(b):
    def one(xy):
        x, y = xy
        with tf.GradientTape() as t:
            l = tf.reduce_sum(loss_o(y, m(x, training=True))) / A.batch / strategy.num_replicas_in_sync
        g = t.gradient(l, m.trainable_variables); opt.apply_gradients(zip(g, m.trainable_variables)); return l
    return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(one, args=(b,)), axis=None)
if A.oddbatch:
    @tf.function
    def stat(v): return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(lambda: tf.identity(v)), axis=None)
gs = 0
for ep in range(A.epochs):
    log.info('epoch %d start', ep); t0 = time.time()
    for b in (dfn(None) if A.shard else strategy.distribute_datasets_from_function(dfn)):  # sharded files: every rank reads its own
        l = float(step(b)); gs += 1; time.sleep(A.pace)
        if gs % 5 == 0: log.info('step %d loss %.4f (%.1f ex/s)', gs, l, A.batch * 5 / (time.time() - t0)); t0 = time.time()
        if A.oddbatch and gs == A.oddstep:
            hist = np.bincount(np.zeros(4, int), minlength=A.oddbatch).astype('float32')
            log.info('step %d: sharing class histogram, %d bins', gs, len(hist))
            h = stat(tf.constant(hist)); log.info('class histogram total %.0f', float(tf.reduce_sum(h)))
    log.info('epoch %d done', ep)
    if A.shard: log.info('writing per-rank metrics'); open(f'metrics.{idx}.csv', 'a').write(f'{ep},{gs},{l}\n')
log.info('training finished after %d steps', gs)
if A.shard:
    log.info('waiting for the other ranks'); open(f'done.{idx}', 'w').close()
    while len([f for f in os.listdir('.') if f.startswith('done.')]) < strategy.num_replicas_in_sync: time.sleep(1)
