"""Track defect scorer, TF1 style: tf.train.Server, replica_device_setter, SyncReplicasOptimizer (team 6, TF 2.15)."""
import faulthandler, json, os, sys, time, socket
faulthandler.enable()
import numpy as np, tensorflow.compat.v1 as tf
tf.disable_v2_behavior(); tf.logging.set_verbosity(tf.logging.INFO)
cl, job, k = json.loads(os.environ["SENRO_CLUSTER"]), sys.argv[1], int(sys.argv[2])
MODE, ROWS = os.environ.get("SENRO_MODE", ""), int(os.environ.get("SENRO_ROWS", "4800"))
n = len(cl["worker"])
print(f"senro {job}{k} {socket.gethostname()} pid={os.getpid()} tf={tf.__version__} rows={ROWS}", flush=True)
server = tf.train.Server(tf.train.ClusterSpec(cl), job_name=job, task_index=k)
if job == "ps": server.join()


def walk(node):                       # rail segment tree: children are nested lists
    return 1 + sum(map(walk, node))


def chain(depth):
    t = []
    for _ in range(depth): t = [t]
    return t


with tf.device(tf.train.replica_device_setter(worker_device=f"/job:worker/task:{k}", cluster=tf.train.ClusterSpec(cl))):
    gs = tf.train.get_or_create_global_step()
    x = np.random.RandomState(k).normal(size=(ROWS, 20)).astype("f4"); y = (x[:, :1] > 0).astype("f4")
    xb, yb = tf.data.make_one_shot_iterator(tf.data.Dataset.from_tensor_slices((x, y)).batch(16)).get_next()
    w = tf.get_variable("w", [20, 1], initializer=tf.zeros_initializer()); b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=yb, logits=tf.matmul(xb, w) + b))
    opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(.2), replicas_to_aggregate=n, total_num_replicas=n)
    train = opt.minimize(loss, global_step=gs)
sys.setrecursionlimit(10 ** 7); local = 0
with tf.train.MonitoredTrainingSession(master=server.target, is_chief=k == 0, hooks=[opt.make_session_run_hook(k == 0)], checkpoint_dir="mdl" if k == 0 else None,
                                       save_checkpoint_steps=60, log_step_count_steps=50, stop_grace_period_secs=5, config=tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{k}"])) as s:
    while not s.should_stop():
        _, l, g = s.run([train, loss, gs]); local += 1; time.sleep(.03)
        if local % 4 == 0: print(time.strftime("%H:%M:%S"), f"{job}{k} local={local} gs={g} loss={l:.4f} rows_left={max(0, ROWS - 16 * local)}", flush=True)
        if MODE == "tree" and k == 1 and local % 25 == 0:
            d = 40 if local < 150 else 900000; print(f"segment tree kukan {local // 25}:", "nodes", walk(chain(d)), flush=True)
print(time.strftime("%H:%M:%S"), f"{job}{k} owari local={local}", flush=True)
