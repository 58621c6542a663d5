import sys
import tensorflow as tf
disp, me = sys.argv[1:3]
w = tf.data.experimental.service.WorkerServer(tf.data.experimental.service.WorkerConfig(dispatcher_address=disp, worker_address=me, port=int(me.split(':')[1])))
print('data worker', me, '->', disp, flush=True)
w.join()
