"""tf.data service: dispatcher, workers and one or two trainers reading gunshot clips from TFRecords."""
import argparse, logging, os, socket, sys, time, threading
ap = argparse.ArgumentParser()
ap.add_argument("role"); ap.add_argument("--disp", default=""); ap.add_argument("--host", default=""); ap.add_argument("--port", type=int, default=0); ap.add_argument("--glob", default=""); ap.add_argument("--steps", type=int, default=200); ap.add_argument("--dir", default="ck")
a = ap.parse_args()
logging.Formatter.converter = time.gmtime
logging.basicConfig(format='%(asctime)s %(levelname)s %(name)s %(message)s', level=logging.INFO, stream=sys.stdout)
log = logging.getLogger(a.role)
import tensorflow as tf
S = tf.data.experimental.service
log.info("tf %s on %s", tf.__version__, socket.gethostname())
if a.role == "dispatcher":
    d = S.DispatchServer(S.DispatcherConfig(port=a.port, fault_tolerant_mode=True, work_dir=a.dir)); log.info("listening %s", d.target)
    while True: time.sleep(6); log.info("registered workers: %d", d._num_workers())
if a.role == "feeder":
    w = S.WorkerServer(S.WorkerConfig(dispatcher_address=a.disp, worker_address=f"{a.host}:{a.port}", port=a.port)); log.info("serving on %s:%d", a.host, a.port)
    while True: time.sleep(6); log.info("tasks: %d", w._num_tasks())
files = sorted(tf.io.gfile.glob(a.glob)); log.info("%d shards", len(files))
def parse(s):
    f = tf.io.parse_single_example(s, {"wave": tf.io.FixedLenFeature((256,), tf.float32), "y": tf.io.FixedLenFeature((), tf.int64)})
    return f["wave"], f["y"]
ds = tf.data.Dataset.from_tensor_slices(files).interleave(lambda f: tf.data.TFRecordDataset(f), cycle_length=2).map(parse).repeat(20).batch(32, drop_remainder=True)
ds = ds.apply(S.distribute(processing_mode=S.ShardingPolicy.DYNAMIC, service=f"grpc://{a.disp}", job_name="gunshots")).prefetch(2)
w = tf.Variable(tf.random.normal((256, 2)) * .05)
@tf.function
def step(x, y):
    with tf.GradientTape() as t: l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, tf.matmul(x, w)))
    w.assign_sub(.1 * t.gradient(l, w)); return l
ck = tf.train.CheckpointManager(tf.train.Checkpoint(w=w), a.dir, max_to_keep=2)
k = 0
for x, y in ds:
    l = step(x, y); k += 1
    if k % 10 == 0: log.info("batch %d loss %.4f", k, float(l))
    if k % 60 == 0: log.info("saved %s", ck.save())
    time.sleep(.03)
    if k >= a.steps: break
log.info("finished after %d batches", k)
