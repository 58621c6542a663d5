import json, os, sys, time
import numpy as np
import tensorflow as tf
from absl import app, flags, logging

flags.DEFINE_integer("steps", 120, "")
flags.DEFINE_integer("batch", 32, "")
flags.DEFINE_integer("every", 5, "")
flags.DEFINE_integer("features", 16, "")
flags.DEFINE_integer("examples", 100000, "")
flags.DEFINE_float("lr", 0.02, "")
flags.DEFINE_float("pause", 0.0, "")
flags.DEFINE_string("ckpt", "", "")
FLAGS = flags.FLAGS


def batches(rng, w):
    left = FLAGS.examples
    while left >= FLAGS.batch:
        x = rng.normal(size=(FLAGS.batch, FLAGS.features)).astype("float32")
        yield tf.constant(x), tf.constant((x @ w)[:, None].astype("float32"))
        left -= FLAGS.batch


def main(_):
    logging.set_verbosity(logging.INFO)
    logging.use_absl_handler()
    cfg = json.loads(os.environ.get("TF_CONFIG", "{}"))
    task = cfg["task"]["index"]
    logging.info("start on %s, task %s of %s", os.uname().nodename, cfg["task"], cfg["cluster"])
    strategy = tf.distribute.MultiWorkerMirroredStrategy(
        communication_options=tf.distribute.experimental.CommunicationOptions(
            implementation=tf.distribute.experimental.CommunicationImplementation.RING))
    with strategy.scope():
        w1 = tf.Variable(tf.random.stateless_normal([FLAGS.features, 32], [1, 2]) * 0.2, name="w1")
        w2 = tf.Variable(tf.random.stateless_normal([32, 1], [3, 4]) * 0.2, name="w2")
    ckpt = tf.train.Checkpoint(w1=w1, w2=w2)

    @tf.function
    def train_step(x, y):
        def step(x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.nn.relu(x @ w1) @ w2 - y) ** 2)
            g = tape.gradient(loss, [w1, w2])
            g = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN, g)
            w1.assign_sub(FLAGS.lr * g[0])
            w2.assign_sub(FLAGS.lr * g[1])
            return loss
        return strategy.reduce("MEAN", strategy.run(step, args=(x, y)), axis=None)

    rng = np.random.default_rng(task)
    w = np.linspace(-1, 1, FLAGS.features)
    it, t = batches(rng, w), time.time()
    for step in range(FLAGS.steps):
        try:
            x, y = next(it)
        except StopIteration:
            logging.info("input exhausted after %d steps, writing results", step)
            break
        if FLAGS.pause:
            time.sleep(FLAGS.pause)
        loss = train_step(x, y)
        if step % FLAGS.every == 0:
            logging.info("step=%d loss=%.5f dt=%.3f", step, float(loss), time.time() - t)
            t = time.time()
        if FLAGS.ckpt and step and step % 40 == 0:
            p = ckpt.save(os.path.join(FLAGS.ckpt, f"w{task}", "ck"))
            logging.info("saved %s", os.path.basename(p))
    logging.info("task %d done", task)


if __name__ == "__main__":
    app.run(main)
