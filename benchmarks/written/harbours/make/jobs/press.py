# press.py  プレスライン異常検知 (MWMS 自前ループ)
import os, sys, json, time, glob
import numpy as np
import tensorflow as tf
cfg = json.loads(os.environ["TF_CONFIG"]); idx = cfg["task"]["index"]; N = len(cfg["cluster"]["worker"])
opts = tf.distribute.experimental.CommunicationOptions(timeout_seconds=float(os.environ.get("COLL_TO", "0")) or None)
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=opts)
files = sorted(glob.glob(os.environ["PRESS_DATA"] + "/line%d_*.csv" % idx))
print("rank %d/%d files=%d pid=%d" % (idx, N, len(files), os.getpid()))
def rows(f):
    for l in open(f):
        yield [float(v) for v in l.split(",")]
def gen():
    e = 0
    while True:
        for f in files:
            for r in rows(f): yield r
        e += 1; print("[rank %d] data pass %d end" % (idx, e))
par = int(os.environ.get("READERS", "1"))
ds = tf.data.Dataset.from_generator(gen, output_signature=tf.TensorSpec([16])).batch(16, drop_remainder=True)
o = tf.data.Options(); o.threading.private_threadpool_size = par; ds = ds.with_options(o).prefetch(2)
with strategy.scope():
    w = tf.Variable(tf.random.stateless_normal([16, 4], [0, 1])); d = tf.Variable(tf.random.stateless_normal([4, 16], [0, 2]))
@tf.function
def step(x):
    def f(x):
        with tf.GradientTape() as t: l = tf.reduce_mean((tf.tanh(x @ w) @ d - x) ** 2)
        g = tf.distribute.get_replica_context().all_reduce("sum", t.gradient(l, [w, d]))
        w.assign_sub(.05 * g[0]); d.assign_sub(.05 * g[1]); return l
    return strategy.reduce("mean", strategy.run(f, args=(x,)), axis=None)
t0 = time.time(); its = [iter(ds)]
for s in range(int(os.environ.get("STEPS", "400"))):
    if s and s % 100 == 0: its.append(iter(ds))   # 100 step ごとに並べ替え
    l = float(step(next(its[-1])))
    if s % 5 == 0: print("%s step=%d loss=%.4f %.1f step/s" % (time.strftime("%Y-%m-%d %H:%M:%S"), s, l, (s + 1) / (time.time() - t0)))
    if s % 100 == 99: print("%s checkpoint %s" % (time.strftime("%Y-%m-%d %H:%M:%S"), tf.train.Checkpoint(w=w, d=d).write(os.environ["CKPT"] + "/r%d-%d" % (idx, s))))
    time.sleep(.03)
print("完了")
