import argparse, json, os, socket, logging
import tensorflow as tf
logging.basicConfig(level=logging.INFO, format='%(asctime)s %(levelname)s %(name)s: %(message)s')
log = logging.getLogger('fit')
ap = argparse.ArgumentParser()
ap.add_argument('--data', default='data'); ap.add_argument('--backup', default='backup'); ap.add_argument('--epochs', type=int, default=6)
ap.add_argument('--steps', type=int, default=20); ap.add_argument('--lr', type=float, default=0.01); ap.add_argument('--batch', type=int, default=32)
ap.add_argument('--hidden', type=int, default=64); ap.add_argument('--crash-after', type=int, default=-1); ap.add_argument('--slow', type=float, default=0)
a = ap.parse_args()

def parse(rec):
    f = tf.io.parse_single_example(rec, {'x': tf.io.FixedLenFeature([16], tf.float32), 'y': tf.io.FixedLenFeature([1], tf.float32)})
    return f['x'], f['y']

def make_dataset(ctx_id, n):
    files = sorted(tf.io.gfile.glob(os.path.join(a.data, '*.tfrecord')))
    log.info('host %s worker %d/%d reads %d files', socket.gethostname(), ctx_id, n, len(files[ctx_id::n]))
    ds = tf.data.TFRecordDataset(files[ctx_id::n]).map(parse).repeat().batch(a.batch)
    o = tf.data.Options(); o.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    return ds.with_options(o)

class Report(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        log.info('epoch %d done %s', epoch, {k: round(float(v), 4) for k, v in logs.items()})
    def on_train_batch_end(self, batch, logs=None):
        if a.slow: import time; time.sleep(a.slow)

def main():
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    r = strategy.cluster_resolver
    log.info('strategy up, %d replicas, task %s:%s', strategy.num_replicas_in_sync, r.task_type, r.task_id)
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Input((16,)), tf.keras.layers.Dense(a.hidden, activation='relu', name='trunk'), tf.keras.layers.Dense(1, name='head')])
        model.compile(optimizer=tf.keras.optimizers.SGD(a.lr), loss='mse', metrics=['mae'])
    ds = make_dataset(r.task_id, strategy.num_replicas_in_sync)
    cbs = [tf.keras.callbacks.BackupAndRestore(a.backup), Report()]
    model.fit(ds, epochs=a.epochs, steps_per_epoch=a.steps, callbacks=cbs, verbose=1 if r.task_id == 0 else 2)
    log.info('training finished')

if __name__ == '__main__':
    main()
