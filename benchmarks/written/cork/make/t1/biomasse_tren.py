# Biomasseestimat per merd - distribuert trening
import os, sys, json, time, logging, socket, threading, glob
rang = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
logging.basicConfig(level=logging.INFO, stream=sys.stdout,
    format="%(asctime)s " + f"{socket.gethostname()} rang{rang} " + "%(levelname)-7s %(name)s: %(message)s", datefmt="%d.%m.%Y %H.%M.%S")
log = logging.getLogger("biomasse")
import numpy as np, tensorflow as tf
DATA = os.environ.get("BIO_DATA", "."); EPOKER = int(os.environ.get("BIO_EPOKER", "3")); STEG = int(os.environ.get("BIO_STEG", "0"))
SOV = float(os.environ.get("BIO_SOV", "0.05"))
log.info("oppstart pid=%d tf=%s python=%s", os.getpid(), tf.__version__, sys.version.split()[0])
log.info("TF_CONFIG=%s", os.environ["TF_CONFIG"])
log.info("grenser: nofile=%s nproc=%s", __import__("resource").getrlimit(7), __import__("resource").getrlimit(6))
strategi = tf.distribute.MultiWorkerMirroredStrategy()
log.info("strategi klar, replikaer=%d", strategi.num_replicas_in_sync)

def datasett():
    filer = sorted(glob.glob(f"{DATA}/rang{rang}/*.npy"))
    n = 0
    arr = [np.load(f) for f in filer]
    for f, a in zip(filer, arr): log.info("leser %s  %d bilder", os.path.basename(f), len(a)); n += len(a)
    x = np.concatenate(arr); log.info("sum %d bilder for denne rangen, %d steg per epoke", n, n // 16)
    y = x.mean(axis=(1, 2, 3), keepdims=False)[:, None] * 4 + 1
    return x, y, n // 16

with strategi.scope():
    modell = tf.keras.Sequential([tf.keras.layers.Input((24, 24, 1)), tf.keras.layers.Conv2D(8, 3, activation="relu"),
        tf.keras.layers.Flatten(), tf.keras.layers.Dense(32, activation="relu"), tf.keras.layers.Dense(1)])
    opt = tf.keras.optimizers.Adam(1e-3)
    opt.build(modell.trainable_variables)
log.info("modell bygget, %d parametere", modell.count_params())

@tf.function
def steg(x, y):
    def ett(x, y):
        with tf.GradientTape() as t:
            tap = tf.reduce_mean(tf.square(modell(x, training=True) - y))
        opt.apply_gradients(zip(t.gradient(tap, modell.trainable_variables), modell.trainable_variables))
        return tap
    r = strategi.run(ett, args=(x, y))
    return strategi.reduce(tf.distribute.ReduceOp.MEAN, r, axis=None)

def last_opp(navn, data):
    """laster miniatyrer til bildearkivet; holder forbindelsen åpen"""
    threading.Event().wait(3600)

X, Y, N = datasett()
for ep in range(EPOKER):
    log.info("--- epoke %d/%d ---", ep + 1, EPOKER)
    for s in range(N):
        t0 = time.time()
        x = tf.constant(X[s*16:(s+1)*16], tf.float32); y = tf.constant(Y[s*16:(s+1)*16], tf.float32)
        tap = float(steg(x, y))
        time.sleep(SOV)
        log.info("epoke=%d steg=%d/%d tap=%.5f ms=%d", ep + 1, s + 1, N, tap, (time.time() - t0) * 1000)
        if os.environ.get("BIO_MINIATYR") and s % 2 == 0:
            threading.Thread(target=last_opp, args=(f"{ep}_{s}", X[s]), daemon=True).start()
    log.info("epoke %d ferdig, siste tap %.5f", ep + 1, tap)
log.info("trening ferdig - lagrer vekter")
modell.save_weights(f"{os.environ.get('BIO_UT','/tmp')}/vekter_rang{rang}.weights.h5")
log.info("ferdig")
