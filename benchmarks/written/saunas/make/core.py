import os, sys, json, time, random, datetime, faulthandler, glob
faulthandler.enable()
T0 = time.time()
TF_CONFIG = os.environ["TF_CONFIG"]
RANK = json.loads(TF_CONFIG)["task"]["index"]
ROLE = json.loads(TF_CONFIG)["task"]["type"]
FMT = os.environ["FMT"]
W = json.loads(os.environ["WORDS"])
C = json.loads(os.environ["CONF"])

def log(level, ev, **kv):
    ev = W.get(ev, ev)
    kv = {(k if k == "step" else W.get(k, k)): v for k, v in kv.items()}
    now = datetime.datetime.now()
    if FMT == "json":
        d = {"event": ev, **kv, "rank": RANK, "pid": os.getpid(), "level": level, "timestamp": now.isoformat(timespec="microseconds") + "Z"}
        s = json.dumps(d, ensure_ascii=False)
    elif FMT == "loguru":
        s = "%s | %-8s | tortilla.bucle:%s:%d - %s %s" % (now.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3], level.upper(), "paso", 88, ev, " ".join("%s=%s" % i for i in kv.items()))
    elif FMT == "logfmt":
        s = 'ts=%s lvl=%s hang=%d msg="%s" %s' % (now.isoformat(timespec="milliseconds"), level, RANK, ev, " ".join("%s=%s" % i for i in kv.items()))
    elif FMT == "plain":
        s = "[%s] %-5s %s/%d %s %s" % (now.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3], level.upper(), ROLE, RANK, ev, " ".join("%s=%s" % i for i in kv.items()))
    print(s, flush=True)

import numpy as np
import tensorflow as tf

def parse(x):
    f = tf.io.parse_single_example(x, {"x": tf.io.FixedLenFeature([C["dim"]], tf.float32), "y": tf.io.FixedLenFeature([1], tf.float32)})
    return f["x"], f["y"]

def open_shards():
    files = sorted(glob.glob(os.path.join(C["data"], "osa-%d-*.rec" % RANK)))
    log("info", "shards", files=len(files), first=os.path.basename(files[0]) if files else None)
    return tf.data.TFRecordDataset(files).map(parse).batch(C["batch"]).prefetch(2)

class Net(tf.Module):
    def __init__(self, dim, hidden, out):
        super().__init__()
        g = tf.random.Generator.from_seed(C.get("seed", 7))
        self.w1 = tf.Variable(g.normal([dim, hidden], stddev=.1), name="w1")
        self.b1 = tf.Variable(tf.zeros([hidden]), name="b1")
        self.w2 = tf.Variable(g.normal([hidden, out], stddev=.1), name="w2")
    def __call__(self, x):
        return tf.matmul(tf.nn.relu(tf.matmul(x, self.w1) + self.b1), self.w2)

def main():
    log("info", "start", tf=tf.__version__, python=sys.version.split()[0], conf=json.dumps(C, ensure_ascii=False) if FMT != "json" else C)
    strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=tf.distribute.experimental.CommunicationOptions(
        implementation=tf.distribute.experimental.CommunicationImplementation.RING,
        timeout_seconds=C.get("coll_timeout", 0) or None))
    log("info", "joined", replicas=strategy.num_replicas_in_sync)
    net = Net(C["dim"], C["hidden"], C.get("out", 1))
    ck = tf.train.Checkpoint(net=net, step=tf.Variable(0, dtype=tf.int64))
    mgr = tf.train.CheckpointManager(ck, os.path.join(C["ckpt"], "r%d" % RANK), max_to_keep=C.get("keep", 3))
    if C.get("restore"):
        path = mgr.latest_checkpoint
        log("info", "restore", path=path)
        if path:
            ck.restore(path).assert_existing_objects_matched()
            log("info", "restored", step=int(ck.step))

    @tf.function
    def train_step(x, y):
        def replica_fn(x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(net(x) - y))
            grads = tape.gradient(loss, net.trainable_variables)
            ctx = tf.distribute.get_replica_context()
            grads = ctx.all_reduce(tf.distribute.ReduceOp.MEAN, grads)
            for v, g in zip(net.trainable_variables, grads):
                v.assign_sub(C["lr"] * g)
            return loss
        return strategy.run(replica_fn, args=(x, y))

    hoard = []
    rnd = random.Random(RANK)
    for epoch in range(C["epochs"]):
        it = iter(open_shards())
        while True:
            t = time.time()
            try:
                x, y = next(it)
            except StopIteration:
                break
            if C.get("augment"):
                hoard.append(np.random.rand(C["augment"], 1024).astype("float32"))
            t_in = time.time() - t
            if C.get("decode_ms"):
                time.sleep(C["decode_ms"] / 1000 * rnd.uniform(.8, 1.3)); t_in = time.time() - t
            t1 = time.time()
            loss = train_step(x, y)
            t_step = time.time() - t1
            ck.step.assign_add(1)
            s = int(ck.step)
            log("info", "step", epoch=epoch, step=s, loss=round(float(loss), 5), in_ms=round(t_in * 1e3, 1), sync_ms=round(t_step * 1e3, 1))
            if C.get("fp") and s % C["fp"] == 0:
                h = float(tf.add_n([tf.reduce_sum(tf.abs(v)) for v in net.trainable_variables]))
                log("info", "fingerprint", step=s, sum="%.6f" % h)
            if s % C.get("every", 50) == 0:
                p = mgr.save()
                log("info", "saved", path=p, sec=round(time.time() - t1, 2))
            time.sleep(C.get("sleep", .06) * rnd.uniform(.5, 1.5))
        log("info", "epoch_end", epoch=epoch, step=int(ck.step))
    log("info", "done", sec=round(time.time() - T0, 1))

if __name__ == "__main__":
    main()
