"""Custom training loop under MultiWorkerMirroredStrategy: denoiser of light curves."""
import argparse, json, os, socket, sys, time
from absl import app, flags, logging
import numpy as np
import tensorflow as tf
F = flags.FLAGS
flags.DEFINE_integer("steps", 120, "")
flags.DEFINE_integer("window", 64, "")
flags.DEFINE_integer("batch", 16, "")
flags.DEFINE_float("lr", 0.01, "")
flags.DEFINE_float("pause", 0.0, "")
flags.DEFINE_string("shards", "", "")
flags.DEFINE_string("ckpt", "", "")
flags.DEFINE_integer("width", 32, "")

class Denoiser(tf.Module):
    def __init__(self, window, width):
        super().__init__()
        r = tf.random.Generator.from_seed(7)
        self.w1 = tf.Variable(r.normal([window, width]) * .1, name="enc/kernel")
        self.b1 = tf.Variable(tf.zeros([width]), name="enc/bias")
        self.w2 = tf.Variable(r.normal([width, window]) * .1, name="dec/kernel")
    def __call__(self, x):
        return tf.matmul(tf.nn.relu(tf.matmul(x, self.w1) + self.b1), self.w2)

def read_shard(path, window, batch):
    logging.info("reading shard %s", path)
    flux = np.load(path)
    logging.info("shard %s: %d curves of %d samples, median %.4f", os.path.basename(path), flux.shape[0], flux.shape[1], np.median(flux))
    return tf.data.Dataset.from_tensor_slices(flux.astype("float32")).batch(batch, drop_remainder=True)

def main(_):
    cfg = json.loads(os.environ["TF_CONFIG"])
    idx = cfg["task"]["index"]
    logging.info("host %s pid %d task worker:%d tf %s", socket.gethostname(), os.getpid(), idx, tf.__version__)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    logging.info("replicas in sync: %d", strategy.num_replicas_in_sync)
    paths = F.shards.split(",")
    ds = read_shard(paths[idx], F.window, F.batch)
    with strategy.scope():
        model = Denoiser(F.window, F.width)
        step_var = tf.Variable(0, dtype=tf.int64, name="global_step")
    ck = tf.train.Checkpoint(model=model, step=step_var)
    if F.ckpt:
        mgr = tf.train.CheckpointManager(ck, os.path.join(F.ckpt, "w%d" % idx), max_to_keep=3)
        if mgr.latest_checkpoint:
            logging.info("restoring %s", mgr.latest_checkpoint)
            ck.restore(mgr.latest_checkpoint).assert_existing_objects_matched()
            logging.info("restored at step %d", int(step_var.numpy()))

    @tf.function
    def train_step(x):
        def replica_fn(b):
            with tf.GradientTape() as tape:
                out = model(b + .1)
                loss = tf.reduce_mean(tf.square(out - b))
            g = tape.gradient(loss, model.trainable_variables)
            g = tf.distribute.get_replica_context().all_reduce("mean", g)
            for v, d in zip([model.b1, model.w1, model.w2], g):
                v.assign_sub(F.lr * d)
            return loss
        per = strategy.run(replica_fn, args=(x,))
        return strategy.reduce(tf.distribute.ReduceOp.MEAN, per, axis=None)

    epoch = 0
    t0 = time.time()
    while int(step_var.numpy()) < F.steps:
        epoch += 1
        for x in ds:
            loss = train_step(x)
            step_var.assign_add(1)
            s = int(step_var.numpy())
            time.sleep(F.pause)
            if s % 2 == 0:
                logging.info("step %d epoch %d loss %.6f %.1f ms/step", s, epoch, float(loss), 1000 * (time.time() - t0) / 2)
                t0 = time.time()
            if F.ckpt and s % 20 == 0:
                logging.info("saved %s", mgr.save())
            if s >= F.steps:
                break
        logging.info("end of epoch %d at step %d", epoch, s)
    logging.info("training finished, %d steps", F.steps)

if __name__ == "__main__":
    app.run(main)
