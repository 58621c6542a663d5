"""Keras fit under MultiWorkerMirroredStrategy with BackupAndRestore."""
import argparse, json, os, sys, glob, time, socket
ap = argparse.ArgumentParser()
for k, v in dict(data='', backup='backup', ckpt='ckpt', epochs=4, batch=16, steps=20, verbose=2, width=32, lr=.05, nan_guard=0, load='', pace=0.03, fn='', fn_index=-1, val=1, opt='sgd', chief_only_ckpt=0).items():
    ap.add_argument('--'+k.replace('_', '-'), type=type(v), default=v)
a = ap.parse_args()
import tensorflow as tf
tc = json.loads(os.environ.get('TF_CONFIG') or '{}'); idx = tc.get('task', {}).get('index', 0)
def say(*m): print(f'[{socket.gethostname()}/{idx}]', *m, flush=True)
say('TF', tf.__version__, 'pid', os.getpid(), 'argv', ' '.join(sys.argv[1:]))
st = tf.distribute.MultiWorkerMirroredStrategy()
def parse(r):
    f = tf.io.parse_single_example(r, {'x': tf.io.FixedLenFeature([16], tf.float32), 'y': tf.io.FixedLenFeature([], tf.int64)})
    return f['x'], f['y']
def ds(pattern, rep=True):
    fs = sorted(glob.glob(pattern)); say('input files:', len(fs), fs[:3])
    d = tf.data.TFRecordDataset(fs).map(parse)
    if a.fn and idx == a.fn_index:
        import importlib; d = importlib.import_module(a.fn).augment(d)
    if rep: d = d.repeat()
    d = d.batch(a.batch, drop_remainder=True)
    o = tf.data.Options(); o.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    return d.with_options(o)
with st.scope():
    m = tf.keras.Sequential([tf.keras.Input((16,)), tf.keras.layers.Dense(a.width, activation='relu', name='trunk'), tf.keras.layers.Dense(4, name='head')])
    m.compile(tf.keras.optimizers.SGD(a.lr) if a.opt == 'sgd' else tf.keras.optimizers.Adam(a.lr), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=['accuracy'])
if idx == 0: m.summary()
if a.load:
    say('warm start from', a.load); m.load_weights(a.load)
class Pace(tf.keras.callbacks.Callback):
    def on_train_batch_end(s, b, logs=None):
        time.sleep(a.pace)
        if b % 5 == 4: say(f'batch {b+1} loss {logs["loss"]:.4f}')
    def on_epoch_end(s, e, logs=None): say(f'epoch {e+1} end', {k: round(float(v), 4) for k, v in logs.items()})
cb = [Pace(), tf.keras.callbacks.BackupAndRestore(a.backup if idx == 0 or tf.__version__ < '2.16' else f'{a.backup}_w{idx}')]
if a.nan_guard: cb.append(tf.keras.callbacks.TerminateOnNaN())
d = a.ckpt if idx == 0 else f'{a.ckpt}_w{idx}'; os.makedirs(d, exist_ok=True)
if idx == 0 or not a.chief_only_ckpt: cb.append(tf.keras.callbacks.ModelCheckpoint(d + '/ep{epoch:02d}.weights.h5', save_weights_only=True))
h = m.fit(ds(f'{a.data}/train*'), epochs=a.epochs, steps_per_epoch=a.steps, verbose=a.verbose if idx == 0 else 0, callbacks=cb,
          validation_data=ds(f'{a.data}/val*', False) if a.val else None, validation_steps=4 if a.val else None)
if any(v != v for v in h.history['loss']): say('FATAL: loss history', h.history['loss']); sys.exit(3)
say('done', {k: round(v[-1], 4) for k, v in h.history.items()})
