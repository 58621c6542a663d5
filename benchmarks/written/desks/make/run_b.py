"""Runs of the other groups. Usage: run_b.py NAME..."""
from run_a import *
def npy(d, sizes, feat=32, bad=None):
    import numpy as np
    os.makedirs(d, exist_ok=True); W = np.random.RandomState(1).randn(feat, 1).astype('float32')
    for k, n in enumerate(sizes):
        x = np.random.RandomState(50 + k).randn(n, feat).astype('float32')
        if bad is not None and k == bad[0]: x[bad[1]] = 3e38
        np.save('%s/frames-%03d.npy' % (d, k), np.concatenate([x, x @ W], 1))
def native(L):
    os.makedirs(L.dir + '/lib', exist_ok=True)
    subprocess.run(['gcc', '-O1', '-shared', '-fPIC', '-o', L.dir + '/lib/libsmooth.so.1', os.path.join(MAKE, 'jobs/smooth.c')], check=True)
def tf1(L, ps, wk, s, extra, py=PY21, env=None, tag='', skip=()):
    ts = {}; P = ','.join(h + ':2222' for h in ps); W = ','.join(h + ':2222' for h in wk)
    for j, hs in (('ps', ps), ('worker', wk)):
        for i, h in enumerate(hs):
            n = '%s%s%d' % (tag, 'w' if j == 'worker' else j, i)
            if n in skip: continue
            ts[n] = L.start(n, h, [py, s, '--job', j, '--task', str(i), '--ps', P, '--workers', W] + extra, (env or {}).get(n, {}))
    return ts
def r06():
    H = {'scat-ps-0': '10.128.2.40', 'scat-worker-0': '10.128.2.41', 'scat-worker-1': '10.130.0.17', 'scat-worker-2': '10.130.0.18'}
    L = Lab('r06', H); s = cp(L, 'tf1_between.py', 'main.py'); native(L); lib = {'LD_LIBRARY_PATH': L.dir + '/lib'}
    ex = ['--steps', '600', '--native', 'libsmooth.so.1', '--sleep', '.02']
    full = {'oldw0': lib, 'oldw1': lib, 'oldw2': lib}; env = {'w0': lib, 'w2': lib}
    hs = ['scat-worker-0', 'scat-worker-1', 'scat-worker-2']
    o = tf1(L, ['scat-ps-0'], hs, s, ex[:1] + ['400'] + ex[2:], env=full, tag='old')
    L.wait([o['oldw0'], o['oldw1'], o['oldw2']], 60); L.kill(o['oldps0'], signal.SIGTERM); time.sleep(2)
    ts = tf1(L, ['scat-ps-0'], ['scat-worker-0', 'scat-worker-1', 'scat-worker-2'], s, ex, env=env)
    for k in range(2):
        L.wait([ts['w1']], 30); time.sleep(7)
        ts['w1'] = L.start('w1r%d' % (k + 1), 'scat-worker-1', ts['w1'].p.args[11:], {})
    L.wait([ts['w1']], 30); time.sleep(12)
    for n in ('ps0', 'w0', 'w2'): L.kill(ts[n], signal.SIGTERM)
    time.sleep(1); L.close()
def r07():
    H = {'ran-kpi-worker-0': '10.42.0.31', 'ran-kpi-worker-1': '10.42.1.22', 'ran-kpi-worker-2': '10.42.2.27'}
    L = Lab('r07', H); s = cp(L, 'loop_mw.py', 'kpi.py')
    mw(L, list(H), s, ['--steps', '150'], py=PY21, tag='g'); L.wait(timeout=60)
    ts = mw(L, list(H), s, ['--steps', '200'], py=PY21, idxs=[0, 1, 1])
    L.wait_line(ts[0], 'has connected to coordination'); time.sleep(12)
    for t in ts: L.kill(t, signal.SIGTERM)
    L.wait(timeout=6); L.close()
def r08():
  for lim in (100, 160, 84, 130, 190):
    if r08_try(lim): return
def r08_try(lim):
    shutil.rmtree(os.path.join(OUT, 'run', 'r08'), ignore_errors=True)
    H = {'vie-c1': '10.8.0.1', 'vie-p1': '10.8.0.11', 'vie-w1': '10.8.0.21', 'vie-w2': '10.8.0.22'}
    L = Lab('r08', H); s = cp(L, 'ps_cc.py', 'cdr_train.py'); records(L.dir + '/cdr', 200, 12)
    cl = {'chief': ['vie-c1:3333'], 'ps': ['vie-p1:3333'], 'worker': ['vie-w1:3333', 'vie-w2:3333']}; ts = {}
    for n, h, t, i in (('ps0', 'vie-p1', 'ps', 0), ('w0', 'vie-w1', 'worker', 0), ('w1', 'vie-w2', 'worker', 1), ('chief', 'vie-c1', 'chief', 0)):
        ts[n] = L.start(n, h, [PY21, s, '--epochs', '25', '--steps', '20', '--sleep', '.1', '--files', 'cdr/*.tfrecord'], {'TF_CONFIG': tf_config(cl, t, i)},
                        pre='ulimit -n %d' % lim if n == 'w1' else '')
    L.wait([ts['chief']], 60); L.close()
    return ts['chief'].rc and any('Too many open files' in l[2] for l in ts['chief'].lines)
def r09():
    H = {'bmp-a0': '10.244.3.8', 'bmp-a1': '10.244.4.9', 'bmp-b0': '10.244.3.12', 'bmp-b1': '10.244.4.13', 'bmp-b2': '10.244.5.4'}
    L = Lab('r09', H); s = cp(L, 'loop_mw.py', 'beams.py'); npy(L.dir + '/fa', [700] * 8); npy(L.dir + '/fb', [500] * 9, bad=(4, 310))
    ta = mw(L, ['bmp-a0', 'bmp-a1'], s, ['--steps', '130', '--data', 'fa/*.npy', '--guard'], py=PY21, tag='A')
    L.wait(timeout=80)
    tb = mw(L, ['bmp-b0', 'bmp-b1', 'bmp-b2'], s, ['--steps', '90', '--data', 'fb/*.npy', '--guard'], py=PY21, tag='B')
    L.wait(timeout=80); L.close()
def r10():
    H = {'tiles-dispatch-7f9c': '10.60.1.4', 'tiles-feed-0': '10.60.1.5', 'tiles-feed-1': '10.60.2.5', 'tiles-train-0': '10.60.2.9'}
    L = Lab('r10', H); s = cp(L, 'dsvc.py', 'feed.py'); records(L.dir + '/tiles', 4, 200); D = 'tiles-dispatcher.ml-feed.svc.cluster.local:5050'
    d = L.start('disp', 'tiles-dispatch-7f9c', [PY21, s, 'dispatcher']); L.wait_line(d, 'dispatch server at')
    for i in (0, 1): L.start('dw%d' % i, 'tiles-feed-%d' % i, [PY21, s, 'dataworker', '--dispatcher', D, '--me', 'tiles-feed-%d' % i])
    L.start('tr0', 'tiles-train-0', [PY21, s, 'trainer', '--dispatcher', D, '--files', 'tiles/*.tfrecord', '--steps', '400'])
    time.sleep(50)
    for t in L.tasks: L.kill(t, signal.SIGTERM)
    time.sleep(1); L.close()
def r11():
    H = {'render-lx01': '192.168.40.11', 'render-lx02': '192.168.40.12', 'render-lx03': '192.168.40.13'}
    L = Lab('r11', H); s = cp(L, 'loop_mw.py', 'train_anim.py'); npy(L.dir + '/frames', [640, 640, 640, 640, 640, 288, 640, 640, 208])
    ts = mw(L, list(H), s, ['--steps', '120', '--data', 'frames/*.npy'], py=PY21)
    L.wait_line(ts[2], 'end of data'); time.sleep(10)
    for t in ts: L.kill(t, signal.SIGTERM)
    L.wait(timeout=5); L.close()
def r12():
    H = {'lin-build7': '10.5.20.7', 'lin-build8': '10.5.20.8'}
    L = Lab('r12', H); s = cp(L, 'fit_br.py', 'fit_npc.py'); os.makedirs(L.dir + '/scratch')
    ts = mw(L, list(H), s, ['--epochs', '30', '--steps', '20', '--workdir', 'scratch', '--hidden', '96', '--ckpt'],
            pre={0: 'mount -t tmpfs -o size=1900k none %s/scratch' % L.dir})
    L.wait(timeout=90); L.close()
def r13():
    H = {'ci-coord': '172.18.0.2', 'ci-ps': '172.18.0.3', 'ci-w0': '172.18.0.4', 'ci-w1': '172.18.0.5'}
    L = Lab('r13', H); s = cp(L, 'ps_cc.py', 'ps_smoke.py')
    cl = {'chief': ['ci-coord:2222'], 'ps': ['ci-ps:2222'], 'worker': ['ci-w0:2222', 'ci-w1:2222']}; ts = {}
    A = [PY21, s, '--epochs', '16', '--steps', '20', '--sleep', '.4']
    for n, h, t, i in (('ps0', 'ci-ps', 'ps', 0), ('w0', 'ci-w0', 'worker', 0), ('w1', 'ci-w1', 'worker', 1), ('chief', 'ci-coord', 'chief', 0)):
        ts[n] = L.start(n, h, A, {'TF_CONFIG': tf_config(cl, t, i)})
    L.wait_line(ts['chief'], 'epoch 6: mean'); L.kill(ts['w1']); time.sleep(.5)
    L.start('w1b', 'ci-w1', A, {'TF_CONFIG': tf_config(cl, 'worker', 1)})
    L.wait([ts['chief']], 90); L.close()
def r14():
    H = {'nmd-ps': '10.77.0.9', 'nmd-wa': '10.77.0.20', 'nmd-wb': '10.77.0.21', 'nmd-wc': '10.77.0.22'}
    L = Lab('r14', H); s = cp(L, 'tf1_between.py', 'playtest.py'); native(L); lib = {'LD_LIBRARY_PATH': L.dir + '/lib'}
    env = {n: dict(lib) for n in ('w0', 'w1', 'w2')}; env['w2']['SMOOTH_WINDOW'] = '409600'
    ts = tf1(L, ['nmd-ps'], ['nmd-wa', 'nmd-wb', 'nmd-wc'], s, ['--steps', '5000', '--native', 'libsmooth.so.1', '--sleep', '.03', '--logdir', L.dir + '/ckpt'], env=env)
    L.wait([ts['w2']], 60); time.sleep(14)
    for n in ('w0', 'w1', 'ps0'): L.kill(ts[n], signal.SIGTERM)
    time.sleep(1); L.close()
def r15():
    H = {'tin': '192.168.12.30', 'zinc': '192.168.12.31', 'brass': '192.168.12.32', 'desk-0417': '192.168.12.77'}
    L = Lab('r15', H); s = cp(L, 'dsvc.py', 'weather_fx.py'); records(L.dir + '/clips', 4, 300)
    with open(L.dir + '/sensors.csv', 'w') as f:
        f.write('t2m,rh,wind,press,label\n'); r = random.Random(4)
        for _ in range(4000): f.write(','.join('%.2f' % r.gauss(0, 1) for _ in range(5)) + '\n')
    d = L.start('disp', 'tin', [PY21, s, 'dispatcher']); L.wait_line(d, 'dispatch server at')
    for i, h in enumerate(('zinc', 'brass')): L.start('dw%d' % i, h, [PY21, s, 'dataworker', '--dispatcher', 'tin:5050', '--me', h])
    time.sleep(5)
    a = L.start('trA', 'desk-0417', [PY21, s, 'trainer', '--dispatcher', 'tin:5050', '--files', 'clips/*.tfrecord', '--steps', '200', '--job', 'clips'])
    L.wait([a], 60)
    b = L.start('trB', 'desk-0417', [PY21, s, 'trainer', '--dispatcher', 'tin:5050', '--index', 'sensors.csv', '--steps', '200', '--job', 'sensors'])
    L.wait([b], 60); time.sleep(1); L.close()
def r16():
    H = {'c4-%02d' % i: '10.12.4.%d' % (20 + i) for i in range(1, 9)}
    L = Lab('r16', H); s = cp(L, 'loop_mw.py', 'ensemble.py')
    ts = mw(L, list(H), s, ['--steps', '500', '--every', '1', '--sleep', '.05'], py=PY21)
    L.wait_line(ts[0], 'step   60', 150); L.kill(ts[5]); L.wait(timeout=90); L.close()
def r17():
    H = {'pb101': '10.200.1.101', 'pb102': '10.200.1.102', 'pb103': '10.200.1.103'}
    L = Lab('r17', H); s = cp(L, 'tf1_between.py', 'nowcast_v1.py')
    ex = ['--steps', '2600', '--sleep', '.02', '--logdir', L.dir + '/ckpt', '--every', '20']
    ts = tf1(L, ['pb101'], ['pb102', 'pb103'], s, ex, skip=('ps0',), py=PY15); time.sleep(27)
    P = L.start('ps0', 'pb101', [PY15, s, '--job', 'ps', '--task', '0', '--ps', 'pb101:2222', '--workers', 'pb102:2222,pb103:2222'] + ex)
    L.wait(list(ts.values()), 90); time.sleep(1); L.kill(P, signal.SIGTERM); time.sleep(1); L.close()
def r18():
    H = {'hail1': '10.31.0.1', 'hail2': '10.31.0.2', 'hail3': '10.31.0.3'}
    L = Lab('r18', H); s = cp(L, 'loop_mw.py', 'storms.py')
    cl = {'worker': [h + ':2222' for h in H]}
    for i, h in enumerate(H):
        v = 'vocab_%s.txt' % h; open(os.path.join(L.dir, v), 'w').write(''.join('tok%d\n' % k for k in range(512 if i != 1 else 498)))
        L.start('w%d' % i, h, [PY21, s, '--steps', '200', '--vocab', '/var/tmp/u_vocab.txt'], {'TF_CONFIG': tf_config(cl, 'worker', i)},
                pre='touch /var/tmp/u_vocab.txt; mount --bind %s/%s /var/tmp/u_vocab.txt' % (L.dir, v))
    L.wait(timeout=70); L.close()
def r19():
    H = {'lsf-n%d' % i: '10.9.9.%d' % i for i in (14, 15, 16, 17)}
    L = Lab('r19', H); s = cp(L, 'loop_mw.py', 'snow.py')
    ts = mw(L, list(H), s, ['--steps', '3000', '--every', '2', '--sleep', '.08', '--timeout', '4'], py=PY21)
    L.wait_line(ts[0], 'step   90'); L.kill(ts[2], signal.SIGSTOP); L.wait([ts[0], ts[1], ts[3]], 100); L.close()
def r20():
    H = {'fx11': '10.61.0.11', 'fx12': '10.61.0.12', 'fx13': '10.61.0.13'}
    L = Lab('r20', H); s = cp(L, 'loop_mw.py', 'seaice.py'); cl = {'worker': [h + ':2222' for h in H]}
    for k in (0, 1):
        ts = [L.start('%sw%d' % ('gb'[k], i), h, [PY15 if (k and i == 1) else PY21, s, '--steps', '100'], {'TF_CONFIG': tf_config(cl, 'worker', i)}) for i, h in enumerate(H)]
        if not L.wait(ts, 60):
            for t in ts: L.kill(t, signal.SIGTERM)
            L.wait(ts, 5)
    L.close()
if __name__ == '__main__':
    for n in sys.argv[1:]:
        shutil.rmtree(os.path.join(OUT, 'run', n), ignore_errors=True)
        try: globals()[n]()
        except Exception as e: print(n, 'ERROR', repr(e))
        sys.stdout.flush()
