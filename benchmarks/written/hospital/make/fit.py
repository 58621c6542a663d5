"""Keras fit with MultiWorkerMirroredStrategy."""
import argparse, json, os, socket, sys
ap = argparse.ArgumentParser()
ap.add_argument('--epochs', type=int, default=6); ap.add_argument('--spe', type=int, default=40)
ap.add_argument('--batch', type=int, default=32); ap.add_argument('--verbose', type=int, default=2)
ap.add_argument('--lr', type=float, default=0.01); ap.add_argument('--backup', default=''); ap.add_argument('--ckpt', default='')
ap.add_argument('--nan-stop', action='store_true'); ap.add_argument('--log-every', type=int, default=10)
ap.add_argument('--tb', default='')
a = ap.parse_args()
import tensorflow as tf
import dataset
print(f'{socket.gethostname()}: TF {tf.__version__}, pid {os.getpid()}', flush=True)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id or 0
with strategy.scope():
    model = dataset.build(tf) if hasattr(dataset, 'build') else tf.keras.Sequential([
        tf.keras.layers.InputLayer(input_shape=(dataset.FEATURES,)), tf.keras.layers.Dense(48, activation='relu'),
        tf.keras.layers.Dropout(.1), tf.keras.layers.Dense(4)])
    model.compile(optimizer=tf.keras.optimizers.Adam(a.lr), loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=['accuracy'])
if rank == 0: model.summary()
class Steps(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, b, logs=None):
        if b % a.log_every == 0: print(f'    batch {b:4d}  loss {logs["loss"]:.4f}', flush=True)
        if hasattr(dataset, 'after_batch'): dataset.after_batch(self.ep, b, rank)
    def on_epoch_begin(self, e, logs=None): self.ep = e
cbs = [Steps()]
if a.backup: cbs.append(tf.keras.callbacks.BackupAndRestore(a.backup if rank == 0 else f'/tmp/bk_{os.getpid()}'))
if a.ckpt: cbs.append(tf.keras.callbacks.ModelCheckpoint(a.ckpt if rank == 0 else f'/tmp/ck_{os.getpid()}/' + os.path.basename(a.ckpt), save_weights_only=True, verbose=1))
if a.nan_stop: cbs.append(tf.keras.callbacks.TerminateOnNaN())
if a.tb and rank == 0: cbs.append(tf.keras.callbacks.TensorBoard(a.tb))
ds = dataset.train(a.batch, rank)
o = tf.data.Options(); o.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
ds = ds.with_options(o)
h = model.fit(ds, epochs=a.epochs, steps_per_epoch=a.spe, verbose=a.verbose, callbacks=cbs)
print('done', json.dumps({k: [round(float(x), 4) for x in v] for k, v in h.history.items()}), flush=True)
