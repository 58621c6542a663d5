"""A small convolutional network on PNG files, several workers, with a progress bar."""

import argparse
import glob
import os
import sys
import time

import tensorflow as tf
from augmentation import augment_images

parser = argparse.ArgumentParser(description="train on a folder of images")
parser.add_argument("--images", default="/data/images")
parser.add_argument("--steps", type=int, default=30)
parser.add_argument("--pace", type=float, default=0.1)
parser.add_argument("--size", type=int, default=16)
parser.add_argument("--classes", type=int, default=3)
parser.add_argument("--out", default="")
cli = parser.parse_args()
print("==> building strategy")
augment_images(0, None)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id
print(f"==> rank {rank} of {strategy.num_replicas_in_sync}")


def load(path):
    image = tf.io.decode_image(tf.io.read_file(path), channels=3, expand_animations=False)
    image = tf.image.resize(tf.cast(image, tf.float32) / 255.0, [cli.size, cli.size])
    return tf.ensure_shape(image, [cli.size, cli.size, 3]), tf.strings.to_hash_bucket_fast(path, cli.classes)


paths = sorted(glob.glob(cli.images + "/*.png"))
assert paths, f"no images in {cli.images}"
data = tf.data.Dataset.from_tensor_slices(paths).shard(strategy.num_replicas_in_sync, rank)
data = iter(data.map(load).repeat().batch(4))
with strategy.scope():
    conv = tf.Variable(tf.random.stateless_normal([3, 3, 3, 4], [1, 2]) * 0.1)
    dense = tf.Variable(tf.zeros([4, cli.classes]))


@tf.function
def train(images, labels):
    def replica(images, labels):
        with tf.GradientTape() as tape:
            pooled = tf.reduce_mean(tf.nn.relu(tf.nn.conv2d(images, conv, 1, "SAME")), [1, 2])
            logits = tf.matmul(pooled, dense)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        grads = tape.gradient(loss, [conv, dense])
        grads = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN, grads)
        for variable, grad in zip([conv, dense], grads):
            variable.assign_sub(0.1 * grad)
        return loss

    return strategy.reduce(tf.distribute.ReduceOp.MEAN, strategy.run(replica, args=(images, labels)), axis=None)


began = time.time()
for step in range(1, cli.steps + 1):
    images, labels = next(data)
    images = augment_images(step, images)
    loss = float(train(images, labels))
    done = 30 * step // cli.steps
    speed = step / (time.time() - began)
    bar = "#" * done + " " * (30 - done)
    sys.stderr.write(f"\r{100 * step // cli.steps:3d}%|{bar}| {step}/{cli.steps} [{speed:.2f}it/s, loss={loss:.3f}]")
    sys.stderr.flush()
    if cli.out and step % 10 == 0:
        with open(os.path.join(cli.out, f"features-{rank}-{step}.bin"), "wb") as file:
            file.write(tf.io.serialize_tensor(tf.tile(images, [40, 1, 1, 1])).numpy())
    time.sleep(cli.pace)
sys.stderr.write("\n")
print("==> finished, last loss", loss)
