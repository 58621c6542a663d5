"""ETA regression: ParameterServerStrategy with a ClusterCoordinator. Every task runs this file."""
import os, sys, json, time, logging
logging.basicConfig(level=logging.INFO, format="[%(levelname)s %(asctime)s %(filename)s:%(lineno)d] %(message)s")
import tensorflow as tf
log = logging.getLogger()
STEPS = int(os.environ.get("ETA_STEPS", "40")); PAUSE = float(os.environ.get("ETA_PAUSE", "0.05"))
CK = os.environ.get("ETA_CKPT", "/tmp/eta-ckpt")
res = tf.distribute.cluster_resolver.TFConfigClusterResolver()
log.info("cluster %s", res.cluster_spec().as_dict()); log.info("I am %s:%s", res.task_type, res.task_id)
if res.task_type in ("worker", "ps"):
    s = tf.distribute.Server(res.cluster_spec(), job_name=res.task_type, task_index=res.task_id, protocol="grpc", start=True)
    log.info("server target %s", s.target); s.join()
st = tf.distribute.ParameterServerStrategy(res, variable_partitioner=tf.distribute.experimental.partitioners.MinSizePartitioner(min_shard_bytes=4096, max_shards=2))
co = tf.distribute.coordinator.ClusterCoordinator(st)
with st.scope():
    emb = tf.Variable(tf.random.normal([512, 16], seed=3) * 0.05, name="road_embedding")
    w = tf.Variable(tf.zeros([16, 1]), name="head"); b = tf.Variable(0.0, name="bias")
    gs = tf.Variable(0, dtype=tf.int64, name="global_step")
ck = tf.train.Checkpoint(emb=emb, w=w, b=b, step=gs); mgr = tf.train.CheckpointManager(ck, CK, max_to_keep=2)
if mgr.latest_checkpoint: log.info("restored %s", mgr.latest_checkpoint); ck.restore(mgr.latest_checkpoint)
def make(ctx=None):
    return tf.data.Dataset.range(100000).shuffle(1000).map(lambda i: (i % 512, tf.cast(i % 7, tf.float32))).batch(64).repeat()
def per_worker(): return st.distribute_datasets_from_function(make)
@tf.function
def step_fn(it):
    def rep(i, y):
        with tf.GradientTape() as t:
            e = tf.nn.embedding_lookup(emb, i); l = tf.reduce_mean((tf.squeeze(e @ w, 1) + b - y) ** 2)
        gw, gb = t.gradient(l, [w, b]); w.assign_sub(0.05 * gw); b.assign_sub(0.05 * gb); gs.assign_add(1)
        return l
    x, y = next(it); return st.run(rep, args=(x, y))
it = iter(co.create_per_worker_dataset(per_worker))
last = None
while int(gs) < STEPS * 4:
    h = [co.schedule(step_fn, args=(it,)) for _ in range(4)]
    co.join(); time.sleep(PAUSE)
    log.info("global_step=%d mse=%.4f", int(gs), float(h[-1].fetch()))
    if int(gs) % 40 == 0: log.info("checkpoint %s", mgr.save(int(gs)))
log.info("training finished, global_step=%d", int(gs))
