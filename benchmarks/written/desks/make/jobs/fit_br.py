"""Keras fit over several workers, with BackupAndRestore."""
import argparse, json, os, sys, time, logging
logging.basicConfig(level=logging.INFO, format='%(asctime)s %(levelname)s %(name)s: %(message)s')
log = logging.getLogger('fit')
import numpy as np
import tensorflow as tf
p = argparse.ArgumentParser()
p.add_argument('--epochs', type=int, default=8); p.add_argument('--steps', type=int, default=20)
p.add_argument('--hidden', type=int, default=64); p.add_argument('--features', type=int, default=24)
p.add_argument('--batch', type=int, default=32); p.add_argument('--workdir', default='work')
p.add_argument('--verbose', type=int, default=2); p.add_argument('--ckpt', action='store_true')
p.add_argument('--sleep', type=float, default=0.0)
a = p.parse_args()
strategy = tf.distribute.MultiWorkerMirroredStrategy()
task = json.loads(os.environ['TF_CONFIG'])['task']
idx = task['index']
log.info('tensorflow %s, worker %d, %d replicas in sync', tf.__version__, idx, strategy.num_replicas_in_sync)
log.info('arguments: %s', vars(a))
rng = np.random.RandomState(7 + idx)
W = np.random.RandomState(1).randn(a.features, 1)
def gen():
    while True:
        x = rng.randn(a.features).astype('float32')
        yield x, (x @ W + 0.1 * rng.randn(1)).astype('float32')
ds = tf.data.Dataset.from_generator(gen, output_signature=(tf.TensorSpec([a.features], tf.float32), tf.TensorSpec([1], tf.float32)))
ds = ds.batch(a.batch, drop_remainder=True).prefetch(2)
opt = tf.data.Options(); opt.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
ds = ds.with_options(opt)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(a.hidden, activation='relu', input_shape=(a.features,), name='enc'),
                                 tf.keras.layers.Dense(a.hidden, activation='relu', name='mid'),
                                 tf.keras.layers.Dense(1, name='head')])
    model.compile(optimizer=tf.keras.optimizers.Adam(2e-3), loss='mse', metrics=['mae'])
if idx == 0: model.summary(print_fn=log.info)
class Note(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, b, logs=None):
        if a.sleep: time.sleep(a.sleep)
        if b % 10 == 9: log.info('epoch step %d  loss %.4f', b + 1, logs['loss'])
    def on_epoch_end(self, e, logs=None): log.info('epoch %d done %s', e + 1, {k: round(float(v), 4) for k, v in logs.items()})
cbs = [tf.keras.callbacks.BackupAndRestore(os.path.join(a.workdir, 'backup')), Note()]
if a.ckpt:
    d = 'export' if idx == 0 else 'export-tmp-%d' % idx
    cbs.append(tf.keras.callbacks.ModelCheckpoint(os.path.join(a.workdir, d, 'w-{epoch:03d}'), save_weights_only=True))
model.fit(ds, epochs=a.epochs, steps_per_epoch=a.steps, callbacks=cbs, verbose=a.verbose)
r = model.evaluate(ds, steps=10, verbose=a.verbose)
log.info('final evaluation: mse %.4f mae %.4f', *r)
log.info('finished')
