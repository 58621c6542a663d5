"""Keras fit under MultiWorkerMirroredStrategy with BackupAndRestore."""

import argparse
import json
import os

import numpy as np
import tensorflow as tf
from data_utils import augment

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--steps", type=int, default=12, help="per epoch")
parser.add_argument("--pace", type=float, default=0.05)
parser.add_argument("--rate", type=float, default=0.01)
parser.add_argument("--verbose", type=int, default=1)
parser.add_argument("--backup", default="/data/backup")
parser.add_argument("--terminate-on-nan", action="store_true")
parser.add_argument("--labels", default="float32")
parser.add_argument("--batch", type=int, default=8)
parser.add_argument("--uneven", type=int, default=0)
flags = parser.parse_args()

print("Num workers:", len(json.loads(os.environ["TF_CONFIG"])["cluster"]["worker"]))
augment(0, None)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id
rng = np.random.default_rng(rank)


def examples():
    step = 0
    limit = flags.uneven or flags.epochs * flags.steps + 2
    while step < limit:
        step += 1
        x = rng.normal(size=(flags.batch, 8)).astype("float32")
        x = augment(step, x)
        yield x, x[:, :8].sum(1, keepdims=True).astype(flags.labels)


width = None if flags.batch != 8 else 8
signature = (tf.TensorSpec([None, width], tf.float32), tf.TensorSpec([None, 1], flags.labels))
dataset = tf.data.Dataset.from_generator(examples, output_signature=signature)
options = tf.data.Options()
options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
dataset = dataset.with_options(options)

with strategy.scope():
    model = tf.keras.Sequential(
        [tf.keras.layers.Input([8]), tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(1)]
    )
    model.compile(tf.keras.optimizers.SGD(flags.rate), "mse", metrics=["mae"])


class Pause(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        import time

        time.sleep(flags.pace)


callbacks = [Pause(), tf.keras.callbacks.BackupAndRestore(flags.backup)]
if flags.terminate_on_nan:
    callbacks.append(tf.keras.callbacks.TerminateOnNaN())
model.fit(dataset, epochs=flags.epochs, steps_per_epoch=flags.steps, callbacks=callbacks, verbose=flags.verbose)
print("Done. Final loss", float(model.history.history["loss"][-1]) if model.history.history else None)
