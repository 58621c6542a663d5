#!/usr/bin/env python
"""Ucenje iz toka: slike prihajajo od dobavitelja po gRPC, utezi se povprecijo z MultiWorkerMirroredStrategy."""
import argparse, json, logging, os, socket, sys, time
import grpc, numpy as np
import tensorflow as tf
log = logging.getLogger("dimnik")

def vzorci(naslov, nacrt, svezenj):
    kanal = grpc.insecure_channel(naslov)
    daj = kanal.unary_unary("/dimnik.Dobavitelj/Daj")
    i = 0
    while True:
        zbirka = nacrt[min(i // 60, len(nacrt) - 1)]
        b = np.frombuffer(daj(("%s:%d" % (zbirka, i)).encode(), timeout=30), np.uint8)
        rob = int(round(((len(b) - svezenj) / svezenj) ** 0.5))
        y, x = b[:svezenj].astype(np.int64), b[svezenj:].reshape(svezenj, rob, rob, 1)
        if rob != 24:
            x = tf.image.resize(x, (24, 24)).numpy()
        i += 1
        yield (x / 255.0).astype(np.float32), y

def main():
    p = argparse.ArgumentParser(); p.add_argument("--dobavitelj"); p.add_argument("--nacrt", default="drobna"); p.add_argument("--koraki", type=int, default=300); p.add_argument("--svezenj", type=int, default=32)
    a = p.parse_args(); cfg = json.loads(os.environ["TF_CONFIG"]); idx = cfg["task"]["index"]
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s [delavec " + str(idx) + "] %(levelname)s %(message)s")
    logging.getLogger("tensorflow").propagate = False
    log.info("zagon uci_tok.py na %s, parametri %s", socket.gethostname(), vars(a))
    st = tf.distribute.MultiWorkerMirroredStrategy()
    with st.scope():
        model = tf.keras.Sequential([tf.keras.Input((24, 24, 1)), tf.keras.layers.Conv2D(8, 3, activation="relu"), tf.keras.layers.Flatten(), tf.keras.layers.Dense(13)])
        opt = tf.keras.optimizers.SGD(0.05); opt.build(model.trainable_variables)
    gub = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    @tf.function
    def korak(x, y):
        def r(x, y):
            with tf.GradientTape() as t:
                iz = gub(y, model(x, training=True)) / st.num_replicas_in_sync
            opt.apply_gradients(zip(t.gradient(iz, model.trainable_variables), model.trainable_variables)); return iz
        return st.reduce("SUM", st.run(r, args=(x, y)), axis=None)
    for i, (x, y) in enumerate(vzorci(a.dobavitelj, a.nacrt.split(","), a.svezenj)):
        iz = korak(tf.constant(x), tf.constant(y))
        log.info("korak %d/%d izguba %.4f", i + 1, a.koraki, float(iz))
        if i + 1 >= a.koraki: break
    log.info("konec")
if __name__ == "__main__":
    main()
