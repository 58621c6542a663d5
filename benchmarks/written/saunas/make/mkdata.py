import os; os.environ["TF_CPP_MIN_LOG_LEVEL"]="3"
import tensorflow as tf, numpy as np, sys
D="/opt/incidents/data"
def mk(sub, rank, nfiles, n, dim=16):
    os.makedirs(f"{D}/{sub}", exist_ok=True)
    r=np.random.default_rng(rank)
    w=np.linspace(-1,1,dim)
    for k in range(nfiles):
        with tf.io.TFRecordWriter(f"{D}/{sub}/osa-{rank}-{k:03d}.rec") as wr:
            for i in range(n):
                x=r.normal(size=dim); y=float(x@w+.1*r.normal())
                e=tf.train.Example(features=tf.train.Features(feature={"x":tf.train.Feature(float_list=tf.train.FloatList(value=x)),"y":tf.train.Feature(float_list=tf.train.FloatList(value=[y]))}))
                wr.write(e.SerializeToString())
for r in range(3): mk("a",r,4,800)
for r in range(3): mk("u",r,4,800 if r!=2 else 541)
for r in range(4): mk("s",r,2,400)
g=tf.Graph()
with g.as_default():
    x=tf.compat.v1.placeholder(tf.float32,[None,16],name="wejscie"); y=tf.identity(tf.nn.relu(x),name="ocena")
gd=g.as_graph_def(); print(gd.versions)
gd.versions.producer=2611; gd.versions.min_consumer=2600
open(f"{D}/nauczyciel.pb","wb").write(gd.SerializeToString())
