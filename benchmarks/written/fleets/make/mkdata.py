"""mkdata.py DIR NAME=COUNT ...: writes TFRecord shards of (x: 16 floats, y: int)."""
import sys, os, numpy as np, tensorflow as tf
d = sys.argv[1]; os.makedirs(d, exist_ok=True); g = np.random.default_rng(7)
for a in sys.argv[2:]:
    n, c = a.split('=')
    with tf.io.TFRecordWriter(f'{d}/{n}') as w:
        for _ in range(int(c)):
            x = g.normal(size=16).astype('float32'); y = int(x[:4].sum() > 0) + 2*int(x[4:8].sum() > 0)
            w.write(tf.train.Example(features=tf.train.Features(feature={
                'x': tf.train.Feature(float_list=tf.train.FloatList(value=x)),
                'y': tf.train.Feature(int64_list=tf.train.Int64List(value=[y]))})).SerializeToString())
