import json, os, sys, time
import tensorflow as tf

ROLE = json.loads(os.environ["TF_CONFIG"])["task"]
T0 = time.time()


def say(*a):
    print(time.strftime("[%Y-%m-%d %H:%M:%S]"), f"{ROLE['type']}/{ROLE['index']}", *a, flush=True)


def serve(resolver):
    say("server on", os.uname().nodename, "pid", os.getpid(), "tf", tf.__version__)
    s = tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol="grpc", start=True)
    say("listening", s.target)
    s.join()


def coordinate(resolver):
    n = int(os.environ.get("CLOSURES", 40))
    outdir = os.environ["WORKDIR"]
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coord = tf.distribute.coordinator.ClusterCoordinator(strategy)
    say("cluster connected:", resolver.cluster_spec().as_dict())
    with strategy.scope():
        emb = tf.Variable(tf.random.stateless_normal([int(os.environ.get("ROWS", 2000)), 64], [1, 2]), name="emb")
        wt = tf.Variable(tf.zeros([64, 1]), name="wt")
        it = tf.Variable(0, dtype=tf.int64, name="iterations")
    ck = tf.train.Checkpoint(wt=wt, it=it, emb=emb)

    def dataset(_=None):
        return tf.data.Dataset.random(seed=5).batch(64).map(lambda r: r % 2000).repeat()

    per_worker = coord.create_per_worker_dataset(dataset)
    per_iter = iter(per_worker)

    @tf.function
    def step(i):
        ids = next(i)

        def rep(ids):
            with tf.GradientTape() as tape:
                e = tf.nn.embedding_lookup(emb, ids)
                loss = tf.reduce_mean((e @ wt - 1.0) ** 2)
            g = tape.gradient(loss, wt)
            wt.assign_sub(0.02 * tf.convert_to_tensor(g))
            it.assign_add(1)
            return loss
        return strategy.run(rep, args=(ids,))

    for ep in range(int(os.environ.get("ROUNDS", 10))):
        t = time.time()
        rs = [coord.schedule(step, args=(per_iter,)) for _ in range(n)]
        if os.environ.get("SLEEP"): time.sleep(float(os.environ["SLEEP"]))
        coord.join()
        say(f"round {ep} loss {float(rs[-1].fetch()):.5f} iterations {int(it.numpy())} in {time.time() - t:.2f}s")
        if ep % 3 == 2:
            p = ck.save(os.path.join(outdir, "model"))
            say("checkpoint", p)
    say("all rounds done, elapsed %.1f" % (time.time() - T0))


if __name__ == "__main__":
    r = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    serve(r) if r.task_type in ("worker", "ps") else coordinate(r)
