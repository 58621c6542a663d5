"""Map tile segmentation: custom loop with MultiWorkerMirroredStrategy."""
import os, sys, json, time, random
import tensorflow as tf
from absl import app, flags, logging
F = flags.FLAGS
flags.DEFINE_string("data", None, ""); flags.DEFINE_string("logdir", None, ""); flags.DEFINE_integer("steps", 60, "")
flags.DEFINE_integer("batch", 16, ""); flags.DEFINE_float("lr", 0.05, ""); flags.DEFINE_integer("ckpt_every", 20, "")
flags.DEFINE_bool("once", False, "one pass over the own shards"); flags.DEFINE_float("pause", 0.0, "")
flags.DEFINE_integer("hidden", 96, ""); flags.DEFINE_bool("keep_going", True, "")

def dataset(ctx):
    fs = sorted(tf.io.gfile.glob(os.path.join(F.data, "train-*.tfrecord")))
    mine = fs[ctx.input_pipeline_id::ctx.num_input_pipelines]
    logging.info("input pipeline %d/%d reads %s", ctx.input_pipeline_id, ctx.num_input_pipelines, [os.path.basename(f) for f in mine])
    spec = {"x": tf.io.FixedLenFeature([32], tf.float32), "y": tf.io.FixedLenFeature([], tf.int64)}
    def parse(s):
        e = tf.io.parse_single_example(s, spec); return e["x"], e["y"]
    ds = tf.data.TFRecordDataset(mine).map(parse).batch(F.batch, drop_remainder=True)
    return (ds if F.once else ds.repeat()).prefetch(1)

def main(_):
    logging.set_verbosity(logging.INFO)
    logging.info("host %s pid %d tf %s TF_CONFIG %s", os.uname().nodename, os.getpid(), tf.__version__, os.environ.get("TF_CONFIG"))
    st = tf.distribute.MultiWorkerMirroredStrategy(communication_options=tf.distribute.experimental.CommunicationOptions(
        implementation=tf.distribute.experimental.CommunicationImplementation.RING))
    r = st.cluster_resolver; chief = r.task_id == 0
    with st.scope():
        w1 = tf.Variable(tf.random.stateless_normal([32, F.hidden], [1, 2]) * 0.1); b1 = tf.Variable(tf.zeros([F.hidden]))
        w2 = tf.Variable(tf.random.stateless_normal([F.hidden, 8], [3, 4]) * 0.1)
        step = tf.Variable(0, dtype=tf.int64, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)
    vs = [w1, b1, w2]
    ck = tf.train.Checkpoint(w1=w1, b1=b1, w2=w2, step=step)
    own = F.logdir if chief else os.path.join(F.logdir, "worker%d" % r.task_id)
    mgr = tf.train.CheckpointManager(ck, own, max_to_keep=3)
    if mgr.latest_checkpoint:
        logging.info("restoring %s", mgr.latest_checkpoint); ck.restore(mgr.latest_checkpoint).assert_consumed()
    def fn(x, y):
        with tf.GradientTape() as t:
            l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, tf.nn.relu(x @ w1 + b1) @ w2))
        g = t.gradient(l, vs)
        g = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN, g)
        for v, d in zip(vs, g):
            tf.distribute.get_replica_context().merge_call(lambda s, v, d: s.extended.update(v, lambda v, d: v.assign_sub(F.lr * d), args=(d,)), args=(v, d))
        return l
    @tf.function
    def train(x, y):
        per = st.run(fn, args=(x, y)); return st.reduce(tf.distribute.ReduceOp.MEAN, per, axis=None)
    it = iter(st.distribute_datasets_from_function(dataset)) if not F.once else iter(dataset(tf.distribute.InputContext(r.cluster_spec().num_tasks("worker"), r.task_id, st.num_replicas_in_sync)))
    t0 = time.time()
    n = int(step.numpy())
    while n < F.steps:
        x, y = next(it)
        l = train(x, y); step.assign_add(1); n += 1
        if F.pause: time.sleep(F.pause)
        if n % 2 == 0:
            logging.info("step %d  loss %.5f  %.1f tiles/s", n, float(l), 2 * F.batch * st.num_replicas_in_sync / (time.time() - t0)); t0 = time.time()
        if n % F.ckpt_every == 0: logging.info("saved %s", mgr.save(n))
    logging.info("finished at step %d", n)
if __name__ == "__main__": app.run(main)
