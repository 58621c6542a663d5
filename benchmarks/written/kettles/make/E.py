# PSS with coordinator (brisa, k8s). args: role
import os,sys,json,time,logging
SH=float(os.environ.get("SH","0"))
tc=json.loads(os.environ["TF_CONFIG"]); ty=tc["task"]["type"]; idx=tc["task"]["index"]
import tensorflow as tf
from absl import logging as al
if ty in("ps","worker"):
    print(json.dumps({"nivel":"info","msg":"servidor a arrancar","papel":ty,"indice":idx,"porto":2222}),flush=True)
    cr=tf.distribute.cluster_resolver.TFConfigClusterResolver()
    s=tf.distribute.Server(cr.cluster_spec(),job_name=ty,task_index=idx,protocol="grpc",start=True)
    print(json.dumps({"nivel":"info","msg":"servidor pronto","papel":ty,"indice":idx}),flush=True)
    s.join()
def J(**k): print(json.dumps(dict(nivel=k.pop("nivel","info"),**k),ensure_ascii=False),flush=True)
J(msg="coordenador: modelo de previsão eólica v3.1",tf=tf.__version__,ps=len(tc["cluster"]["ps"]),workers=len(tc["cluster"]["worker"]))
cr=tf.distribute.cluster_resolver.TFConfigClusterResolver()
st=tf.distribute.ParameterServerStrategy(cr)
J(msg="estratégia criada")
co=tf.distribute.coordinator.ClusterCoordinator(st)
with st.scope():
    w=tf.Variable(tf.random.stateless_normal([16,8],[1,2])*.1); v=tf.Variable(tf.zeros([8,1])); n=tf.Variable(0,dtype=tf.int64)
def dsf(): 
    x=tf.random.stateless_normal([512,16],[5,6]); return tf.data.Dataset.from_tensor_slices((x,x[:,:1])).shuffle(512).repeat().batch(32)
it=iter(co.create_per_worker_dataset(dsf))
@tf.function
def step(it):
    x,y=next(it)
    with tf.GradientTape() as t: l=tf.reduce_mean((tf.nn.relu(x@w)@v-y)**2)
    g=t.gradient(l,[w,v]); w.assign_sub(.05*g[0]); v.assign_sub(.05*g[1]+0.001*tf.ones_like(v)); n.assign_add(1); return l
E=int(os.environ.get("EP","20"))
for e in range(E):
    r=[co.schedule(step,args=(it,)) for _ in range(int(os.environ.get("SPE","20")))]
    co.join(); J(msg="época concluída",epoca=e,perda=round(float(sum(x.fetch() for x in r)/len(r)),5),passos=int(n.numpy()))
    time.sleep(float(os.environ.get("PAUSE","0.3")))
J(msg="treino terminado com sucesso",passos=int(n.numpy()))
