# klaver.py -- hääle ühtlustamise mudel (voicing)
import os, sys, json, time, socket
from absl import app, flags, logging
import tensorflow as tf
FLAGS = flags.FLAGS
flags.DEFINE_string("job", "", "chief/worker/ps"); flags.DEFINE_integer("task", 0, ""); flags.DEFINE_string("cluster", "", "json")
flags.DEFINE_integer("steps", 300, ""); flags.DEFINE_string("ckpt", "/tmp/klck", ""); flags.DEFINE_string("dsvc", "", "tf.data service"); flags.DEFINE_integer("port",0,"")
def main(_):
    if FLAGS.job == "dispatcher":
        d = tf.data.experimental.service.DispatchServer(tf.data.experimental.service.DispatcherConfig(port=FLAGS.port, work_dir=None, fault_tolerant_mode=False))
        logging.info("dispatcher %s", d.target); d.join()
    if FLAGS.job == "dworker":
        w = tf.data.experimental.service.WorkerServer(tf.data.experimental.service.WorkerConfig(dispatcher_address=FLAGS.dsvc, worker_address="%s:%d" % (os.environ.get("ADV", socket.gethostname()), FLAGS.port), port=FLAGS.port, dispatcher_timeout_ms=20000))
        logging.info("data worker on %d", FLAGS.port); w.join()
    cl = json.loads(FLAGS.cluster)
    os.environ["GRPC_FAIL_FAST"] = "use_caller"
    if FLAGS.job in ("worker", "ps"):
        logging.info("%s:%d up, tf %s, pid %d", FLAGS.job, FLAGS.task, tf.__version__, os.getpid())
        s = tf.distribute.Server(tf.train.ClusterSpec(cl), job_name=FLAGS.job, task_index=FLAGS.task, protocol="grpc", start=True)
        s.join()
    cr = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(cl), task_type="chief", task_id=0, rpc_layer="grpc")
    st = tf.distribute.ParameterServerStrategy(cr, variable_partitioner=tf.distribute.experimental.partitioners.MinSizePartitioner(min_shard_bytes=4096, max_shards=2))
    co = tf.distribute.coordinator.ClusterCoordinator(st)
    with st.scope():
        emb = tf.Variable(tf.random.normal((88, 128)) * .1, name="keys"); w = tf.Variable(tf.random.normal((128, 4)) * .1, name="w"); gs = tf.Variable(0, dtype=tf.int64, name="global_step")
    def dsf():
        d = tf.data.Dataset.range(10**7).map(lambda i: tf.random.stateless_uniform((16,), [i, 3], 0, 88, tf.int32)).map(lambda k: (k, k % 4)).batch(8)
        if FLAGS.dsvc: d = d.apply(tf.data.experimental.service.distribute("parallel_epochs", "grpc://" + FLAGS.dsvc, job_name="voicing"))
        return d
    @tf.function
    def pw(): return st.distribute_datasets_from_function(lambda c: dsf())
    it = iter(co.create_per_worker_dataset(pw))
    @tf.function
    def step(it):
        def r(b):
            with tf.GradientTape() as t:
                lo = tf.einsum("bnd,dk->bnk", tf.nn.embedding_lookup(emb, b[0]), w)
                l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(b[1], lo))
            g = t.gradient(l, [w]); w.assign_sub(.3 * g[0]); gs.assign_add(1); return l
        return st.run(r, (next(it),))
    ck = tf.train.Checkpoint(w=w, gs=gs)
    for e in range(FLAGS.steps):
        vals = [co.schedule(step, (it,)) for _ in range(10)]
        co.join()
        logging.info("ring %d samm %d kadu %.4f", e, gs.numpy(), sum(float(v.fetch()) for v in vals) / 10)
        if e % 40 == 39: logging.info("salvestan %s", ck.save(FLAGS.ckpt + "/m"))
    logging.info("valmis")
app.run(main)
