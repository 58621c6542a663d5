# -*- coding: utf-8 -*-
"""escuta - detector de vazamento por som (Recife). Laço próprio, MWMS."""
import json, os, sys, time, random, ssl, urllib.request
import numpy as np, tensorflow as tf
MODO = os.environ.get("ESCUTA_MODO", "")
cfg = json.loads(os.environ["TF_CONFIG"]); eu = cfg["task"]["index"]
def diz(nivel, msg, **kv):
    print(json.dumps({"ts": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()), "nivel": nivel, "trab": eu, "msg": msg, **kv}, ensure_ascii=False), flush=True)
def envia(nome, corpo):
    """Manda os pesos para o cofre de artefatos (https, CA interna)."""
    ctx = ssl.create_default_context(cafile=os.environ["ESCUTA_CA"])
    for tent in range(3):
        try:
            r = urllib.request.Request(os.environ["ESCUTA_COFRE"] + nome, data=corpo, method="PUT")
            return urllib.request.urlopen(r, context=ctx, timeout=10).status
        except OSError as e:
            diz("aviso", "envio falhou, nova tentativa", nome=nome, tentativa=tent + 1, erro=repr(e))
            if tent == 2: raise
            time.sleep(1.5)
def main():
    diz("info", "escuta 0.19 iniciando", tf=tf.__version__, host=os.uname().nodename, attempt=os.environ.get("NOMAD_TENT", "1"))
    s = tf.distribute.MultiWorkerMirroredStrategy()
    diz("info", "cluster formado", replicas=s.num_replicas_in_sync)
    rng = np.random.default_rng(eu)
    X = rng.normal(size=(512, 40)).astype("float32"); Y = (X[:, :5].sum(1) > 0).astype("float32")
    def ds(c):
        d = tf.data.Dataset.from_tensor_slices((X, Y)).repeat().batch(16)
        return d
    def ds_val(c):
        d = tf.data.Dataset.from_tensor_slices((X, Y)).map(lambda a, b: (a * 1.0, b), num_parallel_calls=48).repeat().batch(16)
        o = tf.data.Options(); o.threading.private_threadpool_size = 48; o.autotune.enabled = True
        return d.with_options(o)
    with s.scope():
        w1 = tf.Variable(tf.random.stateless_normal((40, 24), [1, 2]) * .2); w2 = tf.Variable(tf.random.stateless_normal((24, 1), [3, 4]) * .2)
    @tf.function
    def passo(it):
        def f(b):
            x, y = b
            with tf.GradientTape() as t:
                l = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, tf.squeeze(tf.nn.relu(x @ w1) @ w2, 1)))
            g = t.gradient(l, [w1, w2]); c = tf.distribute.get_replica_context()
            g = c.all_reduce(tf.distribute.ReduceOp.MEAN, g)
            def up(st, a, b): 
                for v, q in ((w1, a), (w2, b)): st.extended.update(v, lambda vv, qq: vv.assign_sub(0.1 * qq), args=(q,))
            c.merge_call(up, args=tuple(g)); return l
        return s.reduce("MEAN", s.run(f, args=(next(it),)), axis=None)
    @tf.function
    def val(it): return s.reduce("MEAN", s.run(lambda b: tf.reduce_mean(b[1]), args=(next(it),)), axis=None)
    it = iter(s.distribute_datasets_from_function(ds))
    for ep in range(5):
        for k in range(60):
            l = float(passo(it))
            if k % 3 == 0: diz("info", "passo", epoca=ep, k=k, perda=round(l, 5))
            time.sleep(float(os.environ.get("ESCUTA_PAUSA", "0.03")))
        if MODO != "fios" or ep >= 2:
            iv = iter(s.distribute_datasets_from_function(ds_val)); v = [float(val(iv)) for _ in range(4)]
            diz("info", "validação", epoca=ep, positivos=round(sum(v) / 4, 4))
        if eu == 0 and "ESCUTA_COFRE" in os.environ:
            st = envia("pesos-%03d.npy" % ep, w1.numpy().tobytes()); diz("info", "pesos guardados", epoca=ep, http=st)
    diz("info", "fim")
main()
