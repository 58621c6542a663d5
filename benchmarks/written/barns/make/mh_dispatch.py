import sys,time,os,tensorflow as tf
d=tf.data.experimental.service.DispatchServer(tf.data.experimental.service.DispatcherConfig(port=int(sys.argv[1]),protocol='grpc'))
print('dispatcher up at',d.target,flush=True); d.join()
