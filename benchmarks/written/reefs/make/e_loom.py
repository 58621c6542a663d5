import os,sys,time,threading,queue
import numpy as np
import tensorflow as tf
from concurrent.futures import ThreadPoolExecutor
tf.get_logger().setLevel('INFO')
import absl.logging as L
L.set_verbosity(L.INFO); L.set_stderrthreshold('info'); L.use_absl_handler()
def weave(i):
    rng=np.random.default_rng(i); time.sleep(.01); x=rng.normal(size=[8,12]).astype('f'); return x,(x[:,:2].sum(1,keepdims=True)*.5).astype('f')
class Picker:
    """keeps a pool per epoch; pools stay open so that late shards can be re-read"""
    def __init__(s): s.pools=[]
    def epoch(s,e):
        p=ThreadPoolExecutor(6,thread_name_prefix=f'pick{e}'); s.pools.append(p)
        for x,y in p.map(weave,range(e*40,e*40+12)): yield x,y
def main():
    st=tf.distribute.MultiWorkerMirroredStrategy()
    with st.scope(): w=tf.Variable(tf.zeros([12,1]))
    @tf.function
    def step(x,y):
        def f(x,y):
            with tf.GradientTape() as t: l=tf.reduce_mean((x@w-y)**2)
            w.assign_sub(.05*tf.distribute.get_replica_context().all_reduce('MEAN',t.gradient(l,w))); return l
        return st.reduce('MEAN',st.run(f,(x,y)),axis=None)
    pk=Picker()
    for e in range(14):
        for x,y in pk.epoch(e): l=step(x,y); time.sleep(.02)
        print(f'loom epoch {e:2d}  mse {float(l):.5f}  threads {threading.active_count()}',flush=True)
main()
