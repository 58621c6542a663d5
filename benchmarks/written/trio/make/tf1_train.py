"""TF1 style: tf.train.Server, replica_device_setter, MonitoredTrainingSession with hooks (asynchronous)."""
import argparse, os, sys, time
import numpy as np
import tensorflow as tf
v1 = tf.compat.v1; v1.disable_eager_execution(); v1.logging.set_verbosity('INFO')
a = argparse.ArgumentParser()
a.add_argument('--ps'); a.add_argument('--workers'); a.add_argument('--job'); a.add_argument('--task', type=int)
a.add_argument('--steps', type=int, default=400); a.add_argument('--ckpt'); a.add_argument('--bad', type=int, default=-1); a.add_argument('--sleep', type=float, default=.1)
a = a.parse_args()
cl = {'ps': a.ps.split(','), 'worker': a.workers.split(',')}
print('starting', a.job, a.task, 'pid', os.getpid(), 'TF', tf.__version__, cl)
server = v1.train.Server(cl, job_name=a.job, task_index=a.task)
if a.job == 'ps': server.join()
rng = np.random.default_rng(a.task)
n = [0]
def feed():
    n[0] += 1
    x = rng.normal(size=(32, 20)).astype('f4')
    if n[0] >= a.bad > 0: x[rng.integers(0, 32, 3)] = np.nan   # what a bad shard of this worker holds
    return {X: x, Y: x[:, :1] * 3 - x[:, 1:2]}
with v1.device(v1.train.replica_device_setter(worker_device='/job:worker/task:%d' % a.task, cluster=tf.train.ClusterSpec(cl))):
    X = v1.placeholder(tf.float32, [None, 20]); Y = v1.placeholder(tf.float32, [None, 1])
    w = v1.get_variable('w', [20, 16]); u = v1.get_variable('u', [16, 1])
    loss = tf.reduce_mean((tf.nn.relu(X @ w) @ u - Y) ** 2)
    gs = v1.train.get_or_create_global_step()
    op = v1.train.GradientDescentOptimizer(.01).minimize(loss, global_step=gs)
hooks = [v1.train.StopAtStepHook(last_step=a.steps), v1.train.LoggingTensorHook({'loss': loss, 'step': gs}, every_n_iter=5),
         v1.train.NanTensorHook(loss)]
with v1.train.MonitoredTrainingSession(server.target, is_chief=a.task == 0, checkpoint_dir=a.ckpt if a.task == 0 else None,
                                       hooks=hooks, save_checkpoint_secs=5, log_step_count_steps=50) as s:
    while not s.should_stop():
        _, l, g = s.run([op, loss, gs], feed())
        if n[0] % 10 == 0: print('%s worker %d local %d global %d loss %.5f' % (time.strftime('%Y-%m-%d %H:%M:%S'), a.task, n[0], g, l))
        time.sleep(a.sleep)
print('worker', a.task, 'finished')
