# 리플레이 기반 안티치트 모델. 역할: chief/worker/ps (ParameterServerStrategy), worker (MWMS), dispatcher/feeder (tf.data service)
import os, sys, json, time, logging
import numpy as np, tensorflow as tf
logging.basicConfig(format="[%(asctime)s][%(levelname)s] %(message)s", datefmt="%Y-%m-%d %H:%M:%S", level=logging.INFO, stream=sys.stderr)
L = logging.getLogger("anticheat")
MODE = os.environ["AC_MODE"]
tc = json.loads(os.environ.get("TF_CONFIG", '{"task":{"type":"x","index":0}}')); typ, idx = tc["task"]["type"], tc["task"]["index"]

def gen(i, n=10**6):
    r = np.random.default_rng(i)
    for _ in range(n):
        x = r.normal(size=48).astype("float32"); yield x, np.float32(x[:6].sum() > 1)
SIG = (tf.TensorSpec((48,), tf.float32), tf.TensorSpec((), tf.float32))

def run_ps():
    if typ in ("ps", "worker"):
        s = tf.distribute.Server(tf.train.ClusterSpec(tc["cluster"]), job_name=typ, task_index=idx, protocol="grpc", start=True)
        L.info("%s-%d 서버 시작: %s", typ, idx, s.target); s.join()
    res = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    st = tf.distribute.ParameterServerStrategy(res, variable_partitioner=tf.distribute.experimental.partitioners.FixedShardsPartitioner(2))
    L.info("클러스터 연결 완료, tf=%s", tf.__version__)
    with st.scope():
        w = tf.Variable(tf.random.normal((48, 1)) * .1, name="w"); b = tf.Variable(tf.zeros((1,)), name="b")
    coord = tf.distribute.coordinator.ClusterCoordinator(st)
    @tf.function
    def step(it):
        def f(x, y):
            with tf.GradientTape() as t:
                l = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, tf.squeeze(x @ tf.concat(list(w.variables) if hasattr(w, "variables") else [w], 0), 1) + b[0]))
            vs = list(w.variables if hasattr(w, "variables") else [w]) + list(b.variables if hasattr(b, "variables") else [b])
            for v, g in zip(vs, t.gradient(l, vs)): v.assign_sub(.05 * g)
            return l
        x, y = next(it); return st.run(f, args=(x, y))
    def ds_fn(): return tf.data.Dataset.from_tensor_slices((np.random.normal(size=(256, 48)).astype("f4"), np.ones(256, "f4"))).repeat().batch(16)
    it = iter(coord.create_per_worker_dataset(ds_fn))
    ck = tf.train.CheckpointManager(tf.train.Checkpoint(w=w, b=b), os.environ["CKPT"], 2)
    for ep in range(8):
        t = time.time(); r = [coord.schedule(step, args=(it,)) for _ in range(60)]; coord.join()
        for k in range(0, 60, 6): L.info("epoch %d step %d loss %.4f", ep, ep * 60 + k, r[k].fetch())
        L.info("epoch %d 완료 %.2fs, 체크포인트 %s", ep, time.time() - t, ck.save()); time.sleep(1.5)

def mwms_loop(make, steps, after=None):
    s = tf.distribute.MultiWorkerMirroredStrategy()
    with s.scope(): w = tf.Variable(tf.random.stateless_normal((48, 1), (1, 1)) * .1)
    it = iter(s.distribute_datasets_from_function(make))
    @tf.function
    def step(it):
        def f(bt):
            x, y = bt
            with tf.GradientTape() as t: l = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, tf.squeeze(x @ w, 1)))
            g = tf.distribute.get_replica_context().all_reduce("MEAN", t.gradient(l, w)); w.assign_sub(.05 * g); return l
        return s.reduce("MEAN", s.run(f, args=(next(it),)), axis=None)
    for k in range(steps):
        l = float(step(it))
        if k % 4 == 0: L.info("step %d loss %.5f", k, l)
        if after: after(k)
    L.info("학습 종료 (%d step)", steps)

def run_shm():
    from multiprocessing import shared_memory
    import shutil
    segs = []
    def replay(i):
        """리플레이 버퍼를 공유 메모리에 쌓는다 (분석 프로세스와 공유)."""
        for n, (x, y) in enumerate(gen(i)):
            if n % 96 == 0:
                m = shared_memory.SharedMemory(create=True, size=6 << 20, name="acrp_%d_%d_%d" % (i, os.getpid(), n)); segs.append(m)
                np.ndarray((m.size // 4,), np.float32, m.buf)[:] = x[0]
                u = shutil.disk_usage("/dev/shm"); L.info("리플레이 세그먼트 %d개, /dev/shm %dM/%dM 사용", len(segs), u.used >> 20, u.total >> 20)
                if len(segs) > 24: segs[-25].unlink()
            yield x, y
    try: mwms_loop(lambda c: tf.data.Dataset.from_generator(lambda: replay(idx), output_signature=SIG).batch(8), 240)
    finally:
        for m in segs:
            try: m.unlink()
            except OSError: pass

def run_dsvc():
    if typ == "dispatcher":
        d = tf.data.experimental.service.DispatchServer(tf.data.experimental.service.DispatcherConfig(port=5050, work_dir=os.environ["CKPT"], fault_tolerant_mode=True)); L.info("dispatcher %s", d.target); d.join()
    if typ == "feeder":
        d = tf.data.experimental.service.WorkerServer(tf.data.experimental.service.WorkerConfig(dispatcher_address="match-dispatcher-0:5050", worker_address="match-feeder-%d:5051" % idx, port=5051, heartbeat_interval_ms=1000)); L.info("feeder %d 시작", idx); d.join()
    def mk(c):
        d = tf.data.Dataset.from_tensor_slices((np.random.default_rng(1).normal(size=(256, 48)).astype("f4"), np.ones(256, "f4"))).repeat().batch(16)
        return d.apply(tf.data.experimental.service.distribute("parallel_epochs", "grpc://match-dispatcher-0:5050", job_name="match-%d" % idx))
    mwms_loop(mk, 400, lambda k: time.sleep(.04))
{"ps": run_ps, "shm": run_shm, "dsvc": run_dsvc}[MODE]()
