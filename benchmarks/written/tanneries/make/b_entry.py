"""bone detector, one pod = one worker. logs are one JSON object per line (fluent-bit picks them up)."""
import os, sys, json, time, socket, datetime, glob
import tensorflow as tf
POD = socket.gethostname()
def out(level, msg, **kw):
    d = {"ts": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z"), "lvl": level, "pod": POD, "msg": msg}
    d.update(kw); print(json.dumps(d), flush=True)
K = float(os.environ.get("K", "1"))
out("info", "start", tf=tf.__version__, tf_config=json.loads(os.environ["TF_CONFIG"]))
opts = tf.distribute.experimental.CommunicationOptions(timeout_seconds=None, implementation=tf.distribute.experimental.CommunicationImplementation.RING)
strat = tf.distribute.MultiWorkerMirroredStrategy(communication_options=opts)
idx = strat.cluster_resolver.task_id
D = os.environ["DATA"]
files = sorted(glob.glob(D + "/*.tfrecord"))[idx::strat.num_replicas_in_sync]
out("info", "shards", n=len(files), first=os.path.basename(files[0]), last=os.path.basename(files[-1]))
def parse(r):
    e = tf.io.parse_single_example(r, {"x": tf.io.FixedLenFeature([], tf.string), "y": tf.io.FixedLenFeature([], tf.int64)})
    return tf.reshape(tf.io.decode_raw(e["x"], tf.float32), (24, 24, 1)), e["y"]
def pipe(ctx):
    d = tf.data.Dataset.from_tensor_slices(files).interleave(tf.data.TFRecordDataset, cycle_length=1)
    return d.map(parse, num_parallel_calls=2).batch(12, drop_remainder=True).repeat(int(os.environ.get("REPEAT", "-1"))).prefetch(1)
with strat.scope():
    net = tf.keras.Sequential([tf.keras.Input((24, 24, 1)), tf.keras.layers.Conv2D(12, 3, 2, activation="relu"), tf.keras.layers.Conv2D(24, 3, 2, activation="relu"), tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(2)])
ds = iter(strat.distribute_datasets_from_function(pipe))
@tf.function
def train_step(b):
    def rep(b):
        with tf.GradientTape() as t:
            l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(b[1], net(b[0], training=True)))
        g = tf.distribute.get_replica_context().all_reduce("MEAN", t.gradient(l, net.trainable_variables))
        for v, x in zip(net.trainable_variables, g): v.assign_sub(tf.cast(.15, x.dtype) * x)
        return l
    return strat.reduce("MEAN", strat.run(rep, (b,)), axis=None)
N = int(os.environ.get("STEPS", "400"))
for s in range(1, N + 1):
    t = time.time()
    try:
        b = next(ds)
        td = time.time()
        l = float(train_step(b))
    except tf.errors.OutOfRangeError:
        out("info", "end of data", step=s); break
    if s % int(os.environ.get("EVERY", "2")) == 0:
        out("info", "step", step=s, loss=round(l, 5), data_ms=round((td - t) * 1000 * K, 1), step_ms=round((time.time() - t) * 1000 * K, 1))
    if s % 50 == 0 and idx == 0: out("debug", "gc", rss_mb=int(open("/proc/self/statm").read().split()[1]) // 256)
out("info", "done")
