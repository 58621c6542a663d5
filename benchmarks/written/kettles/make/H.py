import os,sys,json,time,logging
logging.basicConfig(level=logging.INFO,format="%(levelname).1s %(asctime)s.%(msecs)03d [%(module)s] %(message)s",datefmt="%d/%m %H:%M:%S"); logging.Formatter.converter=lambda s,t: time.gmtime(t-5*3600)
L=logging.getLogger("sylva")
import tensorflow as tf
tc=json.loads(os.environ["TF_CONFIG"]); L.info("classification des essences: tâche %s, tf %s",tc["task"],tf.__version__)
st=tf.distribute.MultiWorkerMirroredStrategy(communication_options=tf.distribute.experimental.CommunicationOptions(timeout_seconds=float(os.environ.get("CT","60"))))
L.info("stratégie prête (%d répliques)",st.num_replicas_in_sync)
with st.scope(): w=tf.Variable(tf.zeros([128,6]))
L.info("variables créées")
@tf.function
def step():
    def f():
        x=tf.random.normal([32,128]); y=tf.argmax(x[:,:6],1)
        with tf.GradientTape() as t: l=tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y,logits=x@w))
        g=t.gradient(l,w); w.assign_sub(.5*tf.distribute.get_replica_context().all_reduce("MEAN",g,options=tf.distribute.experimental.CommunicationOptions(timeout_seconds=60))); return l
    return st.reduce("MEAN",st.run(f),axis=None)
for k in range(120):
    l=float(step())
    if k%2==0: L.info("itération %d perte=%.4f",k,l)
L.info("terminé")
