"""ParameterServerStrategy with ClusterCoordinator: rumble detector on (synthetic) spectrograms."""
import argparse, json, logging, os, socket, sys, time, threading
import numpy as np
ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=200); ap.add_argument("--dir", default="ckpt"); ap.add_argument("--name", default="rumble"); ap.add_argument("--every", type=int, default=10)
ap.add_argument("--save", type=int, default=50); ap.add_argument("--pause", type=float, default=0.0); ap.add_argument("--read", default="")
a = ap.parse_args()
logging.Formatter.converter = time.gmtime
logging.basicConfig(format='level=%(levelname)s ts=%(asctime)s logger=%(name)s msg="%(message)s"', level=logging.INFO, stream=sys.stdout)
log = logging.getLogger(a.name)
import tensorflow as tf
cfg = json.loads(os.environ["TF_CONFIG"]); typ, idx = cfg["task"]["type"], cfg["task"]["index"]
res = tf.distribute.cluster_resolver.TFConfigClusterResolver()
log.info("starting %s:%d on %s tensorflow=%s", typ, idx, socket.gethostname(), tf.__version__)
if typ in ("ps", "worker"):
    s = tf.distribute.Server(res.cluster_spec(), job_name=typ, task_index=idx, protocol="grpc", start=True)
    def beat():
        k = 0
        while True:
            time.sleep(5); k += 1; log.info("alive %s:%d uptime=%ds rss=%dMB", typ, idx, 5 * k, int(open("/proc/self/statm").read().split()[1]) * 4 // 1024)
    threading.Thread(target=beat, daemon=True).start()
    s.join(); sys.exit(0)
strategy = tf.distribute.ParameterServerStrategy(res)
coord = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    w = tf.Variable(tf.random.normal((64, 16)) * .1); b = tf.Variable(tf.zeros((16,))); o = tf.Variable(tf.random.normal((16, 1)) * .1)
def ds_fn():
    def g():
        r = np.random.default_rng()
        while True:
            if a.pause: time.sleep(a.pause)
            x = r.normal(size=(32, 64)).astype("float32"); yield x, (x[:, :1] > 0).astype("float32")
    return tf.data.Dataset.from_tensor_slices(np.random.default_rng(1).normal(size=(4096, 64)).astype("float32")).repeat().batch(32).map(lambda x: (x, tf.cast(x[:, :1] > 0, tf.float32)))
it = iter(coord.create_per_worker_dataset(ds_fn))
@tf.function
def step(it):
    def f(x, y):
        with tf.GradientTape() as t:
            W = tf.convert_to_tensor(w); h = tf.nn.relu(tf.matmul(x, W) + tf.convert_to_tensor(b)); l = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, tf.matmul(h, tf.convert_to_tensor(o))))
        for v, g in zip([w, b, o], t.gradient(l, [w, b, o])):
            v.assign_sub(.05 * g)
        return l
    return strategy.run(f, args=next(it))
ck = tf.train.Checkpoint(w=w, b=b, o=o); mgr = tf.train.CheckpointManager(ck, a.dir, max_to_keep=2)
for k in range(0, a.steps, a.every):
    r = [coord.schedule(step, args=(it,)) for _ in range(a.every)]
    coord.join(); l = np.mean([float(np.ravel(x.fetch())[0]) for x in r])
    log.info("step=%d loss=%.4f", k + a.every, l)
    if a.pause: time.sleep(a.pause)
    if (k + a.every) % a.save == 0: log.info("saved %s", mgr.save())
log.info("done steps=%d", a.steps)
