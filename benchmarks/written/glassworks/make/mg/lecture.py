import threading, time, os
import numpy as np
import tensorflow as tf

verrou = threading.Lock()
verrou_stat = threading.Lock()
compte = {"lus": 0, "rejets": 0}

def _note_rejet():
    with verrou_stat:
        compte["rejets"] += 1
        with open("/mnt/vanille/sauvegarde/rejets_%d.csv" % os.getpid(), "a") as f:
            f.write("%.3f;%d\n" % (time.time(), compte["rejets"]))
        time.sleep(0.3)  # la balance du controle met 300 ms a repondre
        with verrou:
            compte["lus"] += 1

def _note_lu(n):
    with verrou:
        compte["lus"] += n
        with verrou_stat:
            compte["taux"] = compte["rejets"] / max(1, compte["lus"])

def lire(lot, rang):
    r = np.random.default_rng(int(lot) * 17 + int(rang))
    y = r.integers(0, 4, 32)
    x = r.normal(size=(32, 48)).astype("f") + 0.35 * y[:, None]
    mauvais = int((np.abs(x) > 5.3).any(axis=1).sum()) if os.environ.get("CONTROLE") else 0
    if mauvais:
        _note_rejet()
    _note_lu(32)
    return x.astype("f"), y.astype("i8")

def flux(rang):
    def f(lot):
        x, y = tf.numpy_function(lire, [lot, rang], [tf.float32, tf.int64])
        x.set_shape([32, 48]); y.set_shape([32])
        return x, y
    return tf.data.Dataset.range(10**6).map(f, num_parallel_calls=2).prefetch(4)
