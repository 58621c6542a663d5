"""Trénink modelu pro rozpoznání bodového písma (Braille) z náskenovaných matric."""
import os, sys, json, time
print("== slepec", sys.argv, flush=True)
import numpy as np, tensorflow as tf
mode = sys.argv[1]; N = int(os.environ.get("N", "640")); EP = int(os.environ.get("EP", "4"))
if mode == "pozde":
    # rychlá kontrola normalizace
    prumer = tf.reduce_mean(tf.random.normal([8, 30, 20])); print("kontrola normalizace: průměr %.4f" % float(prumer), flush=True)
st = tf.distribute.MultiWorkerMirroredStrategy()
rng = np.random.default_rng(st.cluster_resolver.task_id or 0)
X = rng.normal(size=(N, 30, 20, 1)).astype("float32"); Y = rng.integers(0, 4, N); X += Y[:, None, None, None] * .12
ds = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(N).batch(32)
o = tf.data.Options(); o.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF; ds = ds.with_options(o)
with st.scope():
    m = tf.keras.Sequential([tf.keras.Input((30, 20, 1)), tf.keras.layers.Conv2D(8, 3, activation="relu"), tf.keras.layers.MaxPooling2D(), tf.keras.layers.Flatten(), tf.keras.layers.Dense(64, activation="relu"), tf.keras.layers.Dense(4)])
    op = tf.keras.optimizers.Adam(3e-4); op.build(m.trainable_variables)
ls = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none"); R = st.num_replicas_in_sync
@tf.function
def krok(b):
    def f(x, y):
        with tf.GradientTape() as t: p = m(x, training=True); l = tf.nn.compute_average_loss(ls(y, p), global_batch_size=32 * R)
        g = tf.distribute.get_replica_context().all_reduce("sum", t.gradient(l, m.trainable_variables)); op.apply_gradients(zip(g, m.trainable_variables))
        return l, tf.reduce_mean(tf.cast(tf.argmax(p, 1) == tf.cast(y, tf.int64), tf.float32)) / R
    a, b = st.run(f, b); return st.reduce("SUM", a, axis=None), st.reduce("SUM", b, axis=None)
for e in range(1, EP + 1):
    t = time.time(); A = []
    d = st.experimental_distribute_dataset(ds)
    for k, b in enumerate(d, 1):
        A.append([float(v) for v in krok(b)])
        if k % 4 == 0: print(f"  epocha {e}/{EP} dávka {k}/{(N + 31) // 32} ztráta {A[-1][0]:.4f} přesnost {A[-1][1]:.3f}", flush=True)
    a = np.mean(A, 0); print(f"EPOCHA {e}: ztráta {a[0]:.4f} přesnost {a[1]:.3f} čas {time.time() - t:.1f}s", flush=True)
print("hotovo", flush=True)
