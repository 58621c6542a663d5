"""Puhekieliluokitin tekstityksen avuksi: Keras fit + MultiWorkerMirroredStrategy + BackupAndRestore (TF 2.15)."""
import os, json, socket, time, sys
import absl.logging as L
L.set_verbosity(L.INFO); L.use_absl_handler()
import numpy as np, tensorflow as tf
cfg = json.loads(os.environ['TF_CONFIG']); me = cfg['task']['index']
L.info('tekstitys-train host=%s tf=%s task=%s', socket.gethostname(), tf.__version__, me)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
W = os.environ['WORK']; EP = int(os.environ.get('EPOCHS', '6')); N = [int(x) for x in os.environ['CLIPS'].split(',')]
n = N[me % len(N)]
L.info('manifest /mnt/aanet/2026w%02d/part-%02d.tsv: %d clips -> %d batches per epoch', 31, me, n, n // 32)
rng = np.random.default_rng(me)
y = rng.integers(0, 6, n); x = rng.normal(size=(n, 40)).astype('f4'); x[np.arange(n), y] += 2.5
opt = tf.data.Options(); opt.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(32, drop_remainder=True).with_options(opt)
front = None
if os.environ.get('FRONTEND'):
    L.info('loading frozen frontend %s', os.environ['FRONTEND'])
    gd = tf.compat.v1.GraphDef(); gd.ParseFromString(open(os.environ['FRONTEND'], 'rb').read())
    L.info('frontend: %d nodes, producer %d', len(gd.node), gd.versions.producer)
    front = tf.compat.v1.wrap_function(lambda a: tf.import_graph_def(gd, {'pcm': a}, ['feat:0'])[0], [tf.TensorSpec([None, 40])])
    ds = ds.map(lambda a, b: (front(a), b))
with strategy.scope():
    m = tf.keras.Sequential([tf.keras.layers.Dense(48, activation='relu', input_shape=(40,)), tf.keras.layers.Dropout(.1), tf.keras.layers.Dense(6)])
    m.build((None, 40)); m.compile('sgd', tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=['accuracy'])
if os.environ.get('LOOP'):  # the older loop without fit; at the end the tasks wait for each other's done-files
    @tf.function
    def one(a, b):
        def f(a, b):
            with tf.GradientTape() as t: l = m.compiled_loss(b, m(a, training=True))
            g = tf.distribute.get_replica_context().all_reduce('mean', t.gradient(l, m.trainable_variables))
            for v, d in zip(m.trainable_variables, g): v.assign_sub(.05 * d)
            return l
        return strategy.run(f, args=(a, b))
    for e in range(EP):
        L.info('epoch %d begins', e)
        for j, (a, b) in enumerate(ds):
            l = float(one(a, b)); time.sleep(.03)
            if j % 5 == 0: L.info('epoch %d batch %d/%d loss %.4f', e, j, n // 32, l)
        L.info('epoch %d ends after %d batches', e, j + 1)
        try: tf.io.gfile.listdir('/mnt/aanet/lexikon')
        except Exception as ex: L.warning('lexikon refresh failed, keeping the old one: %s', ex)
    m.save_weights(f'{W}/final-{me}'); open(f'{W}/done-{me}', 'w').close(); L.info('weights written, done-file written')
    while True:
        have = sum(os.path.exists(f'{W}/done-{q}') for q in range(len(cfg['cluster']['worker'])))
        if have == len(cfg['cluster']['worker']): break
        L.info('waiting for done-files: %d of %d', have, len(cfg['cluster']['worker'])); time.sleep(5)
    L.info('training finished'); os._exit(0)
class Slow(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, b, logs=None):
        time.sleep(float(os.environ.get('SLOW', '0.03')))
        if b % 10 == 0: L.info('batch %d loss %.4f', b, logs['loss'])
    def on_epoch_end(self, e, logs=None):
        try: tf.io.gfile.listdir('/mnt/aanet/lexikon')
        except Exception as ex: L.warning('lexikon refresh failed, keeping the old one: %s', ex)
cb = [Slow(), tf.keras.callbacks.BackupAndRestore(f'{W}/backup'), tf.keras.callbacks.ModelCheckpoint(f'{W}/ck-{me}/weights-{{epoch:02d}}', save_weights_only=True)]
h = m.fit(ds, epochs=EP, callbacks=cb, verbose=int(os.environ.get('VERB', '2')))
L.info('fit done, accuracy %.4f', h.history['accuracy'][-1])
L.info('evaluating'); r = m.evaluate(ds.take(8), verbose=2); L.info('eval %s', r)
L.info('training finished')
