"""TF1 style between-graph replication."""
import argparse, json, os, sys, time
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.INFO)
ap = argparse.ArgumentParser()
ap.add_argument('--ps_hosts'); ap.add_argument('--worker_hosts'); ap.add_argument('--job_name'); ap.add_argument('--task_index', type=int)
ap.add_argument('--train_steps', type=int, default=200); ap.add_argument('--log_dir', default='../logdir'); ap.add_argument('--width', type=int, default=12)
ap.add_argument('--data'); ap.add_argument('--sync', action='store_true'); ap.add_argument('--sleep', type=float, default=0.02); ap.add_argument('--vocab', default='')
F = ap.parse_args()
def batches():
    if F.data:
        while True:
            d = np.load(F.data)
            for i in range(0, len(d) - 16, 16): yield d[i:i + 16, :-1], d[i:i + 16, -1:]
    r = np.random.default_rng(F.task_index)
    while True:
        x = r.normal(size=(16, F.width)); yield x, x.sum(1, keepdims=True)
def main(_):
    ps, workers = F.ps_hosts.split(','), F.worker_hosts.split(',')
    cluster = tf.train.ClusterSpec({'ps': ps, 'worker': workers})
    server = tf.train.Server(cluster, job_name=F.job_name, task_index=F.task_index, config=tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=2))
    tf.logging.info('server %s/%d started at %s', F.job_name, F.task_index, server.target)
    if F.job_name == 'ps': server.join()
    with tf.device(tf.train.replica_device_setter(worker_device='/job:worker/task:%d' % F.task_index, cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, None], 'features'); y = tf.placeholder(tf.float32, [None, 1], 'target')
        w = tf.get_variable('w', [F.width, 1]); b = tf.get_variable('b', [1])
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        gs = tf.train.get_or_create_global_step(); opt = tf.train.GradientDescentOptimizer(0.01)
        hooks = [tf.train.StopAtStepHook(last_step=F.train_steps), tf.train.LoggingTensorHook({'loss': loss, 'step': gs}, every_n_iter=10)]
        if F.sync:
            opt = tf.train.SyncReplicasOptimizer(opt, replicas_to_aggregate=len(workers), total_num_replicas=len(workers))
            hooks.append(opt.make_session_run_hook(F.task_index == 0))
        train = opt.minimize(loss, global_step=gs)
    gen = batches()
    with tf.train.MonitoredTrainingSession(master=server.target, is_chief=F.task_index == 0, checkpoint_dir=F.log_dir, hooks=hooks, save_checkpoint_secs=8, save_summaries_steps=None, save_summaries_secs=None) as sess:
        while not sess.should_stop():
            bx, by = next(gen); t = time.time()
            sess.run(train, {x: bx, y: by})
            if F.sleep: time.sleep(F.sleep)
    tf.logging.info('worker %d finished', F.task_index)
if __name__ == '__main__':
    tf.app.run(argv=sys.argv[:1])
