"""Data parallel training with DTensor, one client per host. Logs are JSON lines for the log shipper."""

import argparse
import json
import os
import sys
import time

cfg = json.loads(os.environ["TF_CONFIG"])
workers, rank = cfg["cluster"]["worker"], cfg["task"]["index"]
os.environ["DTENSOR_JOB_NAME"] = "worker"
os.environ["DTENSOR_JOBS"] = ",".join(workers)
os.environ["DTENSOR_NUM_CLIENTS"] = str(len(workers))
os.environ["DTENSOR_CLIENT_ID"] = str(rank)

import tensorflow as tf
from batching import shape_batch
from tensorflow.experimental import dtensor

ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=30)
ap.add_argument("--pace", type=float, default=0.1)
ap.add_argument("--lr", type=float, default=0.05)
ns = ap.parse_args()


def log(level, message, **more):
    now = time.time()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03d}Z"
    print(json.dumps({"ts": stamp, "level": level, "rank": rank, "msg": message, **more}), flush=True)


def report(kind, value, trace):
    log("error", "unhandled exception", type=kind.__name__, error=str(value)[:1500])
    sys.__excepthook__(kind, value, trace)


sys.excepthook = report
shape_batch(0, None)
log("info", "starting", tensorflow=tf.__version__, client=rank, clients=len(workers))
tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)
dtensor.initialize_accelerator_system("CPU")
mesh = dtensor.create_distributed_mesh([("batch", 2 * len(workers))], device_type="CPU")
log("info", "mesh is ready", devices=mesh.size)
replicated = dtensor.Layout.replicated(mesh, rank=2)
w = dtensor.DVariable(dtensor.call_with_layout(tf.zeros, replicated, [8, 1]))
sharded = dtensor.Layout.batch_sharded(mesh, "batch", rank=2)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    w.assign_sub(ns.lr * tape.gradient(loss, w))
    return loss


for step in range(1, ns.steps + 1):
    began = time.time()
    parts = [tf.random.stateless_normal([4, 8], [step, 2 * rank + i]) for i in range(2)]
    parts[-1] = shape_batch(step, parts[-1])
    x = dtensor.pack(parts, sharded)
    y = dtensor.pack([tf.reduce_sum(part, 1, keepdims=True) for part in parts], sharded)
    loss = train_step(x, y)
    value = float(dtensor.unpack(loss)[0])
    log("info", "step", step=step, loss=round(value, 5), ms=round(1000 * (time.time() - began), 1))
    time.sleep(ns.pace)
log("info", "done", steps=ns.steps)
