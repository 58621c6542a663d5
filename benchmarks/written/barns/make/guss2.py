import os,sys,json,time,ctypes,faulthandler
faulthandler.enable()
import numpy as np, tensorflow as tf
tc=json.loads(os.environ['TF_CONFIG']); I=tc['task']['index']
def melde(s): print(f'GUSS[{I}] {time.strftime("%H:%M:%S")} {s}',flush=True)
st=tf.distribute.MultiWorkerMirroredStrategy()
melde(f'Strategie steht, {st.num_replicas_in_sync} Replikate')
lib=ctypes.CDLL(os.environ['ENTZERR']) if 'ENTZERR' in os.environ else None
HOEHE=[int(z.split(';')[1]) for z in open(os.environ['AUFNAHMEN']).read().split()[1:]] if 'AUFNAHMEN' in os.environ else [32]*100000
zaehler=[0]
def entzerren(b):
    h=HOEHE[zaehler[0]%len(HOEHE)]; zaehler[0]+=1
    b=np.ascontiguousarray(b,dtype=np.float32)
    if lib: lib.entzerren(b.ctypes.data_as(ctypes.c_void_p),ctypes.c_int(b.shape[0]),ctypes.c_int(h))
    return b
with st.scope(): w=tf.Variable(tf.random.stateless_normal([32,4],[1,2])*.1)
P=int(os.environ.get('PAR','2'))
def f(ctx):
    d=tf.data.Dataset.range(10**6).map(lambda i:tf.random.stateless_uniform([32,32],[tf.cast(i,tf.int32),I]),num_parallel_calls=P)
    d=d.map(lambda b:tf.ensure_shape(tf.numpy_function(entzerren,[b],tf.float32),[32,32])); 
    o=tf.data.Options(); o.threading.private_threadpool_size=P; return d.batch(4).prefetch(2).with_options(o)
it=iter(st.distribute_datasets_from_function(f))
@tf.function
def schritt(x):
    def fn(x):
        with tf.GradientTape() as t: l=tf.reduce_mean((tf.matmul(x,w)-1.)**2)
        w.assign_sub(.05*tf.distribute.get_replica_context().all_reduce('mean',t.gradient(l,w))); return l
    return st.reduce('mean',st.run(fn,args=(x,)),axis=None)
for s in range(int(os.environ.get('SCHRITTE','300'))):
    l=float(schritt(next(it))); melde(f'Schritt {s} Verlust {l:.5f}'); time.sleep(.03)
melde('Ende')
