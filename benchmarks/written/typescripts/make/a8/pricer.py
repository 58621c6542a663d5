import os, json, sys, time, threading, faulthandler, signal, queue
import numpy as np, tensorflow as tf
faulthandler.register(signal.SIGUSR1, all_threads=True)
rank = json.loads(os.environ['TF_CONFIG'])['task']['index']
class QuoteCache:
    def __init__(self):
        self.book_lock = threading.Lock(); self.stats_lock = threading.Lock(); self.hits = 0
        threading.Thread(target=self._refresh, name='refresh', daemon=True).start()
    def _refresh(self):
        while True:
            time.sleep(float(os.environ['REFRESH_S']))
            with self.stats_lock:
                time.sleep(.15)
                with self.book_lock:
                    self.hits = 0
    def sample(self):
        with self.book_lock:
            time.sleep(.02)
            with self.stats_lock:
                self.hits += 1
        return np.random.randn(64, 20).astype('f4')
cache = QuoteCache()
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    w = tf.Variable(tf.random.normal([20, 1], stddev=.1, seed=1))
@tf.function
def step(x):
    def f(x):
        with tf.GradientTape() as t: l = tf.reduce_mean((x @ w - 1.) ** 2)
        w.assign_sub(.002 * tf.distribute.get_replica_context().all_reduce('mean', t.gradient(l, w)))
        return l
    return strategy.run(f, args=(x,))
for i in range(1, 100000):
    x = tf.constant(cache.sample())
    l = step(x)
    if i % 50 == 0: print('iter=%d rank=%d loss=%.6f hits=%d' % (i, rank, float(strategy.experimental_local_results(l)[0]), cache.hits), flush=True)
