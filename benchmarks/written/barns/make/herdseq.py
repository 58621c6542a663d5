import os,sys,json,time
import tensorflow as tf
from absl import logging
logging.set_verbosity(logging.INFO)
tc=json.loads(os.environ['TF_CONFIG']); I=tc['task']['index']
logging.info('herdseq starting; TF_CONFIG=%s',os.environ['TF_CONFIG'])
st=tf.distribute.MultiWorkerMirroredStrategy()
with st.scope():
    a=tf.Variable(tf.random.stateless_normal([256,64],[1,2])*.1,name='snp_proj/kernel'); b=tf.Variable(tf.random.stateless_normal([64,1],[1,3])*.1,name='trait/kernel')
ck=tf.train.Checkpoint(a=a,b=b)
R=os.environ.get('RESTORE')
if R:
    p=tf.train.latest_checkpoint(R); logging.info('warm start from %s',p); ck.read(p).assert_consumed(); logging.info('restored %s',p)
def f(c): return tf.data.Dataset.range(10**6).map(lambda i:(tf.random.stateless_uniform([256],[tf.cast(i,tf.int32),I]),tf.cast(i%2,tf.float32))).batch(16)
it=iter(st.distribute_datasets_from_function(f))
@tf.function
def step(x):
    def fn(x):
        u,y=x
        with tf.GradientTape() as t: l=tf.reduce_mean((tf.matmul(tf.nn.relu(tf.matmul(u,a)),b)[:,0]-y)**2)
        for v,g in zip((a,b),t.gradient(l,[a,b])): v.assign_sub(.01*tf.distribute.get_replica_context().all_reduce('mean',g))
        return l
    return st.reduce('mean',st.run(fn,args=(x,)),axis=None)
for s in range(int(os.environ.get('STEPS','150'))):
    l=float(step(next(it))); logging.info('step %d mse %.6f',s,l); time.sleep(.03)
if os.environ.get('SAVE'):
    m=tf.train.CheckpointManager(ck,os.environ['SAVE'],3); m._checkpoint.write; tf.train.Checkpoint(a=a,b=b).write(os.environ['SAVE']+'/warm-1')
logging.info('done')
