"""Kotka: custom loop on MultiWorkerMirroredStrategy (web-inspection patches).  Finnish log texts."""
import os, sys, json, time, logging, faulthandler, signal, ctypes
faulthandler.register(signal.SIGUSR1, all_threads=True)
import numpy as np, tensorflow as tf
logging.basicConfig(format="%(asctime)s %(levelname)s rata: %(message)s", level=logging.INFO, stream=sys.stdout)
log = logging.getLogger("rata")
MODE = os.environ.get("MODE", "")
HERE = os.path.dirname(os.path.abspath(__file__))
lib = ctypes.CDLL(os.path.join(HERE, "libtekstuuri.so")) if os.path.exists(os.path.join(HERE, "libtekstuuri.so")) else None

def kalibrointi(kamera):
    """Kameran tasokorjaus luetaan lukon takaa, jotta kalibrointi ei vaihdu kesken."""
    import fcntl
    with open(os.path.join(HERE, "kalibrointi.lock"), "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        return float(open(os.path.join(HERE, "taso.txt")).read())

def kryppysuodin(x):
    out = np.empty_like(x)
    lib.kryppy(x.ctypes.data_as(ctypes.c_void_p), out.ctypes.data_as(ctypes.c_void_p), ctypes.c_int(x.size))
    return out

def naytteet(idx, n, suodin=False):
    rng = np.random.default_rng(idx)
    for i in range(n):
        if MODE == "lukko" and i % 64 == 0: kalibrointi(idx)
        x = rng.normal(size=(64,)).astype("float32")
        y = int(x[:8].sum() > 0)
        if suodin and lib is not None: x = kryppysuodin(x)
        yield x, y

def main():
    tc = json.loads(os.environ["TF_CONFIG"]); idx = tc["task"]["index"]
    log.info("rata-opetus 4.2, tf %s, tehtävä %d/%d", tf.__version__, idx, len(tc["cluster"]["worker"]))
    s = tf.distribute.MultiWorkerMirroredStrategy(communication_options=tf.distribute.experimental.CommunicationOptions(timeout_seconds=float(os.environ.get("CT", "0")) or None))
    def dsf(suodin):
        return s.distribute_datasets_from_function(lambda c: tf.data.Dataset.from_generator(
            lambda: naytteet(idx, 100000, suodin), output_signature=(tf.TensorSpec((64,), tf.float32), tf.TensorSpec((), tf.int32))).batch(16).prefetch(1))
    with s.scope():
        m = tf.keras.Sequential([tf.keras.Input((64,)), tf.keras.layers.Dense(32, activation="relu"), tf.keras.layers.Dense(2)])
        opt = tf.keras.optimizers.SGD(0.05)
    @tf.function
    def askel(it):
        def f(b):
            x, y = b
            with tf.GradientTape() as t:
                l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, m(x, training=True)))
            opt.apply_gradients(zip(t.gradient(l, m.trainable_variables), m.trainable_variables)); return l
        return s.reduce(tf.distribute.ReduceOp.MEAN, s.run(f, args=(next(it),)), axis=None)
    @tf.function
    def arvio(it):
        return s.reduce(tf.distribute.ReduceOp.MEAN, s.run(lambda b: tf.reduce_mean(tf.cast(tf.equal(tf.argmax(m(b[0]), 1, tf.int32), b[1]), tf.float32)), args=(next(it),)), axis=None)
    it = iter(dsf(False))
    for ep in range(int(os.environ.get("EPOCHS", "4"))):
        log.info("kierros %d alkaa", ep + 1)
        for k in range(40):
            t = time.time(); l = float(askel(it))
            log.info("kierros %d askel %03d tappio %.5f  %.0f ms", ep + 1, k, l, 1000 * (time.time() - t))
        log.info("kierros %d: arviointi, kryppysuodin %s", ep + 1, "päällä" if ep >= 1 else "pois")
        ie = iter(dsf(ep >= 1)); a = [float(arvio(ie)) for _ in range(5)]
        log.info("kierros %d: osumatarkkuus %.4f", ep + 1, sum(a) / len(a))
        if idx == 0: m.save_weights(os.path.join(HERE, "painot-%02d.weights.h5" % ep)); log.info("painot talletettu (kierros %d)", ep + 1)
    log.info("opetus valmis")
main()
