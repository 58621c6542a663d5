import os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np, tensorflow as tf
def write(d, sizes, seed=0, nan_at=None, dim=None):
    """sizes: examples per shard; nan_at: (shard, row); dim: {shard: other feature length}"""
    os.makedirs(d, exist_ok=True); r = np.random.default_rng(seed); c = r.normal(size=(8, 32))
    for i, n in enumerate(sizes):
        with tf.io.TFRecordWriter(os.path.join(d, f"train-{i:05d}-of-{len(sizes):05d}.tfrecord")) as w:
            for k in range(n):
                y = int(r.integers(8)); x = (c[y] + r.normal(size=32) * 1.5)[: (dim or {}).get(i, 32)]
                if nan_at == (i, k): x[5] = np.nan
                w.write(tf.train.Example(features=tf.train.Features(feature={
                    "x": tf.train.Feature(float_list=tf.train.FloatList(value=x)), "y": tf.train.Feature(int64_list=tf.train.Int64List(value=[y]))})).SerializeToString())
if __name__ == "__main__":
    import json; a = json.loads(sys.argv[1]); 
    if a.get("nan_at"): a["nan_at"] = tuple(a["nan_at"])
    if a.get("dim"): a["dim"] = {int(k): v for k, v in a["dim"].items()}
    write(**a)
