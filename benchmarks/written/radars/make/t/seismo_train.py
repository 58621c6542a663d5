#!/usr/bin/env python
import argparse, json, os, time
ap = argparse.ArgumentParser()
ap.add_argument('--nodes', required=True); ap.add_argument('--rank', type=int, required=True); ap.add_argument('--port', type=int, default=3333)
a = ap.parse_args()
os.environ['TF_CONFIG'] = json.dumps({'cluster': {'worker': ['%s:%d' % (n, a.port) for n in a.nodes.split(',')]}, 'task': {'type': 'worker', 'index': a.rank}})
print('TF_CONFIG =', os.environ['TF_CONFIG'])
import tensorflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
print('strategy ready, %d replicas' % strategy.num_replicas_in_sync)
with strategy.scope():
    w = tf.Variable(tf.random.normal([300, 3]))
@tf.function
def step():
    def f():
        x = tf.random.normal([32, 300])
        with tf.GradientTape() as t: l = tf.reduce_mean((x @ w) ** 2)
        w.assign_sub(.01 * tf.distribute.get_replica_context().all_reduce('MEAN', t.gradient(l, w))); return l
    return strategy.reduce('MEAN', strategy.run(f), axis=None)
for i in range(400):
    l = step(); time.sleep(.02)
    if i % 20 == 0: print('iter', i, 'loss', float(l), flush=True)
