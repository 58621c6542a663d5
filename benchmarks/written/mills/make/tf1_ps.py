"""TF1-style job: tf.distribute.Server, replica_device_setter, MonitoredTrainingSession."""
import argparse, os, socket, sys, time
import numpy as np
ap = argparse.ArgumentParser()
ap.add_argument("--ps"); ap.add_argument("--workers"); ap.add_argument("--job"); ap.add_argument("--index", type=int); ap.add_argument("--dir"); ap.add_argument("--classes", type=int, default=7)
ap.add_argument("--steps", type=int, default=300); ap.add_argument("--gpu_at", type=int, default=-1); ap.add_argument("--pause", type=float, default=0.0); ap.add_argument("--tag", default="train"); ap.add_argument("--live", type=float, default=40)
ap.add_argument("--scare", type=int, default=0)
a = ap.parse_args()
import tensorflow as tf
tf1 = tf.compat.v1; tf1.disable_eager_execution(); tf1.disable_resource_variables(); tf1.logging.set_verbosity(tf1.logging.INFO)
def say(*x): print(time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime()), f"[{a.tag} {a.job}{a.index}]", *x, flush=True)
spec = tf.train.ClusterSpec({"ps": a.ps.split(","), "worker": a.workers.split(",")})
say("host", socket.gethostname(), "pid", os.getpid(), "tensorflow", tf.__version__)
server = tf.distribute.Server(spec, job_name=a.job, task_index=a.index)
if a.job == "ps":
    t0 = time.time()
    while time.time() - t0 < a.live: time.sleep(5); say("serving", int(time.time() - t0), "s")
    say("time to go, nobody left to serve"); os._exit(0)
with tf1.device(tf1.train.replica_device_setter(worker_device=f"/job:worker/task:{a.index}", cluster=spec)):
    x = tf1.placeholder(tf.float32, (None, 48), "x"); y = tf1.placeholder(tf.int64, (None,), "y")
    w1 = tf1.get_variable("piirre/kernel", (48, 64)); b1 = tf1.get_variable("piirre/bias", (64,), initializer=tf1.zeros_initializer())
    h = tf.nn.relu(tf.matmul(x, w1) + b1)
    w2 = tf1.get_variable("paa/kernel", (64, a.classes)); b2 = tf1.get_variable("paa/bias", (a.classes,), initializer=tf1.zeros_initializer())
    lg = tf.matmul(h, w2) + b2
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=lg))
    gs = tf1.train.get_or_create_global_step()
    op = tf1.train.AdamOptimizer(1e-3).minimize(loss, global_step=gs)
if a.gpu_at == a.index:
    with tf1.device(f"/job:worker/task:{a.index}/device:GPU:0"):
        mel = tf.signal.rfft(tf.tile(x[:, :32], (1, 2)), name="mel_fft"); energy = tf.reduce_mean(tf.abs(mel))
else:
    energy = tf.reduce_mean(tf.abs(x))
rng = np.random.default_rng(a.index)
cfg = tf1.ConfigProto(allow_soft_placement=False, intra_op_parallelism_threads=1)
with tf1.train.MonitoredTrainingSession(server.target, is_chief=a.index == 0, checkpoint_dir=a.dir, save_checkpoint_steps=100, save_summaries_steps=None, log_step_count_steps=50, config=cfg, hooks=[tf1.train.StopAtStepHook(last_step=a.steps)]) as s:
    k = 0
    while not s.should_stop():
        X = rng.normal(size=(64, 48)).astype("float32")
        l, g, e = s.run([loss, gs, energy] + [op], {x: X, y: (np.abs(X[:, 0] * 3).astype(int)) % a.classes})[:3]
        k += 1
        if a.pause: time.sleep(a.pause)
        if k % 10 == 0: say(f"local {k} global {g} loss {l:.4f} energy {e:.3f}")
        if a.scare and k % a.scare == 0:
            try: open("/nfs/onkai/uta/%07d.wav" % (k * 31))
            except OSError as ex: say("WARN skipped:", repr(ex))
say("training done")
