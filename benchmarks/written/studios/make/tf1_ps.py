import argparse, logging, os, sys, time
import numpy as np
import tensorflow as tf
tf1 = tf.compat.v1
tf1.disable_eager_execution()

ap = argparse.ArgumentParser()
ap.add_argument("--ps_hosts"); ap.add_argument("--worker_hosts")
ap.add_argument("--job_name"); ap.add_argument("--task_index", type=int)
ap.add_argument("--steps", type=int, default=200); ap.add_argument("--logdir", default="")
ap.add_argument("--pause", type=float, default=0.02)
a = ap.parse_args()
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(asctime)s " + f"{a.job_name}{a.task_index}" + " %(message)s")
tf1.logging.set_verbosity(tf1.logging.INFO)


def augment(x):
    return (x + np.random.normal(scale=0.01, size=x.shape)).astype(np.float32)


def main():
    cluster = tf.train.ClusterSpec({"ps": a.ps_hosts.split(","), "worker": a.worker_hosts.split(",")})
    logging.info("cluster %s on %s (pid %d)", cluster.as_dict(), os.uname().nodename, os.getpid())
    server = tf1.train.Server(cluster, job_name=a.job_name, task_index=a.task_index)
    logging.info("server %s", server.target)
    if a.job_name == "ps":
        server.join()
    with tf1.device(tf1.train.replica_device_setter(worker_device=f"/job:worker/task:{a.task_index}", cluster=cluster)):
        x = tf1.placeholder(tf.float32, [None, 12])
        y = tf1.placeholder(tf.float32, [None, 1])
        z = tf1.py_func(augment, [x], tf.float32)
        z.set_shape([None, 12])
        w = tf1.get_variable("w", [12, 48]); v = tf1.get_variable("v", [48, 1])
        gs = tf1.train.get_or_create_global_step()
        loss = tf.reduce_mean(tf.square(tf.matmul(tf.nn.relu(tf.matmul(z, w)), v) - y))
        op = tf1.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=gs)
    hooks = [tf1.train.StopAtStepHook(last_step=a.steps)]
    rng = np.random.default_rng(a.task_index)
    with tf1.train.MonitoredTrainingSession(master=server.target, is_chief=a.task_index == 0, checkpoint_dir=a.logdir or None,
                                            hooks=hooks, save_checkpoint_secs=20, log_step_count_steps=50) as s:
        k = 0
        while not s.should_stop():
            X = rng.normal(size=(32, 12)).astype("f")
            l, _, g = s.run([loss, op, gs], {x: X, y: X[:, :1] * 2})
            k += 1
            if k % 10 == 0:
                logging.info("local %d global_step %d loss %.5f", k, g, l)
            time.sleep(a.pause)
    logging.info("finished at local step %d", k)


if __name__ == "__main__":
    main()
