"""The jobs and how each was broken.  python3 runs.py NAME..."""
import sys, os, json, time, signal, shutil, subprocess, random
from lib import *
RUNS = {}
def inc(f): RUNS[f.__name__] = f; return f
def mwms(hosts, port): return {'worker': [f'{h}:{port}' for h in hosts]}
def data(lab, dst, n=4, k=700): subprocess.run(['nice', '-n', '10', PY['221'], str(HERE / 'jobs/mkdata.py'), str(dst), str(n), str(k)], check=True, stderr=subprocess.DEVNULL)
def csvs(dst, n, sites, bad=None, rows=200):
    dst.mkdir(parents=True, exist_ok=True); r = random.Random(4)
    for i in range(n):
        with open(dst / f'day-{i:03d}.csv', 'w') as f:
            for k in range(rows):
                s = bad[0] if bad and i == bad[1] and k == bad[2] else r.choice(sites)
                f.write(';'.join([s] + [f'{r.random():.4f}' for _ in range(8)]) + '\n')

@inc
def leipzig():  # one flipped byte run in a TFRecord that worker 1 reads
    H = {'rail-gpu01': '10.47.3.11', 'rail-gpu02': '10.47.3.12', 'rail-gpu03': '10.47.3.13'}
    L = Lab('leipzig', H); c = mwms(H, 7100); data(L, L.run / 'data', 6, 1200)
    f = L.run / 'data/part-00004.tfrecord'; b = bytearray(f.read_bytes()); p = len(b) * 2 // 3; b[p:p + 40] = b'\0' * 40; f.write_bytes(b)
    for i, h in enumerate(H): L.start(f'w{i}', h, 'fit.py', f'--data ../data --backup bk{i} --epochs 30 --steps 12 --batch 32', '215', cluster=c, task=('worker', i), env={'TF_CPP_MIN_LOG_LEVEL': '0'})
    L.wait(['w1'], 110); L.wait(['w0', 'w2'], 25); L.done()

@inc
def odense():  # ps 1 is killed
    H = {'trainer-chief-0': '10.47.42.5', 'trainer-ps-0': '10.47.42.9', 'trainer-ps-1': '10.47.42.10', 'trainer-worker-0': '10.47.42.21', 'trainer-worker-1': '10.47.42.22'}
    L = Lab('odense', H); c = {'chief': ['trainer-chief-0:2222'], 'ps': ['trainer-ps-0:2222', 'trainer-ps-1:2222'], 'worker': ['trainer-worker-0:2222', 'trainer-worker-1:2222']}
    for r, i in (('ps', 0), ('ps', 1), ('worker', 0), ('worker', 1), ('chief', 0)): L.start(f'{r}-{i}', f'trainer-{r}-{i}', 'coord.py', '--steps 200 --pause 0.1', cluster=c, task=(r, i))
    L.until(r'round 46 ', 100); L.sig('ps-1', signal.SIGKILL); L.wait(['chief-0'], 60); L.done()

@inc
def tilburg():  # worker 2 stopped (SIGSTOP); all hang; killed later
    H = {'lok31': '10.47.8.31', 'lok32': '10.47.8.32', 'lok33': '10.47.8.33'}
    L = Lab('tilburg', H); c = mwms(H, 5001)
    for i, h in enumerate(H): L.start(f'w{i}', h, 'train_loop.py', '--steps 5000 --pause 0.05 --ckpt ckpt', cluster=c, task=('worker', i))
    L.until(r'step 210 ', 100, 'w2'); L.sig('w2', signal.SIGSTOP); time.sleep(25)
    for i, h in enumerate(H):
        p = L.procs[f'w{i}'][0].pid
        L.log('ps', h, sh(f'ps -o pid,ppid,stat,etimes,time,wchan:20,args -p {p}').stdout)
        L.log('stack', h, sh(f'grep -E "State|Threads|SigQ|VmRSS" /proc/{p}/status').stdout)
        L.log('ss', h, sh(f'ip netns exec {L.ns[h]} ss -tn').stdout)
    for w in ('w0', 'w1', 'w2'): L.sig(w, signal.SIGTERM)
    L.wait(['w0', 'w1'], 10); L.done()

@inc
def aarhus():  # a worker of the evening's job still holds the port
    H = {'dsb-a': '10.47.20.4', 'dsb-b': '10.47.20.5', 'dsb-c': '10.47.20.6'}
    L = Lab('aarhus', H); a = '--ps_hosts dsb-a:2222 --worker_hosts dsb-b:2223,dsb-c:2223 '
    # attempt 1, which runs; its worker 1 on dsb-c is left behind (stopped by nobody)
    L.start('old-ps', 'dsb-a', 'tf1_train.py', a + '--job_name ps --task_index 0')
    L.start('old-w0', 'dsb-b', 'tf1_train.py', a + '--job_name worker --task_index 0 --train_steps 100000 --log_dir ../logdir_a'); L.start('old-w1', 'dsb-c', 'tf1_train.py', a + '--job_name worker --task_index 1 --train_steps 100000 --log_dir ../logdir_a')
    L.until('step = ', 60, 'old-w1', 6); L.sig('old-w0', signal.SIGTERM); L.sig('old-ps', signal.SIGTERM); time.sleep(4)
    L.start('ps', 'dsb-a', 'tf1_train.py', a + '--job_name ps --task_index 0'); 
    L.start('w0', 'dsb-b', 'tf1_train.py', a + '--job_name worker --task_index 0 --train_steps 4000 --log_dir ../logdir_b'); L.start('w1', 'dsb-c', 'tf1_train.py', a + '--job_name worker --task_index 1 --train_steps 4000 --log_dir ../logdir_b')
    L.wait(['w1'], 40); time.sleep(12)
    L.log('ss', 'dsb-c', sh(f'ip netns exec {L.ns["dsb-c"]} ss -ltnp').stdout)
    L.log('pids', 'dsb-c', ' '.join(f'{k}={v[0].pid}' for k, v in L.procs.items()))
    for w in ('w0', 'ps', 'old-w1'): L.sig(w, signal.SIGTERM)
    L.done()

@inc
def brno():  # ps host name unknown to the resolver
    H = {'ci-ps-a': '10.47.60.2', 'ci-ps-b': '10.47.60.3', 'ci-wk-a': '10.47.60.4', 'ci-wk-b': '10.47.60.5'}
    L = Lab('brno', H); L.write_hosts(skip=('ci-ps-b',)); a = '--ps_hosts ci-ps-a:2222,ci-ps-b:2222 --worker_hosts ci-wk-a:2222,ci-wk-b:2222 '
    for r, i, h in (('ps', 0, 'ci-ps-a'), ('ps', 1, 'ci-ps-b'), ('worker', 0, 'ci-wk-a'), ('worker', 1, 'ci-wk-b')): L.start(f'{r}{i}', h, 'tf1_train.py', a + f'--job_name {r} --task_index {i}')
    L.until('still waiting for response', 60, 'worker0', 5); L.until('still waiting for response', 20, 'worker1', 3)
    for h in ('ci-wk-a', 'ci-wk-b'): L.log('getent', h, '\n'.join(f'$ getent hosts {x}\n' + (sh(f'ip netns exec {L.ns[h]} getent hosts {x}').stdout.strip() or '(no output, rc=2)') for x in H))
    for w in L.procs: L.sig(w, signal.SIGTERM)
    L.wait(['worker0'], 8); L.done()

@inc
def gdynia():  # index 1 given twice
    H = {'c-node-0': '10.47.0.4', 'c-node-1': '10.47.0.5', 'c-node-2': '10.47.0.6'}
    L = Lab('gdynia', H, ); c = mwms(H, 6006)
    for i, h in ((0, 'c-node-0'), (1, 'c-node-1'), (1, 'c-node-2')): L.start(h, h, 'train_loop.py', '--steps 300', cluster=c, task=('worker', i))
    L.wait(list(H), 75)
    for w in L.procs: L.sig(w, signal.SIGTERM)
    L.wait(list(H), 8); L.done()

@inc
def malmo():  # backups fill a small tmpfs
    H = {'hy-trn-1': '10.47.70.1', 'hy-trn-2': '10.47.70.2'}
    L = Lab('malmo', H); c = mwms(H, 9000); data(L, L.run / 'data')
    m = L.run / 'hy-trn-1' / 'backup'; m.mkdir(); sh(f'mount -t tmpfs -o size=700k tmpfs {m}', True); (m / 'eventlog-0917.bin').write_bytes(os.urandom(470_000))
    for i, h in enumerate(H): L.start(f'w{i}', h, 'fit.py', f'--data ../data --backup backup --epochs 12 --steps 15 --hidden {1500}', '215', cluster=c, task=('worker', i))
    L.wait(['w0'], 90); L.wait(['w1'], 20); L.log('df', 'hy-trn-1', sh(f'df -h {m}; ls -la {m}').stdout); L.done(); sh(f'umount {m}')

@inc
def poznan():  # tf.data worker with a small fd limit, interleave over many files
    H = {'feed-d': '10.47.90.2', 'feed-w1': '10.47.90.3', 'feed-w2': '10.47.90.4', 'trn': '10.47.90.9'}
    L = Lab('poznan', H); csvs(L.run / 'in', 150, ['FRA', 'BER'], rows=60)
    L.start('dispatcher', 'feed-d', 'data_node.py', 'dispatcher --port 5050')
    L.until('up on port', 40, 'dispatcher')
    L.start('dw1', 'feed-w1', 'data_node.py', 'worker --port 5051 --dispatcher feed-d:5050 --address feed-w1:5051', pre='ulimit -n 8192;')
    L.start('dw2', 'feed-w2', 'data_node.py', 'worker --port 5051 --dispatcher feed-d:5050 --address feed-w2:5051', pre='ulimit -n 96;')
    L.until('up on port', 30, 'dw2'); L.until('up on port', 30, 'dw1')
    L.start('trainer', 'trn', 'consume.py', f"--service feed-d:5050 --files '../in/*.csv' --steps 400 --interleave 120 --pause 0.03"); L.wait(['trainer'], 60); time.sleep(3); L.done()

@inc
def utrecht():  # log of a negative label: NaN
    H = {'algo-1': '10.47.111.10', 'algo-2': '10.47.111.11', 'algo-3': '10.47.111.12', 'algo-4': '10.47.111.13'}
    L = Lab('utrecht', H); c = {'chief': ['algo-1:2222'], 'ps': ['algo-2:2222'], 'worker': ['algo-3:2222', 'algo-4:2222']}
    for w, r, i in (('algo-2', 'ps', 0), ('algo-3', 'worker', 0), ('algo-4', 'worker', 1), ('algo-1', 'chief', 0)): L.start(w, w, 'coord.py', '--steps 300 --per 2 --labels log', cluster=c, task=(r, i))
    L.wait(['algo-1'], 90); time.sleep(3); L.done()

@inc
def bergen():  # manifests of different length, hang at the end of worker 2's data
    H = {'yard-n1': '10.47.5.1', 'yard-n2': '10.47.5.2', 'yard-n3': '10.47.5.3'}
    L = Lab('bergen', H); c = mwms(H, 4100)
    for i, (h, n) in enumerate(zip(H, (9600, 9600, 8224))):
        open(L.run / h / 'shard.manifest', 'w').write(''.join(f'wagons-{i}{k}.rec {n // 4}\n' for k in range(4)))
        L.start(f'w{i}', h, 'train_loop.py', '--steps 290 --manifest shard.manifest --pause 0.03', cluster=c, task=('worker', i))
    L.until('input exhausted', 90, 'w2'); time.sleep(25)
    for w in L.procs: L.sig(w, signal.SIGTERM)
    L.wait(list(L.procs), 8); L.done()

@inc
def turku():  # worker 1's file has one feature fewer
    H = {'vr-ps': '10.47.14.2', 'vr-w0': '10.47.14.3', 'vr-w1': '10.47.14.4', 'vr-w2': '10.47.14.5'}
    L = Lab('turku', H); 
    code = "import numpy as np,sys\nr=np.random.default_rng(1)\nfor h,k in (('vr-w0',12),('vr-w1',12),('vr-w2',12)):\n  x=r.normal(size=(4000,k)); np.save(sys.argv[1]+'/'+h+'/window.npy', np.c_[x,x.sum(1)])\nx=r.normal(size=(4000,11)); np.save(sys.argv[1]+'/vr-w1/window_p2.npy', np.c_[x,x.sum(1)])"
    subprocess.run([PY['221'], '-c', code, str(L.run)], check=True)
    a = '--ps_hosts vr-ps:2222 --worker_hosts vr-w0:2222,vr-w1:2222,vr-w2:2222 --train_steps 9000 --log_dir ../logdir '
    L.start('ps0', 'vr-ps', 'tf1_train.py', a + '--job_name ps --task_index 0')
    for i in (0, 2, 1):
        L.start(f'w{i}', f'vr-w{i}', 'tf1_train.py', a + f'--job_name worker --task_index {i} --data window{"_p2" if i == 1 else ""}.npy'); L.until('step = ', 50, 'w0', 4)
    L.wait(['w1'], 40); time.sleep(6)
    for w in L.procs: L.sig(w, signal.SIGTERM)
    L.wait(['w0', 'w2'], 8); L.done()

@inc
def graz():  # dim 24 checkpoint, dim 32 model; a second job beside it runs well
    H = {'ip-10-47-33-7': '10.47.33.7', 'ip-10-47-33-8': '10.47.33.8', 'ip-10-47-33-9': '10.47.33.9'}
    L = Lab('graz', H); hs = list(H); ck = L.run / 'ckpt_ctr'
    def job(tag, port, args):
        c = {'chief': [f'{hs[0]}:{port}'], 'ps': [f'{hs[1]}:{port}'], 'worker': [f'{hs[2]}:{port}']}
        for r, i, h in (('ps', 0, hs[1]), ('worker', 0, hs[2]), ('chief', 0, hs[0])): L.start(f'{tag}-{r}{i}', h, 'coord.py', args, cluster=c, task=(r, i))
    job('good', 3000, f'--steps 60 --ckpt ../ckpt_ctr --pause 0.02'); L.wait(['good-chief0'], 70)
    job('bad', 3100, f'--steps 60 --ckpt ../ckpt_ctr --dim 32'); L.wait(['bad-chief0'], 60); time.sleep(2); L.done()

@inc
def lublin():  # backup truncated between two attempts
    H = {'kst-01': '10.47.77.1', 'kst-02': '10.47.77.2'}
    L = Lab('lublin', H); c = mwms(H, 8470); data(L, L.run / 'data')
    for i, h in enumerate(H): L.start(f'a1w{i}', h, 'fit.py', f'--data ../data --backup backup --epochs 200 --steps 12', '215', cluster=c, task=('worker', i))
    L.until('epoch 6 done', 80, 'a1w0')
    for i in range(2): L.sig(f'a1w{i}', signal.SIGKILL)
    time.sleep(1)
    for f in (L.run / 'kst-01').rglob('*.data-*'): b = f.read_bytes(); f.write_bytes(b[:len(b) // 3]); L.log('note', 'kst-01', f'{f} {len(b)} -> {len(b) // 3}')
    L.log('ls', 'kst-01', sh(f'ls -lR {L.run}/kst-01/backup').stdout)
    for i, h in enumerate(H): L.start(f'a2w{i}', h, 'fit.py', f'--data ../data --backup backup --epochs 200 --steps 12', '215', cluster=c, task=('worker', i))
    L.wait(['a2w0'], 60); L.wait(['a2w1'], 15); L.done()

@inc
def kosice():  # a site code that the user's table does not know
    H = {'af-disp': '10.47.18.2', 'af-dw': '10.47.18.3', 'af-trn': '10.47.18.4'}
    L = Lab('kosice', H); csvs(L.run / 'in', 6, ['FRA', 'MUC', 'BER', 'HAM'], bad=('LEJ', 4, 137))
    L.start('disp', 'af-disp', 'data_node.py', 'dispatcher --port 5050'); L.until('up on', 40, 'disp')
    L.start('dw', 'af-dw', 'data_node.py', 'worker --port 5051 --dispatcher af-disp:5050 --address af-dw:5051'); L.until('up on', 40, 'dw')
    L.start('tr0', 'af-trn', 'consume.py', "--service af-disp:5050 --files '../in/*.csv' --steps 240 --pause 0.03 --out linear")  # goes through the service, ends well
    L.start('tr', 'af-trn', 'consume.py', "--service '' --files '../in/*.csv' --steps 4000 --tokenizer py --pause 0.02"); L.wait(['tr', 'tr0'], 60); L.done()

@inc
def rostock():  # a package is missing on one worker
    H = {'sup-w0': '10.47.2.10', 'sup-w1': '10.47.2.11', 'sup-w2': '10.47.2.12'}
    L = Lab('rostock', H); c = mwms(H, 6100)
    for h in ('sup-w0', 'sup-w2'): os.makedirs(L.run / h / 'site/sentencepiece'); open(L.run / h / 'site/sentencepiece/__init__.py', 'w').write('')
    for i, h in enumerate(H): L.start(f'w{i}', h, 'train_loop.py', '--steps 200 --plugin sentencepiece', cluster=c, task=('worker', i), env={'PYTHONPATH': str(L.run / h / 'site')})
    L.wait(['w1'], 40); time.sleep(28)
    for w in L.procs: L.sig(w, signal.SIGTERM)
    L.wait(['w0', 'w2'], 8); L.done()

@inc
def nantes():  # pids cgroup too small for the worker
    H = {'pod-a': '10.47.51.2', 'pod-b': '10.47.51.3', 'pod-c': '10.47.51.4'}
    L = Lab('nantes', H); g = '/sys/fs/cgroup/pids/ssn'; os.makedirs(g, exist_ok=True); open(g + '/pids.max', 'w').write('64')
    c = mwms(H, 2300)
    for i, h in enumerate(H): L.start(f'w{i}', h, 'train_loop.py', '--steps 200', cluster=c, task=('worker', i), cg=g if i == 1 else None)
    L.wait(['w1'], 50); L.log('pids', 'pod-b', open(g + '/pids.events').read() if os.path.exists(g + '/pids.events') else ''); time.sleep(20)
    for w in L.procs: L.sig(w, signal.SIGTERM)
    L.wait(list(L.procs), 8); L.done(); time.sleep(1)
    try: os.rmdir(g)
    except OSError: pass

@inc
def zagreb():  # one worker has another layer width
    H = {'hz-1': '10.47.99.1', 'hz-2': '10.47.99.2', 'hz-3': '10.47.99.3'}
    L = Lab('zagreb', H); c = mwms(H, 7777)
    for i, h in enumerate(H): L.start(f'w{i}', h, 'train_loop.py', f'--steps 200 --hidden {48 if i == 2 else 32}', cluster=c, task=('worker', i))
    L.wait(list(L.procs), 60)
    for w in L.procs: L.sig(w, signal.SIGTERM)
    L.wait(list(L.procs), 8); L.done()

@inc
def lille():  # none: a worker dies and returns
    H = {'chief': '10.47.40.2', 'ps': '10.47.40.3', 'worker1': '10.47.40.4', 'worker2': '10.47.40.5'}
    L = Lab('lille', H); c = {'chief': ['chief:2222'], 'ps': ['ps:2222'], 'worker': ['worker1:2222', 'worker2:2222']}
    for w, r, i in (('ps', 'ps', 0), ('worker1', 'worker', 0), ('worker2', 'worker', 1), ('chief', 'chief', 0)): L.start(w, w, 'coord.py', '--steps 150 --per 4 --pause 0.1', cluster=c, task=(r, i))
    L.until('round 40 ', 80); L.sig('worker2', signal.SIGKILL); time.sleep(2); L.start('worker2', 'worker2', 'coord.py', '', cluster=c, task=('worker', 1)); L.wait(['chief'], 100); L.done()

@inc
def tampere():  # none: both killed, started again, resumed from the backup
    H = {'mess-1': '10.47.66.1', 'mess-2': '10.47.66.2'}
    L = Lab('tampere', H); c = mwms(H, 5500); data(L, L.run / 'data')
    for i, h in enumerate(H): L.start(f'w{i}', h, 'fit.py', f'--data ../data --backup ../backup --epochs 60 --steps 12', '215', cluster=c, task=('worker', i))
    L.until('epoch 6 done', 80, 'w0'); L.sig('w1', signal.SIGKILL); L.wait(['w0'], 25); L.sig('w0', signal.SIGKILL); time.sleep(2)
    for i, h in enumerate(H): L.start(f'w{i}', h, 'fit.py', f'--data ../data --backup ../backup --epochs 60 --steps 12', '215', cluster=c, task=('worker', i))
    L.wait(['w0', 'w1'], 60); L.done()

@inc
def cork():  # none: a tf.data worker and the dispatcher restart
    H = {'jnk-disp': '10.47.81.2', 'jnk-dw1': '10.47.81.3', 'jnk-dw2': '10.47.81.4', 'jnk-trn': '10.47.81.5'}
    L = Lab('cork', H); csvs(L.run / 'in', 8, ['FRA', 'BER'])
    d = 'dispatcher --port 5050 --journal journal'; L.start('dispatcher', 'jnk-disp', 'data_node.py', d); L.until('up on', 40, 'dispatcher')
    w = lambda k: L.start(f'dw{k}', f'jnk-dw{k}', 'data_node.py', f'worker --port 5051 --dispatcher jnk-disp:5050 --address jnk-dw{k}:5051'); w(1); w(2); L.until('up on', 40, 'dw2'); L.until('up on', 40, 'dw1')
    L.start('trainer', 'jnk-trn', 'consume.py', "--service jnk-disp:5050 --files '../in/*.csv' --steps 560 --pause 0.05")
    L.until('step=120 ', 60); L.sig('dw2', signal.SIGKILL); time.sleep(3); L.sig('dispatcher', signal.SIGKILL); time.sleep(2); L.start('dispatcher', 'jnk-disp', 'data_node.py', d); w(2); L.wait(['trainer'], 70); time.sleep(2); L.done()

@inc
def vigo():  # 9 tasks; ps 1 dies; only workers are collected
    H = {f'bcn-ps{i}': f'10.47.200.{2 + i}' for i in range(2)} | {f'bcn-wk{i}': f'10.47.200.{10 + i}' for i in range(7)}
    L = Lab('vigo', H); a = '--ps_hosts bcn-ps0:2222,bcn-ps1:2222 --worker_hosts ' + ','.join(f'bcn-wk{i}:2222' for i in range(7)) + ' --train_steps 30000 --log_dir ../logdir --sleep 0.2 '
    for i in range(2): L.start(f'ps{i}', f'bcn-ps{i}', 'tf1_train.py', a + f'--job_name ps --task_index {i}')
    for i in range(7): L.start(f'wk{i}', f'bcn-wk{i}', 'tf1_train.py', a + f'--job_name worker --task_index {i}')
    L.until('step = ', 100, 'wk6', 12); L.sig('ps1', signal.SIGKILL); L.until('(UnavailableError|recoverable|AbortedError|Unavailable)', 30, 'wk6'); time.sleep(25)
    for w in L.procs: L.sig(w, signal.SIGTERM)
    L.wait(['wk0'], 5); L.done()

@inc
def debrecen():  # worker 2 is killed, its own log is not collected
    H = {'mav-1': '10.47.121.1', 'mav-2': '10.47.121.2', 'mav-3': '10.47.121.3'}
    L = Lab('debrecen', H); c = mwms(H, 3456); data(L, L.run / 'data')
    for i, h in enumerate(H): L.start(f'w{i}', h, 'fit.py', f'--data ../data --backup bk{i} --epochs 60 --steps 10', '215', cluster=c, task=('worker', i))
    L.until('epoch 7 done', 90, 'w2'); L.sig('w2', signal.SIGKILL); L.wait(['w0', 'w1'], 40); L.done()

@inc
def narvik():  # silent packet loss towards the ps (wrong link layer address), TF1
    H = {'ofot-ps': '10.47.150.2', 'ofot-w0': '10.47.150.3', 'ofot-w1': '10.47.150.4'}
    L = Lab('narvik', H); a = '--ps_hosts ofot-ps:2222 --worker_hosts ofot-w0:2222,ofot-w1:2222 --train_steps 30000 --log_dir ../logdir --sleep 0.05 '
    L.start('ps', 'ofot-ps', 'tf1_train.py', a + '--job_name ps --task_index 0')
    for i in range(2): L.start(f'w{i}', f'ofot-w{i}', 'tf1_train.py', a + f'--job_name worker --task_index {i}', env={'GRPC_VERBOSITY': 'INFO'})
    L.until('step = ', 80, 'w1', 12); sh(f'ip -n {L.ns["ofot-w1"]} neigh replace 10.47.150.2 lladdr 02:00:00:00:99:99 dev eth0 nud permanent'); time.sleep(35)
    L.log('probe', 'ofot-w1', sh(f'ip netns exec {L.ns["ofot-w1"]} timeout 6 bash -c "exec 3<>/dev/tcp/10.47.150.2/2222"; echo rc=$?; ip netns exec {L.ns["ofot-w1"]} ss -tno').stdout)
    L.log('probe', 'ofot-w0', sh(f'ip netns exec {L.ns["ofot-w0"]} timeout 6 bash -c "exec 3<>/dev/tcp/10.47.150.2/2222"; echo rc=$?').stdout)
    L.log('probe', 'ofot-ps', sh(f'ip netns exec {L.ns["ofot-ps"]} ss -ltno').stdout)
    for w in L.procs: L.sig(w, signal.SIGTERM)
    L.wait(['w1'], 5); L.done()

@inc
def sibiu():  # TF_CONFIG with a trailing comma on one node
    H = {'swarm-m1': '10.47.160.2', 'swarm-n2': '10.47.160.3', 'swarm-n3': '10.47.160.4'}
    L = Lab('sibiu', H); c = mwms(H, 2400)
    for i, h in enumerate(H):
        cfg = json.dumps({'cluster': c, 'task': {'type': 'worker', 'index': i}})
        if i == 2: cfg = cfg[:-2] + ',}}'
        L.start(f'w{i}', h, 'train_loop.py', '--steps 150', env={'TF_CONFIG': cfg})
    L.wait(['w2'], 40); time.sleep(22)
    for w in L.procs: L.sig(w, signal.SIGTERM)
    L.wait(list(L.procs), 8); L.done()

if __name__ == '__main__':
    for n in sys.argv[1:]:
        t = time.time(); print('==', n, utc(t), flush=True)
        try: RUNS[n]()
        except Exception as e: import traceback; traceback.print_exc()
        print('==', n, 'took', round(time.time() - t), flush=True)
