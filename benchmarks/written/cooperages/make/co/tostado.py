"""tostado: clasificador de color de tueste (MultiWorkerMirrored, un pod por worker)."""
import json, os, random, sys, time
import numpy as np
import tensorflow as tf


def emit(ev, **kw):
    print(json.dumps({"ts": "\x01%.3f\x02" % time.time(), "ev": ev, **kw}), flush=True)


CFG = json.loads(os.environ["TF_CONFIG"])
RANK = CFG["task"]["index"]
emit("inicio", pod=os.environ.get("POD_NAME"), tf=tf.__version__, rank=RANK, cluster=CFG["cluster"])
strategy = tf.distribute.MultiWorkerMirroredStrategy()
emit("estrategia", replicas=strategy.num_replicas_in_sync)


class LotesCafe:
    """Lee granos, guarda en memoria los ya vistos para el muestreo por dureza."""

    def __init__(self, rank):
        self.rng = np.random.default_rng(rank)
        self.vistos = []
        self.guardar = int(os.environ.get("TOSTADO_REPLAY", "0"))

    def __call__(self):
        while True:
            y = self.rng.integers(0, 6, 32)
            x = self.rng.normal(0, 1, (32, 40)).astype("float32") + y[:, None] * 0.3
            if self.guardar:
                self.vistos.append(np.ones((self.guardar, 1 << 17), "float64"))
            yield x.astype("float32"), y.astype("int64")


def datos(ctx):
    return tf.data.Dataset.from_generator(
        LotesCafe(RANK),
        output_signature=(tf.TensorSpec((None, 40), tf.float32), tf.TensorSpec((None,), tf.int64))).prefetch(2)


with strategy.scope():
    modelo = tf.keras.Sequential([tf.keras.layers.Input((40,)), tf.keras.layers.Dense(64, activation="relu"),
                                  tf.keras.layers.Dense(6)])
    opt = tf.keras.optimizers.SGD(0.02)
    opt.build(modelo.trainable_variables)
    perdida = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")


@tf.function
def paso(x, y):
    def uno(x, y):
        with tf.GradientTape() as t:
            l = tf.nn.compute_average_loss(perdida(y, modelo(x)), global_batch_size=32 * strategy.num_replicas_in_sync)
        opt.apply_gradients(zip(t.gradient(l, modelo.trainable_variables), modelo.trainable_variables))
        return l
    return strategy.reduce("SUM", strategy.run(uno, args=(x, y)), axis=None)


it = iter(strategy.distribute_datasets_from_function(datos))
N = int(os.environ.get("TOSTADO_PASOS", "800"))
for i in range(N):
    x, y = next(it)
    l = paso(x, y)
    if i % 2 == 0:
        emit("paso", n=i, perdida=round(float(l), 5))
    time.sleep(0.01)
emit("fin", pasos=N)
