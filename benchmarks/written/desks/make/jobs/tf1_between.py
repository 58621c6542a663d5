"""TF1 style between-graph replication: tf.train.Server, replica_device_setter, MonitoredTrainingSession."""
import argparse, ctypes, faulthandler, json, os, sys, time
faulthandler.enable()
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.INFO)
p = argparse.ArgumentParser()
p.add_argument('--job'); p.add_argument('--task', type=int); p.add_argument('--ps'); p.add_argument('--workers')
p.add_argument('--steps', type=int, default=300); p.add_argument('--logdir', default=''); p.add_argument('--native', default='')
p.add_argument('--sleep', type=float, default=0.0); p.add_argument('--every', type=int, default=5)
a = p.parse_args()
if a.native and a.job == 'worker':
    lib = ctypes.CDLL(a.native); lib.smooth.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
cluster = tf.train.ClusterSpec({'ps': a.ps.split(','), 'worker': a.workers.split(',')})
server = tf.train.Server(cluster, job_name=a.job, task_index=a.task)
if a.job == 'ps':
    print('ps %d joined' % a.task, flush=True); server.join()
with tf.device(tf.train.replica_device_setter(worker_device='/job:worker/task:%d' % a.task, cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 16]); y = tf.placeholder(tf.float32, [None, 1])
    w = tf.get_variable('w', [16, 1]); b = tf.get_variable('b', [1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    gs = tf.train.get_or_create_global_step()
    op = tf.train.GradientDescentOptimizer(0.02).minimize(loss, global_step=gs)
rng = np.random.RandomState(a.task)
def feed(n):
    v = rng.randn(32, 16).astype('float32')
    if a.native: lib.smooth(v.ctypes.data, v.size, n)
    return {x: v, y: v[:, :1] * 2 + 0.1 * rng.randn(32, 1)}
hooks = [tf.train.StopAtStepHook(last_step=a.steps)]
with tf.train.MonitoredTrainingSession(master=server.target, is_chief=a.task == 0, checkpoint_dir=a.logdir or None, hooks=hooks,
                                       save_checkpoint_secs=8, log_step_count_steps=50) as s:
    n = 0
    while not s.should_stop():
        l, g, _ = s.run([loss, gs, op], feed(n)); n += 1
        if a.sleep: time.sleep(a.sleep)
        if n % a.every == 0: print('worker %d local %d global %d loss %.5f' % (a.task, n, g, l), flush=True)
print('worker %d finished' % a.task, flush=True)
