import os,sys,json,time,tensorflow as tf
spec=json.load(open(sys.argv[1])); job,i=sys.argv[2],int(sys.argv[3])
cs=tf.train.ClusterSpec(spec)
if job!='chief':
    s=tf.distribute.Server(cs,job_name=job,task_index=i); print('hub: %s/%d listening'%(job,i),flush=True); s.join()
r=tf.distribute.cluster_resolver.SimpleClusterResolver(cs,task_type='chief',task_id=0,rpc_layer='grpc')
print('hub: connecting',flush=True)
tf.config.experimental_connect_to_cluster(r.cluster_spec(),job_name='chief',task_index=0)
print('hub: devices',[d.name for d in tf.config.list_logical_devices()],flush=True)
vs=[]
for k in range(len(spec['worker'])):
    with tf.device(f'/job:worker/replica:0/task:{k}/device:CPU:0'): vs.append(tf.Variable(tf.zeros([8])))
for s in range(60):
    for k,v in enumerate(vs):
        with tf.device(v.device): v.assign_add(tf.ones([8])*k)
    print('hub: round',s,[float(tf.reduce_sum(v)) for v in vs],flush=True)
