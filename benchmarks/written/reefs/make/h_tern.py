import os,time,logging,sys
import numpy as np
import tensorflow as tf
logging.basicConfig(stream=sys.stderr,format='%(levelname)s tern.%(module)s %(message)s',level=20)
log=logging.getLogger()
st=tf.distribute.MultiWorkerMirroredStrategy()
D=os.environ['OUT']
for a in range(3):
    try: open(D+'/vocab.tsv').read(); break
    except OSError as e: log.warning('attempt %d/3: vocab not there yet (%s), retrying in 3s',a+1,e); time.sleep(3); 
    if a==0 and st.cluster_resolver.task_id==1: open(D+'/vocab.tsv','w').write('x\n')
with st.scope():
    v=tf.Variable(tf.random.stateless_normal([16,1],[1,2])); unused=tf.Variable(tf.zeros([3]))
ck=tf.train.CheckpointManager(tf.train.Checkpoint(v=v),D+'/ck%d'%st.cluster_resolver.task_id,max_to_keep=1)
@tf.function(reduce_retracing=False)
def step(x):
    def f(x):
        with tf.GradientTape() as t: l=tf.reduce_mean((x@v-tf.reduce_sum(x,1,keepdims=True))**2)
        v.assign_sub(.03*tf.distribute.get_replica_context().all_reduce('MEAN',t.gradient(l,v))); return l
    return st.reduce('MEAN',st.run(f,(x,)),axis=None)
rng=np.random.default_rng(1)
for ep in range(10):
    for b in range(24):
        n=32 if b<23 else 7+ep
        l=step(tf.constant(rng.normal(size=[n,16]).astype('f')))
    log.info('epoch %d/10 loss %.5f',ep+1,float(l)); ck.save()
    if ep==4: np.log(np.array([0.0]))
log.info('training finished, best=%.5f; exporting',float(l)); time.sleep(1); log.info('bye')
