"""CTR/CVR ranker with ParameterServerStrategy and ClusterCoordinator (team 2). Log lines are logfmt."""
import json, os, sys, time, logging
import numpy as np, tensorflow as tf
cfg = json.loads(os.environ["TF_CONFIG"]); me = cfg["task"]
MODEL, EPOCHS = os.environ.get("MODEL", "ctr"), int(os.environ.get("EPOCHS", "6"))
logging.basicConfig(stream=sys.stdout, format="level=%(levelname)s component=ranker msg=\"%(message)s\""); log = logging.getLogger("ranker"); log.setLevel("INFO")
resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
log.info("boot model=%s role=%s/%s tf=%s alloc=%s", MODEL, me["type"], me["index"], tf.__version__, os.environ.get("NOMAD_ALLOC_ID", "-"))
if me["type"] in ("ps", "worker"):
    srv = tf.distribute.Server(resolver.cluster_spec(), job_name=me["type"], task_index=me["index"], protocol="grpc", start=True)
    log.info("serving %s", srv.target); srv.join()
import socket
for t in ("ps", "worker"):
    for i, a in enumerate(cfg["cluster"][t]):
        for tries in range(1, 9):
            try: socket.create_connection(a.rsplit(":", 1), 3).close(); log.info("peer %s/%d %s ok", t, i, a); break
            except OSError as e:
                log.warning("peer %s/%d %s try=%d err=%s", t, i, a, tries, e)
                if tries == 8: raise
                time.sleep(2)
strategy = tf.distribute.ParameterServerStrategy(resolver, variable_partitioner=tf.distribute.experimental.partitioners.MinSizePartitioner(min_shard_bytes=64 << 10, max_shards=len(cfg["cluster"]["ps"])))
coord = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    emb = tf.Variable(tf.random.stateless_normal([4000, 8], [1, 2]) * .05, name="emb")
    w = tf.Variable(tf.zeros([8, 1]), name="w"); seen = tf.Variable(0, dtype=tf.int64, name="seen")


def ds():
    def gen():
        r = np.random.default_rng()
        while True:
            ids = r.integers(0, 4000, 64); yield ids.astype("i8"), (ids % 7 == 0).astype("f4")[:, None]
    return tf.data.Dataset.from_generator(gen, output_signature=(tf.TensorSpec([64], tf.int64), tf.TensorSpec([64, 1])))


per_worker = coord.create_per_worker_dataset(ds); it = iter(per_worker)


@tf.function
def step(it):
    x, y = next(it)
    with tf.GradientTape() as t:
        e = tf.nn.embedding_lookup(emb, x); loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, tf.matmul(e, w)))
    vs = [w] + list(emb.variables); g = t.gradient(loss, vs)
    for v, d in zip(vs, g): v.assign_sub(.5 * tf.convert_to_tensor(d))
    seen.assign_add(64); return loss


ck = tf.train.Checkpoint(emb=emb, w=w)
try:
    for ep in range(EPOCHS):
        for k in range(12):
            rs = [coord.schedule(step, args=(it,)) for _ in range(6)]; coord.join()
            log.info("model=%s epoch=%d block=%d loss=%.4f seen=%d", MODEL, ep, k, np.mean([r.fetch() for r in rs]), int(seen.read_value())); time.sleep(.15)
        log.info("model=%s checkpoint=%s", MODEL, ck.save(f"ckpt-{MODEL}/m"))
except Exception:
    log.exception("model=%s treino abortado", MODEL); sys.exit(3)
log.info("model=%s fim do treino, publicado em feature-store", MODEL)
