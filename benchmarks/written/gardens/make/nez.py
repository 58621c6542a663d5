# nez.py - modele d'odeur sur chromatogrammes (Grasse). Boucle maison, MultiWorkerMirroredStrategy.
import os, sys, json, time, math
import numpy as np, tensorflow as tf
T0 = time.time(); tc = json.loads(os.environ["TF_CONFIG"]); R = tc["task"]["index"]; MODE = os.environ.get("NEZ", "")
def dit(*a): print("[%s nez/%d]" % (time.strftime("%H:%M:%S"), R), *a, flush=True)
def main():
    dit("TensorFlow", tf.__version__, "hote", os.uname().nodename)
    d = float(os.environ.get("NEZ_DELAI", "0"))
    s = tf.distribute.MultiWorkerMirroredStrategy(communication_options=tf.distribute.experimental.CommunicationOptions(timeout_seconds=d or None))
    rng = np.random.default_rng(R); X = rng.gamma(2, 1, (640, 30)).astype("f4"); Y = np.sin(X[:, :3].sum(1)).astype("f4")
    it = iter(s.distribute_datasets_from_function(lambda c: tf.data.Dataset.from_tensor_slices((X, Y)).repeat().batch(16)))
    with s.scope(): w = tf.Variable(tf.random.stateless_normal((30, 16), (1, 2)) * .2); v = tf.Variable(tf.random.stateless_normal((16, 1), (3, 2)) * .2)
    ck = tf.train.Checkpoint(w=w, v=v)
    @tf.function
    def pas(it, gain):
        def f(b):
            x, y = b
            with tf.GradientTape() as t: l = tf.reduce_mean(tf.square(tf.squeeze(tf.nn.tanh(x @ w) @ v, 1) - y)) * gain
            g = tf.distribute.get_replica_context().all_reduce("MEAN", t.gradient(l, [w, v])); bon = tf.reduce_all([tf.reduce_all(tf.math.is_finite(q)) for q in g])
            for p, q in zip((w, v), g): p.assign_sub(tf.where(bon, .02 * q, tf.zeros_like(q)))
            return l, bon
        return s.run(f, args=(next(it),))
    n = int(os.environ.get("NEZ_PAS", "160"))
    for k in range(n):
        if MODE == "sieste" and R == 2 and k == 90: dit("relecture du spectre de reference..."); time.sleep(120)
        gain = tf.constant(float("inf") if MODE == "survie" and k in (41, 42, 97) else 1.0)
        l, bon = pas(it, gain); t = time.time() - T0
        if not bool(bon): dit("ATTENTION pas %d: gradient non fini (perte=%s), pas ignore, l'echelle passe a 1/2" % (k, float(l)))
        elif k % 3 == 0: dit("pas %03d perte %.6f (%.1fs)" % (k, float(l), t))
        if MODE == "survie":
            time.sleep(.06)
            if R == 0 and k % 40 == 39:
                for dest in (os.environ["NEZ_CK"], os.environ["NEZ_CK2"]):
                    try: dit("point de reprise:", ck.save(os.path.join(dest, "nez"))); break
                    except (tf.errors.OpError, OSError) as e: dit("ERREUR sauvegarde dans", dest, ":", type(e).__name__, str(e)[:300], "-> on essaie ailleurs")
    if MODE == "tete":
        fam = [l.strip() for l in open(os.environ["NEZ_FAMILLES"], encoding="utf-8") if l.strip()]
        dit("phase 2: tete de classification,", len(fam), "familles olfactives lues dans", os.environ["NEZ_FAMILLES"])
        with s.scope(): h = tf.Variable(tf.zeros((16, len(fam)))); bh = tf.Variable(tf.zeros((len(fam),)))
        dit("tete prete", h.shape)
    dit("termine,", n, "pas")
main()
