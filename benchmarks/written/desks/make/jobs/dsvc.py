"""tf.data service: dispatcher, data workers and trainers (role by argument)."""
import argparse, os, sys, time, logging, glob
logging.basicConfig(level=logging.INFO, format='%(asctime)s.%(msecs)03d %(levelname)-7s %(name)s | %(message)s', datefmt='%Y-%m-%d %H:%M:%S')
import numpy as np
import tensorflow as tf
p = argparse.ArgumentParser()
p.add_argument('role', choices=['dispatcher', 'dataworker', 'trainer'])
p.add_argument('--dispatcher', default=''); p.add_argument('--me', default=''); p.add_argument('--port', type=int, default=5050)
p.add_argument('--files', default=''); p.add_argument('--steps', type=int, default=100); p.add_argument('--job', default='shared')
p.add_argument('--index', default=''); p.add_argument('--sleep', type=float, default=0.0)
a = p.parse_args()
log = logging.getLogger(a.role)
log.info('host %s tensorflow %s pid %d', os.uname().nodename, tf.__version__, os.getpid())
if a.role == 'dispatcher':
    s = tf.data.experimental.service.DispatchServer(tf.data.experimental.service.DispatcherConfig(port=a.port))
    log.info('dispatch server at %s', s.target); s.join()
if a.role == 'dataworker':
    s = tf.data.experimental.service.WorkerServer(tf.data.experimental.service.WorkerConfig(
        dispatcher_address=a.dispatcher, worker_address='%s:%d' % (a.me, a.port), port=a.port, heartbeat_interval_ms=2000))
    log.info('data worker registered with %s', a.dispatcher); s.join()
if a.index:
    import csv
    rows = list(csv.DictReader(open(a.index)))
    log.info('index %s: %d rows', a.index, len(rows))
    def read(i):
        row = rows[int(i)]
        v = np.zeros(17, 'float32'); v[:4] = [float(row[k]) for k in ('t2m', 'rh', 'wind', 'press')]
        v[16] = float(row['label'])
        return v
    def load(i):
        v = tf.numpy_function(read, [i], tf.float32); v.set_shape([17]); return v
    ds = tf.data.Dataset.range(len(rows)).map(load)
else:
    files = sorted(glob.glob(a.files))
    log.info('%d files, first %s', len(files), files[0])
    ds = tf.data.Dataset.from_tensor_slices(files).interleave(tf.data.TFRecordDataset, cycle_length=2).map(lambda r: tf.ensure_shape(tf.io.parse_tensor(r, tf.float32), [17]))
    ds = ds.repeat()
ds = ds.batch(16, drop_remainder=True)
ds = ds.apply(tf.data.experimental.service.distribute(processing_mode='parallel_epochs', service='grpc://' + a.dispatcher, job_name=a.job)) if a.dispatcher else ds
w = tf.Variable(tf.zeros([16, 1])); b = tf.Variable(tf.zeros([1]))
@tf.function
def step(v):
    x, y = v[:, :16], v[:, 16:]
    with tf.GradientTape() as t: loss = tf.reduce_mean((x @ w + b - y) ** 2)
    g, h = t.gradient(loss, [w, b]); w.assign_sub(.01 * g); b.assign_sub(.01 * h)
    return loss
n, t0 = 0, time.time()
for v in ds:
    l = step(v); n += 1
    if a.sleep: time.sleep(a.sleep)
    if n % 2 == 0: log.info('step %d loss %.5f (%.1f/s)', n, float(l), n / (time.time() - t0))
    if n % 50 == 0: log.info('validation at %d: bias %.4f |w| %.4f', n, float(b[0]), float(tf.norm(w)))
    if n >= a.steps: break
log.info('trained %d steps', n)
