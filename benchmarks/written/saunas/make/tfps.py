import os, sys, json, time, random, ctypes, logging, faulthandler
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
conf = json.loads(os.environ["CONF"])
W = json.loads(os.environ["WORDS"])
job, idx = sys.argv[1], int(sys.argv[2])
logging.basicConfig(format=conf["fmt"] % dict(job=job, idx=idx), datefmt=conf["datefmt"], level=logging.INFO, stream=sys.stdout)
log = logging.getLogger()
log.info(W["start"] + " tf=%s " + json.dumps(conf["hyper"]), tf.__version__)
spec = tf.train.ClusterSpec(conf["cluster"])
server = tf.train.Server(spec, job_name=job, task_index=idx)
log.info(W["server"], server.target)
if job == "ps":
    server.join()
if conf.get("native"):
    lib = ctypes.CDLL(conf["native"])
    lib.prepare.restype = ctypes.c_int
with tf.device(tf.train.replica_device_setter(cluster=spec, worker_device="/job:%s/task:%d" % (job, idx))):
    if conf.get("teacher"):
        gd = tf.GraphDef()
        with open(conf["teacher"][idx] if isinstance(conf["teacher"], list) else conf["teacher"], "rb") as f:
            gd.ParseFromString(f.read())
        log.info(W["teacher"])
        tf.import_graph_def(gd, name="teacher")
    x = tf.placeholder(tf.float32, [None, 16])
    y = tf.placeholder(tf.float32, [None, 1])
    w = tf.get_variable("w", [16, 64]); b = tf.get_variable("b", [64]); v = tf.get_variable("v", [64, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(tf.nn.relu(tf.matmul(x, w) + b), v) - y))
    gs = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=gs)
hooks = [tf.train.StopAtStepHook(last_step=conf["last"])]
rng = np.random.default_rng(idx); k = np.linspace(-1, 1, 16)
with tf.train.MonitoredTrainingSession(master=server.target, is_chief=(idx == 0), hooks=hooks, checkpoint_dir=conf["ckpt"], save_checkpoint_secs=8, log_step_count_steps=50) as sess:
    n = 0
    while not sess.should_stop():
        bx = rng.normal(size=(conf["batch"], 16)).astype(np.float32)
        if conf.get("native"):
            lib.prepare(bx.ctypes.data_as(ctypes.c_void_p), bx.size)
        l, s, _ = sess.run([loss, gs, train], {x: bx, y: (bx @ k)[:, None]})
        n += 1
        log.info(W["step"], s, n, l)
        time.sleep(conf["sleep"] * random.uniform(.6, 1.5))
log.info(W["done"])
