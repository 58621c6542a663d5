"""Lung nodule net, Keras fit over MultiWorkerMirroredStrategy with BackupAndRestore (team 3, TF 2.15)."""
import faulthandler, os, signal, socket, sys, threading, time
faulthandler.enable(); faulthandler.register(signal.SIGUSR1)
import numpy as np, tensorflow as tf
from multiprocessing import shared_memory
MODE, RUN = os.environ.get("GUZKI_MODE", ""), os.environ.get("GUZKI_RUN", "run")
EPOCHS, STEPS = int(os.environ.get("GUZKI_EPOCHS", "8")), int(os.environ.get("GUZKI_STEPS", "12"))
PACE = float(os.environ.get("GUZKI_PACE", "0.06"))
print("guzki: start", time.strftime("%Y-%m-%d %H:%M:%S"), socket.gethostname(), "tf", tf.__version__, "pid", os.getpid())
strategy = tf.distribute.MultiWorkerMirroredStrategy()
idx = strategy.cluster_resolver.task_id
if os.environ.get("GUZKI_LISTA"):
    lista = open(os.environ["GUZKI_LISTA"]).read().split(); print("guzki: badan na liscie:", len(lista))
keep = []


def volume(n):
    r = np.random.default_rng(n * 7 + idx); v = r.normal(size=(16, 16, 16, 1)).astype("f4")
    if MODE == "shm":   # volumes travel through shared memory to the viewer process
        s = shared_memory.SharedMemory(create=True, size=96 * 4096 if idx == 1 else 4096); a = np.ndarray((s.size,), "u1", buffer=s.buf); a[:] = 1; keep.append(s)
        if n % 10 == 0: print(f"guzki: podglad segment {s.name} {s.size >> 10} kB, otwartych {len(keep)}")
    return v, np.float32([v.mean() > 0])


def gen():
    n = 0; lock = threading.Lock()
    while True:
        n += 1; time.sleep(PACE)
        if MODE == "lock" and idx == 2 and n > 230:
            lock.acquire(); lock.acquire()      # cache thread and reader wait for each other
        yield volume(n)


ds = tf.data.Dataset.from_generator(gen, output_signature=(tf.TensorSpec([16, 16, 16, 1]), tf.TensorSpec([1]))).batch(4)
o = tf.data.Options(); o.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF; ds = ds.with_options(o)
with strategy.scope():
    m = tf.keras.Sequential([tf.keras.layers.Conv3D(8, 3, 2, activation="relu", input_shape=(16, 16, 16, 1)), tf.keras.layers.Flatten(),
                             tf.keras.layers.Dense(128, activation="relu"), tf.keras.layers.Dense(1, activation="sigmoid")])
    m.compile(tf.keras.optimizers.Adam(1e-3), "binary_crossentropy", metrics=["accuracy"])
if idx == 0: m.summary()
cbs = [tf.keras.callbacks.BackupAndRestore(f"{RUN}/backup"), tf.keras.callbacks.LambdaCallback(on_epoch_begin=lambda e, l: print("guzki: epoka", e + 1, time.strftime("%H:%M:%S")))]
m.fit(ds, epochs=EPOCHS, steps_per_epoch=STEPS, callbacks=cbs, verbose=int(os.environ.get("GUZKI_VERBOSE", "2")))
print("guzki: koniec, wszystkie epoki policzone")
