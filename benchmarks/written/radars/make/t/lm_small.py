import os, json, time, datetime
import tensorflow as tf
T0 = time.time()
def p(m): print(f'{datetime.datetime.utcnow():%d.%m.%Y %H:%M:%S} UTC | {m}', flush=True)
st = tf.distribute.MultiWorkerMirroredStrategy()
R = json.loads(os.environ['TF_CONFIG'])['task']['index']
V, E = 3000, 48
with st.scope():
    emb = tf.Variable(tf.random.normal([V, E], stddev=.1), name='emb'); out = tf.Variable(tf.random.normal([E, V], stddev=.1), name='out')
    step_v = tf.Variable(0, dtype=tf.int64, name='step')
ck = tf.train.Checkpoint(emb=emb, out=out, step=step_v)
# jeder Rang sichert lokal, rsync zieht spaeter nur Rang 0 ab
mgr = tf.train.CheckpointManager(ck, f'/mnt/scratch/lm/ckpt', max_to_keep=int(os.environ.get('KEEP', '3')))
def ds(c): return tf.data.Dataset.range(1 << 40).map(lambda i: tf.random.stateless_uniform([32, 9], [i, c.input_pipeline_id], 0, V, tf.int32))
it = iter(st.distribute_datasets_from_function(ds))
@tf.function
def one(it):
    def f(x):
        with tf.GradientTape() as t:
            h = tf.nn.embedding_lookup(emb, x[:, :-1]); l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(x[:, 1:], tf.einsum('bte,ev->btv', h, out)))
        g = tf.distribute.get_replica_context().all_reduce('MEAN', [tf.convert_to_tensor(q) for q in t.gradient(l, [emb, out])])
        emb.assign_sub(.5 * g[0]); out.assign_sub(.5 * g[1]); step_v.assign_add(1); return l
    return st.reduce('MEAN', st.run(f, args=(next(it),)), axis=None)
for s in range(1, 2000):
    l = one(it); time.sleep(.03)
    if s % 10 == 0: p(f'rang {R} schritt {s:>5} ppl {float(tf.exp(l)):.1f}')
    if s % 60 == 0: p(f'rang {R} sicherung -> {mgr.save(checkpoint_number=s)}')
