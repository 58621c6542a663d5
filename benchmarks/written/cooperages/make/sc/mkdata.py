import sys, numpy as np, os
import tensorflow as tf
out=sys.argv[1]; n=int(sys.argv[2]); per=int(sys.argv[3]); os.makedirs(out,exist_ok=True)
rng=np.random.default_rng(4)
for i in range(n):
    with tf.io.TFRecordWriter(f"{out}/planer-{i:03d}-of-{n:03d}.tfr") as w:
        for _ in range(per):
            g=int(rng.integers(5)); s=np.clip(rng.normal(60+30*g,20,(32,24)),0,255).astype("uint8")
            w.write(tf.train.Example(features=tf.train.Features(feature={"scan":tf.train.Feature(bytes_list=tf.train.BytesList(value=[s.tobytes()])),"grade":tf.train.Feature(int64_list=tf.train.Int64List(value=[g]))})).SerializeToString())
