#!/usr/bin/env python
"""Dimnikarstvo Sever - ucenje razvrscevalnika oblog v dimnih tuljavah (saje / smola / razpoka / gnezdo ...)."""
import argparse, ctypes, glob, json, logging, os, socket, sys, time
import numpy as np
import tensorflow as tf
import prenos

log = logging.getLogger("dimnik")

def parametri():
    p = argparse.ArgumentParser()
    p.add_argument("--podatki", required=True)
    p.add_argument("--razredi", default="razredi.txt")
    p.add_argument("--izhod", default="")
    p.add_argument("--koraki", type=int, default=400)
    p.add_argument("--svezenj", type=int, default=32)
    p.add_argument("--hitrost", type=float, default=1e-3)
    p.add_argument("--knjiznica", default="")
    p.add_argument("--shrani-vsakih", type=int, default=100)
    p.add_argument("--epohe", type=int, default=0)
    p.add_argument("--shramba", default="")
    p.add_argument("--ca", default=os.environ.get("REQUESTS_CA_BUNDLE", ""))
    p.add_argument("--zavora", type=float, default=0.0)
    return p.parse_args()

def nastavi_dnevnik(vloga):
    logging.basicConfig(stream=sys.stderr, level=logging.INFO,
                        format="%(asctime)s [" + vloga + "] %(levelname)s %(message)s")

def preberi_razrede(pot):
    with open(pot, encoding="utf-8") as f:
        return [v.strip() for v in f if v.strip()]

OPIS = {"slika": tf.io.FixedLenFeature([], tf.string), "razred": tf.io.FixedLenFeature([], tf.int64)}

def razcleni(z):
    e = tf.io.parse_single_example(z, OPIS)
    x = tf.reshape(tf.io.decode_raw(e["slika"], tf.uint8), [24, 24, 1])
    return tf.cast(x, tf.float32) / 255.0, e["razred"]

def podatki(a, idx, n):
    kosi = sorted(glob.glob(os.path.join(a.podatki, "*.tfrecord")))[idx::n]
    log.info("kosi zame: %d, prvi %s, zadnji %s", len(kosi), os.path.basename(kosi[0]), os.path.basename(kosi[-1]))
    ds = tf.data.Dataset.from_tensor_slices(kosi).interleave(tf.data.TFRecordDataset, cycle_length=min(64, len(kosi)), num_parallel_calls=2)
    ds = ds.map(razcleni)
    ds = ds.repeat(a.epohe) if a.epohe else ds.repeat()
    return ds.batch(a.svezenj, drop_remainder=True).prefetch(2)

def zgradi(k):
    return tf.keras.Sequential([
        tf.keras.Input((24, 24, 1)),
        tf.keras.layers.Conv2D(8, 3, activation="relu", name="grobo"),
        tf.keras.layers.MaxPool2D(2),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(32, activation="relu", name="gosto"),
        tf.keras.layers.Dense(k, name="glava")])

def main():
    a = parametri()
    cfg = json.loads(os.environ["TF_CONFIG"])
    idx, n = cfg["task"]["index"], len(cfg["cluster"]["worker"])
    nastavi_dnevnik("delavec %d/%d" % (idx, n))
    log.info("zagon uci.py na %s pid %d, tensorflow %s keras %s numpy %s", socket.gethostname(), os.getpid(), tf.__version__, tf.keras.__version__, np.__version__)
    log.info("parametri %s", vars(a))
    log.info("TF_CONFIG %s", json.dumps(cfg))
    strategija = tf.distribute.MultiWorkerMirroredStrategy()
    log.info("strategija pripravljena, replik %d", strategija.num_replicas_in_sync)
    if a.shramba:
        prenos.prenesi(a.shramba, a.podatki, a.ca)
    imena = preberi_razrede(a.razredi)
    log.info("razredov %d: %s", len(imena), ", ".join(imena))
    lib = None
    if a.knjiznica:
        lib = ctypes.CDLL(a.knjiznica)
        log.info("knjiznica %s nalozena, razlicica %d", a.knjiznica, lib.saje_razlicica())
    with strategija.scope():
        model = zgradi(len(imena))
        opt = tf.keras.optimizers.Adam(a.hitrost)
        opt.build(model.trainable_variables)
        korak_v = tf.Variable(0, trainable=False, dtype=tf.int64, name="korak")
    ds = podatki(a, idx, n)
    upr = None
    if a.izhod:
        mapa = os.path.join(a.izhod, "stanje" if idx == 0 else "stanje-zacasno-%d" % idx)
        upr = tf.train.CheckpointManager(tf.train.Checkpoint(model=model, korak=korak_v), mapa, max_to_keep=3)
        if upr.latest_checkpoint:
            log.info("nadaljujem iz %s", upr.latest_checkpoint)
            upr.checkpoint.restore(upr.latest_checkpoint).assert_existing_objects_matched()
    gub = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")

    @tf.function
    def ucni_korak(x, y):
        def na_repliki(x, y):
            with tf.GradientTape() as t:
                iz = tf.reduce_mean(gub(y, model(x, training=True))) / strategija.num_replicas_in_sync
            g = t.gradient(iz, model.trainable_variables)
            opt.apply_gradients(zip(g, model.trainable_variables))
            return iz
        return strategija.reduce("SUM", strategija.run(na_repliki, args=(x, y)), axis=None)

    t0 = time.time(); i = 0
    for x, y in ds:
        if lib is not None:
            m = (x.numpy()[0, :, :, 0] * 255).astype(np.uint8)
            m = np.ascontiguousarray(np.kron(m, np.ones((40, 40), np.uint8)))
            lib.saje_maska(m.ctypes.data_as(ctypes.c_void_p), m.shape[0], m.shape[1])
        iz = ucni_korak(x, y)
        i += 1
        if a.zavora: time.sleep(a.zavora)
        dt = time.time() - t0; t0 = time.time()
        log.info("korak %5d/%d izguba %.4f  %.0f ms", i, a.koraki, float(iz), dt * 1000)
        if upr and i % a.shrani_vsakih == 0:
            korak_v.assign(i)
            log.info("shranjeno %s", upr.save())
        if i >= a.koraki:
            break
    log.info("ucenje koncano po %d korakih", i)

if __name__ == "__main__":
    main()
