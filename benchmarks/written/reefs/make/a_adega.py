import os,sys,time,json,logging
import numpy as np
import tensorflow as tf
no=os.environ['NO']; lg=logging.getLogger('adega')
h=logging.StreamHandler(sys.stdout); h.setFormatter(logging.Formatter('[%(levelname).1s] adega/%(funcName)s: %(message)s')); lg.addHandler(h); lg.setLevel(20); lg.propagate=False
H=int(os.environ['H']); D=os.environ['SCR']
def constroi():
    g=tf.random.Generator.from_seed(5)
    r=tf.Module(); r.w1=tf.Variable(g.normal([24,H])*.1,name='denso/kernel'); r.w2=tf.Variable(g.normal([H,1])*.1,name='saida/kernel'); r.passo=tf.Variable(0,dtype=tf.int64,name='passo',aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)
    return r
def treina():
    if 'TF_CONFIG' in os.environ: s=tf.distribute.MultiWorkerMirroredStrategy()
    else: s=tf.distribute.get_strategy()
    lg.info('nó %s, réplicas em sincronia: %d',no,s.num_replicas_in_sync)
    with s.scope(): r=constroi()
    ck=tf.train.Checkpoint(w1=r.w1,w2=r.w2,passo=r.passo); m=tf.train.CheckpointManager(ck,D,max_to_keep=2)
    if m.latest_checkpoint:
        lg.info('retomando de %s',m.latest_checkpoint); ck.restore(m.latest_checkpoint); lg.info('passo retomado = %d',r.passo.numpy())
    else: lg.warning('nenhum ponto de controle em %s, começando do zero',D)
    rng=np.random.default_rng(3)
    def perda(x,y):
        with tf.GradientTape() as t:
            z=tf.matmul(tf.nn.relu(tf.matmul(x,r.w1)),r.w2); l=tf.reduce_mean((z-y)**2)
        gs=t.gradient(l,[r.w1,r.w2]); c=tf.distribute.get_replica_context()
        gs=c.all_reduce(tf.distribute.ReduceOp.MEAN,gs)
        r.w1.assign_sub(gs[0]*.05,read_value=False) if 0 else None
        return l,gs
    @tf.function
    def passo(x,y):
        l,gs=s.run(perda,(x,y)); return s.reduce('MEAN',l,axis=None),gs
    for i in range(int(os.environ.get('N','400'))):
        x=rng.normal(size=[32,24]).astype('f'); y=x[:,:1]*.7-x[:,3:4]
        l,gs=passo(x,y)
        for v,g in ((r.w1,gs[0]),(r.w2,gs[1])): v.assign_sub(.05*g)
        r.passo.assign_add(1)
        if i%10==0: lg.info('passo %d  perda=%.5f  lote=32',r.passo.numpy(),float(l))
        if i and i%40==0 and 'N' in os.environ: lg.info('gravado %s',m.save())
        time.sleep(.05)
treina()
