import os, sys, time, argparse, logging
a = argparse.ArgumentParser()
for k, d in dict(job='worker', task=0, ps='', workers='', steps=200, pace=0.03, out='modello', pin=''  ).items(): a.add_argument('--' + k, type=type(d), default=d)
A = a.parse_args()
import tensorflow.compat.v1 as tf, numpy as np
tf.disable_v2_behavior(); tf.logging.set_verbosity(tf.logging.INFO)
cl = tf.train.ClusterSpec({'ps': A.ps.split(','), 'worker': A.workers.split(',')})
print(f'[{time.strftime("%H:%M:%S")}] {os.uname().nodename} {A.job}/{A.task} pid={os.getpid()} cluster={cl.as_dict()}', flush=True)
srv = tf.train.Server(cl, job_name=A.job, task_index=A.task)
if A.job == 'ps': print('ps: join()', flush=True); srv.join()
dev = tf.train.replica_device_setter(worker_device=f'/job:worker/task:{A.task}', cluster=cl)
with tf.device(dev):
    x = tf.placeholder(tf.float32, [None, 12]); y = tf.placeholder(tf.float32, [None, 1]); gs = tf.train.get_or_create_global_step()
    W = tf.get_variable('W', [12, 1]); b = tf.get_variable('b', [1])
    if A.pin:
        with tf.device(A.pin): h = tf.matmul(x, W, name='proj/MatMul') + b
    else: h = tf.matmul(x, W, name='proj/MatMul') + b
    loss = tf.reduce_mean((h - y) ** 2); op = tf.train.AdagradOptimizer(0.05).minimize(loss, global_step=gs)
hooks = [tf.train.StopAtStepHook(A.steps), tf.train.LoggingTensorHook({'loss': loss, 'step': gs}, every_n_iter=10)]
with tf.train.MonitoredTrainingSession(srv.target, is_chief=A.task == 0, checkpoint_dir=A.out if A.task == 0 else None, hooks=hooks, save_checkpoint_secs=5, config=tf.ConfigProto(allow_soft_placement=False)) as s:
    while not s.should_stop():
        X = np.random.rand(32, 12); s.run(op, {x: X, y: X.sum(1, keepdims=True)}); time.sleep(A.pace)
print(f'[{time.strftime("%H:%M:%S")}] {A.job}/{A.task} fertig', flush=True)
