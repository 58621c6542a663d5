import os, sys, json, time, random, logging
import tensorflow as tf
conf = json.loads(os.environ["CONF"]); W = json.loads(os.environ["WORDS"]); role = sys.argv[1]
from datetime import datetime
def log(lv, m, **k):
    print("%s | %-8s | %s - %s %s" % (datetime.now().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3], lv, role, m, " ".join("%s=%s" % i for i in k.items())), flush=True)
log("INFO", W["start"], tf=tf.__version__)
S = tf.data.experimental.service
if role == "despacho":
    d = S.DispatchServer(S.DispatcherConfig(port=conf["dport"], job_gc_check_interval_ms=10000, worker_timeout_ms=10000)); log("SUCCESS", W["listo"], target=d.target); d.join()
elif role.startswith("molino"):
    w = S.WorkerServer(S.WorkerConfig(dispatcher_address="127.0.0.1:%d" % conf["dport"], worker_address="127.0.0.1:%d" % conf[role], port=conf[role], heartbeat_interval_ms=1000)); log("SUCCESS", W["listo"]); w.join()
else:
    def parse(b):
        f = tf.io.parse_single_example(b, {"x": tf.io.FixedLenFeature([16], tf.float32), "y": tf.io.FixedLenFeature([1], tf.float32)})
        return f["x"], f["y"]
    files = sorted(tf.io.gfile.glob(conf["glob"])); log("INFO", W["files"], n=len(files))
    ds = tf.data.Dataset.from_tensor_slices(files).interleave(tf.data.TFRecordDataset, cycle_length=2).map(parse).batch(16)
    ds = ds.apply(S.distribute(processing_mode=S.ShardingPolicy.DYNAMIC, service="grpc://127.0.0.1:%d" % conf["dport"], job_name="masa"))
    w = tf.Variable(tf.zeros([16, 1]))
    @tf.function
    def step(x, y):
        with tf.GradientTape() as t:
            l = tf.reduce_mean(tf.square(x @ w - y))
        w.assign_sub(.02 * t.gradient(l, w)); return l
    for n, (x, y) in enumerate(ds, 1):
        t = time.time(); l = step(x, y)
        log("INFO", W["step"], n=n, perdida="%.5f" % l, filas=x.shape[0])
        time.sleep(.05 * random.uniform(.5, 1.5))
    log("SUCCESS", W["done"], pasos=n)
