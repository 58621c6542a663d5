import numpy as np, os, sys, tensorflow as tf
def mk(d, sizes, k=13, seed=1):
    os.makedirs(d, exist_ok=True); r=np.random.default_rng(seed)
    for i,n in enumerate(sizes):
        with tf.io.TFRecordWriter(f"{d}/tuljava-{i:04d}.tfrecord") as w:
            for _ in range(n):
                y=int(r.integers(0,k)); x=(r.integers(0,120,(24,24))+y*10).astype('uint8')
                w.write(tf.train.Example(features=tf.train.Features(feature={"slika":tf.train.Feature(bytes_list=tf.train.BytesList(value=[x.tobytes()])),"razred":tf.train.Feature(int64_list=tf.train.Int64List(value=[y]))})).SerializeToString())
mk("data/letnik25",[220]*24)
mk("data/popis",[160]*23+[11],seed=3)   # uneven
mk("data/drobno",[40]*180,seed=4)
names="saje smola razpoka gnezdo vlaga rja opeka_izpadla bleščanje katran čisto pepel tujek loputa".split()
open("data/razredi.txt","w").write("\n".join(names)+"\n")
open("data/razredi-14.txt","w").write("\n".join(names+["ptič"])+"\n")
