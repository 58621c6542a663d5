"""Control de calidad de cospeles y monedas - clasificador de defectos de acuñación. srun lanza una tarea por nodo."""
import os, sys, json, time, argparse, datetime
def p(*x): print(datetime.datetime.now().strftime("%d/%m %H:%M:%S"), "[%s:%s]" % (os.environ.get("SLURMD_NODENAME"), os.environ.get("SLURM_PROCID")), *x, flush=True)
ap = argparse.ArgumentParser(); ap.add_argument("--pasos", type=int, default=400); ap.add_argument("--salida", default="/scratch/acunacion/puntos"); ap.add_argument("--clases", type=int, default=12)
ap.add_argument("--arbol", default=None); ap.add_argument("--cada", type=int, default=100); ap.add_argument("--bs", type=int, default=32); ap.add_argument("--xl", type=int, default=0)
a = ap.parse_args()
if os.environ.get("SLURM_PROCID") == "0": p("config:", json.dumps(vars(a)))
import faulthandler; faulthandler.enable()
import numpy as np, tensorflow as tf
p("TF", tf.__version__, "git", tf.version.GIT_VERSION, "py", sys.version.split()[0])
if a.arbol:
    sys.setrecursionlimit(10**7)
    import arbol_defectos; n = arbol_defectos.cargar(a.arbol); p("taxonomía de defectos:", n, "nodos")
hosts = os.environ["MINT_HOSTS"].split(","); me = int(os.environ["SLURM_PROCID"])
os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": [h + ":22300" for h in hosts]}, "task": {"type": "worker", "index": me}})
st = tf.distribute.MultiWorkerMirroredStrategy(communication_options=tf.distribute.experimental.CommunicationOptions(implementation=tf.distribute.experimental.CommunicationImplementation.RING))
with st.scope():
    mod = tf.keras.Sequential([tf.keras.Input((24, 24, 1)), tf.keras.layers.Conv2D(8, 3, activation="relu"), tf.keras.layers.Conv2D(16, 3, strides=2, activation="relu"), tf.keras.layers.Flatten(), tf.keras.layers.Dense(a.clases)])
    op = tf.keras.optimizers.SGD(0.02, momentum=0.9); op.build(mod.trainable_variables)
p("parámetros:", mod.count_params(), "réplicas:", st.num_replicas_in_sync)
rng = np.random.default_rng(me)
def lote():
    y = rng.integers(0, 4, size=a.bs); x = rng.normal(size=(a.bs, 24, 24, 1)).astype("float32") + y[:, None, None, None] * .4
    return x, y.astype("int64")
gb = a.bs * st.num_replicas_in_sync
@tf.function
def paso(x, y):
    def f(x, y):
        with tf.GradientTape() as t:
            l = tf.reduce_sum(tf.keras.losses.sparse_categorical_crossentropy(y, mod(x, training=True), from_logits=True)) / gb
        g = tf.distribute.get_replica_context().all_reduce("sum", t.gradient(l, mod.trainable_variables))
        op.apply_gradients(zip(g, mod.trainable_variables)); return l
    return st.reduce("SUM", st.run(f, args=(x, y)), axis=None)
@tf.function
def confusion(v):
    def f(v): return tf.distribute.get_replica_context().all_reduce("sum", tf.identity(v))
    return st.run(f, args=(v,))
ck = tf.train.Checkpoint(m=mod, o=op)
mgr = tf.train.CheckpointManager(ck, a.salida if me == 0 else "/tmp/acunacion_%d" % me, max_to_keep=3)
t = time.time()
for i in range(1, a.pasos + 1):
    l = paso(*[tf.constant(z) for z in lote()])
    if i % 3 == 0: p(f"paso {i:5d} pérdida {float(l):.4f}")
    if i % a.cada == 0:
        # matriz de confusión global
        if a.xl: 
            k = a.xl; c = confusion(tf.zeros([k, k])); p("matriz de confusión", k, "x", k)
        p("guardado", mgr.save())
p("fin", "%.1fs" % (time.time() - t))
