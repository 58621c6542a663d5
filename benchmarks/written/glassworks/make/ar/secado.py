# curva de secado de yerba mate: red que predice humedad final por canasto
import argparse, io, json, os, ssl, sys, time, urllib.request
import numpy as np
import tensorflow as tf
P = argparse.ArgumentParser()
P.add_argument("rol", choices=["despachador", "lector", "entrena"])
P.add_argument("--despachador", default="secadero-central:23055")
P.add_argument("--puerto", type=int, default=23056)
P.add_argument("--rango", type=int, default=0)
P.add_argument("--pasos", type=int, default=800)
P.add_argument("--manifiesto", default="")
P.add_argument("--grupo", default="")
a = P.parse_args()
yo = os.uname().nodename
def j(nivel, ev, **k):
    print(json.dumps(dict(ts=round(time.time(), 3), host=yo, rol=a.rol, nivel=nivel, ev=ev, **k)), flush=True)

if a.rol == "despachador":
    s = tf.data.experimental.service.DispatchServer(tf.data.experimental.service.DispatcherConfig(
        port=int(a.despachador.split(":")[1]), fault_tolerant_mode=False, protocol="grpc"))
    j("info", "despachador arriba", destino=s.target); s.join()
if a.rol == "lector":
    s = tf.data.experimental.service.WorkerServer(tf.data.experimental.service.WorkerConfig(
        dispatcher_address=a.despachador, worker_address="%s:%d" % (yo, a.puerto), port=a.puerto, protocol="grpc"))
    j("info", "lector arriba"); s.join()

j("info", "inicio", rango=a.rango, tf=tf.__version__, args=vars(a))
if a.grupo:
    ws = a.grupo.split(",")
    os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": ws}, "task": {"type": "worker", "index": a.rango}})
    est = tf.distribute.MultiWorkerMirroredStrategy()
else:
    est = tf.distribute.get_strategy()
if a.manifiesto:
    ctx = ssl.create_default_context(cafile=os.environ.get("CA_INTERNA"))
    j("info", "pidiendo manifiesto", url=a.manifiesto)
    man = json.load(urllib.request.urlopen(a.manifiesto, context=ctx, timeout=30))
    j("info", "manifiesto", lotes=len(man["lotes"]), version=man["version"])

def prep(i):
    s = tf.stack([i, i + 7])
    x = tf.random.stateless_normal([32, 80], s)
    return x, tf.reduce_sum(x[:, :12], -1) * 0.3
ds = tf.data.Dataset.range(10**7).shuffle(1000, seed=a.rango).map(prep)
if not a.grupo:
    ds = ds.apply(tf.data.experimental.service.distribute(
        processing_mode=tf.data.experimental.service.ShardingPolicy.OFF,
        service="grpc://" + a.despachador, job_name="secado%d" % a.rango))
tf.keras.utils.set_random_seed(5)
red = tf.keras.Sequential([tf.keras.layers.Input((80,)), tf.keras.layers.Dense(64, "relu"), tf.keras.layers.Dense(1)])
opt = tf.keras.optimizers.Adam(1e-3)

@tf.function
def gradiente(x, y):
    with tf.GradientTape() as t:
        e = tf.reduce_mean((red(x)[:, 0] - y) ** 2)
    return e, t.gradient(e, red.trainable_variables)
@tf.function
def suma(*g):
    def f(*g):
        return tf.distribute.get_replica_context().all_reduce("MEAN", [tf.identity(v) for v in g])
    return est.run(f, args=g)
@tf.function
def aplica(*g):
    opt.apply_gradients(zip(g, red.trainable_variables))

it = iter(ds)
for p in range(a.pasos):
    t0 = time.time(); x, y = next(it)
    t1 = time.time(); e, g = gradiente(x, y); e = float(e)
    t2 = time.time(); g = suma(*g); g[0].numpy(); t3 = time.time()
    aplica(*g)
    if p % 4 == 0:
        j("info", "paso", n=p, error=round(e, 5), t_dato=round(t1 - t0, 4), t_grad=round(t2 - t1, 4), t_suma=round(t3 - t2, 4))
j("info", "fin", pasos=a.pasos)
