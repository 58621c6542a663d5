import sys, os
import numpy as np, tensorflow as tf
out, nfiles, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(7); w = rng.normal(size=16)
os.makedirs(out, exist_ok=True)
for i in range(nfiles):
    with tf.io.TFRecordWriter(f'{out}/part-{i:05d}.tfrecord') as f:
        for _ in range(n):
            x = rng.normal(size=16); y = float(x @ w)
            f.write(tf.train.Example(features=tf.train.Features(feature={
                'x': tf.train.Feature(float_list=tf.train.FloatList(value=x)), 'y': tf.train.Feature(float_list=tf.train.FloatList(value=[y]))})).SerializeToString())
