import os,sys,time,csv
import tensorflow as tf
k=os.environ['SLOT']
def out(s): sys.stdout.write(s+'\n'); sys.stdout.flush()
st=tf.distribute.MultiWorkerMirroredStrategy()
rows=[[float(q) for q in r] for r in csv.reader(open(os.environ['SPECTRA']))]
out('Spektren gelesen: %d Zeilen aus %s'%(len(rows),os.environ['SPECTRA']))
ds=tf.data.Dataset.from_tensor_slices(rows).batch(10)
with st.scope(): v=tf.Variable(tf.zeros([4,1]))
@tf.function
def schritt(r):
    def f(r):
        x,y=r[:,:4],r[:,4:]
        with tf.GradientTape() as t: l=tf.reduce_mean((x@v-y)**2)
        g=tf.distribute.get_replica_context().all_reduce('MEAN',t.gradient(l,v)); v.assign_sub(.02*g); return l
    return st.reduce('MEAN',st.run(f,(r,)),axis=None)
n=0
for runde in range(1):
    for r in ds:
        l=schritt(r); n+=1; time.sleep(.03)
        if n%15==0: out('Schritt %5d | Verlust %.5f'%(n,float(l)))
out('Runde fertig nach %d Schritten, Gewichte %s'%(n,[round(float(q),3) for q in v.numpy().ravel()]))
out('Ende.')
os._exit(0) if os.environ.get('FAST') else None
