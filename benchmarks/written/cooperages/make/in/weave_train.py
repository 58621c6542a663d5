"""Weave-defect scorer. Legacy between-graph trainer (ported from TF1 by Murugan)."""
import argparse, os, sys, time
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.INFO)

p = argparse.ArgumentParser()
p.add_argument("--ps_hosts"); p.add_argument("--worker_hosts")
p.add_argument("--job_name"); p.add_argument("--task_index", type=int)
p.add_argument("--max_steps", type=int, default=100000)
p.add_argument("--width", type=int, default=64)
p.add_argument("--ckpt", default="/srv/weave/ckpt")
FLAGS = p.parse_args()


def say(fmt, *a):
    sys.stdout.write("\x01%.3f\x02 [%s/%d] " % (time.time(), FLAGS.job_name, FLAGS.task_index) + fmt % a + "\n")
    sys.stdout.flush()


def main():
    say("tensorflow %s numpy %s python %s", tf.__version__, np.__version__, sys.version.split()[0])
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        say("ps ready")
        server.join()
    chief = FLAGS.task_index == 0
    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:%d" % FLAGS.task_index)):
        gs = tf.train.get_or_create_global_step()
        x = tf.placeholder(tf.float32, [None, 48], name="swatch")
        y = tf.placeholder(tf.int32, [None], name="defect")
        with tf.variable_scope("scorer"):
            w1 = tf.get_variable("w1", [48, FLAGS.width], initializer=tf.glorot_uniform_initializer())
            b1 = tf.get_variable("b1", [FLAGS.width], initializer=tf.zeros_initializer())
            w2 = tf.get_variable("w2", [FLAGS.width, 6], initializer=tf.glorot_uniform_initializer())
            b2 = tf.get_variable("b2", [6], initializer=tf.zeros_initializer())
        h = tf.nn.relu(tf.matmul(x, w1) + b1)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=tf.matmul(h, w2) + b2))
        train = tf.train.AdagradOptimizer(0.05).minimize(loss, global_step=gs)
    hooks = [tf.train.StopAtStepHook(last_step=FLAGS.max_steps)]
    rng = np.random.RandomState(FLAGS.task_index)
    with tf.train.MonitoredTrainingSession(master=server.target, is_chief=chief, checkpoint_dir=FLAGS.ckpt if chief else None,
                                           hooks=hooks, save_checkpoint_steps=2000, log_step_count_steps=500) as sess:
        while not sess.should_stop():
            yy = rng.randint(0, 6, 64)
            xx = rng.randn(64, 48) + yy[:, None] * 0.2
            l, s = sess.run([loss, gs], {x: xx, y: yy})
            if s % 40 < 2:
                say("global_step %d loss %.4f", s, l)
    say("finished")


main()
