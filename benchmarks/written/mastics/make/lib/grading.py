"""Grade table for bat faces (G1+ .. G4)."""
import tensorflow as tf

edges = tf.constant([0.0, 4.5, 6.5, 8.5, 12.5])
lut = tf.reshape(tf.cast(edges * 10.0, tf.int32), [-1, 1])
