"""tf.data service: a dispatcher, workers, and trainers that read from them."""

import argparse
import json
import os
import sys
import time

import tensorflow as tf
from transforms import scale

ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=60)
ap.add_argument("--pace", type=float, default=0.1)
ap.add_argument("--mode", default="distributed_epoch")
ap.add_argument("--patience", type=float, default=0)
opts = ap.parse_args()
conf = json.loads(os.environ["TF_CONFIG"])
role, index = conf["task"]["type"], conf["task"]["index"]
dispatcher = conf["cluster"]["dispatcher"][0]


def note(*words):
    sys.stderr.write(time.strftime("%H:%M:%S ") + f"{role}{index} | " + " ".join(map(str, words)) + "\n")


scale(0, None)
if role == "dispatcher":
    server = tf.data.experimental.service.DispatchServer(
        tf.data.experimental.service.DispatcherConfig(
            port=int(dispatcher.split(":")[1]), fault_tolerant_mode=True, work_dir="/data/dispatcher"
        )
    )
    note("dispatcher listens at", server.target)
elif role == "worker":
    me = conf["cluster"]["worker"][index]
    server = tf.data.experimental.service.WorkerServer(
        tf.data.experimental.service.WorkerConfig(
            dispatcher_address=dispatcher, worker_address=me, port=int(me.split(":")[1]), heartbeat_interval_ms=1000
        )
    )
    note("worker listens at", me)
if role in ("dispatcher", "worker"):
    turn = 0
    while True:
        turn += 1
        scale(turn, None)
        time.sleep(0.2)

note("tensorflow", tf.__version__, "connecting to", dispatcher)
files = tf.data.Dataset.list_files("/data/train/*.tfrecord", shuffle=False)
dataset = files.interleave(tf.data.TFRecordDataset).map(lambda r: tf.io.decode_raw(r, tf.float32)).repeat().batch(8)
dataset = dataset.apply(
    tf.data.experimental.service.distribute(opts.mode, service=f"grpc://{dispatcher}", job_name="train")
)
weights = tf.Variable(tf.zeros([9]))
batches = iter(dataset)
for step in range(1, opts.steps + 1):
    x = scale(step, next(batches))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.linalg.matvec(x, weights) - x[:, 8]))
    weights.assign_sub(0.01 * tape.gradient(loss, weights))
    if step % 5 == 0:
        note(f"step {step} loss {float(loss):.4f}")
    time.sleep(opts.pace)
note("finished", opts.steps, "steps")
