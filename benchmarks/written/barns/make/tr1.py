import os,sys,json,time,logging
import tensorflow as tf
logging.basicConfig(level=logging.INFO,format='%(asctime)s %(levelname)s %(name)s: %(message)s',stream=sys.stderr)
log=logging.getLogger('trainer')
F=os.environ.get('FAULT','')
tc=json.loads(os.environ['TF_CONFIG']); idx=tc['task']['index']; n=len(tc['cluster']['worker'])
STEPS=int(os.environ.get('STEPS','100'))
strategy=tf.distribute.MultiWorkerMirroredStrategy()
log.info('strategy up: %d replicas, task %d',strategy.num_replicas_in_sync,idx)
D=int(os.environ.get('VOCAB','64'))
with strategy.scope():
    emb=tf.Variable(tf.random.stateless_normal([D,16],[1,2])*0.05,name='embedding')
    w=tf.Variable(tf.random.stateless_normal([16,1],[3,4])*0.05,name='dense/kernel')
    b=tf.Variable(tf.zeros([1]),name='dense/bias')
def ds_fn(ctx):
    ds=tf.data.Dataset.range(100000).map(lambda i:(tf.cast(tf.random.stateless_uniform([8],[tf.cast(i,tf.int32),idx],maxval=D,dtype=tf.int32),tf.int32),tf.cast(i%2,tf.float32)))
    return ds.batch(32,drop_remainder=True).prefetch(2)
ds=strategy.distribute_datasets_from_function(ds_fn)
@tf.function
def step(it):
    def fn(x):
        ids,y=x
        with tf.GradientTape() as t:
            h=tf.reduce_mean(tf.gather(emb,ids),1)
            z=tf.matmul(h,w)+b
            loss=tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y[:,None],z))
        vs=[emb,w,b]; gs=[tf.convert_to_tensor(g) for g in t.gradient(loss,vs)]
        gs=tf.distribute.get_replica_context().all_reduce('mean',gs)
        for v,g in zip(vs,gs): v.assign_sub(0.1*g)
        return loss
    return strategy.reduce('mean',strategy.run(fn,args=(next(it),)),axis=None)
it=iter(ds)
for s in range(STEPS):
    t=time.time(); l=float(step(it)); 
    log.info('step %d/%d loss=%.5f (%.0f ms)',s,STEPS,l,1e3*(time.time()-t))
    time.sleep(float(os.environ.get('PAUSE','0.05')))
log.info('training finished')
