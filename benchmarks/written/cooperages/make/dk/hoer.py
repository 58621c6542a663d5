import os, sys, time, json, socket
import numpy as np
import tensorflow as tf
rank = int(os.environ["SLURM_PROCID"]); size = int(os.environ["SLURM_NTASKS"])
names = os.environ["HOER_NODES"].split(",")
os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": [n + ":41200" for n in names]}, "task": {"type": "worker", "index": rank}})
def p(*a): print("[%d %s \x01%.3f\x02]" % (rank, socket.gethostname().split(".")[0], time.time()), *a, flush=True)
strategy = tf.distribute.MultiWorkerMirroredStrategy(
    communication_options=tf.distribute.experimental.CommunicationOptions(
        implementation=tf.distribute.experimental.CommunicationImplementation.RING,
        timeout_seconds=float(os.environ["HOER_TIMEOUT"]) if "HOER_TIMEOUT" in os.environ else None))
p("replicas", strategy.num_replicas_in_sync, "fold", os.environ.get("HOER_FOLD", "2"))

def rooms():
    d = os.environ.get("HOER_DATA", "/srv/hoer/rir")
    f = sorted(x for x in os.listdir(d) if x.endswith(".npy"))
    return [os.path.join(d, x) for x in f][rank::size]
def gen(files, epoch):
    rs = np.random.default_rng(epoch)
    for f in rs.permutation(files):
        a = np.load(f)
        for i in range(0, len(a) - 15, 16):
            yield a[i:i + 16].astype("float32")

with strategy.scope():
    net = tf.keras.Sequential([tf.keras.layers.Input((64,)), tf.keras.layers.Dense(48, activation="tanh"), tf.keras.layers.Dense(64)])
    opt = tf.keras.optimizers.Adam(1e-3); opt.build(net.trainable_variables)
@tf.function(reduce_retracing=True)
def step(x):
    def one(x):
        with tf.GradientTape() as t:
            l = tf.reduce_mean(tf.square(net(x) - x)) / strategy.num_replicas_in_sync
        opt.apply_gradients(zip(t.gradient(l, net.trainable_variables), net.trainable_variables)); return l
    return strategy.reduce("SUM", strategy.run(one, args=(x,)), axis=None)

files = rooms(); p("files", len(files))
E = int(os.environ.get("HOER_EPOCHS", "8"))
n = 0
for e in range(E):
    tot = []
    for x in gen(files, e):
        tot.append(float(step(tf.constant(x)))); n += 1
        if n % 4 == 0: p("ep %d step %d loss %.5f" % (e, n, tot[-1]))
        time.sleep(0.004)
    p("epoch %d: %d steps, mean %.5f" % (e, len(tot), np.mean(tot)))
    if rank == 0: net.save_weights("/srv/hoer/out/ep%02d.weights.h5" % e)
p("faerdig")
