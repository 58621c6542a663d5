import os,sys,json,time,threading,faulthandler,signal,queue,datetime
import numpy as np, tensorflow as tf
faulthandler.register(signal.SIGUSR1,all_threads=True)
tc=json.loads(os.environ['TF_CONFIG']); IDX=tc['task']['index']
def kiroku(*a): print(datetime.datetime.now().strftime('%Y-%m-%d %H:%M:%S.%f')[:-3],*a,flush=True)
class HakeiReader:
    """波形リーダー: 先読みスレッドとキャッシュを共有する"""
    def __init__(self):
        self.cache={}; self.cache_lock=threading.Lock(); self.stat_lock=threading.Lock(); self.n=0
        self.rotate_at=int(os.environ.get('ROTATE_AT','0'))
        threading.Thread(target=self.rotate_loop,name='rotate',daemon=True).start()
    def rotate_loop(self):
        while True:
            time.sleep(.2)
            if self.rotate_at and self.n>=self.rotate_at: self.rotate()
    def rotate(self):
        with self.stat_lock:
            kiroku('キャッシュ入替 開始 n=%d'%self.n); time.sleep(1.5)
            with self.cache_lock: self.cache.clear()
            self.rotate_at=self.n+10**9
    def read_event(self,k):
        with self.cache_lock:
            self.n+=1
            d=float(os.environ.get('READ_MS','0'))/1000
            if d: time.sleep(d*(.7+.6*np.random.rand()))
            self.update_stat()
            r=np.random.RandomState(k%2**31); return r.randn(64,3).astype('f'),np.float32(r.rand())
    def update_stat(self):
        with self.stat_lock: pass
    def gen(self):
        k=IDX; m=0; acc=0.
        while True:
            z=time.time(); v=self.read_event(k); acc+=time.time()-z; m+=1; k+=4
            if os.environ.get("SHOWT") and m%100==0: kiroku("[reader] %d件 平均 %.1fms/件"%(m,acc*10)); acc=0.
            yield v
st=tf.distribute.MultiWorkerMirroredStrategy()
kiroku('[hakei] 戦略初期化完了 replicas=%d task=%d'%(st.num_replicas_in_sync,IDX))
with st.scope():
    w1=tf.Variable(tf.random.stateless_normal([5,3,8],[1,2])*.1); w2=tf.Variable(tf.random.stateless_normal([8,1],[2,2])*.1)
rd=HakeiReader()
def f(ctx): return tf.data.Dataset.from_generator(rd.gen,output_signature=(tf.TensorSpec([64,3]),tf.TensorSpec([]))).batch(8).prefetch(1)
it=iter(st.distribute_datasets_from_function(f))
@tf.function
def step(x):
    def fn(x):
        a,y=x
        with tf.GradientTape() as t:
            h=tf.reduce_mean(tf.nn.relu(tf.nn.conv1d(a,w1,2,'SAME')),1); l=tf.reduce_mean((tf.matmul(h,w2)[:,0]-y)**2)
        for v,g in zip((w1,w2),t.gradient(l,[w1,w2])): v.assign_sub(.05*tf.distribute.get_replica_context().all_reduce('mean',g))
        return l
    return st.reduce('mean',st.run(fn,args=(x,)),axis=None)
N=int(os.environ.get('STEPS','200'))
for s in range(N):
    a=time.time(); x=next(it); b=time.time(); l=float(step(x)); c=time.time()
    if os.environ.get('SHOWT'): kiroku('step=%05d loss=%.6f 読込=%.3fs 計算+通信=%.3fs'%(s,l,b-a,c-b))
    else: kiroku('step=%05d loss=%.6f'%(s,l))
    time.sleep(.02)
kiroku('[hakei] 完了')
