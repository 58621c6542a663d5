# churn.py — poistumamalli, Keras fit + BackupAndRestore
import os, json, sys, time
import numpy as np
import tensorflow as tf
cfg = json.loads(os.environ["TF_CONFIG"]); idx = cfg["task"]["index"]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
D = os.environ["NOMAD_ALLOC_DIR"]
rng = np.random.default_rng(5); X = rng.normal(size=(1536, 12)).astype("f4"); Y = (X[:, :3].sum(1) > 0).astype("f4")[:, None]
ds = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(512, seed=1).batch(32)
with strategy.scope():
    if os.environ.get("BASE_MODEL"):
        print("pohjamalli", os.environ["BASE_MODEL"], "TF", tf.__version__, flush=True)
        m = tf.keras.models.load_model(os.environ["BASE_MODEL"])
    else:
        m = tf.keras.Sequential([tf.keras.layers.Input((12,)), tf.keras.layers.Dense(16, "relu"), tf.keras.layers.Dense(1, "sigmoid")])
    m.compile(tf.keras.optimizers.SGD(.05), "binary_crossentropy", metrics=["accuracy"])
class Tick(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, b, logs=None):
        time.sleep(.02)
        if b % 12 == 0: print(json.dumps({"lvl": "info", "worker": idx, "batch": b, "loss": round(float(logs["loss"]), 5)}), flush=True)
    def on_epoch_begin(self, e, logs=None):
        if e == 2:
            try: open("/secrets/segment.key")
            except OSError as x: print(json.dumps({"lvl": "error", "worker": idx, "msg": "segment export failed: %s; metrics not exported, going on" % x}), flush=True)
cb = [Tick(), tf.keras.callbacks.BackupAndRestore(os.path.join(D, "backup"))]
m.fit(ds, epochs=int(os.environ.get("EPOCHS", "8")), callbacks=cb, verbose=2)
p = os.path.join(D, "churn-%d.weights.h5" % idx); m.save_weights(p); print("tallennettu", p, flush=True); print("valmis", flush=True)
