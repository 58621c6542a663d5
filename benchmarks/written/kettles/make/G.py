# estimator-like script: MWMS, opens many shard files; journald
import os,sys,json,time,logging,resource
logging.basicConfig(level=logging.INFO,format="%(levelname)s:%(name)s:%(message)s")
import numpy as np, tensorflow as tf
tf.get_logger().propagate=True
L=logging.getLogger("tory.estymator")
tc=json.loads(os.environ["TF_CONFIG"]); idx=tc["task"]["index"]
L.info("Using config: {'_model_dir': '/var/lib/tory/model', '_task_type': '%s', '_task_id': %d, '_num_worker_replicas': %d, '_save_checkpoints_steps': 50}",tc["task"]["type"],idx,len(tc["cluster"]["worker"]))
st=tf.distribute.MultiWorkerMirroredStrategy()
D=os.environ["DATA"]; fs=sorted(os.path.join(D,f) for f in os.listdir(D))[idx::len(tc["cluster"]["worker"])]
L.info("pliki wejściowe: %d, cycle_length=%s",len(fs),os.environ["CYC"])
ds=tf.data.Dataset.from_tensor_slices(fs).interleave(lambda f: tf.data.TFRecordDataset(f),cycle_length=int(os.environ["CYC"]),block_length=1).map(lambda b: tf.reshape(tf.io.decode_raw(b,tf.float32),[16])).repeat().batch(16)
with st.scope(): w=tf.Variable(tf.zeros([16,1]))
class Hook:
    def __init__(s): s.t=time.time()
    def after(s,k,l):
        if k%10==0: L.info("global_step/sec: %.3f",10/(time.time()-s.t)); s.t=time.time()
        if k%5==0: L.info("loss = %.6f, step = %d",l,k)
@tf.function
def train_op(x):
    def f(x):
        with tf.GradientTape() as t: l=tf.reduce_mean((x@w-tf.reduce_sum(x,1,keepdims=True))**2)
        g=t.gradient(l,w); w.assign_sub(.05*tf.distribute.get_replica_context().all_reduce("MEAN",g)); return l
    return st.reduce("MEAN",st.run(f,args=(x,)),axis=None)
h=Hook(); L.info("Calling model_fn."); L.info("Done calling model_fn.")
for k,x in enumerate(ds): 
    h.after(k,float(train_op(x)))
    if k>=240: break
L.info("Loss for final step: ok")
