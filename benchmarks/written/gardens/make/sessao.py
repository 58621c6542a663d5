"""Sessão TF1 entre grafos: ps + trabalhadores (tf.compat.v1, tf.distribute.Server)."""
import json, os, sys, time, numpy as np
import tensorflow.compat.v1 as tf
tf.disable_eager_execution(); tf.logging.set_verbosity(tf.logging.INFO)
c = json.loads(os.environ["TF_CONFIG"]); job, i = c["task"]["type"], c["task"]["index"]
cl = tf.train.ClusterSpec(c["cluster"])
srv = tf.distribute.Server(cl, job_name=job, task_index=i)
if job == "ps":
    tf.logging.info("ps %d no ar em %s", i, srv.target); srv.join()
with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % i, cluster=cl)):
    gs = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, (None, 32)); y = tf.placeholder(tf.float32, (None,))
    w = tf.get_variable("w", (32, 1)); b = tf.get_variable("b", ())
    l = tf.reduce_mean(tf.square(tf.squeeze(x @ w, 1) + b - y)); op = tf.train.GradientDescentOptimizer(.02).minimize(l, gs)
r = np.random.RandomState(i); W = np.ones(32, "f4")
tf.logging.info("trabalhador %d: abrindo sessão em %s", i, srv.target)
with tf.train.MonitoredTrainingSession(srv.target, is_chief=i == 0, checkpoint_dir=os.environ["PONTOS"] if i == 0 else None, save_checkpoint_secs=15, config=tf.ConfigProto(device_filters=['/job:ps', '/job:worker/task:%d' % i]), log_step_count_steps=50,
        hooks=[tf.train.LoggingTensorHook({"perda": l, "passo": gs}, every_n_iter=20)]) as s:
    while not s.should_stop():
        q = r.randn(16, 32).astype("f4"); s.run(op, {x: q, y: q @ W}); time.sleep(.05)
