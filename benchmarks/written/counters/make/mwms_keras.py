"""Keras fit under MultiWorkerMirroredStrategy with BackupAndRestore and evaluation."""
import argparse, json, os, time, numpy as np
import tensorflow as tf
ap = argparse.ArgumentParser(); A = ap.add_argument
A("--epochs", type=int, default=6); A("--steps", type=int, default=20); A("--dir", default="/tmp/k"); A("--verbose", type=int, default=2)
A("--late-strategy", action="store_true"); A("--data-url", default=""); A("--pause", type=float, default=0.02)
a = ap.parse_args()
strategy = tf.distribute.MultiWorkerMirroredStrategy(
    communication_options=tf.distribute.experimental.CommunicationOptions(
        implementation=tf.distribute.experimental.CommunicationImplementation.RING))
cfg = json.loads(os.environ.get("TF_CONFIG", "{}")); idx = cfg.get("task", {}).get("index", 0)
print(f"[{os.uname().nodename}] tensorflow {tf.__version__} worker {idx} of {strategy.num_replicas_in_sync}", flush=True)

def fetch(part):
    """One shard from the object store, as the input function of every worker reads it."""
    import urllib.request, io
    with urllib.request.urlopen(f"{a.data_url}/part-{part:05d}.npy", timeout=10) as r:
        return np.load(io.BytesIO(r.read()))

cache = []
def gen():
    rng = np.random.default_rng(idx); n = 0
    while True:
        x = fetch(n % 40) if a.data_url and n % 8 == 0 else rng.normal(size=(16, 24)).astype("float32")
        y = (x[:, :1].sum(1, keepdims=True) > 0).astype("float32"); n += 1
        if os.environ.get('KEEP'): cache.append(np.ones((3 << 20,), 'float32') * n)
        time.sleep(a.pause); yield x[:16].astype("float32"), y[:16]

ds = tf.data.Dataset.from_generator(gen, output_signature=(tf.TensorSpec((16, 24), tf.float32), tf.TensorSpec((16, 1), tf.float32)))
o = tf.data.Options(); o.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF; ds = ds.with_options(o)
with strategy.scope():
    m = tf.keras.Sequential([tf.keras.Input((24,)), tf.keras.layers.Dense(32, activation="relu"), tf.keras.layers.Dense(1, activation="sigmoid")])
    m.compile(tf.keras.optimizers.SGD(0.05), "binary_crossentropy", metrics=["accuracy"])
class Say(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, b, logs=None):
        if b % 5 == 0: print(f"worker{idx} batch {b:4d} loss={logs['loss']:.4f} acc={logs['accuracy']:.3f}", flush=True)
    def on_epoch_end(self, e, logs=None): print(f"worker{idx} epoch {e + 1} done, loss {logs['loss']:.5f}", flush=True)
cbs = [Say()]
if a.dir != "none": cbs.append(tf.keras.callbacks.BackupAndRestore(os.path.join(a.dir, f"backup-{idx}" )))
m.fit(ds, epochs=a.epochs, steps_per_epoch=a.steps, callbacks=cbs, verbose=a.verbose)
print(f"worker{idx} training finished", flush=True)
