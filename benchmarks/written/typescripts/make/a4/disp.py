import sys, time
import tensorflow as tf
wd, port = sys.argv[1], int(sys.argv[2])
d = tf.data.experimental.service.DispatchServer(tf.data.experimental.service.DispatcherConfig(port=port, work_dir=wd, fault_tolerant_mode=True, protocol='grpc'))
print('dispatcher', d.target, 'work_dir', wd, flush=True)
while True:
    time.sleep(5)
    print('dispatcher: %d workers registered' % d._num_workers(), flush=True)
