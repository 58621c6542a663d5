"""Lane marking classifier, Keras fit under MultiWorkerMirroredStrategy."""
import argparse, json, logging, os, sys, time
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(name)s: %(message)s")
log = logging.getLogger("lanefit")
import tensorflow as tf
from tensorflow import keras

p = argparse.ArgumentParser()
p.add_argument("--data"); p.add_argument("--model-dir"); p.add_argument("--epochs", type=int, default=6)
p.add_argument("--steps", type=int, default=20); p.add_argument("--batch", type=int, default=32)
p.add_argument("--lr", type=float, default=0.01); p.add_argument("--width", type=int, default=64)
p.add_argument("--restore", default=""); p.add_argument("--verbose", type=int, default=2)
p.add_argument("--pause", type=float, default=0.0); p.add_argument("--skip-bad", action="store_true")
p.add_argument("--keep", action="store_true")
a = p.parse_args()

log.info("tensorflow %s python %s", tf.__version__, sys.version.split()[0])
log.info("TF_CONFIG=%s", os.environ.get("TF_CONFIG"))
strategy = tf.distribute.MultiWorkerMirroredStrategy()
task = strategy.cluster_resolver.task_id
log.info("task %s of %s replicas", task, strategy.num_replicas_in_sync)

SPEC = {"x": tf.io.FixedLenFeature([32], tf.float32), "y": tf.io.FixedLenFeature([], tf.int64)}
def parse(s):
    e = tf.io.parse_single_example(s, SPEC)
    return e["x"], e["y"]
files = sorted(tf.io.gfile.glob(os.path.join(a.data, "train-*.tfrecord")))
log.info("%d shards under %s", len(files), a.data)
ds = tf.data.Dataset.from_tensor_slices(files).interleave(tf.data.TFRecordDataset, cycle_length=2)
ds = ds.map(parse)
if a.skip_bad: ds = ds.ignore_errors(log_warning=True)
ds = ds.repeat().shuffle(256, seed=1).batch(a.batch, drop_remainder=True)
o = tf.data.Options(); o.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
ds = ds.with_options(o).prefetch(2)

with strategy.scope():
    m = keras.Sequential([keras.Input((32,)), keras.layers.Dense(a.width, activation="relu", name="enc1"),
                          keras.layers.Dense(a.width, activation="relu", name="enc2"), keras.layers.Dense(8, name="lane_head")])
    m.compile(keras.optimizers.SGD(a.lr, momentum=0.9), keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
if task == 0: m.summary(line_length=80)
if a.restore:
    log.info("restoring from %s", a.restore)
    with strategy.scope():
        m.load_weights(a.restore)

class Pace(keras.callbacks.Callback):
    def on_train_batch_end(self, b, logs=None):
        if a.pause: time.sleep(a.pause)
        if (b + 1) % 5 == 0:
            log.info("step %d loss %.4f acc %.3f", int(m.optimizer.iterations.numpy()), logs["loss"], logs["accuracy"])
    def on_epoch_begin(self, e, logs=None): log.info("epoch %d begins", e)
cb = [Pace(), keras.callbacks.TerminateOnNaN()]
if a.model_dir:
    own = a.model_dir if task == 0 else os.path.join(a.model_dir, f"_tmp{task}")
    cb.append(keras.callbacks.BackupAndRestore(os.path.join(own, "backup"), delete_checkpoint=not a.keep))
    cb.append(keras.callbacks.ModelCheckpoint(os.path.join(own, "ckpt-{epoch:02d}.weights.h5"), save_weights_only=True))
h = m.fit(ds, epochs=a.epochs, steps_per_epoch=a.steps, verbose=a.verbose, callbacks=cb)
log.info("done, final %s", {k: round(float(v[-1]), 4) for k, v in h.history.items()})
