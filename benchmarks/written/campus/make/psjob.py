"""Parameter server training with a coordinator (custom loop): click model."""
import json, logging, os, socket, sys, time
import numpy as np
import tensorflow as tf
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format=os.environ.get("LOGFMT", "%(asctime)s %(levelname)s %(name)s: %(message)s"))
log = logging.getLogger("clicks")
logging.getLogger("tensorflow").propagate = False
cfg = json.loads(os.environ["TF_CONFIG"])
role, idx = cfg["task"]["type"], cfg["task"]["index"]
ROWS = int(os.environ.get("ROWS", "2000")); STEPS = int(os.environ.get("STEPS", "300")); CK = os.environ.get("CKPT", "ckpt")
log.info("%s:%d on %s pid %d tensorflow %s", role, idx, socket.gethostname(), os.getpid(), tf.__version__)
resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if role != "chief":
    server = tf.distribute.Server(resolver.cluster_spec(), job_name=role, task_index=idx, protocol="grpc", start=True)
    log.info("serving at %s", server.target)
    server.join()
strategy = tf.distribute.ParameterServerStrategy(resolver, variable_partitioner=tf.distribute.experimental.partitioners.MinSizePartitioner(64 << 10, max_shards=len(cfg["cluster"]["ps"])))
coord = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    emb = tf.Variable(tf.random.normal([ROWS, 16]) * .01, name="emb")
    out = tf.Variable(tf.zeros([16, 1]), name="out")
    step_no = tf.Variable(0, dtype=tf.int64, name="step")
log.info("variables created: emb %s on %d ps", emb.shape, len(cfg["cluster"]["ps"]))
def dataset_fn():
    def gen(i):
        r = tf.random.stateless_uniform([32], [i, 3], maxval=ROWS, dtype=tf.int64)
        return r, tf.cast(r % 2, tf.float32)
    return tf.data.Dataset.range(10 ** 9).map(gen).prefetch(2)
per_worker = coord.create_per_worker_dataset(strategy.distribute_datasets_from_function(lambda ctx: dataset_fn()) if 0 else dataset_fn)
it = iter(per_worker)
@tf.function
def step_fn(it):
    ids, y = next(it)
    with tf.GradientTape() as tape:
        e = tf.nn.embedding_lookup(emb, ids)
        p = tf.squeeze(tf.matmul(e, out), 1)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, p))
    g = tape.gradient(loss, [out])
    out.assign_sub(.5 * g[0])
    step_no.assign_add(1)
    return loss
ck = tf.train.Checkpoint(emb=emb, out=out, step=step_no)
mgr = tf.train.CheckpointManager(ck, CK, max_to_keep=2)
for r in range(STEPS // 4):
    vals = [coord.schedule(step_fn, args=(it,)) for _ in range(4)]
    time.sleep(.1)
    coord.join()
    log.info("round %d step %d loss %.5f", r, int(step_no.numpy()), float(vals[-1].fetch()))
    if r % 25 == 24:
        log.info("checkpoint %s", mgr.save())
log.info("finished after %d steps", int(step_no.numpy()))
