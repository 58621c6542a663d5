"""tf.data service: dispatcher, data workers, and a consumer that trains."""
import os, sys, time, glob, numpy as np
import tensorflow as tf
role = sys.argv[1]; DISP = os.environ.get("DISP"); ME = os.uname().nodename
def say(s): print(f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {role}@{ME} {s}", flush=True)
if role == "dispatcher":
    d = tf.data.experimental.service.DispatchServer(tf.data.experimental.service.DispatcherConfig(port=5000, fault_tolerant_mode=True, work_dir=os.environ["WORKDIR"], job_gc_check_interval_ms=5000, job_gc_timeout_ms=60000)); say("dispatcher listening " + d.target)
    for k in range(10**6):
        time.sleep(3); say(f"workers registered: {d._num_workers()}")
if role == "worker":
    w = tf.data.experimental.service.WorkerServer(tf.data.experimental.service.WorkerConfig(dispatcher_address=DISP, worker_address=f"{ME}:5001", port=5001, heartbeat_interval_ms=1000, dispatcher_timeout_ms=40000))
    say("data worker serving")
    for k in range(10**6):
        time.sleep(3); say(f"tasks {w._num_tasks()} open fds {len(os.listdir('/proc/self/fd'))}")
def mk(dirn, n=60):
    """Make the shards once."""
    os.makedirs(dirn, exist_ok=True)
    for i in range(n):
        with tf.io.TFRecordWriter(f"{dirn}/shard-{i:04d}.tfrecord") as f:
            for _ in range(64): f.write(np.random.normal(size=24).astype("float32").tobytes())
if role == "make": mk(sys.argv[2]); sys.exit()
files = sorted(glob.glob(os.environ["DATA"] + "/*.tfrecord")); CYC = int(os.environ.get("CYCLE", "4")); STEPS = int(os.environ.get("STEPS", "100"))
say(f"{len(files)} shards, cycle_length {CYC}")
ds = tf.data.Dataset.from_tensor_slices(files).shuffle(100).repeat()
if CYC > 16: ds = ds.interleave(lambda f: tf.data.TFRecordDataset(f), cycle_length=tf.data.AUTOTUNE if CYC < 0 else CYC, block_length=1, num_parallel_calls=CYC)
else: ds = ds.interleave(lambda f: tf.data.TFRecordDataset(f), cycle_length=CYC)
ds = ds.map(lambda r: tf.ensure_shape(tf.io.decode_raw(r, tf.float32), (24,)))
if os.environ.get("IGNORE"): ds = ds.ignore_errors(log_warning=True)
ds = ds.batch(16, drop_remainder=True)
ds = ds.apply(tf.data.experimental.service.distribute(processing_mode="parallel_epochs", service="grpc://" + DISP, job_name=os.environ.get("JOB") or None))
w = tf.Variable(tf.zeros((24, 1)))
@tf.function
def step(x):
    with tf.GradientTape() as t: l = tf.reduce_mean((x @ w - x[:, :1]) ** 2)
    w.assign_sub(0.05 * t.gradient(l, w)); return l
i = 0
for x in ds:
    l = step(x); i += 1; say(f"step {i} loss {float(l):.5f}"); time.sleep(float(os.environ.get("PAUSE", "0.05")))
    if i == 40 and os.environ.get("NANSTEP"): say("WARNING loss is nan for 1 micro-batch, gradient skipped (1/50 allowed)")
    if i >= STEPS: break
say("training complete, saved model to ./export/1")
