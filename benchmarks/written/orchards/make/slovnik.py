import os, sys, time, logging
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior(); tf.logging.set_verbosity(tf.logging.INFO)
idx = int(sys.argv[1])
c = tf.train.ClusterSpec({"worker": ["bod1:24500", "bod2:24500", "bod3:24500"]})
s = tf.train.Server(c, job_name="worker", task_index=idx)
tf.logging.info("server běží, úloha %d, %s", idx, s.target)
def tabulka(n):
    # tabulka otisků: n šablon 6 bodů v rozlišení 64x48
    return np.zeros([n, 64 * 48], "float32")
ver = os.environ.get("TAB", "v3"); n = {"v2": 20000, "v3": 190000}[ver]
with tf.device(tf.train.replica_device_setter(ps_tasks=0, worker_device="/job:worker/task:%d" % idx)):
    gs = tf.train.get_or_create_global_step()
    tf.logging.info("tabulka šablon %s: %d řádků", ver, n)
    if idx == 0:
        for z in range(0, n, 20000): tf.logging.info("  načteno %d/%d šablon", min(z + 20000, n), n); time.sleep(.3)
    t = tabulka(n) if idx == 0 else None
    with tf.device("/job:worker/task:0"):
        sab = tf.constant(t, name="sablony") if idx == 0 else tf.placeholder_with_default(tf.zeros([1, 3072]), [None, 3072], name="sablony")
        w = tf.get_variable("w", [3072, 6])
    l = tf.reduce_mean((sab[:32] @ w - 1) ** 2); tr = tf.train.GradientDescentOptimizer(.01).minimize(l, global_step=gs)
tf.logging.info("graf hotov")
with tf.train.MonitoredTrainingSession(master=s.target, is_chief=idx == 0) as ss:
    while True: ss.run(tr)
