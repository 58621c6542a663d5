#!/usr/bin/env python
# between-graph replication, the way sonam's 2017 script did it
import sys, time, argparse, os
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
ap = argparse.ArgumentParser()
for a in ("--ps", "--wk", "--job", "--ckdir"): ap.add_argument(a)
ap.add_argument("--i", type=int); ap.add_argument("--steps", type=int, default=500); ap.add_argument("--every", type=int, default=1)
A = ap.parse_args()
tf.logging.set_verbosity(tf.logging.INFO)
cl = tf.train.ClusterSpec({"ps": A.ps.split(","), "worker": A.wk.split(",")})
print("cluster", cl.as_dict()); print("i am", A.job, A.i); sys.stdout.flush()
srv = tf.train.Server(cl, job_name=A.job, task_index=A.i)
if A.job == "ps": srv.join()
with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % A.i, cluster=cl)):
    x = tf.random.normal((32, 20 * 20), seed=4); y = tf.cast(tf.reduce_sum(x[:, :50], 1) > 0, tf.int32)
    h = tf.layers.dense if False else None
    w1 = tf.get_variable("perf/w", (400, 64)); b1 = tf.get_variable("perf/b", (64,), initializer=tf.zeros_initializer())
    w2 = tf.get_variable("out/w", (64, 2)); b2 = tf.get_variable("out/b", (2,), initializer=tf.zeros_initializer())
    lo = tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) + b2
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=lo))
    gs = tf.train.get_or_create_global_step()
    op = tf.train.AdamOptimizer(1e-3).minimize(loss, global_step=gs)
if os.environ.get("DEEP"): import catalogue
with tf.train.MonitoredTrainingSession(master=srv.target, is_chief=A.i == 0, checkpoint_dir=A.ckdir if A.i == 0 or os.environ.get("ALLCK") else None, save_checkpoint_steps=150, hooks=[tf.train.StopAtStepHook(last_step=A.steps)], log_step_count_steps=50, config=tf.ConfigProto(log_device_placement=False)) as s:
    k = 0
    while not s.should_stop():
        _, l, g = s.run([op, loss, gs]); k += 1
        if k % A.every == 0: print("%s  gs=%d  loss=%.5f" % (time.strftime("%d/%m %H:%M:%S"), g, l)); sys.stdout.flush()
        if os.environ.get("DEEP") and k == int(os.environ["DEEP"]): print("reading catalogue for hard negatives"); sys.stdout.flush(); catalogue.walk("1962-BHU-001")
        time.sleep(float(os.environ.get("NAP", "0")))
print("finished", k, "local steps")
