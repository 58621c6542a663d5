import sys,time,os,tensorflow as tf
w=tf.data.experimental.service.WorkerServer(tf.data.experimental.service.WorkerConfig(dispatcher_address=sys.argv[1],worker_address=sys.argv[2],port=int(sys.argv[2].split(':')[1])))
print('data worker registered, serving',sys.argv[2],flush=True); w.join()
