import os,sys,json,time,glob,logging,resource
import tensorflow as tf
logging.basicConfig(level=logging.INFO,format='%(asctime)s,%(process)d [%(levelname)s] %(message)s',datefmt='%d/%m %H:%M:%S',stream=sys.stdout)
tf.get_logger().propagate=False
J=logging.getLogger('voie'); R=int(os.environ['SLURM_PROCID']); tc=json.loads(os.environ['TF_CONFIG'])
fichiers=sorted(glob.glob(os.environ['DONNEES']+'/rame-*.bin'))
J.info('rang %d : %d fichiers de capteurs, entrelacement %s',R,len(fichiers),os.environ['CYCLE'])
st=tf.distribute.MultiWorkerMirroredStrategy()
J.info('rang %d : strategie prete (%d replicas)',R,st.num_replicas_in_sync)
with st.scope():
    w=tf.Variable(tf.random.stateless_normal([32,1],[1,2])*.1,name='w'); n=tf.Variable(0,dtype=tf.int64,aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)
def f(ctx):
    d=tf.data.Dataset.from_tensor_slices(fichiers)
    d=d.interleave(lambda p:tf.data.FixedLengthRecordDataset(p,128),cycle_length=int(os.environ['CYCLE']),block_length=1)
    return d.map(lambda r:tf.io.decode_raw(r,tf.float32)).map(lambda v:tf.ensure_shape(v,[32])).repeat().batch(16)
it=iter(st.distribute_datasets_from_function(f))
@tf.function
def pas(x):
    def fn(x):
        with tf.GradientTape() as t: l=tf.reduce_mean((tf.matmul(x,w)-tf.reduce_sum(x,1,keepdims=True))**2)
        w.assign_sub(.005*tf.distribute.get_replica_context().all_reduce('mean',t.gradient(l,w))); return l
    return st.reduce('mean',st.run(fn,args=(x,)),axis=None)
ck=tf.train.Checkpoint(w=w); D=os.environ.get('CKPT')
for s in range(int(os.environ.get('PAS','150'))):
    a=time.time(); l=float(pas(next(it))); J.info('rang %d pas %d perte %.6f %.1f ms',R,s,l,1e3*(time.time()-a))
    if D and s%50==49:
        ck.write(D+('/ckpt-%d'%s if R==0 else '/tmp_%d/ckpt-%d'%(R,s))); J.info('rang %d point de reprise %d ecrit',R,s)
    time.sleep(.04)
J.info('rang %d : apprentissage termine',R)
