"""Singing-score net: MWMS workers ask the feature server (plain gRPC) for mel frames of each song."""
import argparse, json, logging, os, socket, sys, time
from concurrent import futures
ap = argparse.ArgumentParser(); ap.add_argument("role"); ap.add_argument("--srv", default=""); ap.add_argument("--steps", type=int, default=200); ap.add_argument("--medley", type=int, default=-1); ap.add_argument("--dir", default="ck"); a = ap.parse_args()
logging.Formatter.converter = time.gmtime
logging.basicConfig(format="%(asctime)s %(name)-8s %(levelname)-7s %(message)s", level=logging.INFO, stream=sys.stdout); log = logging.getLogger("saiten")
import grpc, numpy as np
if a.role == "server":
    n = [0]
    def mel(req, ctx):
        q = json.loads(req); n[0] += 1
        if n[0] % 50 == 0: log.info("answered %d requests", n[0])
        if n[0] in (31, 32): ctx.abort(grpc.StatusCode.UNAVAILABLE, "cache is being rebuilt, try again")
        return np.random.default_rng(q["song"]).random((q["frames"], 80), "float32").tobytes()
    s = grpc.server(futures.ThreadPoolExecutor(4)); h = grpc.method_handlers_generic_handler("onkai.Mel", {"Get": grpc.unary_unary_rpc_method_handler(mel)})
    s.add_generic_rpc_handlers((h,)); s.add_insecure_port("0.0.0.0:8061"); s.start(); log.info("feature server on %s:8061", socket.gethostname()); s.wait_for_termination()
import tensorflow as tf
idx = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
log.info("tensorflow %s grpcio %s host %s", tf.__version__, grpc.__version__, socket.gethostname())
st = tf.distribute.MultiWorkerMirroredStrategy()
get = grpc.insecure_channel(a.srv).unary_unary("/onkai.Mel/Get")
def batch(k):
    frames = 15000 if k == a.medley and idx == 1 else 600      # the enka medley lasts 25 minutes
    q = json.dumps(dict(song=k * 10 + idx, frames=frames)).encode()
    for t in range(4):
        try: return np.frombuffer(get(q, timeout=20), "float32").reshape(-1, 80)
        except grpc.RpcError as e:
            if e.code() != grpc.StatusCode.UNAVAILABLE: raise
            log.warning("feature server: %s (%s), attempt %d", e.code(), e.details(), t + 1); time.sleep(.5)
with st.scope(): w = tf.Variable(tf.random.stateless_normal((80, 4), (1, 2)) * .1)
@tf.function(reduce_retracing=True)
def step(x):
    def f(x):
        with tf.GradientTape() as t: l = tf.reduce_mean((tf.matmul(x, w) - tf.reduce_mean(x, 1, keepdims=True)) ** 2)
        g = tf.distribute.get_replica_context().all_reduce("mean", t.gradient(l, w)); w.assign_sub(.3 * g); return l
    return st.reduce("mean", st.run(f, args=(x,)), axis=None)
for k in range(1, a.steps + 1):
    l = step(tf.constant(batch(k)[:600]))
    if k % 5 == 0: log.info("step %d pitch-loss %.5f", k, float(l))
log.info("done")
