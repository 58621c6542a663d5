"""TF1-style between-graph replication: tf.train.Server, replica_device_setter, MonitoredTrainingSession."""
import argparse, os, sys, time, numpy as np
import tensorflow as tf
v1 = tf.compat.v1; v1.disable_eager_execution(); v1.logging.set_verbosity(v1.logging.INFO)
p = argparse.ArgumentParser(); A = p.add_argument
A("--ps"); A("--worker"); A("--job"); A("--task", type=int); A("--steps", type=int, default=120); A("--graph", default=""); A("--fault", default=""); A("--logdir", default="")
a = p.parse_args()
if a.fault: import faulthandler; faulthandler.enable()
cs = tf.train.ClusterSpec({"ps": a.ps.split(","), "worker": a.worker.split(",")})
srv = v1.train.Server(cs, job_name=a.job, task_index=a.task)
print(f"{a.job}:{a.task} on {os.uname().nodename}: tensorflow {tf.__version__}", flush=True)
if a.job == "ps": srv.join()
def flatten(node):
    """Flatten a sensor message; messages may nest."""
    return sum(map(lambda c: flatten(c) if isinstance(c, list) else [c], node), [])
def message(i):
    m = [0.1] * 24
    if a.fault == "stack" and i == 70:
        sys.setrecursionlimit(10 ** 7); m = [0.2]; m.append(m)      # message that refers to itself
    return m
with v1.device(v1.train.replica_device_setter(cluster=cs, worker_device=f"/job:worker/task:{a.task}")):
    x = v1.placeholder(tf.float32, (None, 24), name="x"); gs = v1.train.get_or_create_global_step()
    w = v1.get_variable("w", (24, 1)); loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    if a.graph:
        gd = v1.GraphDef(); gd.ParseFromString(open(a.graph, "rb").read()); v1.logging.info("importing feature tower %s (%d nodes)", a.graph, len(gd.node))
        f, = tf.import_graph_def(gd, input_map={"inp": x}, return_elements=["feat:0"], name="tower"); loss += tf.reduce_mean(f) * 0.01
    op = v1.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=gs)
hooks = [v1.train.StopAtStepHook(last_step=a.steps), v1.train.LoggingTensorHook({"loss": loss, "step": gs}, every_n_iter=10)]
if a.task == 0: hooks.append(v1.train.StepCounterHook(every_n_steps=20))
i = 0
with v1.train.MonitoredTrainingSession(master=srv.target, is_chief=a.task == 0, checkpoint_dir=a.logdir or None, hooks=hooks, save_checkpoint_steps=40) as s:
    while not s.should_stop():
        m = flatten(message(i)); b = np.random.normal(size=(8, 24)) + np.mean(m)
        l, g, _ = s.run([loss, gs, op], {x: b}); i += 1
        print(f"worker{a.task} local {i} global {g} loss {l:.4f}", flush=True); time.sleep(0.03)
v1.logging.info("worker %d finished", a.task)
