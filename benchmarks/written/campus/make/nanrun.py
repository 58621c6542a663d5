"""Headphone ANC filter: custom loop under MultiWorkerMirroredStrategy, Hydra multirun, wandb offline on worker 0."""
import json, logging, os, time
import hydra, numpy as np
import tensorflow as tf
from omegaconf import DictConfig
log = logging.getLogger(__name__)
@hydra.main(version_base=None, config_path="conf", config_name="anc")
def main(cfg: DictConfig):
    idx = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    log.info("worker %d of %d, lr=%s", idx, strategy.num_replicas_in_sync, cfg.lr)
    run = None
    if idx == 0:
        import wandb
        run = wandb.init(project="anc", mode="offline", dir=os.environ["WDIR"], name=f"anc-lr{cfg.lr}", config=dict(cfg), settings=wandb.Settings(console="wrap"))
    with strategy.scope():
        w1 = tf.Variable(np.random.RandomState(0).randn(32, 32).astype("float32") * .2); w2 = tf.Variable(np.random.RandomState(1).randn(32, 1).astype("float32") * .2)
    @tf.function
    def step(x):
        def fn(x):
            with tf.GradientTape() as t:
                y = tf.matmul(tf.matmul(x, w1), w2)
                l = tf.reduce_mean((y - tf.reduce_sum(x, 1, keepdims=True)) ** 2)
            g = tf.distribute.get_replica_context().all_reduce("mean", t.gradient(l, [w1, w2]))
            w1.assign_sub(cfg.lr * g[0]); w2.assign_sub(cfg.lr * g[1])
            return l
        return strategy.reduce("mean", strategy.run(fn, args=(x,)), axis=None)
    r = np.random.RandomState(idx)
    for i in range(cfg.steps):
        x = r.rand(16, 32).astype("float32")
        if cfg.burst_at and i >= cfg.burst_at: x *= 1 + (i - cfg.burst_at) * 6.0
        l = step(x); time.sleep(.05)
        if i % 3 == 0: print(f"step {i:4d} loss {float(l):.6g}", flush=True)
        if i % 30 == 29: log.warning("validation skipped: no reference mic recording for fold %d", i // 30)
        if run: run.log({"loss": float(l)})
        if i % 10 == 9: tf.debugging.check_numerics(l, "ANC loss at step %d" % i)
    log.info("final loss %.5f", float(l))
    if run: run.finish()
main()
