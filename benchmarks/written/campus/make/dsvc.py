"""tf.data service in one file: dispatcher | worker | trainer."""
import os, socket, sys, time
import numpy as np
import tensorflow as tf
def say(level, msg): print("%s %-7s [%s] %s" % (time.strftime("%Y-%m-%d %H:%M:%S"), level, os.environ.get("NAME", socket.gethostname()), msg), flush=True)
role, disp = sys.argv[1], sys.argv[2]
port = int(disp.split(":")[1])
DATA = os.environ.get("DATA", "data")
say("INFO", "%s pid %d tf %s" % (role, os.getpid(), tf.__version__))
if role == "dispatcher":
    s = tf.data.experimental.service.DispatchServer(tf.data.experimental.service.DispatcherConfig(port=port, fault_tolerant_mode=True, work_dir=os.environ["WORK"]))
    say("INFO", "dispatcher target " + s.target); s.join()
if role == "worker":
    s = tf.data.experimental.service.WorkerServer(tf.data.experimental.service.WorkerConfig(dispatcher_address=disp, worker_address=socket.gethostname() + ":" + str(port + 1), port=port + 1, heartbeat_interval_ms=1000, dispatcher_timeout_ms=30000))
    say("INFO", "worker registered"); s.join()
files = sorted(tf.io.gfile.glob(DATA + "/*.tfrecord"))
say("INFO", "%d files" % len(files))
def parse(r):
    return tf.ensure_shape(tf.io.parse_tensor(tf.io.parse_single_example(r, {"x": tf.io.FixedLenFeature([], tf.string)})["x"], tf.float32), [24])
ds = tf.data.Dataset.from_tensor_slices(files)
CY = int(os.environ.get("CYCLE", "2"))
ds = ds.interleave(lambda f: tf.data.TFRecordDataset(f), cycle_length=CY, num_parallel_calls=CY)
ds = ds.map(parse)
if os.environ.get("CACHE"): ds = ds.cache(os.environ["CACHE"])
ds = ds.repeat().batch(32)
ds = ds.apply(tf.data.experimental.service.distribute(os.environ.get("MODE", "parallel_epochs"), "grpc://" + disp, job_name=os.environ.get("JOB", "shared"), max_outstanding_requests=4))
w = tf.Variable(tf.zeros([24, 1]))
@tf.function
def step(x):
    with tf.GradientTape() as t:
        l = tf.reduce_mean((x @ w - tf.reduce_sum(x, 1, keepdims=True)) ** 2)
    w.assign_sub(.01 * t.gradient(l, w)); return l
N = int(os.environ.get("STEPS", "300")); every = int(os.environ.get("EVERY", "4"))
for i, x in enumerate(ds):
    l = step(x); time.sleep(.06)
    if i % every == 0: say("INFO", "step %d loss %.5f" % (i, float(l)))
    if i >= N: break
say("INFO", "training complete")
