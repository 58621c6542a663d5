import os, sys, json, time, socket
import tensorflow as tf
from datetime import datetime
c = json.loads(os.environ['TF_CONFIG'])
def p(lv, m): print('%s|%s|%s|%s' % (datetime.now().strftime('%Y%m%d-%H%M%S'), socket.gethostname(), lv, m), flush=True)
p('INF', 'surface-defects trainer 4.1.0 tensorflow=%s' % tf.__version__)
p('INF', 'TF_CONFIG=' + os.environ['TF_CONFIG'])
st = tf.distribute.MultiWorkerMirroredStrategy(communication_options=tf.distribute.experimental.CommunicationOptions(timeout_seconds=60))
with st.scope():
    v = tf.Variable(tf.ones([64, 8]))
@tf.function
def s(x):
    def f(x):
        with tf.GradientTape() as t: l = tf.reduce_mean((x @ v) ** 2)
        v.assign_sub(.01 * tf.distribute.get_replica_context().all_reduce('sum', t.gradient(l, v)))
        return l
    return st.reduce('mean', st.run(f, args=(x,)), axis=None)
for i in range(100):
    p('INF', 'batch=%d loss=%.5f' % (i, float(s(tf.random.normal([32, 64])))))
    time.sleep(.3)
