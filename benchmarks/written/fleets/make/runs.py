"""The real jobs.  python runs.py NAME...: runs them one after the other; raw output goes to $OUT/work/NAME/raw.json."""
import sys, signal
from lib import *
def data(j, *parts, d='data'): 
    r = sh(f'cd {j.dir}; OMP_NUM_THREADS=1 nice {PY["2.21"]} {HERE}/mkdata.py {d} {" ".join(parts)}'); assert r.returncode == 0, r.stderr
T, K9, STOP = signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP

def port():
    H = {f'wn{i:03d}': f'10.71.4.{i}' for i in (41, 42, 43, 44)}; j = Job('port', H); hs = list(H)
    data(j, *[f'part-{i:05d}.tfrecord=640' for i in range(4)]); c = {'worker': [h+':30517' for h in hs]}
    go = lambda tag: [j.start(f'{tag}-{h}', h, [HERE/'mw_custom.py', '--data', 'data', '--epochs', 4, '--pace', .1], {'TF_CONFIG': tf_config(c, 'worker', i)}) for i, h in enumerate(hs)]
    a = go('a1'); a[0].until('ep 1 step 35'); a[2].kill(STOP); time.sleep(1)
    for q in a[:2]+a[3:]: q.kill(K9)
    time.sleep(4); b = go('a2'); b[2].wait(40); time.sleep(14)
    for q in b: q.kill(K9)
    time.sleep(4); j.finish(4)

def uneven():
    H = {f'cx{i:02d}': f'10.71.7.{20+i}' for i in range(1, 9)}; j = Job('uneven', H); hs = list(H)
    data(j, *[f'part-{i:05d}.tfrecord={384 if i != 5 else 304}' for i in range(8)]); c = {'worker': [h+':2222' for h in hs]}
    p = [j.start(h, h, [HERE/'mw_custom.py', '--data', 'data', '--epochs', 4, '--wait-chief', 1, '--log', 'sat2rr', '--every', 4, '--fmt', '%(asctime)s %(levelname)-7s %(name)s %(message)s'], {'TF_CONFIG': tf_config(c, 'worker', i)}) for i, h in enumerate(hs)]
    p[5].until('waiting for the chief', 120); time.sleep(25)
    for q in p: q.kill(T)
    time.sleep(3); j.finish(5)

def straggler():
    H = {f'runner-{x}': f'10.71.9.{i+5}' for i, x in enumerate(('ada', 'bob', 'cid', 'dot'))}; j = Job('straggler', H); hs = list(H)
    data(j, *[f'part-{i:05d}.tfrecord=4000' for i in range(4)]); c = {'worker': [h+':7777' for h in hs]}
    p = [j.start(h, h, [HERE/'mw_custom.py', '--data', 'data', '--epochs', 3, '--pace', .02, '--log', 'weedseg', '--every', 5, '--fmt', '[%(levelname)s] %(name)s | %(message)s'] + (['--slow', .9, '--slow-from', 24] if i == 2 else []), {'TF_CONFIG': tf_config(c, 'worker', i)}) for i, h in enumerate(hs)]
    p[0].until('step 90 ', 100)
    for q in p: q.kill(T)
    time.sleep(1); j.finish(4)

def stopped():
    H = {f'wr{i}': f'10.71.2.{i+10}' for i in range(3)}; j = Job('stopped', H); hs = list(H)
    data(j, *[f'part-{i:05d}.tfrecord=1600' for i in range(3)]); c = {'worker': [h+':12345' for h in hs]}
    p = [j.start(h, h, [HERE/'mw_custom.py', '--data', 'data', '--epochs', 3, '--log', 'rowfollow', '--every', 4, '--fmt', '%(asctime)s|%(levelname)s|%(message)s'], {'TF_CONFIG': tf_config(c, 'worker', i)}) for i, h in enumerate(hs)]
    p[0].until('step 132 ', 80); p[1].kill(STOP); time.sleep(40)
    for q in (p[0], p[2]): q.kill(T)
    time.sleep(2); j.finish(3)

def mwlost():
    H = {f'abr-{x}': f'10.71.95.{i+3}' for i, x in enumerate('xyz')}; j = Job('mwlost', H); hs = list(H)
    data(j, *[f'part-{i:05d}.tfrecord=1280' for i in range(3)]); c = {'worker': [h+':9000' for h in hs]}
    p = [j.start(h, h, [HERE/'mw_custom.py', '--data', 'data', '--epochs', 3, '--log', 'abr_ladder', '--pace', .03, '--every', 4, '--fmt', '%(levelname).1s%(asctime)s %(process)d %(name)s] %(message)s'], {'TF_CONFIG': tf_config(c, 'worker', i)}, tf='2.15') for i, h in enumerate(hs)]
    p[0].until('step 184 ', 90); p[2].kill(K9); p[0].wait(60); p[1].wait(10); j.finish(3)

def psjob(name, H, nps, nw, port, args=(), cluster=None, faults=None, tf='2.21', cfg=None):
    """H: first host is the coordinator, then ps hosts, then worker hosts"""
    j = Job(name, H); hs = list(H)
    c = cluster or {'chief': [f'{hs[0]}:{port}'], 'ps': [f'{h}:{port}' for h in hs[1:1+nps]], 'worker': [f'{h}:{port}' for h in hs[1+nps:]]}
    P = {}
    def go(t, i, h, tag=''):
        P[f'{t}{i}{tag}'] = j.start(f'{t}{i}{tag}', h, [HERE/'psc.py', *args], {'TF_CONFIG': tf_config(c, t, i), 'GRPC_FAIL_FAST': 'use_caller'}); return P[f'{t}{i}{tag}']
    for i, h in enumerate(hs[1:1+nps]): go('ps', i, h)
    for i, h in enumerate(hs[1+nps:]): go('worker', i, h)
    go('chief', 0, hs[0]); return j, P, go
def psoom():
    j, P, go = psjob('psoom', {'reco-chief-0': '10.71.42.7', 'reco-ps-0': '10.71.42.8', 'reco-ps-1': '10.71.43.5', 'reco-worker-0': '10.71.42.9', 'reco-worker-1': '10.71.43.6'}, 2, 2, 2222, ['--epochs', 8, '--pace', .08])
    P['chief0'].until('epoch 5 step 20', 80); P['ps1'].kill(K9); P['chief0'].wait(60)
    for q in P.values(): q.kill(T)
    j.finish(4)
def psnone():
    j, P, go = psjob('psnone', {'bidder-c': '10.71.5.2', 'bidder-p0': '10.71.5.3', 'bidder-w0': '10.71.5.4', 'bidder-w1': '10.71.5.5'}, 1, 2, 4711, ['--epochs', 6, '--pace', .1, '--name', 'rank.trainer', '--fmt', '%(asctime)s %(name)s %(levelname)s %(message)s'])
    P['chief0'].until('epoch 3 step 10', 80); P['worker1'].kill(K9); time.sleep(4); go('worker', 1, 'bidder-w1', 'b'); P['chief0'].wait(80)
    for k in P: P[k].kill(T)
    j.finish(4)
def psvictim():
    j, P, go = psjob('psvictim', {'ctr-master': '10.71.18.4', 'ctr-ps-a': '10.71.18.9', 'ctr-ps-b': '10.71.18.10', 'ctr-wk-a': '10.71.18.21', 'ctr-wk-b': '10.71.18.22', 'ctr-wk-c': '10.71.18.23'}, 2, 3, 6001, ['--epochs', 9, '--pace', .06, '--name', 'ctr'])
    P['chief0'].until('epoch 4 step 20', 80); P['ps0'].kill(K9); P['chief0'].wait(60); time.sleep(2)
    for q in P.values(): q.kill(T)
    j.finish(4)
def pslocal():
    c = {'chief': ['localhost:5000'], 'ps': ['localhost:5001'], 'worker': ['localhost:5002', 'localhost:5003']}
    j, P, go = psjob('pslocal', {'ifx-a1': '10.71.30.1', 'ifx-a2': '10.71.30.2', 'ifx-a3': '10.71.30.3', 'ifx-a4': '10.71.30.4'}, 1, 2, 0, ['--name', 'snowmelt'], cluster=c)
    P['chief0'].wait(45); time.sleep(1)
    for q in P.values(): q.kill(T)
    j.finish(6)

def tfds(name, H, disp=None, nw=2, port=5050, args=(), pres={}, dargs=(), extra_host=0, vlog=0):
    j = Job(name, H); hs = list(H); data(j, *[f'train-{i:02d}.tfrecord=700' for i in range(4)]); P = {}
    def go(n, h, a, tag=''): P[n+tag] = j.start(n+tag, h, [HERE/'tfds.py', *a, *args], pre=pres.get(n, ''), env={'PYTHONFAULTHANDLER': '1', **({'TF_CPP_VMODULE': 'grpc_util=2,data_service_client=1,worker_impl=1,dispatcher_impl=1'} if vlog else {})}); return P[n+tag]
    d = disp or f'{hs[0]}:{port}'
    go('disp', hs[0], ['dispatcher', '--port', port, *dargs]); time.sleep(5)
    for i in range(nw): go(f'dsw{i}', hs[1+i], ['dsworker', '--port', port+1, '--disp', d])
    time.sleep(3)
    for i, h in enumerate(hs[1+nw+extra_host:]): go(f'tr{i}', h, ['trainer', '--disp', d, '--data', 'data'])
    return j, P, go
def dsdns():
    H = {'vigdis': '10.71.60.1', 'ragnhild': '10.71.60.2', 'torunn': '10.71.60.3', 'solveig': '10.71.60.4'}
    j = Job('dsdns', H); data(j, *[f'train-{i:02d}.tfrecord=700' for i in range(4)])
    (j.dir/'nss').write_text('hosts: files\n'); pre = f'mount --bind {j.dir}/nss /etc/nsswitch.conf;'   # the machines have no name server that knows the name
    f = ['--fmt', '%(levelname).1s %(name)s: %(message)s']; d = 'vigdis:5050'; bad = 'vigdis.bdi.mil-int:5050'
    p0 = j.start('disp', 'vigdis', [HERE/'tfds.py', 'dispatcher', '--port', 5050, *f]); time.sleep(5)
    p1 = j.start('dsw0', 'ragnhild', [HERE/'tfds.py', 'dsworker', '--port', 5051, '--disp', bad, *f], {'TF_CPP_VMODULE': 'grpc_util=2,worker_impl=1'}, pre=pre)
    p2 = j.start('dsw1', 'torunn', [HERE/'tfds.py', 'dsworker', '--port', 5051, '--disp', bad, *f], {'TF_CPP_VMODULE': 'grpc_util=2,worker_impl=1'}, pre=pre); time.sleep(3)
    p3 = j.start('tr0', 'solveig', [HERE/'tfds.py', 'trainer', '--disp', d, '--data', 'data', *f])
    time.sleep(48)
    for q in (p0, p1, p2, p3): q.kill(T)
    j.finish(5)
def dsnotfound():
    j, P, go = tfds('dsnotfound', {'bq-disp': '10.71.70.2', 'bq-dw-1': '10.71.70.3', 'bq-dw-2': '10.71.70.4', 'bq-train': '10.71.70.5'}, pres={'dsw1': 'mount -t tmpfs none data;'}, args=['--epochs', 9], nw=1, extra_host=1)
    P['tr0'].until('epoch 3:', 60); go('dsw1', 'bq-dw-2', ['dsworker', '--port', 5051, '--disp', 'bq-disp:5050'])   # a second data worker joins late, without the mount
    P['tr0'].wait(60)
    for q in P.values(): q.kill(T)
    j.finish(5)
def dsvictim():
    j, P, go = tfds('dsvictim', {'fd-disp': '10.71.71.2', 'fd-w1': '10.71.71.3', 'fd-w2': '10.71.71.4', 'fd-t1': '10.71.71.5', 'fd-t2': '10.71.71.6'}, args=['--epochs', 20, '--steps', 30, '--rep', 0])
    P['tr0'].until('epoch 3:', 60); P['disp'].kill(signal.SIGSEGV); P['tr0'].wait(60); time.sleep(5)
    for q in P.values(): q.kill(T)
    j.finish(5)
def dsnone():
    j, P, go = tfds('dsnone', {'mz-0': '10.71.72.2', 'mz-1': '10.71.72.3', 'mz-2': '10.71.72.4', 'mz-3': '10.71.72.5'}, args=['--epochs', 22, '--steps', 40, '--fmt', '%(asctime)s %(name)s %(levelname)s %(message)s'], vlog=1)
    P['tr0'].until('epoch 3:', 60); P['dsw1'].kill(K9); time.sleep(5); go('dsw1', 'mz-2', ['dsworker', '--port', 5051, '--disp', 'mz-0:5050'], 'b'); P['tr0'].wait(80); time.sleep(1)
    for q in P.values(): q.kill(T)
    j.finish(5)

def fit(name, H, args=(), per=lambda i: [], prep=None, files=None):
    j = Job(name, H); hs = list(H); c = {'worker': [h+':8890' for h in hs]}; os.makedirs(j.dir/'ckpt')
    data(j, *(files or [f'train-{i}.tfrecord=500' for i in range(3)]+['val-0.tfrecord=128'])); prep and prep(j)
    def go(tag, extra=()): return [j.start(f'{tag}{i}', h, [HERE/'mw_fit.py', '--data', 'data', *args, *per(i), *extra], {'TF_CONFIG': tf_config(c, 'worker', i)}, tf='2.15') for i, h in enumerate(hs)]
    return j, go
def fitcorrupt():
    j, go = fit('fitcorrupt', {'lx201': '10.71.80.1', 'lx202': '10.71.80.2'}, ['--epochs', 8, '--pace', .05])
    a = go('a'); a[0].until('epoch 4 end', 60); time.sleep(.8)
    for q in a: q.kill(K9)
    time.sleep(2); print(sh(f'cd {j.dir}; find . -name "*.h5" -o -name "*.json" | xargs ls -l').stdout)
    print(sh(f'cd {j.dir}; find backup*').stdout)
    for f in (j.dir/'backup/chief').glob('*.data*'): b = f.read_bytes(); f.write_bytes(b[:len(b)*5//8])
    b = go('b'); b[0].wait(60); time.sleep(6)
    for q in b: q.kill(T)
    j.finish(5); (j.dir/'ls.txt').write_text(sh(f'cd {j.dir}; ls -l backup/chief ckpt').stdout)
def fitnan():
    def prep(j):
        code = "import tensorflow as tf,numpy as np; r=list(tf.data.TFRecordDataset('data/train-1.tfrecord').as_numpy_iterator())\nw=tf.io.TFRecordWriter('data/train-1.tfrecord')\nfor i,b in enumerate(r):\n e=tf.train.Example.FromString(b)\n if i==60: e.features.feature['x'].float_list.value[3]=float('inf')\n w.write(e.SerializeToString())\nw.close()"
        (j.dir/'p.py').write_text(code); sh(f'cd {j.dir}; {PY["2.21"]} p.py')
    j, go = fit('fitnan', {'algo-1': '10.71.90.1', 'algo-2': '10.71.90.2', 'algo-3': '10.71.90.3'}, ['--epochs', 6, '--steps', 24, '--nan-guard', 1, '--verbose', 1], prep=prep)
    a = go('a'); a[0].wait(70); j.finish(15)
def fitbadrec():
    def prep(j):
        f = j.dir/'data/train-1.tfrecord'; b = bytearray(f.read_bytes()); n = len(b)*2//5; b[n:n+40] = os.urandom(40); f.write_bytes(b)
        d2 = j.dir/'good'; shutil.copytree(j.dir/'data', d2); f2 = d2/'train-1.tfrecord'; shutil.copy(d2/'train-0.tfrecord', f2)
    j, go = fit('fitbadrec', {'edge-tr-1': '10.71.91.1', 'edge-tr-2': '10.71.91.2'}, ['--epochs', 6, '--steps', 22], prep=prep, per=lambda i: [])
    a = go('good-', ['--data', 'good', '--epochs', 3, '--backup', 'bk2'])
    for q in a: q.wait(60)
    b = go('bad-', ['--backup', 'bk1']); b[0].wait(60); b[1].wait(20); j.finish(10)
def fitmis():
    j, go = fit('fitmis', {'gl-run-a': '10.71.93.1', 'gl-run-b': '10.71.93.2', 'gl-run-c': '10.71.93.3'}, ['--epochs', 3, '--chief-only-ckpt', 1, '--steps', 30])
    a = go('a'); a[0].wait(50); j.finish(15)
def fitnone():
    j, go = fit('fitnone', {'node-7': '10.71.92.7', 'node-9': '10.71.92.9'}, ['--epochs', 7, '--verbose', 2])
    a = go('a'); a[0].until('epoch 3 end', 60); time.sleep(.6)
    for q in a: q.kill(K9)
    time.sleep(2); b = go('b'); b[0].wait(80); j.finish(15)

def tf1(name, H, nps, args=(), per=lambda job, i: [], pre=lambda job, i: '', prep=None, port=2222, wrap=''):
    j = Job(name, H); hs = list(H); prep and prep(j); P = {}
    ps, wk = hs[:nps], hs[nps:]
    for job, l in (('ps', ps), ('worker', wk)):
        for i, h in enumerate(l):
            P[f'{job}{i}'] = j.start(f'{job}{i}', h, [HERE/'tf1.py', '--ps', ','.join(f'{x}:{port}' for x in ps), '--workers', ','.join(f'{x}:{port}' for x in wk), '--job', job, '--index', i, *args, *per(job, i)], pre=pre(job, i), wrap=wrap)
    return j, P
def end(j, P, n=60):
    for k, q in P.items():
        if k.startswith('w'): q.wait(n); n = 12
    for q in P.values(): q.kill(T)
    j.finish(5)
def tf1disk():
    def prep(j):
        os.makedirs(j.dir/'scratch'); sh(f'mount -t tmpfs -o size=3200k none {j.dir}/scratch'); sh(f'dd if=/dev/zero of={j.dir}/scratch/enspp_2026112518.grb2 bs=1k count=1500')
    j, P = tf1('tf1disk', {'sx-ps1': '10.71.50.1', 'sx-ps2': '10.71.50.2', 'sx-w1': '10.71.50.3', 'sx-w2': '10.71.50.4', 'sx-w3': '10.71.50.5'}, 2, ['--logdir', 'scratch/run', '--steps', 900, '--width', 112, '--save-secs', 4], prep=prep)
    end(j, P, 60); (j.dir/'df.txt').write_text(sh(f'df -k {j.dir}/scratch; ls -l {j.dir}/scratch {j.dir}/scratch/run').stdout); sh(f'umount -l {j.dir}/scratch')
def tf1mismatch():
    j, P = tf1('tf1mismatch', {'pve-ps-1': '10.71.51.1', 'pve-ps-2': '10.71.51.2', 'pve-wk-1': '10.71.51.3', 'pve-wk-2': '10.71.51.4', 'pve-wk-3': '10.71.51.5'}, 2, ['--steps', 400],
        per=lambda job, i: ['--ps', 'pve-ps-2:2222,pve-ps-1:2222'] if (job, i) == ('worker', 2) else [])
    end(j, P, 45)
def tf1fd():
    def prep(j): data(j, *[f'train-{i}.tfrecord=200' for i in range(8)])
    j, P = tf1('tf1fd', {'sp-1': '10.71.52.1', 'sp-2': '10.71.52.2', 'sp-3': '10.71.52.3'}, 1, ['--steps', 500, '--data', 'data/train*', '--reload', 1], pre=lambda job, i: 'ulimit -n 1024;' if (job, i) != ('worker', 1) else 'ulimit -n 400;', prep=prep)
    end(j, P, 60)
def tf1victim():
    j, P = tf1('tf1victim', {'va-ps': '10.71.54.1', 'va-n1': '10.71.54.2', 'va-n2': '10.71.54.3'}, 1, ['--steps', 2000, '--pace', .08])
    P['worker0'].until('local step 100 ', 60); P['ps0'].kill(K9); time.sleep(40)
    for q in P.values(): q.kill(T)
    j.finish(5)
def tf1perm():
    def prep(j):
        os.makedirs(j.dir/'logdir'); os.chmod(j.dir/'logdir', 0o755); os.chown(j.dir/'logdir', 65534, 65534)   # of another user; the tasks may not override it
    j, P = tf1('tf1perm', {'hd-ps0': '10.71.53.1', 'hd-wk0': '10.71.53.2', 'hd-wk1': '10.71.53.3'}, 1, ['--steps', 200], prep=prep, wrap='setpriv --bounding-set=-dac_override,-dac_read_search')
    end(j, P, 40)

if __name__ == '__main__':
    for n in sys.argv[1:]:
        t = time.time(); print('#####', n, flush=True)
        try: globals()[n]()
        except Exception as e: print('ERR', n, repr(e))
        print('took', round(time.time()-t), flush=True)
