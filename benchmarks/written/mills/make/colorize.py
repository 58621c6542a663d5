"""Fine-tunes the flat-colour base model under MultiWorkerMirroredStrategy."""
import argparse, json, logging, os, socket, sys, time
ap = argparse.ArgumentParser(); ap.add_argument("--base"); ap.add_argument("--epochs", type=int, default=3); a = ap.parse_args()
logging.Formatter.converter = time.gmtime
logging.basicConfig(format="%(asctime)s %(levelname).1s %(name)s] %(message)s", level=logging.INFO, stream=sys.stdout); log = logging.getLogger("colorize")
import numpy as np, tensorflow as tf
idx = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
log.info("tensorflow %s host %s", tf.__version__, socket.gethostname())
strategy = tf.distribute.MultiWorkerMirroredStrategy()
r = np.random.default_rng(idx); x = r.random((256, 16, 16, 1), "float32"); y = np.repeat(x, 3, -1)
ds = tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(16)
o = tf.data.Options(); o.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF; ds = ds.with_options(o)
def fit(m, n, tag):
    class P(tf.keras.callbacks.Callback):
        def on_train_batch_end(s, b, logs=None):
            if b % 5 == 0: log.info("%s batch %d loss %.5f", tag, b, logs["loss"])
    m.compile("adam", "mse"); m.fit(ds, epochs=n, steps_per_epoch=30, verbose=2 if idx == 0 else 0, callbacks=[P()])
with strategy.scope():
    warm = tf.keras.Sequential([tf.keras.layers.Conv2D(3, 3, padding="same", input_shape=(16, 16, 1))])
    warm.compile("adam", "mse")
log.info("stage 1: warm-up head")
fit_in = fit
with strategy.scope(): fit(warm, a.epochs, "warm-up")
log.info("stage 2: loading base model %s (%d bytes)", a.base, os.path.getsize(a.base))
with strategy.scope():
    base = tf.keras.models.load_model(a.base)
    log.info("base model has %d parameters", base.count_params()); fit(base, a.epochs, "fine-tune")
log.info("finished")
