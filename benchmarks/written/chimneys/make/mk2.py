import numpy as np, os, tensorflow as tf
def mk(d, sizes, seed, full=()):
    os.makedirs(d, exist_ok=True); r=np.random.default_rng(seed)
    for i,n in enumerate(sizes):
        with tf.io.TFRecordWriter(f"{d}/tuljava-{i:04d}.tfrecord") as w:
            for j in range(n):
                y=int(r.integers(0,13)); x=(r.integers(0,120,(24,24))+y*10).astype('uint8')
                if i in full and j>90: x[:]=255
                w.write(tf.train.Example(features=tf.train.Features(feature={"slika":tf.train.Feature(bytes_list=tf.train.BytesList(value=[x.tobytes()])),"razred":tf.train.Feature(int64_list=tf.train.Int64List(value=[y]))})).SerializeToString())
mk("data/letnik26",[320]*24,7,full=(9,17))
