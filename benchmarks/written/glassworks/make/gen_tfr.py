import sys,os,numpy as np
os.environ['TF_CPP_MIN_LOG_LEVEL']='3'
import tensorflow as tf
d,prefix,n,per=sys.argv[1],sys.argv[2],int(sys.argv[3]),int(sys.argv[4]); os.makedirs(d,exist_ok=True)
r=np.random.default_rng(3)
for i in range(n):
    with tf.io.TFRecordWriter(f'{d}/{prefix}{i:03d}.tfrecord') as w:
        for j in range(per):
            y=int(r.integers(5)); x=r.normal(size=1024).astype('f')+y*.2
            w.write(tf.train.Example(features=tf.train.Features(feature={'x':tf.train.Feature(float_list=tf.train.FloatList(value=x)),'y':tf.train.Feature(int64_list=tf.train.Int64List(value=[y]))})).SerializeToString())
