import os, sys, json, time, logging
import numpy as np
import tensorflow as tf
cfg = json.loads(os.environ['TF_CONFIG'])
rank = cfg['task']['index']
logging.basicConfig(stream=sys.stdout, level=logging.INFO,
                    format='%(asctime)s %(levelname).1s [%(name)s] %(message)s', datefmt='%H:%M:%S')
log = logging.getLogger('skjalfti')

def windows(rank, n, batch):
    rng = np.random.default_rng(1000 + rank)
    while True:
        x = rng.normal(size=(batch, 96)).astype('float32')
        y = (x[:, :48].std(1) > x[:, 48:].std(1)).astype('int64')
        yield x, y

def main():
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    log.info('ræsi: verkþáttur %d af %d, gögn /gogn/SIL/2019-2024/vika-%02d', rank,
             strategy.num_replicas_in_sync, rank)
    with strategy.scope():
        w1 = tf.Variable(tf.random.normal([96, 32], stddev=.1, seed=1))
        w2 = tf.Variable(tf.random.normal([32, 2], stddev=.1, seed=2))
    ds = tf.data.Dataset.from_generator(lambda: windows(rank, 0, 64), output_signature=(
        tf.TensorSpec([64, 96], tf.float32), tf.TensorSpec([64], tf.int64)))
    it = iter(strategy.distribute_datasets_from_function(lambda ctx: ds.prefetch(2)))

    @tf.function
    def train_step(it):
        def fn(x, y):
            with tf.GradientTape() as t:
                l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, tf.nn.relu(x @ w1) @ w2))
            g = t.gradient(l, [w1, w2])
            g = tf.distribute.get_replica_context().all_reduce('sum', g)
            for v, d in zip([w1, w2], g):
                v.assign_sub(.03 * d)
            return l
        l = strategy.run(fn, args=next(it))
        return strategy.reduce('mean', l, axis=None)

    t = time.time()
    for step in range(1, 4001):
        l = train_step(it)
        time.sleep(.03)
        if step % 20 == 0:
            log.info('skref %5d  tap %.4f  %.1f gluggar/s', step, float(l), 20 * 64 * strategy.num_replicas_in_sync / (time.time() - t))
            t = time.time()
    log.info('lokið')

if __name__ == '__main__':
    main()
