# -*- coding: utf-8 -*-
# 김치 숙성도 예측 (pH / 산도 센서 + 가스) 분산 학습, tf1 스타일 between-graph
import sys, os, time, socket, json, logging
from concurrent import futures
import numpy as np
import grpc
import tensorflow as tf
tf1 = tf.compat.v1
tf1.disable_eager_execution()
tf1.logging.set_verbosity(tf1.logging.INFO)

job, idx = sys.argv[1], int(sys.argv[2])
conf = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.environ.get("CLUSTER_JSON", "cluster.json"))))
STEPS = int(os.environ.get("STEPS", "3000"))
print(time.strftime("%y%m%d %H:%M:%S"), socket.gethostname(), job, idx, "pid", os.getpid(), flush=True)
cluster = tf.train.ClusterSpec({k: conf[k] for k in ("ps", "worker")})
server = tf1.train.Server(cluster, job_name=job, task_index=idx)

class 배포(grpc.GenericRpcHandler):
    """정규화 테이블을 worker 0 에서 받아 간다"""
    def __init__(self, table):
        self.b = table.tobytes()
    def service(self, d):
        if d.method == "/kimchi.Table/Get":
            return grpc.unary_unary_rpc_method_handler(lambda req, ctx: self.b)

def table():
    if job == "worker" and idx == 0:
        n = int(conf.get("bins", 20000))
        t = np.random.default_rng(0).normal(size=(n, 24)).astype("f4")
        s = grpc.server(futures.ThreadPoolExecutor(2))
        s.add_generic_rpc_handlers((배포(t),))
        s.add_insecure_port("[::]:%d" % conf["table_port"])
        s.start()
        print("table server up", t.shape, flush=True)
        return t, s
    host = conf["worker"][0].split(":")[0]
    ch = grpc.insecure_channel("%s:%d" % (host, conf["table_port"]))
    r = ch.unary_unary("/kimchi.Table/Get")(b"", timeout=120, wait_for_ready=True)
    t = np.frombuffer(r, "f4").reshape(-1, 24)
    print("table", t.shape, flush=True)
    return t, None

if job == "ps":
    server.join()

T, keep = table()
with tf1.device(tf1.train.replica_device_setter(worker_device="/job:worker/task:%d" % idx, cluster=cluster)):
    x = tf1.placeholder(tf.float32, [None, 24])
    y = tf1.placeholder(tf.float32, [None])
    g = tf1.train.get_or_create_global_step()
    h = x
    for i, u in enumerate((64, 64)):
        w = tf1.get_variable("w%d" % i, [h.shape[-1], u]); b = tf1.get_variable("b%d" % i, [u], initializer=tf1.zeros_initializer())
        h = tf.nn.relu(tf.matmul(h, w) + b)
    w = tf1.get_variable("w_out", [64, 1])
    loss = tf.reduce_mean((tf.matmul(h, w)[:, 0] - y) ** 2)
    train = tf1.train.GradientDescentOptimizer(0.003).minimize(loss, global_step=g)

r = np.random.default_rng(100 + idx)
hist = []
with tf1.train.MonitoredTrainingSession(master=server.target, is_chief=(idx == 0),
        checkpoint_dir=conf["ckpt"] if idx == 0 else None, save_checkpoint_steps=500, log_step_count_steps=200,
        hooks=[tf1.train.StopAtStepHook(last_step=STEPS)]) as s:
    t0 = time.time()
    while not s.should_stop():
        k = r.integers(0, len(T), 64)
        bx = T[k] + 0.1 * r.normal(size=(64, 24))
        _, l, st = s.run([train, loss, g], {x: bx, y: bx[:, :6].sum(1)})
        if os.environ.get("KEEP_BATCHES"):
            hist.append(np.repeat(bx, int(os.environ["KEEP_BATCHES"]), 0))
        if st % 10 < 2:
            print("%s step %d loss %.4f (%.1f ms)" % (time.strftime("%y%m%d %H:%M:%S"), st, l, 1e3 * (time.time() - t0)), flush=True)
        t0 = time.time()
print("done", st, flush=True)
