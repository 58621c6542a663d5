import os,sys,time,json
import tensorflow as tf
role=sys.argv[1]
def o(m): print(time.strftime("%Y-%m-%dT%H:%M:%SZ",time.gmtime()),"dados",role,m,flush=True)
o("serviço de dados tf "+tf.__version__)
if role=="dispatcher":
    d=tf.data.experimental.service.DispatchServer(tf.data.experimental.service.DispatcherConfig(port=5050,work_dir=None,fault_tolerant_mode=False,protocol="grpc",worker_timeout_ms=15000))
    o("dispatcher pronto "+d.target); d.join()
if role.startswith("dw"):
    w=tf.data.experimental.service.WorkerServer(tf.data.experimental.service.WorkerConfig(dispatcher_address="tfdata-dispatcher-0:5050",worker_address=os.environ["ADDR"],port=5051,heartbeat_interval_ms=3000)); o("worker pronto"); 
    import threading
    def rss():
        while True: o("memoria_rss_mb=%d"%(int([l for l in open('/proc/self/status') if l.startswith('VmRSS')][0].split()[1])//1024)); time.sleep(2)
    threading.Thread(target=rss,daemon=True).start()
    w.join()
n=0
def mk(i):
    base=tf.random.stateless_normal([64,32],[i,1]); return base,base[:,:1]
ds=tf.data.Dataset.range(10**6).shuffle(1000).map(lambda i: mk(tf.cast(i,tf.int32)),num_parallel_calls=2)
ds=ds.shuffle(int(os.environ.get("WIN","200")))
ds=ds.apply(tf.data.experimental.service.distribute("parallel_epochs","grpc://tfdata-dispatcher-0:5050",job_name="vento_"+os.environ.get("JOB","a"),max_outstanding_requests=4))
w=tf.Variable(tf.random.normal([32,1])); k=0
o("treinador à espera do primeiro lote"); t=time.time()
for x,y in ds:
    with tf.GradientTape() as tp: l=tf.reduce_mean((x@w-y)**2)
    w.assign_sub(.05*tp.gradient(l,w)); k+=1
    if k%20==0: o(f"passo {k} perda {float(l):.5f} espera_media_ms {1000*(time.time()-t)/20:.1f}"); t=time.time()
    if k==int(os.environ.get("N","800")): break
o("fim")
