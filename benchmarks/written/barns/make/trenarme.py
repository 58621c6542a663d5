import os,sys,json,time,logging
import tensorflow as tf
logging.basicConfig(level=logging.INFO,format='%(levelname)s %(name)s: %(message)s',stream=sys.stderr)
tf.get_logger().propagate=False
log=logging.getLogger('laks')
tc=json.loads(os.environ['TF_CONFIG']); idx=tc['task']['index']
arter=[l.strip() for l in open(os.environ['ARTSLISTE']) if l.strip() and not l.startswith('#')]
log.info('artsliste %s lest: %d klasser',os.environ['ARTSLISTE'],len(arter))
strategi=tf.distribute.MultiWorkerMirroredStrategy()
K=len(arter); B=24
log.info('strategi klar: %d replikaer, oppgave %d',strategi.num_replicas_in_sync,idx)
with strategi.scope():
    k1=tf.Variable(tf.random.stateless_normal([3,3,3,8],[1,2])*.1,name='stem/kernel')
    steg=tf.Variable(0,dtype=tf.int64,name='steg',aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)
# Hodet lages lokalt: vi midler gradientene selv
w=tf.Variable(tf.random.stateless_normal([8,K],[3,4])*.05,name='hode/kernel')
def ds_fn(ctx):
    ds=tf.data.Dataset.range(10**6).map(lambda i:(tf.random.stateless_uniform([24,24,3],[tf.cast(i,tf.int32),idx]),i%40))
    return ds.batch(B,drop_remainder=True).prefetch(2)
data=iter(strategi.distribute_datasets_from_function(ds_fn))
@tf.function
def forvarm(it):
    def fn(x):
        im,y=x
        with tf.GradientTape() as t:
            h=tf.reduce_mean(tf.nn.relu(tf.nn.conv2d(im,k1,2,'SAME')),[1,2])
            l=tf.reduce_mean(h**2)
        g=t.gradient(l,k1); g=tf.distribute.get_replica_context().all_reduce('mean',g)
        k1.assign_sub(.01*g); return l
    return strategi.reduce('mean',strategi.run(fn,args=(next(it),)),axis=None)
@tf.function
def tren(it):
    def fn(x):
        im,y=x
        with tf.GradientTape() as t:
            h=tf.reduce_mean(tf.nn.relu(tf.nn.conv2d(im,k1,2,'SAME')),[1,2])
            l=tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y,tf.matmul(h,w)))
        g=[tf.convert_to_tensor(q) for q in t.gradient(l,[k1,w])]
        ctx=tf.distribute.get_replica_context()
        g=[ctx.all_reduce('mean',q) for q in g]
        k1.assign_sub(.1*g[0]); w.assign_sub(.1*g[1]); return l
    return strategi.reduce('mean',strategi.run(fn,args=(next(it),)),axis=None)
N=int(os.environ.get('OPPVARM','120'))
for s in range(N):
    l=float(forvarm(data)); log.info('oppvarming steg %d/%d tap=%.5f',s+1,N,l); time.sleep(.03)
log.info('oppvarming ferdig, hele nettet slippes los')
for s in range(400):
    l=float(tren(data)); log.info('steg %d tap=%.5f',s+1,l); time.sleep(.03)
