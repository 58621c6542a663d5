"""Fabric fault detector, TF1-style servers and MonitoredTrainingSession (between-graph replication).
argv: ps|worker INDEX ; KUMAS_PS, KUMAS_WORKER = comma lists"""
import os, sys, time, socket, logging, multiprocessing as mp
import numpy as np
job, idx = sys.argv[1], int(sys.argv[2]); H = socket.gethostname()
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format='%(asctime)s,' + H + ',%(levelname)s,%(message)s', datefmt='%d.%m.%Y %H:%M:%S')
g = logging.getLogger('kumas')
def okuyucu(q, n):  # loader: frames by shared memory
    from multiprocessing import shared_memory as sm
    import faulthandler; faulthandler.enable()
    r = np.random.default_rng(n); i = 0; keep = []
    while True:
        m = sm.SharedMemory(create=True, size=96 * 64 * 4 * 16); a = np.ndarray((16, 96 * 64), 'f4', m.buf); a[:] = r.normal(size=a.shape); keep.append(m); q.put(m.name); i += 1
        if len(keep) > 40: k = keep.pop(0); k.close()
if __name__ == '__main__':
    import tensorflow as tf
    tf1 = tf.compat.v1; tf1.disable_v2_behavior(); tf1.logging.set_verbosity('INFO')
    spec = tf.train.ClusterSpec({'ps': os.environ['KUMAS_PS'].split(','), 'worker': os.environ['KUMAS_WORKER'].split(',')})
    g.info('kumas 2.3 %s/%d tensorflow %s pid %d', job, idx, tf.__version__, os.getpid())
    srv = tf1.train.Server(spec, job_name=job, task_index=idx)
    if job == 'ps': g.info('ps hazir: %s', srv.target); srv.join()
    shm = os.environ.get('OKUYUCU'); q = None
    if shm:
        q = mp.get_context('spawn').Queue(20); pr = mp.get_context('spawn').Process(target=okuyucu, args=(q, idx), daemon=True); pr.start(); g.info('okuyucu basladi pid %d', pr.pid)
    with tf1.device(tf1.train.replica_device_setter(worker_device=f'/job:worker/task:{idx}', cluster=spec)):
        gs = tf1.train.get_or_create_global_step(); x = tf1.placeholder(tf.float32, [None, 96 * 64]); w = tf1.get_variable('w', [96 * 64, 2], initializer=tf1.zeros_initializer())
        loss = tf1.reduce_mean((x @ w - x[:, :2]) ** 2); tr = tf1.train.GradientDescentOptimizer(1e-4).minimize(loss, global_step=gs)
    rng = np.random.default_rng(idx); N = int(os.environ.get('ADIM', '400'))
    with tf1.train.MonitoredTrainingSession(srv.target, is_chief=idx == 0, checkpoint_dir=os.environ['LABDIR'] + '/model' if idx == 0 else None, save_checkpoint_secs=6, hooks=[tf1.train.StopAtStepHook(N)]) as s:
        k = 0
        while not s.should_stop():
            if q:
                from multiprocessing import shared_memory as sm
                while True:
                    try: nm = q.get(timeout=3); break
                    except Exception:
                        if pr.is_alive(): g.warning('okuyucu yavas, bekleniyor'); continue
                        g.error('okuyucu oldu, cikis kodu %s', pr.exitcode); sys.stdout.flush(); raise RuntimeError('okuyucu sureci bitti (exitcode %s)' % pr.exitcode)
                try: m = sm.SharedMemory(nm)
                except FileNotFoundError: continue
                a = np.ndarray((16, 96 * 64), 'f4', m.buf).copy(); m.close()
                if k % 2: m.unlink()
            else: a = rng.normal(size=(16, 96 * 64)).astype('f4')
            l, n, _ = s.run([loss, gs, tr], {x: a}); k += 1
            if k % 4 == 0: g.info('adim %d kayip %.4f', n, l)
            if k % 60 == 0:
                try: open('/mnt/kamera/kalibrasyon.yml')
                except OSError as e: g.warning('kalibrasyon okunamadi, eskisi ile devam: %s', e)
            time.sleep(float(os.environ.get('UYKU', '.06')))
    g.info('egitim bitti')
