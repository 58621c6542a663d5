# Asynchronous training with parameter servers, TF1 style. Kept running under TF2 via compat.v1.
import argparse
import json
import os
import time

import numpy as np
import tensorflow.compat.v1 as tf
from reader import next_rows

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.INFO)
parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=150)
parser.add_argument("--pace", type=float, default=0.05)
parser.add_argument("--width", type=int, default=16)
parser.add_argument("--dir", default="/data/ckpt")
parser.add_argument("--rate", type=float, default=0.01)
parser.add_argument("--nan-hook", action="store_true")
parser.add_argument("--timeout", type=int, default=20000)
parser.add_argument("--every", type=int, default=10)
args = parser.parse_args()

config = json.loads(os.environ["TF_CONFIG"])
job, index = config["task"]["type"], config["task"]["index"]
cluster = tf.train.ClusterSpec(config["cluster"])
next_rows(0, None)
server = tf.train.Server(cluster, job_name=job, task_index=index)
if job == "ps":
    turn = 0
    while True:
        turn += 1
        next_rows(turn, None)
        time.sleep(0.1)

with tf.device(tf.train.replica_device_setter(worker_device=f"/job:worker/task:{index}", cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, args.width], name="x")
    y = tf.placeholder(tf.float32, [None], name="y")
    w1 = tf.get_variable("hidden/kernel", [args.width, 32])
    b1 = tf.get_variable("hidden/bias", [32], initializer=tf.zeros_initializer())
    w2 = tf.get_variable("out/kernel", [32, 1])
    hidden = tf.nn.relu(tf.matmul(x, w1) + b1)
    loss = tf.reduce_mean(tf.square(tf.squeeze(tf.matmul(hidden, w2), 1) - y))
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(args.rate).minimize(loss, global_step=step)

hooks = [
    tf.train.StopAtStepHook(last_step=args.steps),
    tf.train.LoggingTensorHook({"loss": loss, "step": step}, every_n_iter=args.every),
]
if args.nan_hook:
    hooks.append(tf.train.NanTensorHook(loss))
rng = np.random.default_rng(index)
count = 0
with tf.train.MonitoredTrainingSession(
    master=server.target,
    is_chief=index == 0,
    checkpoint_dir=args.dir or None,
    hooks=hooks,
    config=tf.ConfigProto(operation_timeout_in_ms=args.timeout),
    save_checkpoint_steps=40,
    log_step_count_steps=20,
) as session:
    while not session.should_stop():
        time.sleep(args.pace)
        count += 1
        batch = rng.normal(size=(8, args.width)).astype("float32")
        batch = next_rows(count, batch)
        _, value, at = session.run([train, loss, step], {x: batch, y: batch.sum(1)})
        if count % args.every == 0:
            print("Worker %d: local step %d, global step %d, loss %g" % (index, count, at, value), flush=True)
print("worker", index, "is through", flush=True)
