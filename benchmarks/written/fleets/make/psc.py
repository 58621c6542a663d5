"""ParameterServerStrategy with ClusterCoordinator; TF_CONFIG tells the role."""
import argparse, json, os, sys, time, logging, socket
ap = argparse.ArgumentParser()
ap.add_argument('--epochs', type=int, default=4); ap.add_argument('--steps', type=int, default=30); ap.add_argument('--dim', type=int, default=64)
ap.add_argument('--ckpt', default='ckpt'); ap.add_argument('--pace', type=float, default=.1); ap.add_argument('--badlabel', type=int, default=0); ap.add_argument('--bad-epoch', type=int, default=99)
ap.add_argument('--dtype-bug', type=int, default=0); ap.add_argument('--name', default='agri.reco'); ap.add_argument('--fmt', default='%(asctime)s [%(process)d] %(name)s %(levelname)s %(message)s')
a = ap.parse_args()
logging.basicConfig(level=logging.INFO, format=a.fmt, stream=sys.stderr); log = logging.getLogger(a.name)
import tensorflow as tf
r = tf.distribute.cluster_resolver.TFConfigClusterResolver()
log.info('task %s:%s on %s, tensorflow %s', r.task_type, r.task_id, socket.gethostname(), tf.__version__)
if r.task_type in ('worker', 'ps'):
    s = tf.distribute.Server(r.cluster_spec(), job_name=r.task_type, task_index=r.task_id, protocol='grpc', start=True)
    log.info('server started, target %s', s.target); s.join(); sys.exit()
st = tf.distribute.ParameterServerStrategy(r, variable_partitioner=tf.distribute.experimental.partitioners.FixedShardsPartitioner(len(r.cluster_spec().job_tasks('ps'))))
co = tf.distribute.coordinator.ClusterCoordinator(st)
with st.scope():
    emb = tf.Variable(tf.random.stateless_normal([1000, a.dim], [1, 2])*.05, name='embeddings'); w = tf.Variable(tf.zeros([a.dim]), name='head')
    gs = tf.Variable(0, dtype=tf.int64, name='global_step')
ck = tf.train.Checkpoint(emb=emb, w=w, gs=gs); man = tf.train.CheckpointManager(ck, a.ckpt, 3)
def dsf(ctx):
    d = tf.data.Dataset.range(100000).shuffle(1000).map(lambda i: (tf.random.uniform([32], 0, 1000, tf.int32), tf.random.uniform([32])))
    return d.repeat()
it = iter(co.create_per_worker_dataset(dsf)) if False else iter(co.create_per_worker_dataset(lambda: st.distribute_datasets_from_function(dsf)))
bad = tf.constant(a.badlabel)
def make(bug):
  @tf.function
  def step(iterator):
    def f(ids, y):
        if bug: ids = ids + 1
        e = tf.concat([v for v in emb.variables], 0) if hasattr(emb, 'variables') else emb
        with tf.GradientTape() as t:
            p = tf.reduce_sum(tf.gather(e, ids)*tf.concat(list(w.variables), 0), -1) if hasattr(w, 'variables') else tf.reduce_sum(tf.gather(e, ids)*w, -1)
            l = tf.reduce_mean((p-y)**2) + 0.*tf.reduce_sum(e)
        vs = list(w.variables) if hasattr(w, 'variables') else [w]
        for v, g in zip(vs, t.gradient(l, vs)): v.assign_sub(.5*g)
        gs.assign_add(1); return l
    ids, y = next(iterator); return st.run(f, args=(ids, y))
  return step
step = make(0)
prev = man.restore_or_initialize(); log.info('restored from %s', prev)
while True:
    ep = int(gs.numpy()) // a.steps
    if ep >= a.epochs: break
    t = time.time(); ls = []
    for i in range(a.steps):
        ls.append(co.schedule(step, args=(it,)))
        if i % 10 == 9: co.join(); log.info('epoch %d step %d/%d loss %.5f', ep+1, i+1, a.steps, float(ls[-1].fetch()))
        time.sleep(a.pace)
    co.join(); log.info('epoch %d finished in %.1fs, global_step %d', ep+1, time.time()-t, int(gs.numpy()))
    log.info('checkpoint %s', man.save())
log.info('training complete')
