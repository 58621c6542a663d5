import os, json, time, logging, glob
logging.basicConfig(level=logging.INFO, format='%(levelname).1s %(asctime)s %(message)s')
import tensorflow as tf
st = tf.distribute.MultiWorkerMirroredStrategy()
files = sorted(glob.glob('/srv/clips/*.rec'))
logging.info('%d clip files', len(files))
def inp(ctx):
    ds = tf.data.Dataset.from_tensor_slices(files).shuffle(400).repeat()
    ds = ds.interleave(lambda f: tf.data.TFRecordDataset(f), cycle_length=int(os.environ['CYCLE']), block_length=1)
    ds = ds.map(lambda r: tf.cast(tf.io.decode_raw(r, tf.uint8), tf.float32) / 255.).batch(16, drop_remainder=True)
    ds = ds.apply(tf.data.experimental.service.distribute(processing_mode='parallel_epochs', service='grpc://dispatcher:5050', job_name='clips_v4', max_outstanding_requests=4))
    return ds.prefetch(2)
with st.scope(): w = tf.Variable(tf.random.normal([512, 64], stddev=.05))
it = iter(st.distribute_datasets_from_function(inp))
@tf.function
def step(it):
    def f(x):
        x = tf.reshape(x, [16, 512])
        with tf.GradientTape() as t: l = tf.reduce_mean((tf.nn.sigmoid(x @ w) @ tf.transpose(w) - x) ** 2)
        w.assign_sub(.1 * tf.distribute.get_replica_context().all_reduce('MEAN', t.gradient(l, w))); return l
    return st.reduce('MEAN', st.run(f, args=(next(it),)), axis=None)
for i in range(900):
    l = step(it); time.sleep(.9)
    logging.info('step %d mse %.5f', i, float(l))
logging.info('done')
