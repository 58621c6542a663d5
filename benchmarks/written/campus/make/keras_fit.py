"""Photometric redshift model: Keras fit under MultiWorkerMirroredStrategy."""
import argparse, json, os, socket, sys, time
import numpy as np
import tensorflow as tf
ap = argparse.ArgumentParser()
ap.add_argument("--epochs", type=int, default=8)
ap.add_argument("--steps", type=int, default=30)
ap.add_argument("--hidden", type=int, default=64)
ap.add_argument("--init-weights", default="")
ap.add_argument("--backup", default="")
ap.add_argument("--out", default="")
ap.add_argument("--sleep", type=float, default=0.03)
ap.add_argument("--verbose", type=int, default=2)
a = ap.parse_args()

class Pace(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        time.sleep(a.sleep)
        if batch % 10 == 9:
            print("    [%s] batch %d loss %.4f" % (time.strftime("%H:%M:%S"), batch + 1, logs["loss"]), flush=True)

def main():
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    task = strategy.cluster_resolver.task_id
    print("%s worker:%s replicas=%d tf=%s pid=%d" % (socket.gethostname(), task, strategy.num_replicas_in_sync, tf.__version__, os.getpid()), flush=True)
    rng = np.random.RandomState(5)
    x = rng.rand(2048, 9).astype("float32"); y = (x.sum(1, keepdims=True) + .05 * rng.randn(2048, 1)).astype("float32")
    ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(2048, seed=3).repeat().batch(64)
    opt = tf.data.Options(); opt.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    ds = ds.with_options(opt)
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(a.hidden, activation="relu", input_shape=(9,), name="feat"), tf.keras.layers.Dense(32, activation="relu", name="mix"), tf.keras.layers.Dense(1, name="z")])
        model.compile(tf.keras.optimizers.Adam(1e-3), "mse", metrics=["mae"])
    if a.init_weights:
        print("loading initial weights from", a.init_weights, flush=True)
        model.load_weights(a.init_weights)
    cbs = [Pace()]
    if a.backup:
        cbs.append(tf.keras.callbacks.BackupAndRestore(a.backup))
    if task == 0:
        model.summary()
    model.fit(ds, epochs=a.epochs, steps_per_epoch=a.steps, callbacks=cbs, verbose=a.verbose)
    if a.out:
        path = a.out if task == 0 else "%s_tmp%d" % (a.out, task)
        model.save_weights(path)
        print("weights written to", path, flush=True)
    print("done", flush=True)

main()
