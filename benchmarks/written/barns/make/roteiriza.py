import os,sys,json,time,logging
import tensorflow as tf
logging.basicConfig(level=logging.INFO,format='[%(asctime)s] %(levelname)s rota.%(module)s - %(message)s',stream=sys.stderr)
tf.get_logger().propagate=False
L=logging.getLogger('rota')
tc=json.loads(os.environ['TF_CONFIG']); tipo=tc['task']['type']
res=tf.distribute.cluster_resolver.TFConfigClusterResolver()
if tipo in('ps','worker'):
    L.info('iniciando servidor %s:%d',tipo,tc['task']['index'])
    s=tf.distribute.Server(res.cluster_spec(),job_name=tipo,task_index=res.task_id,protocol='grpc',start=True)
    L.info('servidor pronto em %s',s.target); s.join()
L.info('coordenador: conectando ao cluster')
st=tf.distribute.ParameterServerStrategy(res,variable_partitioner=tf.distribute.experimental.partitioners.FixedShardsPartitioner(2))
co=tf.distribute.coordinator.ClusterCoordinator(st)
with st.scope():
    e=tf.Variable(tf.random.normal([200,8]),name='emb_cep'); w=tf.Variable(tf.random.normal([8,1]),name='saida'); it_=tf.Variable(0,dtype=tf.int64,name='iter')
def ds():
    return tf.data.Dataset.range(10**7).map(lambda i:(tf.random.uniform([4],maxval=200,dtype=tf.int32),tf.random.uniform([]))).batch(16).repeat()
pd=co.create_per_worker_dataset(lambda:st.distribute_datasets_from_function(lambda c:ds())); pit=iter(pd)
@tf.function
def passo(i):
    def fn(x):
        ids,y=x
        with tf.GradientTape() as t:
            h=tf.reduce_mean(tf.nn.embedding_lookup(e,ids),1); l=tf.reduce_mean((tf.matmul(h,w)[:,0]-y)**2)
        g=t.gradient(l,w.variables if hasattr(w,'variables') else [w])
        for v,q in zip(w.variables if hasattr(w,'variables') else [w],g): v.assign_sub(.01*tf.convert_to_tensor(q))
        it_.assign_add(1); return l
    return st.run(fn,args=(next(i),))
for ep in range(400):
    rs=[co.schedule(passo,args=(pit,)) for _ in range(6)]
    co.join()
    L.info('bloco %d perda=%.5f iter=%d',ep,float(rs[-1].fetch()),int(it_.numpy())); time.sleep(.05)
