import os, sys, time, json, logging
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior(); tf.logging.set_verbosity(tf.logging.INFO)
job, idx = sys.argv[1], int(sys.argv[2])
c = tf.train.ClusterSpec({"ps": ["ps0:23222", "ps1:23222"], "worker": ["kerja0:23222", "kerja1:23222"]})
s = tf.train.Server(c, job_name=job, task_index=idx)
if job == "ps": s.join()
import numpy as np
with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % idx, cluster=c)):
    gs = tf.train.get_or_create_global_step()
    x = tf.random_normal([32, 128]); y = tf.cast(tf.reduce_sum(x[:, :6], 1) > 0, tf.int32)
    w1 = tf.get_variable("hulu/w", [128, 64]); b1 = tf.get_variable("hulu/b", [64]); w2 = tf.get_variable("hilir/w", [64, 2]); b2 = tf.get_variable("hilir/b", [2])
    l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=tf.nn.relu(x @ w1 + b1) @ w2 + b2))
    tr = tf.train.AdamOptimizer(5e-4).minimize(l, global_step=gs)
cf = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % idx])
with tf.train.MonitoredTrainingSession(master=s.target, is_chief=idx == 0, checkpoint_dir="/tmp/rotan_ps_ck", save_checkpoint_steps=400, config=cf, save_summaries_steps=None, log_step_count_steps=None) as ss:
    n = 0
    while not ss.should_stop():
        _, L, g = ss.run([tr, l, gs]); n += 1
        if n % 25 == 0: tf.logging.info("langkah lokal %d global %d rugi %.4f", n, g, L)
        time.sleep(.004)
