# penilaian mutu rotan: diameter, warna, cacat gigitan. satu wadah per gudang.
import os, sys, time, json
t0 = time.time()
def cetak(*x): print("[%s +%7.2fd]" % (time.strftime("%Y-%m-%d %H:%M:%S"), time.time() - t0), *x, flush=True)
cetak("mulai", sys.argv, "gudang =", os.environ.get("GUDANG"))
import numpy as np, tensorflow as tf
cetak("tensorflow", tf.__version__, "protobuf", __import__("google.protobuf").protobuf.__version__)
if os.environ.get("SKEMA"):
    sys.path.insert(0, os.environ["SKEMA"]); import rotan_skema_pb2
    cetak("skema", rotan_skema_pb2.__file__)
st = tf.distribute.MultiWorkerMirroredStrategy(); me = st.cluster_resolver.task_id
cetak("replika", st.num_replicas_in_sync, "tugas", me)
N = int(os.environ.get("BATCH", "600")); rng = np.random.default_rng(me)
X = rng.normal(size=(N * 8, 64)).astype("float32"); Y = (X[:, :8].sum(1) > 0).astype("int64")
files = [f"gudang-{os.environ.get('GUDANG')}/batang-{i:03d}.tfrecord" for i in range(N // 25)]
cetak("berkas data:", len(files), "contoh:", len(X), "batch per epoch:", N)
with st.scope():
    m = tf.keras.Sequential([tf.keras.Input((64,)), tf.keras.layers.Dense(64, activation="relu"), tf.keras.layers.Dense(3)])
    op = tf.keras.optimizers.Adam(1e-3); op.build(m.trainable_variables)
@tf.function
def langkah(x, y):
    def f(x, y):
        with tf.GradientTape() as t: l = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(y, m(x, training=True), from_logits=True))
        g = tf.distribute.get_replica_context().all_reduce("mean", t.gradient(l, m.trainable_variables)); op.apply_gradients(zip(g, m.trainable_variables)); return l
    return st.reduce("MEAN", st.run(f, (x, y)), axis=None)
ep = int(os.environ.get("EPOCH", "2"))
for e in range(1, ep + 1):
    ds = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(2000).batch(8).prefetch(2); k = 0
    for x, y in ds:
        l = langkah(x, y); k += 1
        if k % 3 == 0: cetak(f"epoch {e} batch {k} rugi {float(l):.4f}")
    cetak(f"epoch {e} selesai, {k} batch; menyimpan")
    if me == 0: m.save_weights("/tmp/rotan_%d.weights.h5" % e)
    st.extended._barrier if False else None
    z = st.reduce("SUM", st.run(lambda: tf.distribute.get_replica_context().all_reduce("sum", tf.ones([]))), axis=None) if os.environ.get("SINK") else None
    cetak(f"epoch {e} tersimpan")
cetak("tamat")
