import os, sys, time, argparse, logging
a = argparse.ArgumentParser()
for k, d in dict(role='trainer', disp='', port=5050, me='', work='', epochs=6, pace=0.05, n=640, mode='distributed_epoch', tmo=0, name='').items(): a.add_argument('--' + k, type=type(d), default=d)
A = a.parse_args()
logging.basicConfig(level=logging.INFO, format='%(asctime)s %(levelname)-7s %(name)s | %(message)s'); log = logging.getLogger('feed' if A.role != 'trainer' else 'train')
import numpy as np, tensorflow as tf
S = tf.data.experimental.service
log.info('%s on %s, pid %d, tf %s', A.role, os.uname().nodename, os.getpid(), tf.__version__)
if A.role == 'dispatcher':
    s = S.DispatchServer(S.DispatcherConfig(port=A.port, work_dir=A.work or None, fault_tolerant_mode=bool(A.work), job_gc_check_interval_ms=2000, job_gc_timeout_ms=8000)); log.info('dispatcher at %s', s.target); s.join()
if A.role == 'worker':
    s = S.WorkerServer(S.WorkerConfig(dispatcher_address=A.disp, worker_address=A.me, port=int(A.me.split(':')[1]), heartbeat_interval_ms=1000, dispatcher_timeout_ms=A.tmo or None)); log.info('worker %s registered', A.me); s.join()
x = np.random.rand(A.n, 20).astype('f'); yv = x.sum(1, keepdims=True)
m = tf.keras.Sequential([tf.keras.Input((20,)), tf.keras.layers.Dense(16, activation='relu'), tf.keras.layers.Dense(1)]); opt = tf.keras.optimizers.Adam(1e-3)
@tf.function
def step(x, y):
    with tf.GradientTape() as t: l = tf.reduce_mean((m(x) - y) ** 2)
    opt.apply_gradients(zip(t.gradient(l, m.trainable_variables), m.trainable_variables)); return l
gs = 0
for ep in range(A.epochs):
    d = tf.data.Dataset.from_tensor_slices((x + ep * 1e-6, yv)).shuffle(A.n).map(lambda p, q: (p * 2. - 1., q)).batch(16)
    d = d.apply(S.distribute(processing_mode=A.mode, service='grpc://' + A.disp, job_name=f'ep{ep}{A.name}'))
    log.info('epoch %d: requesting elements from %s', ep, A.disp); n = 0
    for b in d:
        l = step(*b); gs += 1; n += 1; time.sleep(A.pace)
        if gs % 5 == 0: log.info('step %d mse %.5f', gs, l)
    log.info('epoch %d: %d batches, mse %.5f', ep, n, l)
log.info('finished, %d steps', gs)
