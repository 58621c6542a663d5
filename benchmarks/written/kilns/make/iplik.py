"""Yarn-count model: a small MultiWorkerMirroredStrategy loop started by Ansible on each host."""
import os, json, time, socket, sys
print(time.strftime('%d.%m.%Y %H:%M:%S'), socket.gethostname(), 'TF_CONFIG=' + os.environ['TF_CONFIG'], flush=True)
import tensorflow as tf
s = tf.distribute.MultiWorkerMirroredStrategy()
with s.scope(): w = tf.Variable(tf.zeros([256]))
@tf.function
def adim(x):
    def f(x): d = tf.distribute.get_replica_context().all_reduce('mean', w - x); w.assign_sub(.05 * d); return tf.norm(d)
    return s.run(f, args=(x,))
for i in range(600):
    n = float(adim(tf.random.normal([256], 1.)))
    if i % 6 == 0: print(time.strftime('%d.%m.%Y %H:%M:%S'), socket.gethostname(), f'adim {i} norm {n:.4f}', flush=True)
    time.sleep(.05)
print('bitti', flush=True)
