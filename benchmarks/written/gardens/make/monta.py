# monta: ドアモータ摩耗推定 (全ホスト共通)
import os, sys, json, time, ctypes
import numpy as np, tensorflow as tf
tc = json.loads(os.environ["TF_CONFIG"]); JOB, IDX = tc["task"]["type"], tc["task"]["index"]; M = os.environ.get("MONTA", "")
def p(*a): print(time.strftime("%y/%m/%d %H:%M:%S"), "%s%d" % (JOB, IDX), *a, flush=True)
HERE = os.path.dirname(os.path.abspath(__file__))

class Bucket:
    """電流波形バケット (S3互換ストレージ)"""
    def __init__(self):
        import boto3, botocore.config
        self.c = boto3.client("s3", endpoint_url=os.environ["MONTA_S3"], aws_access_key_id="monta", aws_secret_access_key="x" * 20, region_name="osaka-1",
                              config=botocore.config.Config(retries={"max_attempts": 4, "mode": "standard"}, s3={"addressing_style": "path"}))
    def get(self, key): return np.frombuffer(self.c.get_object(Bucket="hakei", Key=key)["Body"].read(), "f4").reshape(-1, 20)

def tf1():
    import tensorflow.compat.v1 as v1
    v1.disable_eager_execution(); v1.logging.set_verbosity(v1.logging.INFO)
    cl = v1.train.ClusterSpec(tc["cluster"]); srv = tf.distribute.Server(cl, job_name=JOB, task_index=IDX)
    if JOB == "ps": p("ps 待機", srv.target); srv.join()
    lib = ctypes.CDLL(HERE + "/libhakei.so")
    with v1.device(v1.train.replica_device_setter(worker_device="/job:worker/task:%d" % IDX, cluster=cl)):
        gs = v1.train.get_or_create_global_step(); x = v1.placeholder(tf.float32, (None, 20)); y = v1.placeholder(tf.float32, (None,))
        w = v1.get_variable("w", (20, 1)); l = tf.reduce_mean(tf.square(tf.squeeze(x @ w, 1) - y)); op = v1.train.AdagradOptimizer(.05).minimize(l, gs)
    r = np.random.RandomState(IDX); n = 0
    with v1.train.MonitoredTrainingSession(srv.target, is_chief=IDX == 0, log_step_count_steps=60, config=v1.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % IDX])) as s:
        while n < 420:
            q = r.randn(8, 20).astype("f4"); _, lv, g = s.run([op, l, gs], {x: q, y: q.sum(1)}); n += 1
            if n % 6 == 0: p("step", g, "loss %.5f" % lv)
            if n % 50 == 0: p("波形復号", n // 50, "CH数", 3 + n // 50); lib.fukugo(ctypes.c_int(3 + n // 50))
            time.sleep(.05)
    p("終了")

def mwms():
    st = tf.distribute.MultiWorkerMirroredStrategy(); p("台数", st.num_replicas_in_sync, "TF", tf.__version__)
    b = Bucket() if "MONTA_S3" in os.environ else None
    with st.scope(): w = tf.Variable(tf.zeros((20, 1)))
    @tf.function
    def step(x, y):
        def f(x, y):
            with tf.GradientTape() as t: l = tf.reduce_mean(tf.square(tf.squeeze(x @ w, 1) - y))
            w.assign_sub(.02 * tf.distribute.get_replica_context().all_reduce("MEAN", t.gradient(l, w))); return l
        return st.reduce("MEAN", st.run(f, args=(x, y)), axis=None)
    r = np.random.RandomState(IDX); X = r.randn(16, 20).astype("f4")
    for e in range(int(os.environ.get("EP", "6"))):
        for k in range(30):
            if b and k % 10 == 0: X = b.get("%02d/w%d-%02d.f4" % (e, IDX, k)); p("取得", e, k, X.shape)
            l = float(step(tf.constant(X), tf.constant(X.sum(1))))
            if k % 2 == 0: p("epoch", e, "step", k, "loss %.6f" % l)
            time.sleep(.02)
    p("学習完了")
{"tf1": tf1}.get(M, mwms)()
