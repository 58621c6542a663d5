# 용접 비드 검사 학습 (MultiWorkerMirrored, 사용자 루프)
import os, json, time, sys, faulthandler, signal, glob, socket
faulthandler.register(signal.SIGUSR1, all_threads=False)
import numpy as np
import tensorflow as tf
cfg = json.loads(os.environ["TF_CONFIG"]); idx = cfg["task"]["index"]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
N = strategy.num_replicas_in_sync
man = json.load(open(os.environ["MANIFEST"]))
mine = [e for e in man if e["owner"] == idx]
n = sum(e["count"] for e in mine)
print(f"[{socket.gethostname()}] rank={idx}/{N} 파일 {len(mine)}개", flush=True)
rng = np.random.default_rng(idx)
def gen():
    for e in mine:
        for _ in range(e["count"]): yield rng.normal(size=(24,)).astype("f4")
ds = tf.data.Dataset.from_generator(gen, output_signature=tf.TensorSpec([24])).batch(8, drop_remainder=True).prefetch(1)
with strategy.scope(): w = tf.Variable(tf.random.stateless_normal([24, 6], [1, 1]) * .2); u = tf.Variable(tf.random.stateless_normal([6, 24], [1, 2]) * .2)
def red(g): return tf.distribute.get_replica_context().all_reduce("mean", g)
@tf.function
def train_step(x):
    def f(x):
        with tf.GradientTape() as t: l = tf.reduce_mean((tf.nn.relu(x @ w) @ u - x) ** 2)
        g = red(t.gradient(l, [w, u])); w.assign_sub(.1 * g[0]); u.assign_sub(.1 * g[1]); return l
    return strategy.run(f, args=(x,))
@tf.function
def epoch_metric(v): return strategy.reduce("mean", strategy.run(lambda a: a + 0., args=(v,)), axis=None)
SYNC = os.environ.get("SYNC_DIR", "/workspace/sync")
def barrier(ep):
    """파일 배리어: 모든 rank 의 done 파일을 기다린다"""
    os.makedirs(SYNC, exist_ok=True); open(f"{SYNC}/ep{ep}.rank-{cfg['task']['type']}{idx}.done", "w").close()
    while len(glob.glob(f"{SYNC}/ep{ep}.rank*.done")) < N:
        time.sleep(.5)
for ep in range(3):
    tot, k = 0., 0
    for x in ds:
        l = float(train_step(x)); tot += l; k += 1
        if k % 4 == 1: print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} rank={idx} epoch={ep} step={k} loss={l:.4f}", flush=True)
        time.sleep(.02)
    print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} rank={idx} epoch={ep} 로컬 {k} step 끝, 지표 집계", flush=True)
    barrier(ep)
    m = float(epoch_metric(tf.constant(tot / max(k, 1))))
    print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} rank={idx} epoch={ep} 평균 loss={m:.4f}", flush=True)
print("학습 완료", flush=True)
