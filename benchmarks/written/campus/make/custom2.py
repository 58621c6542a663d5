"""Anomaly model of the earbud line: custom loop, structlog, one unit per host."""
import json, os, socket, time
import numpy as np, structlog, tensorflow as tf
structlog.configure(processors=[structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso"), structlog.dev.ConsoleRenderer(colors=False)])
log = structlog.get_logger()
cfg = json.loads(os.environ["TF_CONFIG"]); idx = cfg["task"]["index"]
log.info("starting", host=socket.gethostname(), pid=os.getpid(), task=f"worker:{idx}", tf=tf.__version__)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
x = np.load(os.environ["SHARD_DIR"] + f"/line-{idx}.npy").astype("float32")
ds = tf.data.Dataset.from_tensor_slices(x).batch(32, drop_remainder=True)
log.info("dataset ready", rows=len(x), batches_per_epoch=int(ds.cardinality()), replicas=strategy.num_replicas_in_sync)
with strategy.scope():
    w = tf.Variable(np.random.RandomState(1).randn(x.shape[1], 8).astype("float32") * .1)
    v = tf.Variable(np.random.RandomState(2).randn(8, x.shape[1]).astype("float32") * .1)
@tf.function
def step(b):
    def fn(b):
        with tf.GradientTape() as tp:
            l = tf.reduce_mean(tf.square(tf.nn.tanh(b @ w) @ v - b))
        g = tf.distribute.get_replica_context().all_reduce("mean", tp.gradient(l, [w, v]))
        w.assign_sub(.5 * g[0]); v.assign_sub(.5 * g[1])
        return l
    return strategy.reduce("mean", strategy.run(fn, args=(b,)), axis=None)
gs = 0
for epoch in range(int(os.environ["EPOCHS"])):
    for b in ds:
        l = step(b); gs += 1; time.sleep(.1)
        if gs % 4 == 0: log.info("step", epoch=epoch, step=gs, loss=round(float(l), 5))
        if gs % 40 == 0: log.warning("telemetry push failed, buffered", sink="influx-01:8086", queued=gs // 4)
    log.info("epoch done", epoch=epoch, step=gs)
log.info("training loop finished", step=gs)
flag = os.environ["SHARD_DIR"] + "/export.done"
if idx == 0:
    np.save(os.environ["SHARD_DIR"] + "/export.npy", w.numpy()); open(flag, "w").write("ok"); log.info("exported")
else:
    log.info("waiting for chief export", flag=flag)
    while not os.path.exists(flag): time.sleep(.5)
log.info("bye")
