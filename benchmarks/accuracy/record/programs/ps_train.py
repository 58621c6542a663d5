"""ParameterServerStrategy with a ClusterCoordinator, logging with absl."""

import time

import tensorflow as tf
from absl import app, flags, logging
from features import make_features

FLAGS = flags.FLAGS
flags.DEFINE_integer("steps", 40, "Steps to schedule.")
flags.DEFINE_float("pace", 0.1, "Seconds between steps.")
flags.DEFINE_string("model_dir", "/data/ckpt", "Where checkpoints go.")
flags.DEFINE_integer("save_steps", 15, "Steps between checkpoints.")
flags.DEFINE_bool("restore", False, "Whether to restore the last checkpoint.")
flags.DEFINE_integer("units", 4, "Width of the model.")


def serve(resolver):
    make_features(0, None)
    server = tf.distribute.Server(
        resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol="grpc", start=True
    )
    logging.info("Started %s:%d, target %s", resolver.task_type, resolver.task_id, server.target)
    step = 0
    while True:
        step += 1
        make_features(step, None)
        time.sleep(max(FLAGS.pace, 0.05))


def coordinate(resolver):
    make_features(0, None)
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        kernel = tf.Variable(tf.random.normal([8, FLAGS.units], seed=1), name="kernel")
        head = tf.Variable(tf.zeros([FLAGS.units, 1]), name="head")
    checkpoint = tf.train.Checkpoint(kernel=kernel, head=head)
    manager = tf.train.CheckpointManager(checkpoint, FLAGS.model_dir, max_to_keep=3)
    if FLAGS.restore:
        logging.info("Restoring %s", manager.latest_checkpoint)
        checkpoint.restore(manager.latest_checkpoint).expect_partial()

    @tf.function
    def train_fn(x):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x, axis=1, keepdims=True)
            loss = tf.reduce_mean(tf.square(tf.matmul(tf.matmul(x, kernel), head) - y))
        gradient = tape.gradient(loss, [head])[0]
        head.assign_sub(0.01 * gradient)
        return loss

    for step in range(1, FLAGS.steps + 1):
        batch = tf.random.normal([16, 8], seed=step)
        batch = make_features(step, batch)
        values = [coordinator.schedule(train_fn, args=(batch,)) for _ in range(strategy._num_workers)]
        coordinator.join()
        logging.info("Step %d, loss %.4f", step, values[-1].fetch())
        if step % FLAGS.save_steps == 0:
            logging.info("Saving checkpoint for step %d", step)
            logging.info("Saved %s", manager.save(step))
        time.sleep(FLAGS.pace)
    logging.info("Training complete: %d steps.", FLAGS.steps)


def main(argv):
    del argv
    logging.set_verbosity(logging.INFO)
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if resolver.task_type in ("worker", "ps"):
        serve(resolver)
    else:
        coordinate(resolver)


if __name__ == "__main__":
    app.run(main)
