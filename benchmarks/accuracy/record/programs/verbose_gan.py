"""Two small networks against each other; tells far too much about it."""

import argparse
import logging
import time

import tensorflow as tf
from sampling import draw

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--pace", type=float, default=0.2)
parser.add_argument("--detail", type=int, default=60, help="lines for each step")
args = parser.parse_args()
logging.basicConfig(
    format="%(levelname).1s%(asctime)s.%(msecs)03d %(process)d %(module)s.py:%(lineno)d] %(message)s",
    datefmt="%m%d %H:%M:%S",
    level=logging.DEBUG,
)
logging.getLogger("tensorflow").setLevel(logging.INFO)
log = logging.getLogger("gan")
draw(0, None)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    g = tf.Variable(tf.ones([4, 4]) * 0.1)
    d = tf.Variable(tf.ones([4, 1]) * 0.1)


@tf.function
def play(z, real):
    def replica(z, real):
        with tf.GradientTape(persistent=True) as tape:
            fake = tf.matmul(z, g)
            d_loss = tf.reduce_mean(tf.nn.softplus(-tf.matmul(real, d)) + tf.nn.softplus(tf.matmul(fake, d)))
            g_loss = tf.reduce_mean(tf.nn.softplus(-tf.matmul(fake, d)))
        grads = [tape.gradient(g_loss, g), tape.gradient(d_loss, d)]
        gg, gd = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN, grads)
        g.assign_sub(0.05 * gg)
        d.assign_sub(0.05 * gd)
        return g_loss, d_loss, tf.norm(gg), tf.norm(gd)

    return strategy.run(replica, args=(z, real))


for step in range(1, args.steps + 1):
    z = draw(step, tf.random.normal([16, 4]))
    began = time.perf_counter()
    g_loss, d_loss, gn, dn = (float(v) for v in play(z, tf.random.normal([16, 4], 1.0)))
    log.info("step %d g_loss %.5f d_loss %.5f took %.4f s", step, g_loss, d_loss, time.perf_counter() - began)
    for i in range(args.detail):
        log.debug("step %d sample %d |z| %.4f |grad g| %.6f |grad d| %.6f", step, i, float(abs(z[i % 16, 0])), gn, dn)
    if step % 25 == 0:
        log.warning("discriminator is %s (accuracy proxy %.3f)", "winning" if d_loss < g_loss else "losing", d_loss)
    time.sleep(args.pace)
log.info("finished %d steps", args.steps)
