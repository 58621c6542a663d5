import os, sys, time, logging
import tensorflow as tf
logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)-7s " + sys.argv[1] + " | %(message)s")
log = logging.getLogger()
role, disp = sys.argv[1].split("-")[0], os.environ["DISPATCHER"]
EVERY = int(os.environ.get("EVERY", 10))
exp = tf.data.experimental.service


def build():
    files = tf.data.Dataset.list_files(os.environ["DATA"] + "/*.txt", shuffle=False)

    def read(f):
        return tf.data.TextLineDataset(f).map(lambda l: tf.strings.to_number(tf.strings.split(l, ","), tf.float32), num_parallel_calls=2)
    return files.interleave(read, cycle_length=2, num_parallel_calls=2)


def main():
    log.info("%s pid %d tensorflow %s", os.uname().nodename, os.getpid(), tf.__version__)
    if role == "dispatcher":
        s = tf.data.experimental.service.DispatchServer(exp.DispatcherConfig(port=int(disp.split(":")[1]), work_dir=os.environ.get("DWORK") or None,
            fault_tolerant_mode=bool(os.environ.get("DWORK")), job_gc_check_interval_ms=5000, job_gc_timeout_ms=20000))
        log.info("dispatcher at %s", s.target)
        s.join()
    elif role == "worker":
        me = os.uname().nodename + ":" + os.environ.get("WPORT", "5051")
        s = exp.WorkerServer(exp.WorkerConfig(dispatcher_address=disp, worker_address=me, port=int(me.split(":")[1]), heartbeat_interval_ms=1000, dispatcher_timeout_ms=20000))
        log.info("data worker registered as %s", me)
        s.join()
    else:
        ds = build().repeat(int(os.environ.get("REPEAT", 1))).batch(16, drop_remainder=True)
        ds = ds.apply(exp.distribute(processing_mode=exp.ShardingPolicy[os.environ.get("SHARDING", "DYNAMIC")], service="grpc://" + disp, job_name=os.environ.get("JOB", "feed")))
        ds = ds.prefetch(2)
        w = tf.Variable(tf.zeros([8, 1]))
        t, n, step = time.time(), 0, 0
        for b in ds:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.reshape(b, [16, -1])[:, :8] @ w - 1.0) ** 2)
            w.assign_sub(0.01 * tape.gradient(loss, w))
            step += 1
            if step % EVERY == 0:
                log.info("step %d loss %.5f %.1f batches/s", step, float(loss), EVERY / (time.time() - t)); t = time.time()
            time.sleep(float(os.environ.get("PAUSE", 0.05)))
        log.info("end of data after %d steps", step)


if __name__ == "__main__":
    main()
