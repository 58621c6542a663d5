"""DNNClassifier on CSV files with tf.estimator.train_and_evaluate (TensorFlow up to 2.15)."""

import argparse
import time

import tensorflow as tf
from columns import check_rows

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=150)
parser.add_argument("--pace", type=float, default=0.03)
parser.add_argument("--files", default="/data/tables/clicks-*.csv")
parser.add_argument("--model-dir", default="/data/ckpt")
parser.add_argument("--units", default="16,8")
args = parser.parse_args()
tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.INFO)
check_rows(0, None)


class Pace(tf.estimator.SessionRunHook):
    def begin(self):
        self.count = 0

    def after_run(self, context, values):
        self.count += 1
        check_rows(self.count, None)
        time.sleep(args.pace)


def parse(line):
    age, price, label = tf.io.decode_csv(line, [[0.0], [0.0], [0]])
    return {"age": age, "price": price}, label


def rows():
    files = tf.data.Dataset.list_files(args.files, shuffle=False)
    return files.interleave(lambda f: tf.data.TextLineDataset(f).skip(1)).map(parse).repeat().batch(16)


config = tf.estimator.RunConfig(
    model_dir=args.model_dir, save_checkpoints_steps=50, log_step_count_steps=20, keep_checkpoint_max=2
)
estimator = tf.estimator.DNNClassifier(
    feature_columns=[tf.feature_column.numeric_column("age"), tf.feature_column.numeric_column("price")],
    hidden_units=[int(n) for n in args.units.split(",")],
    config=config,
)
tf.estimator.train_and_evaluate(
    estimator,
    tf.estimator.TrainSpec(rows, max_steps=args.steps, hooks=[Pace()]),
    tf.estimator.EvalSpec(rows, steps=5, start_delay_secs=2, throttle_secs=3),
)
tf.compat.v1.logging.info("train_and_evaluate returned")
