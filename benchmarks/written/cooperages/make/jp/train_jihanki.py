# 自販機の売れ行き予測。ParameterServerStrategy、コーディネータ 1、PS 1、ワーカー 2
import json, os, sys, time, logging
import numpy as np
import tensorflow as tf

class F(logging.Formatter):
    def formatTime(self, r, d=None): return "\x01%.3f\x02" % r.created
h = logging.StreamHandler(); h.setFormatter(F("[%(asctime)s] %(levelname)s %(message)s"))
lg = logging.getLogger("jihanki"); lg.addHandler(h); lg.setLevel(logging.INFO); lg.propagate = False

cr = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if cr.task_type in ("worker", "ps"):
    os.environ["GRPC_FAIL_FAST"] = "use_caller"
    s = tf.distribute.Server(cr.cluster_spec(), job_name=cr.task_type, task_index=cr.task_id,
                             protocol=cr.rpc_layer or "grpc", start=True)
    lg.info("%s:%d 待受 %s", cr.task_type, cr.task_id, s.target)
    s.join()

strategy = tf.distribute.ParameterServerStrategy(
    cr, variable_partitioner=tf.distribute.experimental.partitioners.MinSizePartitioner(min_shard_bytes=64 << 10, max_shards=2))
coord = tf.distribute.coordinator.ClusterCoordinator(strategy)

with strategy.scope():
    emb = tf.Variable(tf.random.normal([20000, 16], stddev=0.05), name="item_emb")
    w = tf.Variable(tf.zeros([16, 1]), name="w")
    b = tf.Variable(tf.zeros([1]), name="b")
    opt = tf.keras.optimizers.SGD(0.5)
    step_var = tf.Variable(0, dtype=tf.int64, name="global_step")

def dataset_fn():
    g = tf.data.Dataset.random(seed=3).map(lambda r: (tf.cast(r % 20000, tf.int32), tf.cast(r % 7 < 3, tf.float32)))
    return g.batch(128).prefetch(2)

@tf.function
def train_fn(it):
    ids, y = next(it)
    with tf.GradientTape() as tape:
        e = tf.nn.embedding_lookup(emb, ids)
        logit = tf.squeeze(tf.matmul(e, w) + b, 1)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logit))
    gw, gb = tape.gradient(loss, [w, b])
    w.assign_sub(0.1 * gw); b.assign_sub(0.1 * gb); step_var.assign_add(1)
    return loss

per_worker = coord.create_per_worker_dataset(dataset_fn)
it = iter(per_worker)
N = int(os.environ.get("JIHANKI_ROUNDS", "200"))
for r in range(N):
    res = [coord.schedule(train_fn, args=(it,)) for _ in range(10)]
    coord.join()
    lg.info("round %d  step %d  loss %.5f", r, step_var.numpy(), np.mean([x.fetch() for x in res]))
lg.info("終了")
