import os, json, sys, time, glob
import tensorflow as tf
i = json.loads(os.environ['TF_CONFIG'])['task']['index']
strategy = tf.distribute.MultiWorkerMirroredStrategy()
tf.get_logger().handlers.clear()
opt = tf.data.Options(); opt.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
files = sorted(glob.glob(os.environ['DATA'] + '/*.tfrecord'))
print(f'{len(files)} bestanden in deel {i}', flush=True)
ds = tf.data.TFRecordDataset(files).map(lambda r: tf.reshape(tf.io.decode_raw(r, tf.float32), [30])).batch(32, drop_remainder=True).with_options(opt)
with strategy.scope(): w = tf.Variable(tf.zeros([30, 1]))
@tf.function
def stap(x):
    def f(x):
        with tf.GradientTape() as t: l = tf.reduce_mean((x @ w - 1.) ** 2)
        w.assign_sub(.01 * tf.distribute.get_replica_context().all_reduce('mean', t.gradient(l, w))); return l
    return strategy.run(f, args=(x,))
n = 0
for x in ds:
    l = stap(x); n += 1; time.sleep(.04)
    if n % 25 == 0: print(f'stap {n:5d} mse {float(strategy.experimental_local_results(l)[0]):.5f}', flush=True)
print(f'klaar: {n} stappen', flush=True)
