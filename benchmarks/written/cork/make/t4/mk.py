import tensorflow as tf, numpy as np, sys, os
o=sys.argv[1]; n=int(sys.argv[2]); os.makedirs(o,exist_ok=True); r=np.random.default_rng(1)
for i in range(n):
    with tf.io.TFRecordWriter(f"{o}/kericho-2026-{i:04d}.tfrecord") as w:
        for _ in range(24):
            x=r.normal(size=64).astype('f'); w.write(tf.train.Example(features=tf.train.Features(feature={"x":tf.train.Feature(float_list=tf.train.FloatList(value=x)),"g":tf.train.Feature(int64_list=tf.train.Int64List(value=[int(abs(x[:5]).argmax())]))})).SerializeToString())
