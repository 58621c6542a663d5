"""Wafer defect net (team 4): custom loop, images either local or from a tf.data service."""
import ctypes, json, logging, os, socket, sys, time
import numpy as np, tensorflow as tf
logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s.%(msecs)03d %(levelname).1s %(name)s: %(message)s", datefmt="%Y/%m/%d %H:%M:%S"); log = logging.getLogger("aoi")
log.info("%s python %s tensorflow %s pid %d", socket.gethostname(), sys.version.split()[0], tf.__version__, os.getpid())
if len(sys.argv) > 1:                                             # data service roles
    if sys.argv[1] == "dispatcher":
        s = tf.data.experimental.service.DispatchServer(tf.data.experimental.service.DispatcherConfig(port=5050)); log.info("dispatcher %s", s.target); s.join()
    s = tf.data.experimental.service.WorkerServer(tf.data.experimental.service.WorkerConfig(dispatcher_address=os.environ["AOI_DISP"], worker_address=sys.argv[2], port=int(sys.argv[2].split(":")[1]))); log.info("data worker %s", sys.argv[2]); s.join()
strategy = tf.distribute.MultiWorkerMirroredStrategy(); k = strategy.cluster_resolver.task_id
edge = getattr(ctypes.CDLL(os.environ["AOI_SO"]), os.environ.get("AOI_FN", "edge_c")) if os.environ.get("AOI_SO") else None
def lots():
    r = np.random.default_rng(k)
    for lot in range(1, 400):
        im = r.normal(size=(8, 256)).astype("f4")
        if edge and lot > int(os.environ.get("AOI_FROM", "1")): edge(im.ctypes.data_as(ctypes.c_void_p), im.size)
        if os.environ.get("AOI_BAD") == str(k) and lot > 90: im = (np.abs(im) * 4095).astype("u2")
        time.sleep(.03); yield lot, im, np.float32(im[:, :1] > 0)
with strategy.scope(): w = tf.Variable(tf.zeros([256, 1])); b = tf.Variable(tf.zeros([1]))
if os.environ.get("AOI_DISP"):
    ds = tf.data.Dataset.range(100000).map(lambda i: (tf.random.stateless_normal([8, 256], tf.stack([i, i])), tf.ones([8, 1])))
    ds = ds.apply(tf.data.experimental.service.distribute("parallel_epochs", "grpc://" + os.environ["AOI_DISP"], job_name="aoi")); src = ((i, x, y) for i, (x, y) in enumerate(ds, 1))
else: src = lots()
@tf.function(reduce_retracing=True)
def step(x, y):
    def fn(x, y):
        with tf.GradientTape() as t: l = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, tf.matmul(x, w) + b))
        g = tf.distribute.get_replica_context().all_reduce("MEAN", t.gradient(l, [w, b]))
        for v, d in zip((w, b), g): tf.distribute.get_replica_context().merge_call(lambda s, v, d: s.extended.update(v, lambda v, d: v.assign_sub(.01 * d), args=(d,)), args=(v, d))
        return l
    return strategy.reduce("MEAN", strategy.run(fn, args=(x, y)), axis=None)
log.info("task %d of %d ready", k, strategy.num_replicas_in_sync)
for lot, x, y in src:
    l = step(tf.convert_to_tensor(x), tf.convert_to_tensor(y))
    if lot % 3 == 0: log.info("lot %03d loss %.5f", lot, float(l))
    if lot % 40 == 0 and k == 0: log.info("saved %s", tf.train.Checkpoint(w=w, b=b).save("out/aoi"))
    if lot >= int(os.environ.get("AOI_LOTS", "200")): break
log.info("finished")
