"""Trainer that reads through the tf.data service."""
import argparse, logging, os, sys, time, numpy as np, tensorflow as tf
logging.basicConfig(level=logging.INFO, format='%(asctime)s %(levelname)-7s %(message)s', stream=sys.stderr)
log = logging.getLogger()
ap = argparse.ArgumentParser(); ap.add_argument('--service'); ap.add_argument('--steps', type=int, default=120); ap.add_argument('--files'); ap.add_argument('--job', default='shared')
ap.add_argument('--pause', type=float, default=0.05); ap.add_argument('--tokenizer', default='v1'); ap.add_argument('--out', default='model')
ap.add_argument('--interleave', type=int, default=0)
a = ap.parse_args()
SITES = {'FRA': 0, 'MUC': 1, 'BER': 2, 'HAM': 3}
def encode(line):
    parts = line.numpy().decode().split(';')
    site = SITES[parts[0]]
    return np.array([site] + [float(p) for p in parts[1:8]], 'float32'), np.float32(parts[8])
def py_map(line):
    x, y = tf.py_function(encode, [line], (tf.float32, tf.float32)); x.set_shape([8]); y.set_shape([]); return x, y
files = sorted(tf.io.gfile.glob(a.files)); log.info('%d input files match %s', len(files), a.files)
lines = tf.data.Dataset.from_tensor_slices(files).interleave(tf.data.TextLineDataset, cycle_length=a.interleave) if a.interleave else tf.data.TextLineDataset(files)
ds = lines.map(py_map) if a.tokenizer == 'py' else lines.map(
    lambda l: (lambda p: (tf.strings.to_number(p[1:8]), tf.strings.to_number(p[8])))(tf.strings.split(l, ';')))
width = 8 if a.tokenizer == 'py' else 7
ds = ds.repeat().batch(16, drop_remainder=True)
if a.service:
    ds = ds.apply(tf.data.experimental.service.distribute(processing_mode='parallel_epochs', service='grpc://' + a.service, job_name=a.job))
w = tf.Variable(tf.zeros((width, 1)))
@tf.function
def step(x, y):
    x = tf.reshape(x, (16, width))
    with tf.GradientTape() as t: loss = tf.reduce_mean((tf.squeeze(x @ w, 1) - y) ** 2)
    w.assign_sub(0.01 * t.gradient(loss, w)); return loss
n = 0
for x, y in ds:
    l = step(x, y); n += 1
    if n % 4 == 0: log.info('step=%d loss=%.4f', n, float(l))
    if n % 40 == 0: np.save(a.out, w.numpy()); log.info('wrote %s.npy', a.out)
    if n >= a.steps: break
    time.sleep(a.pause)
log.info('finished after %d steps', n)
