# Nairobi: tf.data service; one shard has a flipped byte in the middle; Nomad restarts the trainer twice
import numpy as np
from lib import *
H={"tsavo-1":"10.90.3.11","tsavo-2":"10.90.3.12","mara-1":"10.90.3.21","mara-2":"10.90.3.22"}
isolate(H)
d=f"{ROOT}/work/r07"; sh(f"rm -rf {d}; mkdir -p {d}/shards")
mk="""
import tensorflow as tf, numpy as np, sys
r=np.random.default_rng(3)
for i in range(6):
    with tf.io.TFRecordWriter(f'{sys.argv[1]}/clips-2026w44-{i:02d}.tfrecord') as w:
        for k in range(700):
            x=r.normal(size=256).astype('float32'); w.write(tf.train.Example(features=tf.train.Features(feature=dict(wave=tf.train.Feature(float_list=tf.train.FloatList(value=x)),y=tf.train.Feature(int64_list=tf.train.Int64List(value=[int(x[0]>0)]))))).SerializeToString())
p=f'{sys.argv[1]}/clips-2026w44-04.tfrecord'; b=bytearray(open(p,'rb').read()); o=len(b)*6//10; b[o:o+4096]=bytes(4096); open(p,'wb').write(b)
"""
open(d+"/mk.py","w").write(mk); sh(f"{PY21} {d}/mk.py {d}/shards")
c=lambda *x:["{py}",f"{HERE}/svc.py",*x]
D=Task("dispatcher","tsavo-1",c("dispatcher","--port","7300","--dir",d+"/disp"),cwd=d); time.sleep(4)
F=[Task(f"feeder{i}",h,c("feeder","--disp","tsavo-1:7300","--host",h,"--port","7301"),cwd=d) for i,h in enumerate(["mara-1","mara-2"])]
out=[]
for k in range(3):
    t=Task(f"trainer.{k}","tsavo-2",c("trainer","--disp","tsavo-1:7300","--glob",d+"/shards/*.tfrecord","--steps","2000","--dir",d+"/ck"),cwd=d); print(wait([t],60)); out.append(t); time.sleep(2)
report([D]+F+out); killall([D]+F); dump([D]+F+out,d+"/a.jsonl")
