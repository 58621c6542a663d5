"""tf.data service: roles dispatcher, dsworker, trainer (plain Keras fit on batches from the service)."""
import argparse, os, sys, time, socket, logging, glob
ap = argparse.ArgumentParser(); ap.add_argument('role')
for k, v in dict(port=5050, disp='', work='', data='', epochs=4, steps=25, pace=.05, pyfail=-1, mode='parallel_epochs', jobname='', rep=1, restart_ok=0, fmt='%(asctime)s %(levelname).1s %(name)s] %(message)s').items():
    ap.add_argument('--'+k.replace('_', '-'), type=type(v), default=v)
a = ap.parse_args()
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format=a.fmt); log = logging.getLogger(a.role)
import tensorflow as tf
E_ = tf.data.experimental.service; host = socket.gethostname()
log.info('%s pid %d, tensorflow %s', host, os.getpid(), tf.__version__)
if a.role == 'dispatcher':
    s = E_.DispatchServer(E_.DispatcherConfig(port=a.port, fault_tolerant_mode=bool(a.work), work_dir=a.work or None, job_gc_check_interval_ms=5000, job_gc_timeout_ms=20000))
    log.info('dispatcher at %s', s.target); s.join()
elif a.role == 'dsworker':
    s = E_.WorkerServer(E_.WorkerConfig(dispatcher_address=a.disp, worker_address=f'{host}:{a.port}', port=a.port, heartbeat_interval_ms=1000, dispatcher_timeout_ms=20000))
    log.info('worker %s:%d registered with %s', host, a.port, a.disp); s.join()
def parse(r):
    f = tf.io.parse_single_example(r, {'x': tf.io.FixedLenFeature([16], tf.float32), 'y': tf.io.FixedLenFeature([], tf.int64)})
    return f['x'], f['y']
files = sorted(glob.glob(f'{a.data}/train*')); log.info('%d input files under %s', len(files), a.data)
d = tf.data.Dataset.from_tensor_slices(files).interleave(tf.data.TFRecordDataset, cycle_length=2).map(parse)
if a.rep: d = d.repeat()
d = d.batch(16, drop_remainder=True)
d = d.apply(E_.distribute(a.mode, 'grpc://'+a.disp, job_name=a.jobname or None))
m = tf.keras.Sequential([tf.keras.Input((16,)), tf.keras.layers.Dense(32, activation='relu'), tf.keras.layers.Dense(4)])
m.compile('sgd', tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=['accuracy'])
class Pace(tf.keras.callbacks.Callback):
    def on_train_batch_end(s, b, logs=None):
        time.sleep(a.pace)
        if b % 5 == 4: log.info('batch %d loss %.4f acc %.3f', b+1, logs['loss'], logs['accuracy'])
    def on_epoch_end(s, e, logs=None): log.info('epoch %d: %s', e+1, {k: round(float(v), 4) for k, v in logs.items()})
m.fit(d, epochs=a.epochs, steps_per_epoch=a.steps, verbose=2, callbacks=[Pace(), tf.keras.callbacks.BackupAndRestore('backup-'+host)])
log.info('fit returned, saving'); m.save_weights(f'final-{host}.weights.h5'); log.info('all done')
