# fraud.py -- txn scoring, TF1-style parameter servers (kept since 2019)
import os, json, sys, time, ssl, urllib.request, logging
import numpy as np
import tensorflow as tf
tf1 = tf.compat.v1; tf1.disable_eager_execution(); tf1.logging.set_verbosity(tf1.logging.INFO)
c = json.loads(os.environ["TF_CONFIG"]); job, idx = c["task"]["type"], c["task"]["index"]
spec = tf.train.ClusterSpec(c["cluster"])
server = tf1.train.Server(spec, job_name=job, task_index=idx)
if job == "ps":
    print("ps %d serving, target %s" % (idx, server.target), flush=True); server.join()
FEATURES = os.environ.get("FEATURES")
def fetch(day):
    if not FEATURES: return np.random.default_rng(day).normal(size=(64, 20)).astype("f4")
    for attempt in range(2):
        try:
            with urllib.request.urlopen(FEATURES + "/txn/%d" % day, timeout=8) as r: return np.frombuffer(r.read(), "f4").reshape(64, 20)
        except (ConnectionError, TimeoutError) as e:
            print("feature store: %s, trying again" % e, flush=True); time.sleep(1)
    raise RuntimeError("feature store gave up")
with tf1.device(tf1.train.replica_device_setter(worker_device="/job:worker/task:%d" % idx, cluster=spec)):
    x = tf1.placeholder(tf.float32, [None, 20]); y = tf.reduce_mean(x, 1, keepdims=True)
    w = tf1.get_variable("w", [20, 8]); v = tf1.get_variable("v", [8, 1]); gs = tf1.train.get_or_create_global_step()
    loss = tf.reduce_mean((tf.nn.relu(x @ w) @ v - y) ** 2)
    train = tf1.train.AdagradOptimizer(.05).minimize(loss, global_step=gs)
hooks = [tf1.train.StopAtStepHook(last_step=int(os.environ.get("LAST", "500"))), tf1.train.LoggingTensorHook({"loss": loss, "step": gs}, every_n_iter=5)]
with tf1.train.MonitoredTrainingSession(master=server.target, is_chief=idx == 0, checkpoint_dir=os.environ["CKPT"], save_checkpoint_steps=100, log_step_count_steps=100, hooks=hooks,
                                        config=tf1.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % idx]) if os.environ.get("FILTER") else None) as s:
    n = 0; batch = fetch(0)
    while not s.should_stop():
        if n % 20 == 0: batch = fetch(n // 20)
        s.run(train, {x: batch}); n += 1; time.sleep(.04)
print("worker %d done, %d local steps" % (idx, n), flush=True)
