"""Full-waveform velocity net, custom loop over MultiWorkerMirroredStrategy (team 1)."""
import json, os, socket, sys, time
import numpy as np, tensorflow as tf
STEPS, RANK = int(os.environ["FWI_STEPS"]), int(os.environ["SLURM_PROCID"])
PACE = float(os.environ.get("FWI_PACE", "0.15")); SLOW = float(os.environ.get("FWI_SLOW", "0"))
OUT, ALT = os.environ.get("FWI_CKPT", "ckpt"), os.environ.get("FWI_ALT", "")


def say(*a): print(time.strftime("%H:%M:%S"), f"[{socket.gethostname()}/{RANK}]", *a, flush=True)


say("fwi-net 4.11 tf", tf.__version__, "pid", os.getpid(), "cluster", os.environ["TF_CONFIG"][:60] + "...")
strategy = tf.distribute.MultiWorkerMirroredStrategy()
say("strategy up,", strategy.num_replicas_in_sync, "replicas")
with strategy.scope():
    w1 = tf.Variable(tf.random.stateless_normal([64, 128], [1, 2]) * .1, name="enc/w"); b1 = tf.Variable(tf.zeros([128]), name="enc/b")
    w2 = tf.Variable(tf.random.stateless_normal([128, 16], [3, 4]) * .1, name="dec/w")
rng = np.random.default_rng(RANK)
true = np.random.default_rng(0).normal(size=(64, 16)).astype("f4") * .2


@tf.function
def step(x, y):
    def fn(x, y):
        with tf.GradientTape() as t:
            loss = tf.reduce_mean((tf.matmul(tf.nn.tanh(tf.matmul(x, w1) + b1), w2) - y) ** 2)
        g = t.gradient(loss, [w1, b1, w2])
        ctx = tf.distribute.get_replica_context()
        g = ctx.all_reduce(tf.distribute.ReduceOp.MEAN, g)
        for v, d in zip((w1, b1, w2), g):
            tf.distribute.get_replica_context().merge_call(lambda s, v, d: s.extended.update(v, lambda v, d: v.assign_sub(.05 * d), args=(d,)), args=(v, d))
        return loss
    return strategy.reduce(tf.distribute.ReduceOp.MEAN, strategy.run(fn, args=(x, y)), axis=None)


def shot():
    t = time.time(); x = rng.normal(size=(32, 64)).astype("f4")
    time.sleep(PACE * (.8 + .4 * rng.random()) + (SLOW * (1 + .3 * rng.random()) if n > 12 else 0))
    return tf.constant(x), tf.constant(x @ true), time.time() - t


ck = tf.train.Checkpoint(w1=w1, b1=b1, w2=w2)
for n in range(1, STEPS + 1):
    x, y, td = shot(); t = time.time(); loss = float(step(x, y)); tw = time.time() - t
    if n % 2 == 0 or n < 4: say(f"it {n:4d} misfit {loss:.5f} io {td*1e3:.0f}ms solve+reduce {tw*1e3:.0f}ms")
    if n % 20 == 0:
        d = f"{OUT}/r{RANK}"
        try:
            os.makedirs(d, exist_ok=True); p = ck.save(d + "/fwi"); say("checkpoint", p)
            if os.environ.get("FWI_SCRATCH_MB"):
                open(f"{d}/wavefield-{n}.bin", "ab").write(os.urandom(int(os.environ["FWI_SCRATCH_MB"]) << 20))
        except Exception as e:
            if not ALT: raise
            import traceback; traceback.print_exc()
            say("WARNING checkpoint/wavefield dump failed, switching to", ALT)
            OUT = ALT; os.makedirs(f"{ALT}/r{RANK}", exist_ok=True); p = ck.save(f"{ALT}/r{RANK}/fwi"); say("checkpoint", p)
say("inversion finished, final misfit", f"{loss:.5f}"); sys.stdout.flush()
strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(lambda: tf.constant(1.)), axis=None)
say("bye, exit 0")
