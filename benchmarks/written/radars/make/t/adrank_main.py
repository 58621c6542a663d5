import os, sys, json, time
import tensorflow as tf
from absl import app, flags, logging
flags.DEFINE_integer('steps_per_epoch', 150, '')
flags.DEFINE_integer('epochs', 30, '')
flags.DEFINE_string('model_dir', '/mnt/models/adrank', '')
FLAGS = flags.FLAGS

def make_ds(ctx=None):
  def gen(i):
    f = tf.random.stateless_uniform([64, 8], [i, 7], 0, 20000, tf.int64)
    return f, tf.cast(tf.reduce_sum(f, 1) % 2, tf.float32)
  return tf.data.Dataset.range(1 << 40).map(tf.autograph.experimental.do_not_convert(lambda i: gen(tf.cast(i, tf.int32))))

def main(_):
  resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
  os.environ['GRPC_FAIL_FAST'] = 'use_caller'
  if resolver.task_type in ('worker', 'ps'):
    logging.info('starting std server for %s:%d', resolver.task_type, resolver.task_id)
    s = tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol='grpc', start=True)
    s.join()
    return
  strategy = tf.distribute.ParameterServerStrategy(resolver, variable_partitioner=tf.distribute.experimental.partitioners.MinSizePartitioner(min_shard_bytes=256 << 10, max_shards=2))
  coord = tf.distribute.coordinator.ClusterCoordinator(strategy)
  with strategy.scope():
    emb = tf.Variable(tf.random.normal([20000, 16], stddev=.05), name='ad_embedding')
    w = tf.Variable(tf.random.normal([128, 1], stddev=.05), name='tower/w')
    b = tf.Variable(tf.zeros([1]), name='tower/b')
    gs = tf.Variable(0, dtype=tf.int64, name='global_step', aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)
  per_worker = coord.create_per_worker_dataset(make_ds)
  it = iter(per_worker)
  @tf.function
  def train_step(it):
    def fn(x, y):
      with tf.GradientTape() as t:
        e = tf.reshape(tf.nn.embedding_lookup(emb, x), [-1, 128])
        l = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, tf.squeeze(e @ w + b, 1)))
      gw, gb = t.gradient(l, [w, b])
      w.assign_sub(.1 * gw); b.assign_sub(.1 * gb); gs.assign_add(1)
      return l
    x, y = next(it)
    return strategy.run(fn, args=(x, y))
  for ep in range(FLAGS.epochs):
    t0 = time.time()
    ls = [coord.schedule(train_step, args=(it,)) for _ in range(FLAGS.steps_per_epoch)]
    coord.join()
    logging.info('epoch=%d global_step=%d logloss=%.6f examples/sec=%.1f', ep, gs.numpy(), float(tf.reduce_mean([l.fetch() for l in ls[-20:]])), 64 * FLAGS.steps_per_epoch / (time.time() - t0))
    time.sleep(.4)
  logging.info('training complete, exporting to %s', FLAGS.model_dir)

if __name__ == '__main__':
  app.run(main)
