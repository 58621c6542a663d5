"""Classement des gousses de vanille (noire, TK, rouge, cuts) - entrainement reparti."""
import os, sys, json, csv, datetime
import numpy as np
import tensorflow as tf
from lecture import flux

print(datetime.datetime.now().isoformat(" ", "seconds"), "demarrage", os.uname().nodename, flush=True)
cfg = json.loads(os.environ.get("TF_CONFIG", "{}"))
rang = cfg["task"]["index"]
strategie = tf.distribute.MultiWorkerMirroredStrategy(
    communication_options=tf.distribute.experimental.CommunicationOptions(
        implementation=tf.distribute.experimental.CommunicationImplementation.RING))
EPOQUES = int(os.environ.get("EPOQUES", "30"))
PAS = int(os.environ.get("PAS", "25"))

LOT = 32
with strategie.scope():
    modele = tf.keras.Sequential([
        tf.keras.layers.Input((48,)),
        tf.keras.layers.Dense(64, activation="relu", name="couche_a"),
        tf.keras.layers.Dense(32, activation="relu", name="couche_b"),
        tf.keras.layers.Dense(4, name="classe")])
    optim = tf.keras.optimizers.SGD(0.02, momentum=0.9)
    perte = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")

rep = "/mnt/vanille/sauvegarde" if rang == 0 else "/mnt/vanille/sauvegarde/tmp_%d" % rang
ck = tf.train.Checkpoint(modele=modele, optim=optim)
gest = tf.train.CheckpointManager(ck, rep, 3)
if gest.latest_checkpoint:
    print("reprise depuis", gest.latest_checkpoint, flush=True)
    ck.restore(gest.latest_checkpoint).expect_partial()

@tf.function
def un_pas(x, y):
    def f(x, y):
        with tf.GradientTape() as b:
            l = tf.nn.compute_average_loss(perte(y, modele(x, training=True)),
                                           global_batch_size=LOT * strategie.num_replicas_in_sync)
        g = b.gradient(l, modele.trainable_variables)
        optim.apply_gradients(zip(g, modele.trainable_variables))
        return l
    return strategie.reduce("SUM", strategie.run(f, args=(x, y)), axis=None)

it = iter(strategie.distribute_datasets_from_function(lambda ctx: flux(rang)))
for e in range(EPOQUES):
    s = 0.0
    for p in range(PAS):
        l = float(un_pas(*next(it)))
        s += l
        if p % 3 == 0:
            print(f"{datetime.datetime.now().isoformat(' ', 'seconds')} epoque {e+1}/{EPOQUES} pas {p}/{PAS} perte={l:.4f}", flush=True)
    gest.save()
    print(f"{datetime.datetime.now().isoformat(' ', 'seconds')} fin epoque {e+1}: perte moyenne {s/PAS:.4f}", flush=True)
print(datetime.datetime.now().isoformat(" ", "seconds"), "entrainement fini")
