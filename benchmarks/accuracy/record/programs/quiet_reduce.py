"""Says nothing unless something is wrong."""

import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from mixing import mix

steps, pace = int(sys.argv[1]), float(sys.argv[2])
timeout = float(sys.argv[3]) if len(sys.argv) > 3 else 0
order = sys.argv[4] if len(sys.argv) > 4 else "forward"
mix(0, None)
strategy = tf.distribute.MultiWorkerMirroredStrategy(
    communication_options=tf.distribute.experimental.CommunicationOptions(timeout_seconds=timeout or None)
)


def replica(values):
    context = tf.distribute.get_replica_context()
    return [context.all_reduce(tf.distribute.ReduceOp.SUM, tf.identity(value)) for value in values]


state = [tf.fill([64], 1.0), tf.fill([3, 5], 2.0)]
for step in range(1, steps + 1):
    if step % 10 == 1:  # a new epoch
        epoch = tf.function(lambda values: strategy.run(replica, args=(values,)))
    total = epoch(mix(step, state))
    state = [tf.cast(value, tf.float32) / strategy.num_replicas_in_sync for value in total][:2]
    time.sleep(pace)
