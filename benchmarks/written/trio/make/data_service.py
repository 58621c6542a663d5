"""tf.data service: `dispatcher PORT` or `worker PORT DISPATCHER ME`."""
import os, sys, time, threading
import tensorflow as tf
from tensorflow.data.experimental import service as S
if sys.argv[1] == 'dispatcher':
    s = S.DispatchServer(S.DispatcherConfig(port=int(sys.argv[2]), fault_tolerant_mode=True, work_dir=os.environ['LAB'] + '/dispatch', job_gc_check_interval_ms=5000, job_gc_timeout_ms=20000))
    print('dispatcher at', s.target, 'pid', os.getpid())
    threading.Thread(target=lambda: [(time.sleep(5), print(time.strftime('%Y-%m-%d %H:%M:%S'), 'workers', s._num_workers())) for _ in range(999)], daemon=True).start()
else:
    s = S.WorkerServer(S.WorkerConfig(dispatcher_address=sys.argv[3], worker_address=sys.argv[4], port=int(sys.argv[2]), heartbeat_interval_ms=1000, dispatcher_timeout_ms=60000))
    print('data worker', sys.argv[4], 'pid', os.getpid())
    threading.Thread(target=lambda: [(time.sleep(5), print(time.strftime('%Y-%m-%d %H:%M:%S'), 'tasks', s._num_tasks(), 'rss kB', next(l.split()[1] for l in open('/proc/self/status') if l.startswith('VmRSS')))) for _ in range(999)], daemon=True).start()
s.join()
