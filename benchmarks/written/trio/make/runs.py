"""The 14 incidents: python runs.py NAME runs the job, breaks it and leaves out/NAME/raw."""
import os, signal as G, struct, sys, time, subprocess
from lab import Lab, sh, tf_config, OUT

def tf1(l, ps, workers, port=2222, skip=(), steps=400, extra=None, **k):
    a = ['--ps', ','.join(f'{h}:{port}' for h in ps), '--workers', ','.join(f'{h}:{port}' for h in workers), '--steps', steps, '--ckpt', l.dir + '/ckpt']
    l.tf1args = a
    for i, h in enumerate(ps): l.start(h, f'ps{i}', 'tf1_train.py', *a, '--job ps --task', i)
    for i, h in enumerate(workers):
        if i not in skip: l.start(h, f'worker{i}', 'tf1_train.py', *a, '--job worker --task', i, *(extra or {}).get(i, []))
def workers(l, hosts, script, *args, port=12345, tag='worker%d', per=None):
    c = {'worker': [f'{h}:{port}' for h in hosts]}; ts = []
    for i, h in enumerate(hosts):
        ts.append(tag % i); l.start(h, tag % i, script, *args, *(per or {}).get(i, []), env={'TF_CONFIG': tf_config(c, 'worker', i)})
    return ts
def ps(l, chief, wk, pss, *args, port=2222, fast='use_caller'):
    c = {'chief': [chief + f':{port}'], 'worker': [f'{h}:{port}' for h in wk], 'ps': [f'{h}:{port}' for h in pss]}
    e = lambda t, i: {'TF_CONFIG': tf_config(c, t, i), 'GRPC_FAIL_FAST': fast}
    for i, h in enumerate(pss): l.start(h, f'ps{i}', 'ps_train.py', env=e('ps', i))
    for i, h in enumerate(wk): l.start(h, f'worker{i}', 'ps_train.py', env=e('worker', i))
    l.start(chief, 'chief', 'ps_train.py', *args, env=e('chief', 0))

def albi():      # a parameter server dies and is restarted; the sessions recover
    l = Lab('albi', {'pool-a1': '10.31.4.11', 'pool-a2': '10.31.4.12', 'pool-a3': '10.31.4.13', 'pool-a4': '10.31.4.14'})
    tf1(l, ['pool-a1'], ['pool-a2', 'pool-a3', 'pool-a4'], steps=600)
    l.wait_line('worker0', 'local 60 '); l.sig('ps0', G.SIGKILL); time.sleep(3)
    l.start('pool-a1', 'ps0', 'tf1_train.py', *l.tf1args, '--job ps --task 0', tag='ps0b')
    l.wait(['worker0', 'worker1', 'worker2'], 90); return l
def soria():     # a data worker dies and comes back; the trainers go on
    l = Lab('soria', {'hn101': '172.20.1.101', 'hn102': '172.20.1.102', 'hn103': '172.20.1.103'})
    l.start('hn101', 'dispatcher', 'data_service.py', 'dispatcher', 5050)
    for i, h in enumerate(['hn102', 'hn103']): l.start(h, f'dw{i}', 'data_service.py', 'worker 5051 hn101:5050', h + ':5051')
    for i, h in enumerate(['hn102', 'hn103']): l.start(h, f'trainer{i}', 'ds_train.py', '--dispatcher grpc://hn101:5050 --steps 220 --seed', i)
    l.wait_line('trainer0', 'step 60 '); l.sig('dw1', G.SIGKILL); time.sleep(2)
    l.start('hn103', 'dw1b', 'data_service.py', 'worker 5051 hn101:5050', 'hn103:5051')
    l.wait(['trainer0', 'trainer1'], 70); return l
def tartu():     # a keras worker is killed; only the others' logs will be kept
    l = Lab('tartu', {'emu': '192.168.40.21', 'kiwi': '192.168.40.22', 'ibis': '192.168.40.23'})
    t = workers(l, ['emu', 'kiwi', 'ibis'], 'keras_fit.py', '--epochs 30 --sleep .02')
    l.wait_line('worker0', 'Epoch 6/'); l.sig('worker2', G.SIGKILL); l.wait(t, 45); return l
def lund():      # ps 1 dies
    l = Lab('lund', {'ip-10-8-12-4': '10.8.12.4', 'ip-10-8-12-77': '10.8.12.77', 'ip-10-8-13-9': '10.8.13.9', 'ip-10-8-13-31': '10.8.13.31', 'ip-10-8-14-5': '10.8.14.5'})
    ps(l, 'ip-10-8-12-4', ['ip-10-8-12-77', 'ip-10-8-13-9'], ['ip-10-8-13-31', 'ip-10-8-14-5'])
    l.wait_line('chief', 'step 150 '); l.sig('ps1', G.SIGKILL); l.wait(['chief'], 45); return l
def brno():      # a worker reads a file that never answers (its heartbeats go on); the others wait; ended from outside
    l = Lab('brno', {'lab07': '10.9.0.7', 'lab09': '10.9.0.9', 'lab12': '10.9.0.12'})
    for i in range(3): open(f'{l.dir}/lr{i}.txt', 'w').write('0.005')
    t = workers(l, ['lab07', 'lab09', 'lab12'], 'custom_loop.py', '--steps 1000', per={i: ['--lr', f'{l.dir}/lr{i}.txt'] for i in range(3)})
    l.wait_line('worker0', 'step 220 '); os.remove(l.dir + '/lr2.txt'); os.mkfifo(l.dir + '/lr2.txt'); time.sleep(40)
    for g in (G.SIGINT, G.SIGTERM):
        for x in t[:2]:
            if l.procs[x].poll() is None: l.sig(x, g)
        l.wait(t[:2], 5)
    return l
def split():     # a worker that the scheduler never placed
    l = Lab('split', {'swarm-02': '10.0.7.2', 'swarm-03': '10.0.7.3', 'swarm-05': '10.0.7.5'}, None)
    l2 = {'train_ps': '10.0.7.2', 'train_worker0': '10.0.7.3', 'train_worker1': '10.0.7.5', 'train_worker2': '10.0.7.66'}
    for h in l.hosts:
        open(f'/etc/netns/{l.ns(h)}/hosts', 'a').write(''.join(f'{b} {k}\n' for k, b in l2.items()))
    a = ['--ps train_ps:2222 --workers train_worker0:2222,train_worker1:2222,train_worker2:2222 --steps 400 --ckpt', l.dir + '/ckpt']
    l.start('swarm-02', 'ps0', 'tf1_train.py', *a, '--job ps --task 0')
    for i, h in enumerate(['swarm-03', 'swarm-05']): l.start(h, f'worker{i}', 'tf1_train.py', *a, '--job worker --task', i)
    l.wait(['worker0'], 75)
    for x in l.procs: l.sig(x, G.SIGTERM)
    l.wait(list(l.procs), 8); return l
def jena():      # the input waits for a staging program that waits for a lock
    l = Lab('jena', {'ente': '141.30.9.4', 'gans': '141.30.9.5', 'schwan': '141.30.9.6'})
    d = l.dir + '/scratch'; os.makedirs(d); os.mkfifo(d + '/part-2')
    for k in (0, 1): open(f'{d}/part-{k}', 'w').write('\n'.join(str(k * 300 + i) for i in range(300)) + '\n')
    l.start('ente', 'oldstage', 'stage.py', d, 'hold'); time.sleep(.5); l.start('ente', 'stage', 'stage.py', d)
    l.start('ente', 'dispatcher', 'data_service.py', 'dispatcher 5050')
    l.start('ente', 'dw0', 'data_service.py', 'worker 5051 ente:5050 ente:5051')
    for i, h in enumerate(['gans', 'schwan']): l.start(h, f'trainer{i}', 'ds_train.py', '--dispatcher grpc://ente:5050 --sleep .05 --steps 400 --fifo', d, '--seed', i)
    l.wait_line('trainer1', 'step 240 ', 60); time.sleep(30)
    for x in ('stage', 'oldstage', 'dw0', 'trainer0'):
        p = l.procs[x].pid
        open(l.dir + '/proc.txt', 'a').write(f'== {x} {p}\n' + sh(f'ps -L -o pid,lwp,stat,wchan:24,etime,comm -p {p}; cat /proc/{p}/stack; for t in /proc/{p}/task/*; do grep -H -e fifo -e wait_for_partner -e pipe $t/stack; done; ls -l /proc/{p}/fd | grep -e scratch', False))
    open(l.dir + '/proc.txt', 'a').write(sh('cat /proc/locks', False))
    for x in ('trainer0', 'trainer1', 'dw0', 'dispatcher'): l.sig(x, G.SIGTERM)
    time.sleep(3); return l
def gubbio():    # attempt 1 is interrupted; attempt 2 has a wider layer and restores the backup of attempt 1
    l = Lab('gubbio', {'merlo': '10.50.3.2', 'corvo': '10.50.3.3', 'gazza': '10.50.3.4'})
    h = ['merlo', 'corvo', 'gazza']
    t = workers(l, h, 'keras_fit.py', '--epochs 30 --sleep .02 --backup', l.dir + '/backup', tag='a1worker%d')
    l.wait_line(t[0], 'Epoch 5/')
    for x in t: l.sig(x, G.SIGINT)
    l.wait(t, 6)
    for x in t:
        if l.procs[x].poll() is None: l.sig(x, G.SIGKILL)
    time.sleep(1)
    t = workers(l, h, 'keras_fit.py', '--epochs 30 --sleep .02 --units 48 --backup', l.dir + '/backup', tag='a2worker%d', port=12346)
    l.wait(t, 50); return l
def narva():     # attempt 1 is left stopped (ctrl-Z) on one machine; attempt 2 cannot bind there
    l = Lab('narva', {'thinkstation': '10.77.0.15', 'oldxeon': '10.77.0.16'})
    h = ['thinkstation', 'oldxeon']
    t = workers(l, h, 'keras_fit.py', '--epochs 40 --sleep .03', tag='a1worker%d')
    l.wait_line(t[0], 'Epoch 4/'); l.sig(t[1], G.SIGSTOP); time.sleep(6); l.sig(t[0], G.SIGINT); l.wait(t[:1], 4)
    if l.procs[t[0]].poll() is None: l.sig(t[0], G.SIGKILL)
    t = workers(l, h, 'keras_fit.py', '--epochs 40 --sleep .03', tag='a2worker%d')
    l.wait(t[1:], 40); l.wait(t[:1], 15)
    if l.procs[t[0]].poll() is None: l.sig(t[0], G.SIGINT)
    open(l.dir + '/ss.txt', 'w').write(sh(f'ip netns exec {l.ns("oldxeon")} ss -ltnp; ps -o pid,stat,etime,args -p {l.procs["a1worker1"].pid}', False))
    l.wait(t[:1], 4); return l
def oulu():      # the data worker outgrows its cgroup
    l = Lab('oulu', {'r4i2n0': '10.148.0.20', 'r4i2n1': '10.148.0.21', 'r4i2n2': '10.148.0.22'})
    cg = '/sys/fs/cgroup/memory/hp_job'; sh(f'mkdir -p {cg}; echo 1100M > {cg}/memory.limit_in_bytes')
    l.start('r4i2n0', 'dispatcher', 'data_service.py', 'dispatcher 5050')
    l.start('r4i2n1', 'dw0', 'data_service.py', 'worker 5051 r4i2n0:5050 r4i2n1:5051')
    open(cg + '/cgroup.procs', 'w').write(str(l.procs['dw0'].pid))
    for i, h in enumerate(['r4i2n0', 'r4i2n2']): l.start(h, f'trainer{i}', 'ds_train.py', '--dispatcher grpc://r4i2n0:5050 --fat 4 --sleep .1 --steps 900 --seed', i)
    l.wait(['dw0'], 90); l.dm = sh(f'cat {cg}/memory.oom_control {cg}/memory.failcnt {cg}/memory.max_usage_in_bytes; dmesg | tail -150', False)
    open(l.dir + '/dmesg.txt', 'w').write(l.dm); time.sleep(4)
    for x in ('trainer0', 'trainer1', 'dispatcher'): l.sig(x, G.SIGTERM)
    time.sleep(2); sh(f'rmdir {cg}', False); return l
def visby():     # one record of one file is damaged
    l = Lab('visby', {'etl-coord': '10.12.0.5', 'etl-w-a': '10.12.0.6', 'etl-w-b': '10.12.0.7', 'etl-ps': '10.12.0.8'})
    d = l.dir + '/data'; os.makedirs(d)
    subprocess.run(['/opt/tfenv/bin/python', '-c', f'''
import tensorflow as tf, numpy as np
r = np.random.default_rng(1)
for k in range(4):
    with tf.io.TFRecordWriter("{d}/clicks-%05d-of-00004.tfrecord" % k) as w:
        for i in range(2600): w.write(r.normal(size=17).astype("f4").tobytes())
b = bytearray(open("{d}/clicks-00002-of-00004.tfrecord", "rb").read()); b[84 * 2150 + 40] ^= 0x5a
open("{d}/clicks-00002-of-00004.tfrecord", "wb").write(b)'''], env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL='3'), capture_output=True)
    ps(l, 'etl-coord', ['etl-w-a', 'etl-w-b'], ['etl-ps'], '--steps 3000 --sleep .01 --data', f"'{d}/clicks-*.tfrecord'")
    l.wait(['chief'], 100); return l
def faro():      # the checkpoint file system of the chief fills
    l = Lab('faro', {'node031': '10.1.1.31', 'node032': '10.1.1.32', 'node033': '10.1.1.33', 'node034': '10.1.1.34'})
    d = l.dir + '/scr'; sh(f'mkdir -p {d} && mount -t tmpfs -o size=1m tmpfs {d}')
    t = workers(l, ['node031', 'node032', 'node033', 'node034'], 'custom_loop.py', '--steps 2000 --save 40 --units 1400 --ckpt', l.dir + '/ck', per={0: ['--ckpt', d]})
    l.wait(t[:1], 90); l.wait(t, 30); open(l.dir + '/df.txt', 'w').write(sh(f'df -k {d}; ls -l {d}', False)); sh(f'umount {d}'); return l
def gent():      # NaNs in one worker's data, eight tasks
    n = {f'c{i:02d}n{j}': f'10.66.{i}.{j}' for i in (1, 2) for j in (1, 2, 3, 4)}
    l = Lab('gent', n); h = list(n)
    tf1(l, h[:2], h[2:], steps=3000, extra={4: ['--bad 70']})
    l.wait(['worker0', 'worker4'], 120); l.wait(['worker1', 'worker2', 'worker3', 'worker5'], 25); return l
def pula():      # the name of the ps is not known
    l = Lab('pula', {'coordinator': '172.18.0.5', 'worker-1': '172.18.0.6', 'worker-2': '172.18.0.7', 'ps-1': '172.18.0.8'}, known={'coordinator': '172.18.0.5', 'worker-1': '172.18.0.6', 'worker-2': '172.18.0.7'})
    ps(l, 'coordinator', ['worker-1', 'worker-2'], ['ps-1'], fast='true')
    l.wait(['chief'], 75); l.sig('chief', G.SIGTERM) if l.procs['chief'].poll() is None else 0; time.sleep(1); return l

for n in sys.argv[1:]:
    l = None
    try: l = globals()[n](); 
    except Exception as e: print('FAILED', n, repr(e))
    if l: l.down()
