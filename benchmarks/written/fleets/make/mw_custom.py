"""MultiWorkerMirroredStrategy, custom loop over own shards (one per worker)."""
import argparse, json, logging, os, socket, time, signal, sys
ap = argparse.ArgumentParser()
ap.add_argument('--data'); ap.add_argument('--ckpt', default='ckpt'); ap.add_argument('--epochs', type=int, default=3)
ap.add_argument('--steps', type=int, default=0); ap.add_argument('--batch', type=int, default=16)
ap.add_argument('--slow', type=float, default=0); ap.add_argument('--slow-from', type=int, default=0); ap.add_argument('--pace', type=float, default=.05)
ap.add_argument('--every', type=int, default=5); ap.add_argument('--fmt', default='%(asctime)s %(levelname)s %(name)s: %(message)s')
ap.add_argument('--wait-chief', type=int, default=0); ap.add_argument('--width', type=int, default=32); ap.add_argument('--log', default='nowcast.train'); ap.add_argument('--retry-bad', type=int, default=0)
a = ap.parse_args()
logging.basicConfig(level=logging.INFO, format=a.fmt, stream=sys.stdout); log = logging.getLogger(a.log)
import tensorflow as tf
tc = json.loads(os.environ['TF_CONFIG']); idx = tc['task']['index']; host = socket.gethostname()
log.info('host %s pid %d tensorflow %s python %s', host, os.getpid(), tf.__version__, sys.version.split()[0])
log.info('cluster %s', json.dumps(tc['cluster'])); log.info('I am %s:%d', tc['task']['type'], idx)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
log.info('strategy up, replicas in sync: %d', strategy.num_replicas_in_sync)
n = len(tc['cluster']['worker'])
def parse(r):
    f = tf.io.parse_single_example(r, {'x': tf.io.FixedLenFeature([16], tf.float32), 'y': tf.io.FixedLenFeature([], tf.int64)})
    return f['x'], f['y']
def ds(ctx=None):
    p = f'{a.data}/part-{idx:05d}.tfrecord'
    c = sum(1 for _ in tf.data.TFRecordDataset(p)); log.info('shard %s: %d records, %d steps per epoch at batch %d', p, c, c//a.batch, a.batch)
    return tf.data.TFRecordDataset(p).map(parse).batch(a.batch, drop_remainder=True).prefetch(1)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((16,)), tf.keras.layers.Dense(a.width, activation='relu'), tf.keras.layers.Dense(4)])
    opt = tf.keras.optimizers.SGD(.05)
    lossf = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction='none')
    ck = tf.train.Checkpoint(model=model); man = tf.train.CheckpointManager(ck, f'{a.ckpt}-w{idx}' if idx else a.ckpt, 3)
@tf.function
def step(x, y):
    def f(x, y):
        with tf.GradientTape() as t: l = tf.nn.compute_average_loss(lossf(y, model(x, training=True)), global_batch_size=a.batch*n)
        g = t.gradient(l, model.trainable_variables); opt.apply_gradients(zip(g, model.trainable_variables)); return l
    return strategy.reduce('SUM', strategy.run(f, args=(x, y)), axis=None)
it = 0
for ep in range(a.epochs):
    log.info('epoch %d/%d', ep+1, a.epochs); k = 0; t0 = time.time()
    if a.wait_chief: dist = ds()   # every worker reads its own shard itself
    elif ep == 0: dist = strategy.distribute_datasets_from_function(ds)
    src = iter(dist); ti = tr = 0.
    while True:
        t = time.time()
        try: x, y = next(src)
        except (StopIteration, tf.errors.OutOfRangeError): break
        if a.slow and it >= a.slow_from: time.sleep(a.slow*(.8+.4*((it*7) % 10)/10))   # the slow reader
        t1 = time.time(); ti += t1-t
        l = float(step(x, y)); it += 1; k += 1; tr += time.time()-t1; time.sleep(a.pace)
        if it % a.every == 0:
            log.info('ep %d step %d loss %.4f  avg of last %d: input %.3fs, step+allreduce %.3fs', ep+1, it, l, a.every, ti/a.every, tr/a.every); ti = tr = 0.
        if a.steps and k >= a.steps: break
    log.info('epoch %d done: %d steps in %.1fs', ep+1, k, time.time()-t0)
    log.info('saved %s', man.save())
log.info('training finished after %d steps', it)
if a.wait_chief:
    if idx == 0: open('TRAINING_DONE', 'w').close()
    else:
        log.info('waiting for the chief to write TRAINING_DONE')
        while not os.path.exists('TRAINING_DONE'): time.sleep(1)
log.info('bye')
