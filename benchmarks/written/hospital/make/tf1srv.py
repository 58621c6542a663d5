"""TF1-style between-graph training: tf.distribute.Server + MonitoredTrainingSession."""
import argparse, json, os, sys, time, socket
ap = argparse.ArgumentParser()
ap.add_argument('--job'); ap.add_argument('--task', type=int); ap.add_argument('--ps'); ap.add_argument('--workers')
ap.add_argument('--steps', type=int, default=600); ap.add_argument('--dir', default=None); ap.add_argument('--pause', type=float, default=.03)
a = ap.parse_args()
import tensorflow as tf2
tf = tf2.compat.v1
tf.disable_eager_execution(); tf.logging.set_verbosity(tf.logging.INFO)
spec = tf2.train.ClusterSpec({'ps': a.ps.split(','), 'worker': a.workers.split(',')})
print(socket.gethostname(), 'pid', os.getpid(), 'job', a.job, 'task', a.task, flush=True)
srv = tf.train.Server(spec, job_name=a.job, task_index=a.task)
if a.job == 'ps': srv.join()
import numpy as np
F = 24; wt = np.random.RandomState(7).randn(F, 4); rs = np.random.RandomState(a.task)
with tf.device(tf.train.replica_device_setter(worker_device=f'/job:worker/task:{a.task}', cluster=spec)):
    x = tf.placeholder(tf.float32, [None, F]); y = tf.placeholder(tf.int64, [None])
    gs = tf.train.get_or_create_global_step()
    w = tf.get_variable('w', [F, 4]); b = tf.get_variable('b', [4])
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=tf.matmul(x, w) + b))
    op = tf.train.GradientDescentOptimizer(.05).minimize(loss, global_step=gs)
hooks = [tf.train.StopAtStepHook(last_step=a.steps), tf.train.LoggingTensorHook({'loss': loss, 'step': gs}, every_n_iter=10)]
with tf.train.MonitoredTrainingSession(srv.target, is_chief=a.task == 0, checkpoint_dir=a.dir, hooks=hooks, save_checkpoint_steps=100, log_step_count_steps=50) as s:
    while not s.should_stop():
        X = rs.randn(32, F); s.run(op, {x: X, y: np.argmax(X @ wt, 1)}); time.sleep(a.pause)
print('worker', a.task, 'done', flush=True)
