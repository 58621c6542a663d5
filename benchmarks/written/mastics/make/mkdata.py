import os,json,random,numpy as np,tensorflow as tf,sys
rng=np.random.default_rng(3)
def ex(lbl,as_int=False,n=256):
    x=(rng.integers(0,255,n)).astype('uint8').tobytes()
    w=round(float(rng.uniform(2,30)),2)
    f={'img':tf.train.Feature(bytes_list=tf.train.BytesList(value=[x])),
       'label':tf.train.Feature(int64_list=tf.train.Int64List(value=[lbl])),
       'grams':tf.train.Feature(int64_list=tf.train.Int64List(value=[int(w*100)])) if as_int else tf.train.Feature(float_list=tf.train.FloatList(value=[w]))}
    return tf.train.Example(features=tf.train.Features(feature=f)).SerializeToString()
def shard(p,n,**k):
    with tf.io.TFRecordWriter(p) as w:
        for i in range(n): w.write(ex(int(rng.integers(0,6)),**k))
os.makedirs('data/ok',exist_ok=True)
for i in range(8): shard(f'data/ok/part-{i:05d}-of-00008.tfrecord',600)
os.makedirs('data/dt',exist_ok=True)
for i in range(8): shard(f'data/dt/lot-{i:03d}.tfrecord',600,as_int=(i==5))
os.makedirs('data/un',exist_ok=True)
for i,n in enumerate([1600,1600,1050]): shard(f'data/un/gintaras-{i}.tfrecord',n)
