import os,sys,json,time,logging,threading,queue
SH=float(os.environ.get("SH","0"))
logging.Formatter.converter=lambda self,t: time.gmtime(t+SH+3600)
logging.basicConfig(level=logging.INFO,format="%(asctime)s [%(levelname)s] %(name)s: %(message)s")
log=logging.getLogger("pegelnetz.train")
import numpy as np, tensorflow as tf
tc=json.loads(os.environ["TF_CONFIG"]); idx=tc["task"]["index"]
log.info("Start Pegelnetz-Training, Rolle %s:%d, PID %d, TF %s",tc["task"]["type"],idx,os.getpid(),tf.__version__)
st=tf.distribute.MultiWorkerMirroredStrategy()
log.info("Strategie bereit, Replikate=%d",st.num_replicas_in_sync)
B=16
class StationCache:
    """Pegelreihen je Station; ein Schloss fuer Index, eins fuer Inhalt"""
    def __init__(s): s.index_lock=threading.Lock(); s.data_lock=threading.Lock(); s.n=0
    def get(s,k):
        with s.index_lock:
            if idx==2 and s.n>s_limit: time.sleep(0.4)
            with s.data_lock: s.n+=1; return np.sin(np.arange(24)*k*0.01).astype("f")
    def evict(s):
        with s.data_lock:
            time.sleep(0.2)
            with s.index_lock: s.n=max(0,s.n)
s_limit=int(os.environ.get("LIM","2000"))
cache=StationCache(); q=queue.Queue(8)
def janitor():
    while True:
        time.sleep(0.05)
        if cache.n>s_limit and idx==2: cache.evict()
def producer():
    k=0
    while True:
        x=np.stack([cache.get(k*B+i) for i in range(B)]); k+=1; q.put((x,x[:,:1]*2))
threading.Thread(target=janitor,name="cache-janitor",daemon=True).start()
threading.Thread(target=producer,name="reihen-producer",daemon=True).start()
with st.scope():
    w=tf.Variable(tf.random.stateless_normal([24,32],[1,2])*0.1); v=tf.Variable(tf.random.stateless_normal([32,1],[3,4])*0.1)
@tf.function
def step(x,y):
    def f(x,y):
        with tf.GradientTape() as t: l=tf.reduce_mean((tf.nn.relu(x@w)@v-y)**2)
        g=t.gradient(l,[w,v]); c=tf.distribute.get_replica_context()
        g=c.all_reduce(tf.distribute.ReduceOp.MEAN,g)
        for a,b in zip([w,v],g): a.assign_sub(0.05*b)
        return l
    return st.reduce(tf.distribute.ReduceOp.MEAN,st.run(f,args=(x,y)),axis=None)
t0=time.time()
def watchdog():
    while True:
        time.sleep(15)
        d=time.time()-t0
        if d>15: log.warning("Wachhund: seit %.0f s kein Schritt abgeschlossen (letzter Schritt %d)",d,cur)
cur=0
threading.Thread(target=watchdog,name="wachhund",daemon=True).start()
for cur in range(1,401):
    x,y=q.get()
    l=float(step(tf.constant(x),tf.constant(y))); t0=time.time()
    if cur%2==0: log.info("Schritt %d/400 Verlust=%.5f Warteschlange=%d",cur,l,q.qsize())
log.info("fertig")
