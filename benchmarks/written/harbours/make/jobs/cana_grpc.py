# -*- coding: utf-8 -*-
import os, json, time
import numpy as np, grpc
import tensorflow as tf
cfg = json.loads(os.environ["TF_CONFIG"]); idx = cfg["task"]["index"]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
chan = grpc.insecure_channel(os.environ["ATRIBUTOS"])
rpc = chan.unary_unary("/atributos.Servico/Lote")
def atributos():
    s = 0
    while True:
        n = 256 if s < 60 else int(os.environ["LOTE"])   # aquecimento de lote
        for t in range(15):
            try: b = rpc(b"n=%d" % n, timeout=10); break
            except grpc.RpcError as e:
                if e.code() != grpc.StatusCode.UNAVAILABLE or t == 14: raise
                print("atributos fora (tentativa %d): %s" % (t + 1, e.details()), flush=True); time.sleep(2)
        s += 1
        yield np.frombuffer(b, "f4").reshape(-1, 2048)[:16, :64] * np.random.normal(size=(16, 64)).astype("f4")
ds = tf.data.Dataset.from_generator(atributos, output_signature=tf.TensorSpec([16, 64], tf.float32)).prefetch(2)
with strategy.scope():
    w = tf.Variable(tf.ones([64, 1]) * .01)
@tf.function
def passo(x):
    def f(x):
        with tf.GradientTape() as t: l = tf.reduce_mean((x @ w - tf.reduce_mean(x, 1, keepdims=True)) ** 2)
        w.assign_sub(.1 * tf.distribute.get_replica_context().all_reduce("mean", t.gradient(l, w))); return l
    return strategy.reduce("mean", strategy.run(f, args=(x,)), axis=None)
for s, x in enumerate(ds):
    l = float(passo(x))
    print("passo %04d perda %.5f lote ok" % (s, l), flush=True)
    if s >= 150: break
print("fim", flush=True)
