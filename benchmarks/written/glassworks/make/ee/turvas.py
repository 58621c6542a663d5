# Turbavälja niiskuse mudel (droonipildid), mitme sõlmega treening
import os, sys, glob, time, argparse, copy
import numpy as np
import tensorflow as tf

p = argparse.ArgumentParser()
p.add_argument("--andmed", default="/srv/turvas/ruudud")
p.add_argument("--epohhe", type=int, default=3)
p.add_argument("--partii", type=int, default=8)
p.add_argument("--plokkpuu", default=None)
a = p.parse_args()

rank = int(os.environ["SLURM_PROCID"])
def ytle(*s):
    print(time.strftime("[%Y-%m-%d %H:%M:%S]"), f"[r{rank}]", *s, flush=True)

resolver = tf.distribute.cluster_resolver.SlurmClusterResolver(
    jobs={"worker": int(os.environ["SLURM_NTASKS"])}, port_base=23777, gpus_per_node=1, gpus_per_task=1, auto_set_gpu=False)
strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=resolver)
W = strategy.num_replicas_in_sync
ytle("klaster", resolver.cluster_spec().as_dict())

def plokid():
    """välja hierarhia: iga plokk viitab emaplokile"""
    d = {}
    for rida in open(a.plokkpuu):
        k, e = rida.split()
        d[k] = e
    return d

if a.plokkpuu:
    sys.setrecursionlimit(10**7)
    d = plokid()
    class Plokk:
        def __init__(self, nimi):
            self.nimi = nimi
            self.ema = None
    obj = {k: Plokk(k) for k in d}
    for k, e in d.items():
        if e != "-":
            obj[k].ema = obj[e]
    ytle("plokke", len(obj))
    viimane = obj[list(d)[-1]]
    ytle("kopeerin plokipuu", viimane.nimi)
    puu = copy.deepcopy(viimane)

failid = sorted(glob.glob(os.path.join(a.andmed, "*.npz")))
minu = failid[rank::W]
ytle("faile", len(failid), "minu osa", len(minu))
def andmed():
    def gen():
        for f in minu:
            z = np.load(f)
            for x, y in zip(z["x"], z["y"]):
                yield x, y
    ds = tf.data.Dataset.from_generator(gen, output_signature=(
        tf.TensorSpec([400], tf.float32), tf.TensorSpec([], tf.float32)))
    return ds.batch(a.partii, drop_remainder=True).prefetch(2)

with strategy.scope():
    mudel = tf.keras.Sequential([tf.keras.layers.Input((400,)), tf.keras.layers.Dense(32, "gelu"),
                                 tf.keras.layers.Dense(16, "gelu"), tf.keras.layers.Dense(1)])
    opt = tf.keras.optimizers.AdamW(1e-3)

@tf.function
def samm(x, y):
    def f(x, y):
        with tf.GradientTape() as t:
            l = tf.reduce_sum((mudel(x, training=True)[:, 0] - y) ** 2) / (a.partii * W)
        g = t.gradient(l, mudel.trainable_variables)
        opt.apply_gradients(zip(g, mudel.trainable_variables))
        return l
    return strategy.reduce("SUM", strategy.run(f, args=(x, y)), axis=None)

sammud = 0
for e in range(a.epohhe):
    ds = andmed()
    algus = time.time()
    for x, y in ds:
        l = samm(x, y)
        sammud += 1
        if sammud % 3 == 0:
            ytle(f"epohh {e} samm {sammud} viga {float(l):.4f}")
    ytle(f"epohh {e} valmis {time.time()-algus:.1f}s")
ytle("treening valmis", sammud)
