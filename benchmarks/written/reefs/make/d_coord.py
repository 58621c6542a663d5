import os,sys,json,time,random,faulthandler
faulthandler.enable()
import tensorflow as tf
c=json.loads(os.environ['TF_CONFIG']); role=c['task']['type']
cr=tf.distribute.cluster_resolver.TFConfigClusterResolver()
if role in('ps','worker'):
    s=tf.distribute.Server(cr.cluster_spec(),job_name=role,task_index=cr.task_id,protocol='grpc',start=True)
    print(json.dumps({'lvl':'info','msg':'grpc server up','role':role,'addr':s.target}),flush=True); s.join()
def j(m,**k): print(json.dumps(dict(lvl='info',msg=m,**k)),flush=True)
st=tf.distribute.ParameterServerStrategy(cr,variable_partitioner=None)
co=tf.distribute.coordinator.ClusterCoordinator(st)
with st.scope(): w=tf.Variable(tf.random.normal([8,1]),name='w')
@tf.function
def fn(x):
    with tf.GradientTape() as t: l=tf.reduce_mean((tf.matmul(x,w)-1.)**2)
    w.assign_sub(.01*t.gradient(l,w)); return l
class Node:
    __slots__=('k','v')
    def __init__(s,k,v): s.k,s.v=k,v
def score(n):
    # canonical order of the subtree, deepest first
    return max(map(score,n.k),default=0)+n.v
def grow(depth):
    n=Node((),1)
    for _ in range(depth): n=Node((n,),1)
    return n
sys.setrecursionlimit(10_000_000)
depth=[40,90,200,350,700,1500,2400,5000,60000]
for ep in range(30):
    d=depth[min(ep,8)]
    j('tree built',ep=ep,nodes=d+1,score=score(grow(d)))
    ls=[co.schedule(fn,args=(tf.random.normal([16,8]),)) for _ in range(20)]
    co.join(); j('epoch',ep=ep,loss=round(float(sum(l.fetch() for l in ls)/20),5)); time.sleep(.6)
