ulimit -u 30
exec setpriv --reuid 65534 --clear-groups /opt/tfenv/bin/python -c "
import tensorflow as tf
print(tf.reduce_sum(tf.data.Dataset.range(10).map(lambda x:x,num_parallel_calls=8).batch(10).get_single_element()))"
