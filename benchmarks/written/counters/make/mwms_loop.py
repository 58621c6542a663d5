"""A custom training loop under MultiWorkerMirroredStrategy. Environment FAULT switches what is wrong with one worker."""
import json, os, sys, time, threading, faulthandler, signal, numpy as np
import tensorflow as tf
FAULT = os.environ.get("FAULT", ""); STEPS = int(os.environ.get("STEPS", "60")); TMO = float(os.environ.get("COLL_TIMEOUT", "0")) or None
STYLE = os.environ.get("STYLE", "a")
faulthandler.register(signal.SIGUSR1, all_threads=True)
cfg = json.loads(os.environ["TF_CONFIG"]); idx = cfg["task"]["index"]; n = len(cfg["cluster"]["worker"])
strategy = tf.distribute.MultiWorkerMirroredStrategy(
    communication_options=tf.distribute.experimental.CommunicationOptions(timeout_seconds=TMO, implementation=tf.distribute.experimental.CommunicationImplementation.RING))
host = os.uname().nodename
def say(s): print({"a": f"[rank {idx}] {s}", "b": f"{time.strftime('%Y-%m-%d %H:%M:%S')} {host} INFO train: {s}", "c": s}[STYLE], flush=True)
say(f"host {host} tf {tf.__version__} replicas {strategy.num_replicas_in_sync}")
width = 12
with strategy.scope():
    w = tf.Variable(tf.random.stateless_normal((24, width), (1, 2))); v = tf.Variable(tf.zeros((width, 1)))
BS = 16
rng = np.random.default_rng(idx)
files = list(range(40))[idx::n]
LOCK = threading.Lock()
def batches():
    k = STEPS if not (FAULT == "uneven") else STEPS - 23
    for i in range(k):
        x = rng.normal(size=(BS, 24)).astype("float32"); yield x, x[:, :1]
def make_ds():
    d = tf.data.Dataset.from_generator(batches, output_signature=(tf.TensorSpec((None, 24)), tf.TensorSpec((None, 1))))
    return d
def step(x, y):
    with tf.GradientTape() as t:
        loss = tf.reduce_mean((tf.tanh(x @ w) @ v - y) ** 2)
    gw, gv = t.gradient(loss, [w, v])
    ctx = tf.distribute.get_replica_context()
    gw, gv = ctx.all_reduce("MEAN", [gw, gv])
    w.assign_sub(0.05 * gw); v.assign_sub(0.05 * gv)
    return ctx.all_reduce("MEAN", loss)
@tf.function
def train(x, y): return strategy.run(step, args=(x, y))
@tf.function
def evaluate(x):
    def f(x):
        c = tf.distribute.get_replica_context()
        h = tf.tanh(x @ w)
        if FAULT == "mismatch": h = h[:, :8]     # the head that only this worker's config asks for
        return c.all_reduce("SUM", tf.reduce_sum(h, 0))
    return strategy.run(f, args=(x,))
def stats_writer():
    with LOCK:
        say("stats writer: flushing histogram"); 
        while True: time.sleep(3600)
ck = tf.train.Checkpoint(w=w, v=v)
i = 0; t0 = time.time()
for x, y in make_ds():
    l = train(x, y); i += 1
    l = float(strategy.experimental_local_results(l)[0])
    dt = time.time() - t0; t0 = time.time()
    say(f"step {i:5d} loss {l:.5f} {dt * 1000:7.1f} ms/step")
    if i % 20 == 0:
        d = f"/opt/incidents/work/ck/{os.environ.get('RUN', 'x')}-{idx}"; os.makedirs(d, exist_ok=True)
        say("saved " + ck.write(f"{d}/ckpt-{i}"))
    if i % 25 == 0:
        e = evaluate(x); say(f"eval at {i}: feature sums {np.round(strategy.experimental_local_results(e)[0].numpy()[:3], 3).tolist()}")
    if FAULT == "deadlock" and i == 33:
        threading.Thread(target=stats_writer, name="stats-writer", daemon=True).start(); time.sleep(0.3)
        with LOCK: say("histogram merged")
    if FAULT == "stop" and i == 38: os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(0.02)
say(f"data exhausted after {i} steps")
if os.environ.get("FINAL", "1") == "1":
    e = evaluate(tf.ones((BS, 24))); say(f"final eval {strategy.experimental_local_results(e)[0].numpy()[:3].tolist()}")
if os.environ.get("WAITEXP") and idx:
    say("waiting for model export by the chief")
    while not os.path.exists("/opt/incidents/work/export/saved_model.pb"): time.sleep(1)
say("done")
