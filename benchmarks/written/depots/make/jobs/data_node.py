"""tf.data service: dispatcher or worker."""
import argparse, logging, sys, tensorflow as tf
logging.basicConfig(level=logging.INFO, format='%(asctime)s %(levelname)-7s %(message)s', stream=sys.stderr)
ap = argparse.ArgumentParser(); ap.add_argument('role'); ap.add_argument('--port', type=int); ap.add_argument('--dispatcher'); ap.add_argument('--address'); ap.add_argument('--journal')
a = ap.parse_args()
if a.role == 'dispatcher':
    s = tf.data.experimental.service.DispatchServer(tf.data.experimental.service.DispatcherConfig(port=a.port, work_dir=a.journal, fault_tolerant_mode=bool(a.journal), worker_timeout_ms=6000))
else:
    s = tf.data.experimental.service.WorkerServer(tf.data.experimental.service.WorkerConfig(dispatcher_address=a.dispatcher, worker_address=a.address, port=a.port, heartbeat_interval_ms=1000, dispatcher_timeout_ms=20000))
logging.info('%s up on port %d', a.role, a.port)
s.join()
