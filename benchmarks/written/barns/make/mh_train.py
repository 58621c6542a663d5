import os,sys,json,time,tensorflow as tf
idx=int(os.environ['RANK'])
pat=os.environ['SHARDS']
def parse(r):
    p=tf.io.parse_single_example(r,{'milk':tf.io.FixedLenFeature([16],tf.float32),'y':tf.io.FixedLenFeature([1],tf.float32)}); return p['milk'],p['y']
ds=tf.data.Dataset.list_files(pat,shuffle=False).interleave(lambda f:tf.data.TFRecordDataset(f),cycle_length=2).map(parse).repeat().batch(32)
ds=ds.apply(tf.data.experimental.service.distribute(processing_mode=tf.data.experimental.service.ShardingPolicy.OFF if len(sys.argv)<2 else sys.argv[1],service=os.environ['DISPATCHER'],job_name='herd-yield'))
w=tf.Variable(tf.zeros([16,1]))
@tf.function
def step(x,y):
    with tf.GradientTape() as t: l=tf.reduce_mean((tf.matmul(x,w)-y)**2)
    w.assign_sub(.01*t.gradient(l,w)); return l
for s,(x,y) in enumerate(ds.take(3000)):
    l=step(x,y)
    if s%5==0: print(json.dumps({'ts':round(time.time(),3),'rank':idx,'step':s,'mse':round(float(l),6)}),flush=True)
    time.sleep(.04)
print(json.dumps({'rank':idx,'msg':'epoch budget reached'}))
