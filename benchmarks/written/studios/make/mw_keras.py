import glob, json, logging, os, sys, time
import numpy as np
import tensorflow as tf

logging.basicConfig(level=logging.INFO, format=os.environ.get("LOGFMT", "%(asctime)s %(levelname)s %(name)s: %(message)s"), stream=sys.stderr)
log = logging.getLogger(os.environ.get("APP", "fit"))
WD = os.environ["WORKDIR"]
EPOCHS, STEPS = int(os.environ.get("EPOCHS", 4)), int(os.environ.get("STEPS", 30))
WIDTH, LR = int(os.environ.get("WIDTH", 64)), float(os.environ.get("LR", 0.05))


def parse(x):
    f = tf.io.parse_single_example(x, {"x": tf.io.FixedLenFeature([16], tf.float32), "y": tf.io.FixedLenFeature([1], tf.float32)})
    return f["x"], f["y"]


def input_fn(task):
    files = sorted(glob.glob(f"{WD}/data/part-{task:02d}-*.tfrecord"))
    log.info("task %d reads %d files, first %s", task, len(files), os.path.basename(files[0]))
    ds = tf.data.TFRecordDataset(files).map(parse).repeat().batch(32, drop_remainder=True)
    opt = tf.data.Options()
    opt.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    return ds.with_options(opt)


class StepLog(tf.keras.callbacks.Callback):
    def __init__(self, every):
        super().__init__()
        self.every, self.t = every, time.time()

    def on_train_batch_end(self, batch, logs=None):
        time.sleep(float(os.environ.get("PAUSE", 0)))
        if batch % self.every == 0:
            now = time.time()
            log.info("step %d loss %.5f (%.3f s)", batch, logs["loss"], now - self.t)
            self.t = now


def build():
    m = tf.keras.Sequential([tf.keras.layers.Input((16,)), tf.keras.layers.Dense(WIDTH, activation="relu", name="enc"), tf.keras.layers.Dense(1, name="head")])
    m.compile(optimizer=tf.keras.optimizers.SGD(LR), loss="mse", metrics=["mae"])
    return m


def main():
    cfg = json.loads(os.environ["TF_CONFIG"])
    task = cfg["task"]["index"]
    log.info("host %s pid %d tf %s task %s", os.uname().nodename, os.getpid(), tf.__version__, cfg["task"])
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    log.info("replicas in sync: %d", strategy.num_replicas_in_sync)
    with strategy.scope():
        model = build()
    cbs = [tf.keras.callbacks.BackupAndRestore(f"{WD}/backup"), StepLog(int(os.environ.get("EVERY", 5)))]
    h = model.fit(input_fn(task), epochs=EPOCHS, steps_per_epoch=STEPS, callbacks=cbs, verbose=int(os.environ.get("VERBOSE", 2)))
    log.info("history %s", [round(v, 5) for v in h.history["loss"]])
    model.save_weights(f"{WD}/final-w{task}.weights.h5")
    log.info("training finished, weights written")


if __name__ == "__main__":
    main()
