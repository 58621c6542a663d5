"""Grade oak staves (grain, sapwood, checks) from planer-line scans."""
import os, sys, time, json, logging, socket
os.environ.setdefault("TF_CPP_MAX_VLOG_LEVEL", "0")
import numpy as np
import tensorflow as tf

logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
log = logging.getLogger("staves")
def info(msg, *a):
    log.info("\x01%.3f\x02 INFO staves " + msg, time.time(), *a)

GLOB = os.environ.get("STAVES_DATA", "/srv/staves/tfr/*.tfr")
STEPS = int(os.environ.get("STAVES_STEPS", "600"))
BATCH = 16

strategy = tf.distribute.MultiWorkerMirroredStrategy()
task = json.loads(os.environ["TF_CONFIG"])["task"]

def parse(rec):
    ex = tf.io.parse_single_example(rec, {
        "scan": tf.io.FixedLenFeature([], tf.string),
        "grade": tf.io.FixedLenFeature([], tf.int64)})
    x = tf.io.decode_raw(ex["scan"], tf.uint8)
    x = tf.reshape(tf.cast(x, tf.float32) / 255.0, [32, 24, 1])
    return x, ex["grade"]

def make_ds(ctx):
    files = sorted(tf.io.gfile.glob(GLOB))
    mine = files[ctx.input_pipeline_id::ctx.num_input_pipelines]
    info("pipeline %d/%d reads %d shards: %s .. %s", ctx.input_pipeline_id, ctx.num_input_pipelines,
         len(mine), os.path.basename(mine[0]), os.path.basename(mine[-1]))
    ds = tf.data.TFRecordDataset(mine).map(parse)
    return ds.shuffle(64).batch(BATCH, drop_remainder=True).repeat().prefetch(2)

with strategy.scope():
    model = tf.keras.Sequential([
        tf.keras.layers.Input((32, 24, 1)),
        tf.keras.layers.Conv2D(8, 3, activation="relu"),
        tf.keras.layers.MaxPool2D(),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(5)])
    opt = tf.keras.optimizers.Adam(1e-3)
    opt.build(model.trainable_variables)
    loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")

@tf.function
def train_step(it):
    def step(batch):
        x, y = batch
        with tf.GradientTape() as tape:
            l = tf.nn.compute_average_loss(loss_fn(y, model(x, training=True)),
                                           global_batch_size=BATCH * strategy.num_replicas_in_sync)
        g = tape.gradient(l, model.trainable_variables)
        opt.apply_gradients(zip(g, model.trainable_variables))
        return l
    per = strategy.run(step, args=(next(it),))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, per, axis=None)

it = iter(strategy.distribute_datasets_from_function(make_ds))
info("task %s:%d on %s, %d replicas, params %d", task["type"], task["index"], socket.gethostname(),
     strategy.num_replicas_in_sync, model.count_params())
t = time.time()
for i in range(1, STEPS + 1):
    l = float(train_step(it))
    if i % 5 == 0:
        info("step %5d  loss %.4f  %.1f staves/s", i, l, 5 * BATCH * strategy.num_replicas_in_sync / (time.time() - t))
        t = time.time()
    if i % 100 == 0 and task["index"] == 0:
        model.save_weights("/srv/staves/runs/cur.weights.h5")
        info("weights written at step %d", i)
    time.sleep(float(os.environ.get("STAVES_NAP", "0")))
info("done after %d steps", STEPS)
