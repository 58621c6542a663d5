import ctypes
import faulthandler
import json
import os
import sys
import time

import numpy as np
import tensorflow.compat.v1 as tf

faulthandler.enable()
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.INFO)

conf = json.load(open(os.environ["CLUSTER_JSON"]))
job, idx = os.environ["JOB"], int(os.environ["IDX"])
print(time.strftime("%H:%M:%S"), "starting", job, idx, "tf", tf.__version__, flush=True)
cluster = tf.train.ClusterSpec(conf)
server = tf.train.Server(cluster, job_name=job, task_index=idx)
if job == "ps":
    print(time.strftime("%H:%M:%S"), "ps", idx, "joined", flush=True)
    server.join()

lib = ctypes.CDLL(os.environ["DAKRY_LIB"])
lib.dk_equalise.restype = ctypes.c_float
F = ctypes.POINTER(ctypes.c_float)


def equalise(x):
    out = np.empty_like(x)
    for row, o in zip(x, out):
        lib.dk_equalise(row.ctypes.data_as(F), o.ctypes.data_as(F), row.size, 64)
    return out


def trays(path, seed):
    rng = np.random.default_rng(seed)
    z = np.load(path)
    while True:
        for s in range(0, len(z) - 32, 32):
            x = z[s:s + 32].copy()
            yield x, (x[:, :128].mean(1) > x[:, 128:].mean(1)).astype("int32")


with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % idx, cluster=cluster)):
    gs = tf.train.get_or_create_global_step()
    X = tf.placeholder(tf.float32, [None, 256])
    Y = tf.placeholder(tf.int32, [None])
    w1 = tf.get_variable("w1", [256, 64])
    b1 = tf.get_variable("b1", [64], initializer=tf.zeros_initializer())
    w2 = tf.get_variable("w2", [64, 2])
    h = tf.nn.relu(tf.matmul(X, w1) + b1)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=Y, logits=tf.matmul(h, w2)))
    train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, global_step=gs)

hooks = [tf.train.StopAtStepHook(last_step=int(os.environ.get("LAST", "2000")))]
src = trays(os.environ["TRAYS"], idx)
conf_p = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % idx],
                        inter_op_parallelism_threads=int(os.environ.get("INTER", "2")), intra_op_parallelism_threads=2)
with tf.train.MonitoredTrainingSession(master=server.target, is_chief=(idx == 0), config=conf_p, hooks=hooks,
                                       checkpoint_dir=os.environ["CKPT"] if idx == 0 else None,
                                       save_checkpoint_secs=8, log_step_count_steps=100) as s:
    n = 0
    while not s.should_stop():
        x, y = next(src)
        x = equalise(x)
        _, l, g = s.run([train, loss, gs], {X: x, Y: y})
        time.sleep(float(os.environ.get("NAP", "0.03")))
        n += 1
        if n % 5 == 0:
            print(time.strftime("%H:%M:%S"), "worker %d local %d global %d loss %.5f" % (idx, n, g, l), flush=True)
print(time.strftime("%H:%M:%S"), "worker", idx, "done", flush=True)
