import sys, os, time, logging, threading
logging.basicConfig(level=logging.INFO, format='%(levelname).1s %(asctime)s %(message)s')
import tensorflow as tf
role = sys.argv[1]
def gauge():
    while True:
        logging.info('gauge fds=%d rss_kb=%s', len(os.listdir('/proc/self/fd')), open('/proc/self/statm').read().split()[1])
        time.sleep(1)
threading.Thread(target=gauge, daemon=True).start()
if role == 'dispatcher':
    s = tf.data.experimental.service.DispatchServer(tf.data.experimental.service.DispatcherConfig(port=5050, job_gc_check_interval_ms=10000))
    logging.info('dispatcher on %s', s.target); s.join()
else:
    s = tf.data.experimental.service.WorkerServer(tf.data.experimental.service.WorkerConfig(dispatcher_address='dispatcher:5050', worker_address=os.uname().nodename + ':5051', port=5051))
    logging.info('data worker registered'); s.join()
