import os, json, sys, time, logging
import tensorflow as tf
task = json.loads(os.environ['TF_CONFIG'])['task']
logging.basicConfig(level=logging.INFO, format='%(asctime)s floods[%(process)d] %(levelname)-7s %(message)s', stream=sys.stdout)
log = logging.getLogger('floods'); tf.get_logger().handlers.clear()
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    w = tf.Variable(tf.random.normal([200, 300], stddev=.1, seed=1), name='w'); v = tf.Variable(tf.random.normal([300, 1], stddev=.1, seed=2), name='v')
    step = tf.Variable(0, dtype=tf.int64, trainable=False)
ck = tf.train.Checkpoint(w=w, v=v, step=step)
d = os.environ['CKPT']
mgr = tf.train.CheckpointManager(ck, d, max_to_keep=5)
@tf.function
def train(x):
    def f(x):
        with tf.GradientTape() as t: l = tf.reduce_mean((tf.nn.relu(x @ w) @ v - 1.) ** 2)
        for a, g in zip([w, v], tf.distribute.get_replica_context().all_reduce('mean', t.gradient(l, [w, v]))): a.assign_sub(.003 * g)
        return l
    return strategy.reduce('mean', strategy.run(f, args=(x,)), axis=None)
@tf.function
def barrier():
    def f(): return tf.distribute.get_replica_context().all_reduce('sum', tf.constant(1.))
    return strategy.run(f)
barrier()
if mgr.latest_checkpoint:
    log.info('restoring %s', mgr.latest_checkpoint)
    ck.restore(mgr.latest_checkpoint).assert_consumed()
    log.info('resumed at step %d', int(step.numpy()))
for i in range(int(os.environ['N'])):
    l = train(tf.random.normal([32, 200])); step.assign_add(1); time.sleep(.03)
    if int(step.numpy()) % 20 == 0: log.info('step=%d gauge_mse=%.5f', int(step.numpy()), float(l))
    if int(step.numpy()) % 100 == 0:
        p = mgr.save() ; log.info('saved %s', p)
log.info('window finished at step %d, exiting for requeue', int(step.numpy()))
barrier()
