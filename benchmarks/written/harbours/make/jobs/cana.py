# -*- coding: utf-8 -*-
# cana.py: produtividade da cana por talhao (Keras fit, varios nos do swarm)
import os, json, sys, faulthandler
faulthandler.enable()
import numpy as np
import tensorflow as tf
from multiprocessing import shared_memory
cfg = json.loads(os.environ["TF_CONFIG"]); idx = cfg["task"]["index"]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
print("no", idx, "de", strategy.num_replicas_in_sync, flush=True)
TILE = 96 * 96
class Cache:
    """talhoes decodificados ficam em /dev/shm, repartidos entre os leitores"""
    def __init__(self): self.seg = []
    def put(self, k, a):
        s = shared_memory.SharedMemory(create=True, size=a.nbytes, name="cana_%d_%d" % (os.getpid(), k))
        np.frombuffer(s.buf, a.dtype)[:a.size] = a.ravel(); self.seg.append(s)
cache = Cache(); rng = np.random.default_rng(idx)
def tiles():
    k = 0
    while True:
        a = rng.normal(size=(int(os.environ.get("TILES", "16")), TILE)).astype("float32")
        if k % 5 == 0: cache.put(k, a)
        k += 1
        for r in a[:8]: yield r[:64], r[:1] * .3 + 2
ds = tf.data.Dataset.from_generator(tiles, output_signature=(tf.TensorSpec([64]), tf.TensorSpec([1]))).batch(4)
ds = ds.prefetch(1)
with strategy.scope():
    w1 = tf.Variable(tf.random.stateless_normal([64, 16], [3, idx * 0]) * .1); w2 = tf.Variable(tf.zeros([16, 1]))
it = iter(ds)
@tf.function
def passo(x, y):
    def f(x, y):
        with tf.GradientTape() as t: l = tf.reduce_mean((tf.nn.relu(x @ w1) @ w2 - y) ** 2)
        g = tf.distribute.get_replica_context().all_reduce("mean", t.gradient(l, [w1, w2]))
        w1.assign_sub(.02 * g[0]); w2.assign_sub(.02 * g[1]); return l
    return strategy.reduce("mean", strategy.run(f, args=(x, y)), axis=None)
for s in range(int(os.environ.get("PASSOS", "240"))):
    x, y = next(it)
    l = float(passo(x, y))
    if s % 2 == 0: print("epoca %d passo %d perda %.4f cache %d segmentos" % (s // 60, s, l, len(cache.seg)), flush=True)
    if s == 40:
        try: open("/dados/satelite/indice_2027.json")
        except OSError as e: print("AVISO: indice novo ausente, uso o antigo:", e, flush=True)
print("fim", flush=True)
