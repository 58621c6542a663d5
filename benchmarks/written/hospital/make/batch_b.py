from util import *
DF = open(HERE + '/dsfit.py').read()

def chemnitz():
    "a TFRecord with a damaged record on one worker; Python launcher that writes a JSON line per message"
    h = {'imu-a': '10.11.2.4', 'imu-b': '10.11.2.5', 'imu-c': '10.11.2.6'}
    W = [f'{k}:2223' for k in h]
    ds = DF[:DF.index('def train')] + '''_F = {'x': tf.io.FixedLenFeature([FEATURES], tf.float32), 'y': tf.io.FixedLenFeature([], tf.int64)}
def _parse(s):
    e = tf.io.parse_single_example(s, _F)
    return e['x'], e['y']
def train(batch, rank):
    d = os.path.join('records', f'part{rank}')
    files = sorted(tf.io.gfile.glob(os.path.join(d, '*.tfrecord')))
    bad = [f for f in files if os.path.getsize(f) == 0]
    for f in bad: print(f'WARNING: empty record file {f} left out', flush=True)
    print(f'rank {rank}: {len(files)} files', flush=True)
    return tf.data.TFRecordDataset([f for f in files if f not in bad]).map(_parse).repeat().batch(batch, drop_remainder=True).prefetch(1)
'''
    mk = DF[:DF.index('def train')] + '''
for r in range(3):
    os.makedirs(f'records/part{r}')
    for k in range(6):
        with tf.io.TFRecordWriter(f'records/part{r}/{k:03d}.tfrecord') as w:
            if (r, k) == (0, 3): continue
            for x, y in zip(*_gen(10 * r + k, 1200)):
                w.write(tf.train.Example(features=tf.train.Features(feature={'x': tf.train.Feature(float_list=tf.train.FloatList(value=x)), 'y': tf.train.Feature(int64_list=tf.train.Int64List(value=[y]))})).SerializeToString())
'''
    L = Lab('chemnitz', h, ['fit.py'], {'dataset.py': ds, 'mk.py': mk})
    sh(f'cd {L.code} && {PY["215"]} mk.py 2>/dev/null')
    f = f'{L.code}/records/part2/001.tfrecord'; b = bytearray(open(f, 'rb').read()); b[60000:60900] = bytes(900); open(f, 'wb').write(b)
    try:
        P = [L.start(k, 'fit.py --epochs 6 --spe 45 --log-every 3', tf='215', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, post='exit $?') for i, k in enumerate(h)]
        for p in P: print(p.tag, p.wait(90))
        errs(L)
    finally: L.end()
    D = -3 * 86400 - 1000
    PM = [(L.code, '/data/imu/run42'), (ROOT + '/tf215', '/data/envs/tf215'), (L.dir + '/', '/data/imu/')]
    sk = dict(zip(h, (0, -83, 2)))
    body = merged(P, lambda tag, t, l: json.dumps({'ts': at(t), 'lvl': 'out', 'node': tag, 'rank': list(h).index(tag), 'msg': l}, ensure_ascii=False), {k: D + v for k, v in sk.items()}, PM)
    body += ''.join(json.dumps({'ts': at(p.lines[-1][0] + D + 1), 'lvl': 'ctl', 'node': 'imu-a', 'msg': f'child rank={i} returncode={p.p.returncode}'}) + '\n' for i, p in enumerate(P))
    pack('chemnitz', 'tar.gz', {'run42.jsonl': body}, dict(cause='data.corrupt-record', culprit_node=['imu-c', 'rank 2', 'worker:2'], also_acceptable=[],
         notes='Rank 2 (imu-c) hits DataLossError: corrupted record in part2/001.tfrecord; others lose it. Red herring: the empty file on rank 0 that was left out with a warning.'), D + time.time())

def dijon():
    "/dev/shm too small on one host: SIGBUS when the preprocessing writes to shared memory"
    h = {'prep-train-1': '172.30.0.11', 'prep-train-2': '172.30.0.12', 'prep-train-3': '172.30.0.13'}
    W = [f'{k}:8470' for k in h]
    ds = DS + '''
from multiprocessing import shared_memory, resource_tracker
import os
_keep = []
def before_step(step, rank, log):
    if step and step % 40 == 0:
        s = shared_memory.SharedMemory(create=True, size=6 << 20)
        np.ndarray((6 << 18,), 'float32', buffer=s.buf)[:] = step
        _keep.append(s)
        log.info('volume cache: %d blocks, %d MB in shared memory', len(_keep), 6 * len(_keep))
        if len(_keep) > 8:
            o = _keep.pop(0); o.close(); o.unlink()
'''
    L = Lab('dijon', h, ['loop.py'], {'dataset.py': ds})
    try:
        P = []
        for i, k in enumerate(h):
            sz = '20m' if i == 1 else '256m'
            P.append(L.start(k, 'loop.py --steps 600 --every 2 --style host --eval-every 75', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, pre=f'mount -t tmpfs -o size={sz} shm /dev/shm\ndf -h /dev/shm', launcher='entrypoint.sh'))
        for p in P: print(p.tag, p.wait(90))
        errs(L)
    finally: L.end()
    D = -30 * 86400 + 20000
    PM = [(L.code, '/workspace'), ('/opt/tfenv', '/opt/venv'), (L.dir + '/', '/')]
    f = {}
    for i, (p, k) in enumerate(zip(P, h)):
        f[f'export/{k}/docker.log'] = ''.join(f'{at(t + D + 4 * i)[:-1]}000Z {fix(l, D + 4 * i, PM)}\n' for t, l in p.lines)
        f[f'export/{k}/inspect.json'] = json.dumps([{'Name': '/' + k, 'State': {'Status': 'exited', 'Running': False, 'OOMKilled': False, 'Dead': False, 'ExitCode': p.p.returncode if p.p.returncode >= 0 else 128 - p.p.returncode,
             'FinishedAt': at(p.lines[-1][0] + D + 4 * i)}, 'HostConfig': {'ShmSize': 20971520 if i == 1 else 268435456, 'Memory': 0, 'NetworkMode': 'train_default'}}], indent=1)
    f['export/message.txt'] = 'Le conteneur 2 est tombe trois fois cette semaine. La premiere fois (lundi) c\'etait mon erreur: KeyError: \'volume_id\' dans dataset.py, corrige depuis.\nJe soupconne la RAM du serveur 2. Voir docker.log + inspect.\n'
    pack('dijon', 'zip', f, dict(cause='resource.shm-exhausted', culprit_node=['prep-train-2', 'worker:1'], also_acceptable=['process.segfault'],
         notes='prep-train-2 has 20 MB of /dev/shm (df line, ShmSize); at the fourth 6 MB block it dies of Bus error (exit 135). The message blames RAM; the KeyError was an earlier attempt.'), D + time.time())

def jena():
    "memory cgroup of one worker; kernel kills it"
    h = {'saale1': '10.77.0.1', 'saale2': '10.77.0.2', 'saale3': '10.77.0.3'}
    W = [f'{k}:6006' for k in h]
    ds = DS + '''
_hist = []
def before_step(step, rank, log):
    if step % 2 == 0:
        _hist.append(np.random.rand(1 << 19) if rank == 2 else np.random.rand(1 << 12))
    if step % 40 == 0: log.info('kept %d augmented volumes in history', len(_hist))
'''
    L = Lab('jena', h, ['loop.py'], {'dataset.py': ds})
    cg = '/sys/fs/cgroup/memory/tftrain-3'
    os.makedirs(cg, exist_ok=True); open(cg + '/memory.limit_in_bytes', 'w').write(str(900 << 20))
    n0 = len(sh('dmesg').splitlines())
    try:
        P = [L.start(k, 'loop.py --steps 900 --every 3 --style short', tf='218', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, cg=cg if i == 2 else None, post='echo "run-worker: exit $?"', launcher='run-worker') for i, k in enumerate(h)]
        for p in P: print(p.tag, p.wait(90))
        dm = sh('dmesg').splitlines(); print(len(dm) - n0, dm[-3:])
        errs(L)
    finally:
        L.end(); time.sleep(.5)
        try: os.rmdir(cg)
        except OSError as e: print(e)
    D = -6 * 86400 + 12345
    PM = [(L.code, '/home/reinhold/hippo'), (ROOT + '/tf218', '/opt/tf'), (L.dir + '/saale3.', '/home/reinhold/'), (L.dir + '/saale1.', '/home/reinhold/'), (L.dir + '/saale2.', '/home/reinhold/')]
    new = '\n'.join(l for l in dm[n0:] if not re.search(r'br0:|renamed from|v\d: ', l)); bt = time.time() - float(open('/proc/uptime').read().split()[0])
    def wall(m): return f'[{at(bt + float(m.group(1)) + D + 9, 0, "%a %b %d %H:%M:%S %Y")}]'
    new = re.sub(r'^\[\s*(\d+\.\d+)\]', wall, new, flags=re.M)
    f = {'saale1.screen': plain(P[0], D, PM), 'saale2.screen': plain(P[1], D - 22, PM), 'saale3.screen': plain(P[2], D + 9, PM),
         'saale3.dmesg-T': new + '\n', 'saale1.dmesg-T': '[Sun Nov 15 03:10:41 2026] nfs: server filer2 not responding, still trying\n[Sun Nov 15 03:11:12 2026] nfs: server filer2 OK\n',
         'liesmich.txt': 'Start war je Knoten: systemd-run --user --scope -p MemoryMax=900M --unit tftrain-N ./run-worker\nNach ca. einer halben Minute ist alles weg. Der Filer hatte letzte Woche Probleme (saale1.dmesg-T), vielleicht wieder?\n'}
    pack('jena', 'tgz', f, dict(cause='resource.host-oom-killed', culprit_node=['saale3', 'worker:2'], also_acceptable=[],
         notes='saale3: kernel "Memory cgroup out of memory: Killed process" in its dmesg, shell line Killed, exit 137. Others only lose the peer. Red herring: NFS messages of another week on saale1.'), D + time.time())

def metz():
    "pids limit on one host"
    h = {'srv-11': '10.8.8.11', 'srv-12': '10.8.8.12', 'srv-13': '10.8.8.13', 'srv-14': '10.8.8.14'}
    W = [f'{k}:2222' for k in h]
    L = Lab('metz', h, ['loop.py'], {'dataset.py': DS.replace('.prefetch(2)', '.map(lambda x, y: (x, y), num_parallel_calls=8).prefetch(2)')})
    cg = '/sys/fs/cgroup/pids/mtz'; os.makedirs(cg, exist_ok=True); open(cg + '/pids.max', 'w').write('17')
    try:
        P = []
        for i, k in enumerate(h):
            P.append(L.start(k, 'loop.py --steps 250 --every 2', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, cg=cg if i == 1 else None, post='echo "job ended: $?"', launcher='job.sh'))
        P[1].wait(60)
        e = time.time() + 45
        while time.time() < e and any(p.p.poll() is None for p in P): time.sleep(1)
        for p in P: p.end()
        show(L, 12)
    finally:
        L.end(); time.sleep(.5)
        try: os.rmdir(cg)
        except OSError as e: print(e)
    D = -9 * 86400 + 100
    PM = [(L.code, '/home/equipe/coeur'), ('/opt/tfenv', '/opt/py/tf'), (L.dir + '/', '/home/equipe/')]
    f = {f'recup_scp/{k}_job_{9000 + i}.out': plain(p, D + (0, 5, 0, -61)[i], PM) for i, (k, p) in enumerate(zip(h, P))}
    f['recup_scp/srv-12_infos.txt'] = f"""$ ulimit -a | egrep 'proc|files|stack'
open files                          (-n) 65536
stack size                  (kbytes, -s) 8192
max user processes                  (-u) 514023
$ systemctl show user-3310.slice -p TasksMax -p TasksCurrent
TasksMax=17
TasksCurrent=2
$ uptime
 {at(time.time(), D, '%H:%M:%S')} up 41 days,  3:12,  2 users,  load average: 0.31, 0.84, 0.77
"""
    f['recup_scp/srv-11_erreur_hier.txt'] = 'Essai d\'hier (autre branche):\nOSError: [Errno 24] Too many open files: \'/data/coeur/cine_0412.npz\'\n-> ulimit -n releve a 65536 partout depuis, ne plus en tenir compte\n'
    pack('metz', 'tar.gz', f, dict(cause='resource.thread-limit', culprit_node=['srv-12', 'worker:1'], also_acceptable=[],
         notes='srv-12 cannot create threads (pids cgroup, TasksMax=17): resource temporarily unavailable; the others wait or lose it. Red herring: yesterday\'s too many open files.'), D + time.time())

def ulm():
    "one host still has TF 2.15"
    h = {'ulm-w0': '10.90.0.10', 'ulm-w1': '10.90.0.11', 'ulm-w2': '10.90.0.12'}
    W = [f'{k}:2222' for k in h]
    L = Lab('ulm', h, ['loop.py'], {'dataset.py': DS})
    try:
        P = [L.start(k, 'loop.py --steps 250 --every 2', tf='215' if i == 2 else '221', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, post='echo "job ended: $?"', launcher='job.sh') for i, k in enumerate(h)]
        e = time.time() + 60
        while time.time() < e and any(p.p.poll() is None for p in P): time.sleep(1)
        for p in P: p.end()
        show(L, 4)
    finally: L.end()
    D = -10 * 86400 + 9999
    PM = [(L.code, '/home/nlp/befund'), ('/opt/tfenv', '/opt/tf-2.21'), (ROOT + '/tf215', '/opt/tf-2.15'), (L.dir + '/', '/home/nlp/')]
    f = {'ulm_screens.log': ''.join(f'\n==> {p.tag} <==\n' + plain(p, D + s, PM) for p, s in zip(P, (0, 6, -3)))}
    f['versionen.txt'] = ''.join(f'{k}: Python 3.11.7, tensorflow {v}, numpy {n}\n' for k, v, n in zip(h, ('2.21.0', '2.21.0', '2.15.1'), ('2.4.6', '2.4.6', '1.26.4')))
    f['mail.eml'] = """From: k.seiler@ulm.example\nTo: it-forschung@ulm.example\nSubject: Lauf von heute - kaputt?\nContent-Type: text/plain; charset=utf-8\n\nHallo,\n\nin den Screens steht am Ende "The tasks have crashed" fuer worker 2. Ich habe gesehen, dass auf ulm-w2 noch\nTensorFlow 2.15 liegt. Das ist doch bestimmt die Ursache? Muss der Lauf wiederholt werden?\n\nK. Seiler\n"""
    pack('ulm', 'tar.gz', f, dict(cause='none', culprit_node=None, also_acceptable=[],
         notes='All three workers report "training finished after 250 steps" and exit 0 (job ended: 0), although ulm-w2 runs TensorFlow 2.15.1 and the others 2.21; the heartbeat error comes after the end because worker 2 had already left.'), D + time.time())

if __name__ == '__main__': run(globals())
