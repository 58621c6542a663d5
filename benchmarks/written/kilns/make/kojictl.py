"""Koji-room controller model with ParameterServerStrategy and ClusterCoordinator. Role from TF_CONFIG."""
import os, sys, json, time, socket, threading
def p(*a): print(time.strftime('%Y/%m/%d %H:%M:%S'), socket.gethostname(), 'kojictl:', *a, flush=True)
import numpy as np, tensorflow as tf
cfg = json.loads(os.environ['TF_CONFIG']); t = cfg['task']; p('role', t['type'], t['index'], 'TF', tf.__version__, 'pid', os.getpid())
r = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if t['type'] in ('ps', 'worker'):
    os.environ['GRPC_FAIL_FAST'] = 'use_caller'
    s = tf.distribute.Server(r.cluster_spec(), job_name=t['type'], task_index=t['index'], protocol='grpc', start=True)
    p('server up', s.target)
    n = 0
    while True:
        time.sleep(3); n += 1
        if t['type'] == 'worker' and n % 3 == 0: p('heartbeat', n, 'threads', len(os.listdir('/proc/self/task')), 'muro-3 32.%dC RH 9%d%%' % (n % 7, n % 5))
strategy = tf.distribute.ParameterServerStrategy(r, variable_partitioner=tf.distribute.experimental.partitioners.MinSizePartitioner(128, max_shards=2))
coord = tf.distribute.coordinator.ClusterCoordinator(strategy)
p('coordinator ready')
with strategy.scope():
    w = tf.Variable(tf.random.normal([24, 3], seed=3)); b = tf.Variable(tf.zeros([3])); opt = tf.keras.optimizers.SGD(0.05) if 0 else None
def ds_fn():
    rng = np.random.default_rng(5); x = rng.normal(size=(4096, 24)).astype('f4'); y = (x[:, :3] * [1, -2, .5]).astype('f4')
    d = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(512).batch(64).repeat()
    n = int(os.environ.get('READERS', '4'))
    d = d.map(lambda a, c: (a + 0., c), num_parallel_calls=n)
    o = tf.data.Options(); o.threading.private_threadpool_size = n
    return d.with_options(o).prefetch(2)
it = iter(coord.create_per_worker_dataset(ds_fn))
@tf.function
def step(i):
    x, y = next(i)
    with tf.GradientTape() as g:
        l = tf.reduce_mean((tf.matmul(x, tf.convert_to_tensor(w)) + b - y) ** 2)
    gb = g.gradient(l, b)
    b.assign_sub(0.05 * gb); return l
STEPS = int(os.environ.get('STEPS', '60')); ckpt = tf.train.Checkpoint(b=b, w=w)
for k in range(STEPS):
    rs = [coord.schedule(step, args=(it,)) for _ in range(8)]; coord.join()
    p('step %d loss %.5f' % (k * 8, float(np.mean([float(q.fetch()) for q in rs]))))
    if k % 15 == 14:
        if os.environ.get('ZENIN'):  # every room must be present at a checkpoint
            from tensorflow.python.eager import context
            for j in range(len(cfg['cluster']['worker'])):
                try: ok = context.context().check_alive(f'/job:worker/replica:0/task:{j}')
                except Exception as e: ok = False; p('alive check', j, type(e).__name__)
                if not ok: p(f'FATAL worker {j} ({cfg["cluster"]["worker"][j]}) is not alive, all rooms are needed; stop'); os._exit(3)
        p('checkpoint', ckpt.save(os.environ['LABDIR'] + '/ckpt/koji'))
        try: open('/mnt/tane/rezept.csv')
        except OSError as e: p('WARN sensor table not read, using defaults:', e)
    time.sleep(float(os.environ.get('SLEEP', '0.1')))
p('all steps done'); os._exit(0)
