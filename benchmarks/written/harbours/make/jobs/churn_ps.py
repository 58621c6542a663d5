# churn_ps.py — ParameterServerStrategy + ClusterCoordinator
import os, json, time
import numpy as np
import tensorflow as tf
cfg = json.loads(os.environ["TF_CONFIG"]); ty, idx = cfg["task"]["type"], cfg["task"]["index"]
r = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if ty in ("worker", "ps"):
    s = tf.distribute.Server(r.cluster_spec(), job_name=ty, task_index=idx, protocol="grpc"); print(ty, idx, "kuuntelee", cfg["cluster"][ty][idx], flush=True); s.join()
print("koordinaattori: odotan workereita", cfg["cluster"]["worker"], flush=True)
strategy = tf.distribute.ParameterServerStrategy(r)
coord = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope(): w = tf.Variable(tf.zeros([12, 1]))
@tf.function
def step(i):
    def f():
        x = tf.random.normal([32, 12]); y = tf.reduce_sum(x[:, :3], 1, keepdims=True)
        with tf.GradientTape() as t: l = tf.reduce_mean((x @ w - y) ** 2)
        w.assign_sub(.02 * t.gradient(l, w)); return l
    return strategy.run(f)
for e in range(20):
    ls = [coord.schedule(step, (i,)) for i in range(40)]; coord.join(); print("epookki", e, "loss", float(ls[-1].fetch()), flush=True)
