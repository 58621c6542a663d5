"""Kotka: Keras fit + BackupAndRestore + EarlyStopping (reikäluokitin)."""
import os, json, sys, time, numpy as np, tensorflow as tf
HERE = os.path.dirname(os.path.abspath(__file__)); idx = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
V = os.environ["VARMUUS"]      # jaettu levy, molemmat koneet
s = tf.distribute.MultiWorkerMirroredStrategy()
r = np.random.default_rng(3); x = r.random((384, 32), dtype="float32"); y = (x[:, :4].sum(1) > 2).astype("int32")
ds = tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(32)     # auto-shard warns, falls back to DATA
with s.scope():
    m = tf.keras.Sequential([tf.keras.layers.Dense(24, "relu", input_shape=(32,)), tf.keras.layers.Dense(2)])
    m.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
class Hidas(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, b, logs=None): time.sleep(.05)
print("reikäluokitin, tehtävä", idx, "palautus", os.path.exists(V), flush=True)
m.fit(ds, epochs=14, steps_per_epoch=16, callbacks=[tf.keras.callbacks.BackupAndRestore(V), Hidas()])
print("valmis", flush=True)
