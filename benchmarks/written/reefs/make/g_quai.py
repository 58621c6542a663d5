import os,sys,time,json
import tensorflow as tf
tc=json.loads(os.environ['TF_CONFIG'])
print('>> conteneur',os.environ['BERTH'],'TF_CONFIG task =',tc['task'],', taille =',len(tc['cluster']['worker']),flush=True)
st=tf.distribute.MultiWorkerMirroredStrategy(communication_options=tf.distribute.experimental.CommunicationOptions(timeout_seconds=120))
print('>> stratégie prête, répliques',st.num_replicas_in_sync,flush=True)
with st.scope(): v=tf.Variable(tf.zeros([4,1]))
@tf.function
def pas(x):
    def f(x):
        with tf.GradientTape() as t: l=tf.reduce_mean((x@v-tf.reduce_sum(x,1,keepdims=True))**2)
        v.assign_sub(.05*tf.distribute.get_replica_context().all_reduce('MEAN',t.gradient(l,v))); return l
    return st.reduce('MEAN',st.run(f,(x,)),axis=None)
for i in range(200):
    l=pas(tf.random.normal([8,4])); time.sleep(.05)
    if i%10==0: print('>> pas',i,'perte',round(float(l),5),flush=True)
