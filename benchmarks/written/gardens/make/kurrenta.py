# rozpoznawanie kurrenty w ksiegach metrykalnych -- MultiWorkerMirrored + Keras fit
import os, json, sys, time, getpass
def pisz(*a): print(time.strftime("%Y-%m-%d %H:%M:%S"), "kurrenta:", *a, flush=True)
pisz("start, uzytkownik", os.environ.get("KTO", "ocr"), "python", sys.version.split()[0])
import numpy as np
pisz("numpy", np.__version__, "z", os.path.dirname(np.__file__))
import tensorflow as tf
def skany(i, n=640):
    r = np.random.default_rng(i); x = r.random((n, 24, 24, 1), dtype="float32"); return x, (x.mean((1, 2, 3)) * 1000 % 7).astype("int32")
def glowna():
    tc = json.loads(os.environ["TF_CONFIG"]); i = tc["task"]["index"]
    s = tf.distribute.MultiWorkerMirroredStrategy(); pisz("replik:", s.num_replicas_in_sync, "tf", tf.__version__)
    x, y = skany(7)
    o = tf.data.Options(); o.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    ds = tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(32).with_options(o)
    with s.scope():
        m = tf.keras.Sequential([tf.keras.layers.Conv2D(4, 3, activation="relu", input_shape=(24, 24, 1)), tf.keras.layers.Flatten(), tf.keras.layers.Dense(48, activation="relu"), tf.keras.layers.Dense(7)])
        m.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
        epoka = tf.Variable(0, dtype=tf.int64)
    cb = []
    if os.environ.get("PUNKTY"):
        mgr = tf.train.CheckpointManager(tf.train.Checkpoint(model=m, epoka=epoka), os.environ["PUNKTY"], 3)
        pisz("ostatni punkt:", mgr.latest_checkpoint)
        if mgr.latest_checkpoint: mgr.checkpoint.restore(mgr.latest_checkpoint).expect_partial(); pisz("wznowiono od epoki", int(epoka.numpy()))
        cb.append(tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda e, logs=None: (epoka.assign(e + 1), pisz("zapis", mgr.save()))))
    if os.environ.get("ZWOLNIJ"): cb.append(tf.keras.callbacks.LambdaCallback(on_batch_end=lambda b, logs=None: time.sleep(float(os.environ["ZWOLNIJ"]))))
    m.fit(ds, epochs=int(os.environ.get("EPOK", "6")), steps_per_epoch=24, initial_epoch=int(epoka.numpy()), verbose=2 if os.environ.get("CICHO") else 1, callbacks=cb)
    pisz("koniec uczenia")
glowna()
