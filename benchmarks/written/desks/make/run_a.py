"""Runs of the first group. Usage: run_a.py NAME..."""
import sys, os, shutil, time, signal, random
from lab import *
def cp(lab, job, as_):
    shutil.copy(os.path.join(MAKE, 'jobs', job), os.path.join(lab.dir, as_)); return as_
def mw(lab, hosts, script, args, py=PY15, port=2222, tag='', env=None, pre=None, cluster_hosts=None, idxs=None):
    cl = {'worker': ['%s:%d' % (h, port) for h in (cluster_hosts or hosts)]}
    ts = []
    for i, h in enumerate(hosts):
        e = dict(env or {}); e['TF_CONFIG'] = tf_config(cl, 'worker', idxs[i] if idxs else i)
        ts.append(lab.start('%sw%d' % (tag, i), h, [py, script] + args, e, pre=(pre or {}).get(i, '')))
    return ts
def r01():
    H = {'gamma01': '10.66.4.11', 'gamma02': '10.66.4.12', 'gamma03': '10.66.4.13'}
    L = Lab('r01', H); s = cp(L, 'fit_br.py', 'train_runoff.py'); hs = list(H)
    ts = mw(L, hs, s, ['--epochs', '10', '--steps', '20', '--workdir', 'exp', '--hidden', '64', '--sleep', '.03'], tag='a1')
    L.wait_line(ts[0], 'epoch 5 done'); L.kill(ts[1]); L.wait(timeout=100)
    ts = mw(L, hs, s, ['--epochs', '10', '--steps', '20', '--workdir', 'exp', '--hidden', '96'], tag='a2')
    L.wait(timeout=60); L.close()
def r02():
    H = {'nb-lab': '172.20.9.5', 'psn1': '172.20.9.21', 'psn2': '172.20.9.22', 'wkn1': '172.20.9.31', 'wkn2': '172.20.9.32'}
    L = Lab('r02', H); s = cp(L, 'ps_cc.py', 'cell.py'); P = ':2222'
    cl = {'chief': ['nb-lab' + P], 'ps': ['psn1' + P, 'psn2' + P], 'worker': ['wkn1' + P, 'wkn2' + P]}
    ts = {}
    for n, h, t, i in (('ps0', 'psn1', 'ps', 0), ('ps1', 'psn2', 'ps', 1), ('w0', 'wkn1', 'worker', 0), ('w1', 'wkn2', 'worker', 1), ('chief', 'nb-lab', 'chief', 0)):
        ts[n] = L.start(n, h, [PY21, s, '--epochs', '14', '--steps', '20', '--sleep', '.3'], {'TF_CONFIG': tf_config(cl, t, i)})
    L.wait_line(ts['chief'], 'epoch 8: mean'); L.kill(ts['ps1']); L.wait([ts['chief']], 60); L.close()
def records(d, n, per, corrupt=None):
    os.makedirs(d, exist_ok=True)
    code = '''
import tensorflow as tf, numpy as np, sys
d, n, per = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for k in range(n):
    r = np.random.RandomState(k)
    with tf.io.TFRecordWriter('%s/part-%05d.tfrecord' % (d, k)) as w:
        for _ in range(per):
            v = r.randn(17).astype('float32'); v[16] = v[0] * 2
            w.write(tf.io.serialize_tensor(v).numpy())
'''
    subprocess.run(['nice', '-n', '10', PY21, '-c', code, d, str(n), str(per)], capture_output=True)
    if corrupt is not None:
        f = '%s/part-%05d.tfrecord' % (d, corrupt); b = bytearray(open(f, 'rb').read()); b[len(b) * 2 // 3] ^= 0x40; open(f, 'wb').write(b)
def r03():
    H = {'sextans': '192.168.70.2', 'lyra': '192.168.70.3', 'vela': '192.168.70.4', 'pavo': '192.168.70.5'}
    L = Lab('r03', H); s = cp(L, 'dsvc.py', 'pipeline.py'); records(L.dir + '/tiles', 6, 400, 4)
    d = L.start('disp', 'sextans', [PY21, s, 'dispatcher']); L.wait_line(d, 'dispatch server at')
    for i, h in enumerate(('lyra', 'vela')):
        L.start('dw%d' % i, h, [PY21, s, 'dataworker', '--dispatcher', 'sextans:5050', '--me', h])
    time.sleep(6)
    ts = [L.start('tr%d' % i, h, [PY21, s, 'trainer', '--dispatcher', 'sextans:5050', '--files', 'tiles/*.tfrecord', '--steps', '900', '--job', 'tiles-%d' % i, '--sleep', '.02']) for i, h in enumerate(('pavo', 'sextans'))]
    L.wait(ts, 90); time.sleep(1); L.close()
def r04():
    H = {'kelvin': '10.3.0.41', 'joule': '10.3.0.42', 'ampere': '10.3.0.43'}
    L = Lab('r04', H); s = cp(L, 'loop_mw.py', 'train_spectra.py'); os.makedirs(L.dir + '/decoded')
    open(L.dir + '/decoded/shard-10.lock', 'w').write('20417')
    ts = mw(L, list(H), s, ['--steps', '4000', '--cache', 'decoded', '--every', '1', '--sleep', '.1'], py=PY21)
    L.wait_line(ts[0], 'step   48'); time.sleep(14)
    for t in ts: L.kill(t, signal.SIGUSR1)
    time.sleep(2)
    for t in ts: L.kill(t, signal.SIGTERM)
    L.wait(timeout=10); L.close()
def r05():
    H = {'node-ada': '10.90.1.4', 'node-bell': '10.90.1.5', 'node-cori': '10.90.1.6'}
    L = Lab('r05', H); s = cp(L, 'fit_br.py', 'fit_tides.py'); hs = list(H); A = ['--epochs', '10', '--steps', '30', '--workdir', 'tides', '--ckpt']
    ts = mw(L, hs, s, A, tag='a1')
    L.wait_line(ts[0], 'epoch 4 done'); L.kill(ts[2], signal.SIGKILL); L.wait(timeout=100)
    ts = mw(L, hs, s, A, tag='a2'); L.wait(timeout=80); L.close()
if __name__ == "__main__":
  for n in sys.argv[1:]:
      shutil.rmtree(os.path.join(OUT, 'run', n), ignore_errors=True)
      try: globals()[n]()
      except Exception as e: print(n, 'ERROR', repr(e))
