"""Spectral line fitter (custom loop). Reads FITS through libcfitsio."""
import ctypes, json, os, socket, sys, time
from absl import app, logging
import numpy as np
import tensorflow as tf
def open_fits_reader():
    lib = ctypes.CDLL("libcfitsio.so.10")
    logging.info("cfitsio loaded: %s", lib._name)
    return lib
def main(_):
    logging.get_absl_handler().use_absl_log_file("linefit", os.environ["LOGD"])
    logging.get_absl_handler().python_handler.stream.reconfigure(line_buffering=True) if hasattr(logging.get_absl_handler().python_handler.stream, "reconfigure") else None
    idx = int(os.environ["SLURM_PROCID"])
    logging.info("task %d of %s on %s, tf %s", idx, os.environ["SLURM_NTASKS"], socket.gethostname(), tf.__version__)
    strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=tf.distribute.cluster_resolver.TFConfigClusterResolver())
    logging.info("replicas %d", strategy.num_replicas_in_sync)
    with strategy.scope():
        w = tf.Variable(np.zeros((128, 3), "float32"))
    @tf.function
    def step(x, y):
        def fn(x, y):
            with tf.GradientTape() as t:
                l = tf.reduce_mean((x @ w - y) ** 2)
            g = tf.distribute.get_replica_context().all_reduce("mean", t.gradient(l, w))
            w.assign_sub(.05 * g)
            return l
        return strategy.reduce("mean", strategy.run(fn, args=(x, y)), axis=None)
    rng = np.random.RandomState(idx)
    for i in range(60):
        l = step(rng.rand(8, 128).astype("float32"), rng.rand(8, 3).astype("float32"))
        logging.info("synthetic pretraining %d loss %.5f", i, float(l)); time.sleep(.05)
    logging.info("pretraining done, opening observed spectra")
    lib = open_fits_reader()
    for i in range(400):
        l = step(rng.rand(8, 128).astype("float32"), rng.rand(8, 3).astype("float32"))
        logging.info("observed %d loss %.5f", i, float(l)); time.sleep(.1)
if __name__ == "__main__":
    app.run(main)
