"""TF1 style between-graph replication: tf.train.Server, MonitoredTrainingSession, variables on ps."""
import argparse, os, sys, time, glob
ap = argparse.ArgumentParser()
for k, v in dict(ps='', workers='', job='', index=0, steps=150, logdir='logdir', save_secs=5, pace=.05, sessions_cap=0, data='', dtypebug=0, reload=0, width=16, hooks=1).items():
    ap.add_argument('--'+k.replace('_', '-'), type=type(v), default=v)
F = ap.parse_args()
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior(); tf.logging.set_verbosity(tf.logging.INFO)
cl = tf.train.ClusterSpec({'ps': F.ps.split(','), 'worker': F.workers.split(',')})
sv = tf.train.Server(cl, job_name=F.job, task_index=F.index)
tf.logging.info('server %s:%d target %s', F.job, F.index, sv.target)
if F.job == 'ps': sv.join()
chief = F.index == 0
with tf.device(tf.train.replica_device_setter(worker_device=f'/job:worker/task:{F.index}', cluster=cl)):
    if F.data:
        fs = sorted(glob.glob(F.data)); tf.logging.info('reading %d files', len(fs))
        d = tf.data.TFRecordDataset(fs).map(lambda r: tf.io.parse_single_example(r, {'x': tf.FixedLenFeature([16], tf.float32), 'y': tf.FixedLenFeature([], tf.int64)}))
        b = tf.data.make_one_shot_iterator(d.repeat().batch(32)).get_next(); x, y = b['x'], b['y']
    else:
        x = tf.random.normal([32, 16]); y = tf.cast(tf.reduce_sum(x[:, :4], 1) > 0, tf.int64)
    w1 = tf.get_variable('w1', [16, F.width]); b1 = tf.get_variable('b1', [F.width], initializer=tf.zeros_initializer())
    w2 = tf.get_variable('w2', [F.width, 4]); big = tf.get_variable('field_cache', [F.width*1000], initializer=tf.random_normal_initializer(), trainable=False)
    logits = tf.nn.relu(x @ w1 + b1) @ w2 + 0*tf.reduce_sum(big)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    gs = tf.train.get_or_create_global_step(); tr = tf.train.GradientDescentOptimizer(.05).minimize(loss, gs)
class Step(tf.train.SessionRunHook):
    n = 0
    def before_run(s, c): return tf.train.SessionRunArgs([gs, loss])
    def after_run(s, c, v):
        s.n += 1; time.sleep(F.pace)
        if F.reload: s.k = getattr(s, 'k', []) + [open(p) for p in (glob.glob(F.data)*F.reload)]
        if s.n % 5 == 0: tf.logging.info('local step %d global_step %d loss %.4f', s.n, v.results[0], v.results[1])
hooks = [Step(), tf.train.StopAtStepHook(last_step=F.steps)]
with tf.train.MonitoredTrainingSession(sv.target, is_chief=chief, checkpoint_dir=F.logdir, save_checkpoint_secs=F.save_secs, save_summaries_steps=None, save_summaries_secs=None, log_step_count_steps=20, hooks=hooks,
        config=tf.ConfigProto(device_filters=['/job:ps', f'/job:worker/task:{F.index}'])) as s:
    while not s.should_stop(): s.run(tr)
tf.logging.info('worker %d finished', F.index)
