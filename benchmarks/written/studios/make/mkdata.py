"""Write TFRecord shards: mkdata.py DIR TASKS FILES RECORDS"""
import os, sys, numpy as np, tensorflow as tf
d, tasks, files, n = sys.argv[1], *map(int, sys.argv[2:5])
os.makedirs(d, exist_ok=True); rng = np.random.default_rng(3); w = rng.normal(size=16)
for t in range(tasks):
    for f in range(files):
        with tf.io.TFRecordWriter(f"{d}/part-{t:02d}-{f:03d}.tfrecord") as o:
            for _ in range(n):
                x = rng.normal(size=16); y = [x @ w + .1 * rng.normal()]
                fl = lambda v: tf.train.Feature(float_list=tf.train.FloatList(value=v))
                o.write(tf.train.Example(features=tf.train.Features(feature={"x": fl(x), "y": fl(y)})).SerializeToString())
