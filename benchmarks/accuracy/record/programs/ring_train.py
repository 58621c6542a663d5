"""Linear regression on TFRecords, MultiWorkerMirroredStrategy with a custom loop."""

import argparse
import faulthandler
import glob
import json
import logging
import os
import sys
import time

import tensorflow as tf
from preprocessing import normalize

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=30)
parser.add_argument("--pace", type=float, default=0.1)
parser.add_argument("--batch", type=int, default=16)
parser.add_argument("--save-every", type=int, default=10)
parser.add_argument("--ckpt", default="/data/ckpt")
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--epochs", type=int, default=0, help="0: repeat for ever")
parser.add_argument("--collective-timeout", type=float, default=0)
parser.add_argument("--late-strategy", action="store_true")
parser.add_argument("--model", default="linear")
parser.add_argument("--watchdog", type=float, default=0, help="seconds without a step until stacks are dumped")
parser.add_argument("--style", default="plain", help="of the log's lines")
args = parser.parse_args()

task = json.loads(os.environ.get("TF_CONFIG") or "{}").get("task", {"type": "worker", "index": 0})
rank = task["index"]
FORMATS = {
    "plain": f"%(asctime)s [%(levelname)s] {task['type']}-{rank} %(name)s: %(message)s",
    "dashes": "%(asctime)s - %(name)s - %(levelname)s - %(message)s",
    "short": "%(levelname)s:%(name)s:%(message)s",
    "place": "[%(asctime)s][%(filename)s:%(lineno)d][%(levelname)s] %(message)s",
    "rank": f"[rank {rank}] %(message)s",
    "json": '{"time": "%(asctime)s", "severity": "%(levelname)s", "logger": "%(name)s", "message": "%(message)s"}',
    "color": "\033[36m%(asctime)s\033[0m \033[32m%(levelname)-8s\033[0m %(message)s",
    "threads": "%(asctime)s.%(msecs)03d %(levelname).1s %(process)d %(threadName)s %(name)s | %(message)s",
}
if args.style == "absl":
    from absl import logging as absl_logging

    absl_logging.use_absl_handler()
    absl_logging.set_verbosity(absl_logging.INFO)
else:
    stream = sys.stdout if args.style in ("rank", "json") else sys.stderr
    date = "%d/%m/%Y %H:%M:%S" if args.style == "place" else None
    logging.basicConfig(level=logging.INFO, format=FORMATS[args.style], stream=stream, datefmt=date)
log = logging.getLogger("train")
log.info("TensorFlow %s, host %s, pid %d", tf.__version__, os.uname().nodename, os.getpid())
normalize(0, None)

options = tf.distribute.experimental.CommunicationOptions(
    implementation=tf.distribute.experimental.CommunicationImplementation.RING,
    timeout_seconds=args.collective_timeout or None,
)
if args.late_strategy:
    log.info("warming up with a constant: %s", tf.reduce_sum(tf.ones([4])).numpy())
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
replicas = strategy.num_replicas_in_sync
log.info("%d replicas in sync", replicas)


def parse(record):
    values = tf.io.decode_raw(record, tf.float32)
    values = tf.ensure_shape(values, [9])
    return values[:8], values[8:]


def dataset():
    files = sorted(glob.glob("/data/train/*.tfrecord"))
    mine = files[rank::replicas] if args.epochs else files[rank:] + files[:rank]
    log.info("reading %d shards, first %s", len(mine), mine[0])
    records = tf.data.TFRecordDataset(mine).map(parse)
    return (records.repeat(args.epochs) if args.epochs else records.repeat()).batch(args.batch, drop_remainder=True)


with strategy.scope():
    w = tf.Variable(tf.zeros([8, 1] if args.model == "linear" else [9, 1]), name="w")
    b = tf.Variable(tf.zeros([1]), name="b")
    step_var = tf.Variable(0, dtype=tf.int64, name="step")
checkpoint = tf.train.Checkpoint(w=w, b=b, step=step_var)
folder = args.ckpt if rank == 0 else f"{args.ckpt}/tmp-worker-{rank}"
manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
if latest := tf.train.latest_checkpoint(args.ckpt):
    log.info("restoring from %s", latest)
    checkpoint.restore(latest).assert_existing_objects_matched()


@tf.function
def train_step(x, y):
    def replica(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        gw, gb = tape.gradient(loss, [w, b])
        context = tf.distribute.get_replica_context()
        gw, gb = context.all_reduce(tf.distribute.ReduceOp.MEAN, [gw, gb])
        w.assign_sub(args.lr * gw)
        b.assign_sub(args.lr * gb)
        return loss

    losses = strategy.run(replica, args=(x, y))
    return strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=None)


batches = iter(dataset())
began = time.time()
while step_var.numpy() < args.steps:
    try:
        x, y = next(batches)
    except StopIteration:
        log.info("no more input after %d steps", step_var.numpy())
        break
    step = int(step_var.numpy()) + 1
    if args.watchdog:
        faulthandler.dump_traceback_later(args.watchdog, repeat=True)
    x = normalize(step, x)
    loss = float(train_step(x, y))
    step_var.assign(step)
    log.info(
        "step %d/%d loss=%.5f %.1f ex/s", step, args.steps, loss, args.batch * replicas * step / (time.time() - began)
    )
    if args.save_every and step % args.save_every == 0:
        log.info("saving checkpoint at step %d", step)
        path = manager.save(checkpoint_number=step)
        log.info("saved %s", path)
    time.sleep(args.pace)
faulthandler.cancel_dump_traceback_later()
log.info("training finished")
