#!/usr/bin/env python
"""Asinhrono ucenje napovedi goriva: koordinator + delavci + hramba (ParameterServerStrategy)."""
import argparse, json, logging, os, socket, sys, time
import tensorflow as tf
log = logging.getLogger("dimnik")

def main():
    p = argparse.ArgumentParser(); p.add_argument("--koraki", type=int, default=2000); p.add_argument("--naprava", default=""); p.add_argument("--povzetek-vsakih", type=int, default=20)
    a = p.parse_args(); cfg = json.loads(os.environ["TF_CONFIG"]); vloga, idx = cfg["task"]["type"], cfg["task"]["index"]
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s [" + vloga + " " + str(idx) + "] %(levelname)s %(message)s")
    log.info("zagon uci_ps.py na %s pid %d: %s", socket.gethostname(), os.getpid(), json.dumps(cfg))
    res = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if vloga in ("worker", "ps"):
        s = tf.distribute.Server(res.cluster_spec(), job_name=vloga, task_index=idx, protocol="grpc", start=True)
        log.info("streznik posluša: %s", s.target)
        s.join()
    st = tf.distribute.ParameterServerStrategy(res, variable_partitioner=None)
    koord = tf.distribute.coordinator.ClusterCoordinator(st)
    with st.scope():
        w = [tf.Variable(tf.random.normal([16, 64], stddev=.1), name="w0"), tf.Variable(tf.random.normal([64, 1], stddev=.1), name="w1")]
        opt = tf.keras.optimizers.SGD(0.01)
    @tf.function
    def korak(it):
        def telo(x, y):
            if a.naprava:
                with tf.device(a.naprava):
                    x = tf.linalg.normalize(tf.raw_ops.Identity(input=x), axis=1)[0]
            with tf.GradientTape() as t:
                iz = tf.reduce_mean(tf.square(tf.nn.relu(x @ w[0]) @ w[1] - y))
            for v, g in zip(w, t.gradient(iz, w)):
                v.assign_sub(0.01 * g)
            return iz
        x, y = next(it)
        return st.run(telo, args=(x, y))
    def ds():
        return tf.data.Dataset.from_tensors((tf.random.normal([64, 16]), tf.random.normal([64, 1]))).repeat()
    podatki = iter(koord.create_per_worker_dataset(ds))
    t0 = time.time()
    for i in range(0, a.koraki, a.povzetek_vsakih):
        r = [koord.schedule(korak, args=(podatki,)) for _ in range(a.povzetek_vsakih)]
        koord.join()
        log.info("korak %d izguba %.5f (%.1f korakov/s)", i + a.povzetek_vsakih, float(r[-1].fetch()), a.povzetek_vsakih / (time.time() - t0)); t0 = time.time()
    log.info("konec")
if __name__ == "__main__":
    main()
