"""Keras fit under MultiWorkerMirroredStrategy on sherd pictures (synthetic), BackupAndRestore, options for each mishap."""
import argparse, json, logging, os, socket, sys, time
ap = argparse.ArgumentParser()
ap.add_argument("--epochs", type=int, default=5); ap.add_argument("--steps", type=int, default=25)
ap.add_argument("--dir", default="run"); ap.add_argument("--module", default=""); ap.add_argument("--only", type=int, default=-1)
ap.add_argument("--sleep", type=float, default=0.0); ap.add_argument("--uneven", type=int, default=0); ap.add_argument("--verbose", type=int, default=2)
ap.add_argument("--name", default="sherds"); ap.add_argument("--pause", type=int, default=0)
a = ap.parse_args()
logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
logging.Formatter.converter = time.gmtime
log = logging.getLogger(a.name)
import tensorflow as tf
log.info("tensorflow %s keras %s numpy %s python %s", tf.__version__, getattr(__import__("keras"), "__version__", "?"), __import__("numpy").__version__, sys.version.split()[0])
cfg = json.loads(os.environ["TF_CONFIG"]); idx = cfg["task"]["index"]; n = len(cfg["cluster"]["worker"])
log.info("worker %d of %d on %s", idx, n, socket.gethostname())
extra = None
if a.module and a.only in (-1, idx):
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    extra = __import__(a.module)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
log.info("replicas in sync: %d", strategy.num_replicas_in_sync)
def gen():
    rng = __import__("numpy").random.default_rng(idx)
    k = 0
    while True:
        x = rng.normal(size=(24, 24, 1)).astype("float32"); y = int(x[:12].mean() > 0)
        if extra and hasattr(extra, "contour"):
            x = extra.contour(x, k)
        k += 1
        if a.sleep and k % 16 == 0: time.sleep(a.sleep)
        yield x, y
ds = tf.data.Dataset.from_generator(gen, output_signature=(tf.TensorSpec((24, 24, 1), tf.float32), tf.TensorSpec((), tf.int32)))
if a.uneven: ds = ds.take(a.uneven)
ds = ds.batch(16)
opt = tf.data.Options(); opt.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
ds = ds.with_options(opt)
with strategy.scope():
    m = tf.keras.Sequential([tf.keras.layers.Input((24, 24, 1)), tf.keras.layers.Conv2D(8, 3, activation="relu"), tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(2)])
    m.compile(optimizer=tf.keras.optimizers.Adam(1e-2), loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
if idx == 0: m.summary(print_fn=lambda s, **k: log.info("%s", s))
class Steps(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, b, logs=None):
        if b % 5 == 0: log.info("epoch %d batch %d loss %.4f", self.e, b, logs["loss"])
    def on_epoch_begin(self, e, logs=None): self.e = e
    def on_epoch_end(self, e, logs=None): log.info("epoch %d done %s", e, {k: round(float(v), 4) for k, v in logs.items()})
os.makedirs(a.dir, exist_ok=True)
m.fit(ds, epochs=a.epochs, steps_per_epoch=a.steps, verbose=a.verbose if idx == 0 else 0, callbacks=[Steps(), tf.keras.callbacks.BackupAndRestore(os.path.join(a.dir, "backup"), delete_checkpoint=False)])
log.info("training finished")
