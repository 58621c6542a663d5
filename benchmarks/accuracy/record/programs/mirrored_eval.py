"""MirroredStrategy on logical CPU devices, and an evaluator that reads the checkpoints."""

import argparse
import json
import os
import sys
import time

import tensorflow as tf
from metrics import smooth

p = argparse.ArgumentParser()
p.add_argument("--steps", type=int, default=40)
p.add_argument("--pace", type=float, default=0.1)
p.add_argument("--devices", type=int, default=4)
p.add_argument("--check", action="store_true")
p.add_argument("--lr", type=float, default=0.05)
p.add_argument("--nested", action="store_true")
p.add_argument("--place", default="")
a = p.parse_args()
role = json.loads(os.environ["TF_CONFIG"])["task"]["type"]
os.environ.pop("TF_CONFIG")
if a.check:
    tf.debugging.enable_check_numerics()


def train():
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * a.devices)
    strategy = tf.distribute.MirroredStrategy([d.name for d in tf.config.list_logical_devices("CPU")])
    print("replicas:", strategy.num_replicas_in_sync)
    with strategy.scope():
        w = tf.Variable(tf.ones([8, 4]), name="w")
        if a.nested:
            with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
                w = tf.Variable(tf.ones([8, 4]), name="w2")
    ckpt = tf.train.Checkpoint(w=w)
    manager = tf.train.CheckpointManager(ckpt, "/data/ckpt", max_to_keep=3)

    @tf.function
    def step_fn(x):
        def replica(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
            g = tape.gradient(loss, w)
            g = tf.distribute.get_replica_context().all_reduce("sum", g)
            w.assign_sub(a.lr * g / a.devices)
            return loss

        per = strategy.run(replica, args=(x,))
        return strategy.reduce("MEAN", per, axis=None)

    for i in range(1, a.steps + 1):
        x = smooth(i, tf.random.normal([8, 8], seed=i))
        if a.place:
            with tf.device(a.place):
                x = tf.identity(x)
        loss = step_fn(x)
        print(f"[train] it={i} loss={float(loss):.6g}")
        if i % 8 == 0:
            print("[train] writing", manager.save(i))
        time.sleep(a.pace)
    open("/data/ckpt/done", "w").close()
    print("[train] all done")


def evaluate():
    w = tf.Variable(tf.ones([8, 4]), name="w")
    ckpt = tf.train.Checkpoint(w=w)
    seen, i = None, 0
    while True:
        i += 1
        smooth(i, None)
        latest = tf.train.latest_checkpoint("/data/ckpt")
        if latest and latest != seen:
            seen = latest
            ckpt.restore(latest).expect_partial()
            print(f"[eval] {os.path.basename(latest)}: mse={float(tf.reduce_mean(tf.square(w))):.4f}")
        if os.path.exists("/data/ckpt/done"):
            break
        time.sleep(0.5)
    print("[eval] trainer is done, leaving")


sys.stdout.reconfigure(line_buffering=True)
smooth(0, None)
train() if role == "chief" else evaluate()
