#!/usr/bin/env python3
# Duivenoog: leeftijd/kweekwaarde uit irisfoto's. Elke pc een worker.
import argparse, json, os, socket, sys, time
import numpy as np
import tensorflow as tf

ap = argparse.ArgumentParser()
ap.add_argument("--peers", required=True)      # pc1:poort,pc2:poort
ap.add_argument("--ik", type=int, required=True)
ap.add_argument("--uit", default="/home/duif/uit")
ap.add_argument("--epochs", type=int, default=40)
ap.add_argument("--stappen", type=int, default=30)
a = ap.parse_args()

def nu(): return "\x01%.3f\x02" % time.time()

os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": a.peers.split(",")},
                                      "task": {"type": "worker", "index": a.ik}})
print(nu(), "start op", socket.gethostname(), "pid", os.getpid(), "TF", tf.__version__)
print(nu(), "TF_CONFIG", os.environ["TF_CONFIG"])
strategie = tf.distribute.MultiWorkerMirroredStrategy()
print(nu(), "cluster staat,", strategie.num_replicas_in_sync, "replica's")

def irissen(n, seed):
    r = np.random.default_rng(seed)
    y = r.integers(0, 4, n)
    x = r.normal(0, 1, (n, 24, 24, 3)).astype("float32") + y[:, None, None, None] * 0.25
    return x, y

def dataset(ctx):
    x, y = irissen(960, 7 + ctx.input_pipeline_id)
    return tf.data.Dataset.from_tensor_slices((x, y)).shuffle(960).repeat().batch(16)

with strategie.scope():
    model = tf.keras.Sequential([
        tf.keras.layers.Input((24, 24, 3)),
        tf.keras.layers.Conv2D(16, 3, activation="relu"),
        tf.keras.layers.Conv2D(16, 3, strides=2, activation="relu"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(int(os.environ.get("OOG_BREED", "64")), activation="relu"),
        tf.keras.layers.Dense(4)], name="duivenoog")
    opt = tf.keras.optimizers.Adam(5e-4)
    opt.build(model.trainable_variables)
    verlies = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")

@tf.function
def stap(it):
    def een(b):
        with tf.GradientTape() as t:
            l = tf.nn.compute_average_loss(verlies(b[1], model(b[0])), global_batch_size=16 * strategie.num_replicas_in_sync)
        opt.apply_gradients(zip(t.gradient(l, model.trainable_variables), model.trainable_variables))
        return l
    return strategie.reduce("SUM", strategie.run(een, args=(next(it),)), axis=None)

if a.ik == 0:
    model.summary(line_length=70)

map_ = os.path.join(a.uit, "pc%d" % a.ik)
os.makedirs(map_, exist_ok=True)
ck = tf.train.Checkpoint(model=model)
it = iter(strategie.distribute_datasets_from_function(dataset))
for ep in range(1, a.epochs + 1):
    print(nu(), "Epoch %d/%d" % (ep, a.epochs))
    t0 = time.time()
    for s in range(1, a.stappen + 1):
        l = float(stap(it))
        if s % 3 == 0:
            print(nu(), "  %3d/%d - verlies: %.4f" % (s, a.stappen, l))
        time.sleep(0.02)
    print(nu(), "  epoch klaar in %.1fs, %d foto's/s" % (time.time() - t0, 16 * a.stappen * strategie.num_replicas_in_sync / (time.time() - t0)))
    pad = ck.write(os.path.join(map_, "ep-%03d" % ep))
    print(nu(), "bewaard:", pad)
print(nu(), "klaar")
