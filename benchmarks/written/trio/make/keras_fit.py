"""Keras fit under MultiWorkerMirroredStrategy (TF_CONFIG from the launcher)."""
import argparse, json, os, socket, sys, time
sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'tfk'))  # Keras 2 (Keras 3 has no multi-worker fit)
import tensorflow as tf
import numpy as np
import tf_keras as keras
a = argparse.ArgumentParser()
a.add_argument('--epochs', type=int, default=6); a.add_argument('--steps', type=int, default=20)
a.add_argument('--units', type=int, default=32); a.add_argument('--backup'); a.add_argument('--verbose', type=int, default=2)
a.add_argument('--sleep', type=float, default=0.0); a.add_argument('--hint')
a = a.parse_args()
task = json.loads(os.environ['TF_CONFIG'])['task']
me = f"{task['type']}:{task['index']}"
print(f'[{socket.gethostname()}] task {me} pid {os.getpid()} tensorflow {tf.__version__} args {vars(a)}')
strategy = tf.distribute.MultiWorkerMirroredStrategy()
print(f'[{me}] replicas in sync: {strategy.num_replicas_in_sync}')

def gen():
    r = np.random.default_rng(task['index'])
    while True:
        x = r.normal(size=(16, 24)).astype('f4')
        yield x, (x[:, :1] * 2 + x[:, 1:2] > 0).astype('f4')
ds = tf.data.Dataset.from_generator(gen, output_signature=(tf.TensorSpec((16, 24)), tf.TensorSpec((16, 1))))
o = tf.data.Options(); o.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
ds = ds.with_options(o)
with strategy.scope():
    model = keras.Sequential([keras.Input((24,)), keras.layers.Dense(a.units, 'relu'), keras.layers.Dense(1, 'sigmoid')])
    model.compile('adam', 'binary_crossentropy', metrics=['accuracy'])
cb = []
if a.backup: cb.append(keras.callbacks.BackupAndRestore(a.backup))
class Tell(keras.callbacks.Callback):
    def on_train_batch_end(self, b, logs=None):
        if a.sleep: time.sleep(a.sleep)
        if b % 5 == 0: print(time.strftime('%Y-%m-%d %H:%M:%S'), f'[{me}] batch {b} loss {logs["loss"]:.4f}')
cb.append(Tell())
model.fit(ds, epochs=a.epochs, steps_per_epoch=a.steps, callbacks=cb, verbose=a.verbose)
print(f'[{me}] training finished')
