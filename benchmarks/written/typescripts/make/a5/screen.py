import os, sys, json, time
rank = int(os.environ['OMPI_COMM_WORLD_RANK']); size = int(os.environ['OMPI_COMM_WORLD_SIZE'])
hosts = open(os.environ['NODEFILE']).read().split()
os.environ['TF_CONFIG'] = json.dumps({'cluster': {'worker': [h + ':36100' for h in hosts]}, 'task': {'type': 'worker', 'index': rank}})
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '1')
import tensorflow as tf
hp = dict(a.split('=') for a in open(os.environ['HPARAMS']).read().split())
st = tf.distribute.MultiWorkerMirroredStrategy()
print(f'# docking-screen rank {rank}/{size} on {os.uname().nodename}')
for k in sorted(hp): print(f'#   {k:<10s} {hp[k]}')
U = int(hp['units'])
with st.scope():
    vs = [tf.Variable(tf.random.normal([120, U], stddev=.1, seed=1)), tf.Variable(tf.zeros([U])), tf.Variable(tf.random.normal([U, 1], stddev=.1, seed=2))]
@tf.function
def warm(x):
    def f(x):
        return tf.distribute.get_replica_context().all_reduce('mean', tf.reduce_mean(x))
    return st.run(f, args=(x,))
@tf.function
def step(x, y):
    def f(x, y):
        with tf.GradientTape() as t:
            l = tf.reduce_mean((tf.nn.relu(x @ vs[0] + vs[1]) @ vs[2] - y) ** 2)
        ctx = tf.distribute.get_replica_context()
        for v, g in zip(vs, ctx.all_reduce('mean', t.gradient(l, vs))): v.assign_sub(.02 * g)
        return l
    return st.reduce('mean', st.run(f, args=(x, y)), axis=None)
tf.random.set_seed(rank)
for i in range(40):
    m = warm(tf.random.normal([256, 120])); time.sleep(.1)
    if i % 4 == 0: print(f'normalise pass {i:02d}/40 mean={float(st.experimental_local_results(m)[0]):+.5f}')
print('training')
for i in range(300):
    l = step(tf.random.normal([64, 120]), tf.random.normal([64, 1]))
    print(f'it {i:05d} mse {float(l):.5f}')
