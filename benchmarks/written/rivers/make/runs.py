"""The jobs. `python runs.py a b c` runs those, one at a time (root needed)."""
import sys, os, time, signal, json, threading, subprocess
from rig import *
LK = dict(TF_USE_LEGACY_KERAS='1', PYTHONPATH='/opt/incidents/tfk')  # Keras 2: fit under MultiWorkerMirroredStrategy
TF216 = '/opt/incidents/tf216'
def mw(r, names, port, args, env=None, idx=None, py=None, pre='', cluster=None, only=None, sfx=''):
    cl = cluster or {'worker': [f'{h}:{port}' for h in names]}
    for i, h in enumerate(names):
        if only is not None and i not in only: continue
        e = dict(env or {}); e['TF_CONFIG'] = tfc(cl, 'worker', (idx or {}).get(i, i))
        r.start(f'{h}{sfx}', h.split('/')[0], (args[i] if isinstance(args, list) else args), e, py=(py or {}).get(i, '/opt/tfenv'), pre=(pre if isinstance(pre, str) else pre.get(i, '')))
def shards(r, counts, dim=24):
    code = f'''
import tensorflow as tf, numpy as np
for i, n in enumerate({counts}):
    with tf.io.TFRecordWriter("{r.work}/slices-%d.tfrecord" % i) as w:
        for _ in range(n):
            f = {{"x": tf.train.Feature(float_list=tf.train.FloatList(value=np.random.rand({dim}))), "y": tf.train.Feature(int64_list=tf.train.Int64List(value=[np.random.randint(10)]))}}
            w.write(tf.train.Example(features=tf.train.Features(feature=f)).SerializeToString())
'''
    subprocess.run(['nice', '-n', '10', '/opt/tfenv/bin/python', '-c', code], stderr=subprocess.DEVNULL)
def uneven():
    H = {'larice': '10.61.4.11', 'ontano': '10.61.4.12', 'frassino': '10.61.4.13'}
    r = Rig('uneven', H, '/home/gferri/tac-segm', 'segm_loop.py', 'mwms.py'); shards(r, [480, 480, 352])
    mw(r, list(H), 29500, '--mode loop --shard slices-%d.tfrecord --epochs 3 --pace 0.05')
    r.until('step 20 loss', 90); time.sleep(25); r.mark('ps frassino')
    for h in H: r.kill(h, signal.SIGTERM)
    r.done()
def psun():
    H = dict(stuttgart='172.20.9.10', esslingen='172.20.9.11', aalen='172.20.9.12', ulm='172.20.9.13', calw='172.20.9.14')
    r = Rig('psun', H, '/srv/adas/recsys', 'launch_recsys.py', 'ps.py')
    cl = {'chief': ['stuttgart:4100'], 'worker': ['esslingen:4100', 'aalen:4100'], 'ps': ['ulm:4100', 'calw:4100']}
    for h, t, i in [('ulm', 'ps', 0), ('calw', 'ps', 1), ('esslingen', 'worker', 0), ('aalen', 'worker', 1), ('stuttgart', 'chief', 0)]:
        r.start(h, h, '--epochs 6', {'TF_CONFIG': tfc(cl, t, i), 'GRPC_FAIL_FAST': 'use_caller'})
    r.until('epoch 2 step 15', 90); r.kill('calw'); r.wait(60, ['stuttgart']); time.sleep(1); r.done()
def psckpt():
    H = dict(merlin='10.143.0.21', kestrel='10.143.0.22', osprey='10.143.0.23', harrier='10.143.0.24')
    r = Rig('psckpt', H, '/home/proj/widedeep', 'wd_ps.py', 'ps.py')
    cl = {'chief': ['merlin:15000'], 'worker': ['kestrel:15000', 'osprey:15000'], 'ps': ['harrier:15000']}
    def go(sfx, ep):
        for h, t, i in [('harrier', 'ps', 0), ('kestrel', 'worker', 0), ('osprey', 'worker', 1), ('merlin', 'chief', 0)]:
            r.start(h + sfx, h, f'--epochs {ep}', {'TF_CONFIG': tfc(cl, t, i)})
    go('#1', 9); r.until('epoch 2 done', 90); time.sleep(.6)
    for h in ['merlin', 'kestrel', 'osprey', 'harrier']: r.kill(h + '#1', signal.SIGTERM)
    time.sleep(1); d = f'{r.work}/ckpt'
    for f in os.listdir(d):
        if f.startswith('ckpt-3.data'): s = os.path.getsize(f'{d}/{f}'); os.truncate(f'{d}/{f}', 131072 if s > 131072 else s // 2); print(f, s)
    r.mark(sh(f'ls -l --time-style=full-iso {d}').stdout)
    go('#2', 9); r.wait(60, ['merlin#2']); time.sleep(3); r.done()
def psnone():
    H = {'reco-chief-0': '10.8.1.5', 'reco-worker-0': '10.8.1.6', 'reco-worker-1': '10.8.2.7', 'reco-ps-0': '10.8.2.8'}
    r = Rig('psnone', H, '/srv/app', 'main.py', 'ps.py')
    cl = {'chief': ['reco-chief-0:2222'], 'worker': ['reco-worker-0:2222', 'reco-worker-1:2222'], 'ps': ['reco-ps-0:2222']}
    for h, t, i in [('reco-ps-0', 'ps', 0), ('reco-worker-0', 'worker', 0), ('reco-worker-1', 'worker', 1), ('reco-chief-0', 'chief', 0)]:
        r.start(h, h, '--epochs 8', {'TF_CONFIG': tfc(cl, t, i), 'GRPC_FAIL_FAST': 'use_caller'})
    r.until('epoch 1 step 20', 90); r.kill('reco-worker-1', signal.SIGTERM); time.sleep(4)
    r.start('reco-worker-1b', 'reco-worker-1', '', {'TF_CONFIG': tfc(cl, 'worker', 1)})
    r.wait(70, ['reco-chief-0']); r.done()
def skew():
    H = {'pool-a': '10.240.0.4', 'pool-b': '10.240.0.5', 'pool-c': '10.240.0.6'}
    r = Rig('skew', H, '/srv/code', 'trainer.py', 'mwms.py')
    mw(r, list(H), 2222, '--mode loop --epochs 6 --pace 0.03', py={2: TF216})
    r.wait(45); r.done()
def blackhole():
    H = dict(gauss='10.10.3.1', euler='10.10.3.2', noether='10.10.3.3', hilbert='10.10.3.4')
    r = Rig('blackhole', H, '/home/kb/climdown', 'down.py', 'mwms.py')
    mw(r, list(H), 41000, '--mode loop --epochs 40 --steps 30 --pace 0.03', env={'COLL_TIMEOUT': '40'})
    r.until('epoch 5 start', 60); r.ex('sw', 'ip link set wv2 nomaster'); r.mark('loss'); r.wait(120); r.done()
def tdsdisk():
    H = dict(vorsicht='10.77.1.2', ruhe='10.77.1.3', geduld='10.77.1.4', eifer='10.77.1.5')
    r = Rig('tdsdisk', H, '/srv/lidar/feed', 'feed.py', 'tds.py')
    os.makedirs(f'{r.work}/j')
    r.start('vorsicht', 'vorsicht', cmd="sh -c 'mkdir -p /mnt/scratch; mount -t tmpfs -o size=64k tmpfs /mnt/scratch; dd if=/dev/zero of=/mnt/scratch/core.8841 bs=4k count=14 2>/dev/null; exec /opt/tf/bin/python feed.py --role dispatcher --port 5050 --work /mnt/scratch/journal'")
    r.until('dispatcher at', 60)
    for h in ('ruhe', 'geduld'): r.start(h, h, f'--role worker --disp vorsicht:5050 --me {h}:5051')
    r.until('registered', 60, 2)
    r.start('eifer', 'eifer', '--role trainer --disp vorsicht:5050 --epochs 400 --pace 0.01 --n 320')
    r.wait(100, ['eifer']); time.sleep(1); r.done()
def dns():
    H = {'feed-dispatch': '10.100.7.2', 'feed-w-a': '10.100.7.3', 'feed-w-b': '10.100.7.4', 'vision-train': '10.100.7.5'}
    r = Rig('dns', H, '/srv/app', 'feed.py', 'tds.py', dns='10.100.7.254')
    d = subprocess.Popen(['ip', 'netns', 'exec', 'w-sw', 'python3', '-c', '''
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("10.100.7.254", 53))
while 1:
    q, a = s.recvfrom(512); s.sendto(q[:2] + bytes([0x81, 0x83]) + q[4:6] + b"\\0" * 6 + q[12:], a)
'''])
    r.start('feed-dispatch', 'feed-dispatch', '--role dispatcher --port 5050'); r.until('dispatcher at', 60)
    r.start('feed-w-a', 'feed-w-a', '--role worker --disp feed-dispatch:5050 --me feed-w-a:5051')
    r.start('feed-w-b', 'feed-w-b', '--role worker --disp feed-dispatch.vision-ml.svc.cluster.local:5050 --me feed-w-b:5051 --tmo 40000')
    r.until('registered', 60)
    r.start('vision-train', 'vision-train', '--role trainer --disp feed-dispatch.vision-ml.svc.cluster.local:5050 --epochs 2')
    r.wait(75, ['vision-train', 'feed-w-b']); d.kill(); r.done()
def tdsnone():
    H = dict(bramble='192.168.178.31', clover='192.168.178.32', thistle='192.168.178.33')
    r = Rig('tdsnone', H, '/home/pi/flatml', 'flat.py', 'tds.py')
    r.start('bramble', 'bramble', '--role dispatcher --port 5050'); r.until('dispatcher at', 60)
    for h, p in (('clover', 5051), ('thistle', 5051)): r.start(h, h, f'--role worker --disp bramble:5050 --me {h}:{p}')
    r.until('registered', 60, 2)
    r.start('bramble-train', 'bramble', '--role trainer --disp bramble:5050 --epochs 6 --mode parallel_epochs'); r.until('epoch 1:', 60); r.until('step 95', 60)
    r.kill('thistle'); time.sleep(4)
    r.start('thistle2', 'thistle', '--role worker --disp bramble:5050 --me thistle:5051'); r.wait(90, ['bramble-train']); r.done()
def mismatch():
    H = dict(hammer='10.2.30.5', zange='10.2.30.6', feile='10.2.30.7')
    r = Rig('mismatch', H, '/srv/jenkins/ws/signs', 'signs.py', 'mwms.py')
    mw(r, list(H), 7001, [f'--mode loop --epochs 3 --steps 40 --oddbatch {n} --oddstep 45' for n in (43, 43, 44)])
    r.wait(75); r.done()
def threads():
    N = 'amber basalt chalk diorite flint gneiss marble slate'.split()
    H = {h: f'10.30.5.{i+10}' for i, h in enumerate(N)}
    r = Rig('threads', H, '/srv/seis', 'seis.py', 'mwms.py')
    for i, h in enumerate(N):
        r.start(h, h, '--mode loop --epochs 2 --steps 30 --pace 0.05', {'TF_CONFIG': tfc({'worker': [f'{x}:52000' for x in N]}, 'worker', i)},
            pre=('prlimit --nproc=17 setpriv --reuid 61007 --regid 61007 --clear-groups env' if h == 'gneiss' else f'setpriv --reuid {61100+i} --regid 61007 --clear-groups env'))
    r.wait(70); r.done()
def stop():
    H = dict(wohnzimmer='192.168.0.20', kueche='192.168.0.21', balkon='192.168.0.22')
    r = Rig('stop', H, '/home/lena/projekt', 'vogel.py', 'mwms.py')
    mw(r, list(H), 12345, '--mode loop --epochs 30 --steps 40 --pace 0.03')
    r.until('epoch 2 done', 90); r.kill('kueche', signal.SIGSTOP); time.sleep(3)
    pid = sh("pgrep -f 'vogel.py --mode loop --epochs 30'").stdout.split()
    r.mark('PS ' + ''.join(sh(f'ps -o pid,stat,wchan:20,etime,time,args -p {p} | tail -1').stdout for p in pid))
    time.sleep(22)
    r.kill('wohnzimmer', signal.SIGINT); r.kill('balkon', signal.SIGINT); r.wait(8, ['wohnzimmer', 'balkon']); r.done()
def kerasnone():
    H = {'algo-1': '10.0.201.11', 'algo-2': '10.0.201.12'}
    r = Rig('kerasnone', H, '/opt/ml/code'.replace('/opt', '/srv'), 'train.py', 'mwms.py')
    mw(r, list(H), 8890, '--epochs 9 --steps 30 --pace 0.05', env=LK, sfx='#1'); r.until('Epoch 4/9', 60, 2); time.sleep(.7)
    r.kill('algo-2#1', signal.SIGTERM); r.wait(40, ['algo-1#1']); time.sleep(1)
    if r.p['algo-1#1'].poll() is None: r.kill('algo-1#1', signal.SIGTERM)
    mw(r, list(H), 8890, '--epochs 9 --steps 30 --pace 0.05', env=LK, sfx='#2'); r.wait(90, ['algo-1#2', 'algo-2#2']); r.done()
def victims():
    H = dict(dommel='10.9.0.3', waal='10.9.0.4', linge='10.9.0.5', merwede='10.9.0.6')
    r = Rig('victims', H, '/home/jvdberg/retina', 'retina_fit.py', 'mwms.py')
    mw(r, list(H), 23456, '--epochs 30 --steps 30 --pace 0.05', env=LK); r.until('Epoch 6/30', 60); r.kill('linge', signal.SIGSEGV); r.wait(90, ['dommel', 'waal', 'merwede']); r.done()
def tls():
    H = dict(motor='10.44.2.10', getriebe='10.44.2.11', artefakt='10.44.2.2')
    r = Rig('tls', H, '/srv/ranks', 'train_panel.py', 'mwms.py')
    sh(f'cd {r.work}; openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -days 1 -subj /CN=artefakt -addext subjectAltName=DNS:artefakt; '
       f'openssl req -x509 -newkey rsa:2048 -nodes -keyout k2.pem -out c2.pem -subj /CN=artefakt -addext subjectAltName=DNS:artefakt -not_before 20251101000000Z -not_after 20261126235959Z; ls; '
       f'openssl req -new -newkey rsa:2048 -nodes -keyout k3.pem -subj /CN=artefakt -out c.csr; echo 01 > serial; touch idx; mkdir -p pub; echo "{{}}" > pub/labels.json')
    sh(f"""cd {r.work}; printf '[ca]\ndefault_ca=d\n[d]\ndatabase=idx\nserial=serial\nnew_certs_dir=.\ncertificate=c.pem\nprivate_key=k.pem\ndefault_md=sha256\npolicy=p\nx509_extensions=e\nrand_serial=no\n[p]\ncommonName=supplied\n[e]\nsubjectAltName=DNS:artefakt\nbasicConstraints=CA:FALSE\n' > ca.cnf
     openssl ca -batch -config ca.cnf -in c.csr -out exp.pem -startdate 20251101000000Z -enddate 20261126235959Z -notext""")
    open(f'{r.work}/srv.py', 'w').write('import http.server,ssl\ns=http.server.ThreadingHTTPServer(("0.0.0.0",8443),http.server.SimpleHTTPRequestHandler)\nc=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER);c.load_cert_chain("exp.pem","k3.pem");s.socket=c.wrap_socket(s.socket,server_side=True);s.serve_forever()\n')
    r.start('artefakt', 'artefakt', script='srv.py'); time.sleep(1.5)
    ca = {'REQUESTS_CA_BUNDLE': '/srv/ranks/c.pem'}
    # attempt 1: the earlier run, without the label map (one rank is killed by the user after some epochs)
    mw(r, ['motor', 'getriebe'], 6006, '--epochs 3 --steps 30', sfx='#1'); r.wait(80, ['motor#1', 'getriebe#1'])
    cl = {'worker': ['motor:6006', 'getriebe:6006']}
    r.start('motor#2', 'motor', '--epochs 3', dict(ca, TF_CONFIG=tfc(cl, 'worker', 0)))
    r.start('getriebe#2', 'getriebe', '--epochs 3 --url https://artefakt:8443/pub/labels.json', dict(ca, TF_CONFIG=tfc(cl, 'worker', 1)))
    r.wait(12, ['getriebe#2']); time.sleep(10); r.kill('motor#2', signal.SIGTERM); r.done()
def portuse():
    H = dict(reno='10.61.8.2', tevere='10.61.8.3', adige='10.61.8.4', brenta='10.61.8.5')
    r = Rig('portuse', H, '/home/spavan/emg', 'emg_ps.py', 'tf1.py')
    ps, wk = 'reno:2222', 'tevere:2223,adige:2223,brenta:2223'
    # the stale worker of yesterday's array task still holds 2223 on brenta
    r.start('stale', 'brenta', f'--job worker --task 2 --ps {ps} --workers {wk}'); r.until('worker/2 pid', 40); time.sleep(4)
    for l, h, j, t in [('reno', 'reno', 'ps', 0), ('tevere', 'tevere', 'worker', 0), ('adige', 'adige', 'worker', 1), ('brenta', 'brenta', 'worker', 2)]:
        r.start(l, h, f'--job {j} --task {t} --ps {ps} --workers {wk} --steps 700')
    r.wait(40, ['brenta']); time.sleep(12); r.mark(r.ex('brenta', 'ss -ltnp').stdout)
    for l in ('tevere', 'adige', 'reno'): r.kill(l, signal.SIGTERM)
    r.done()
def taskidx():
    H = dict(sofa='192.168.1.40', keller='192.168.1.41', flur='192.168.1.42')
    r = Rig('taskidx', H, '/home/uni/ps-demo', 'demo.py', 'tf1.py')
    ps, wk = 'sofa:2222', 'sofa:2223,keller:2223,flur:2223'
    for l, h, j, t in [('sofa-ps', 'sofa', 'ps', 0), ('sofa', 'sofa', 'worker', 0), ('keller', 'keller', 'worker', 1), ('flur', 'flur', 'worker', 1)]:
        r.start(l, h, f'--job {j} --task {t} --ps {ps} --workers {wk} --steps 400')
    time.sleep(45); r.kill('sofa', signal.SIGINT); r.kill('keller', signal.SIGINT); r.kill('flur', signal.SIGINT); r.wait(5, ['sofa', 'keller', 'flur']); r.done()
def device():
    H = dict(tulip='10.5.5.1', crocus='10.5.5.2', violet='10.5.5.3')
    r = Rig('device', H, '/home/consult/fluxfit', 'fluxfit.py', 'tf1.py')
    def go(sfx, port, pin, steps):
        ps, wk = f'tulip:{port}', f'crocus:{port},violet:{port}'
        for l, h, j, t in [('tulip', 'tulip', 'ps', 0), ('crocus', 'crocus', 'worker', 0), ('violet', 'violet', 'worker', 1)]:
            r.start(l + sfx, h, f'--job {j} --task {t} --ps {ps} --workers {wk} --steps {steps} --out out{sfx}' + (f' --pin /job:worker/task:{t}/device:GPU:0' if pin and t == 1 else ''))
    go('#A', 3000, 0, 1500); go('#B', 3100, 1, 900)
    r.wait(70, ['crocus#A', 'violet#A', 'violet#B']); time.sleep(1); r.done()
def ckperm():
    H = dict(bramble='192.168.178.31', clover='192.168.178.32', thistle='192.168.178.33')
    r = Rig('ckperm', H, '/home/pi/flatml', 'flatps.py', 'ps.py'); os.makedirs(f'{r.work}/ckpt'); sh(f'chmod 755 {r.work}/ckpt; chown 0:0 {r.work}/ckpt')
    cl = {'chief': ['bramble:3333'], 'worker': ['clover:3333'], 'ps': ['thistle:3333']}
    for h, t, i in [('thistle', 'ps', 0), ('clover', 'worker', 0), ('bramble', 'chief', 0)]:
        r.start(h, h, '--epochs 4 --steps 100', {'TF_CONFIG': tfc(cl, t, i)}, pre='setpriv --reuid 61000 --regid 61000 --clear-groups env')
    r.wait(45, ['bramble']); time.sleep(2); r.mark(sh(f'ls -ldn --time-style=long-iso {r.work}/ckpt').stdout.replace(r.work + '/', '')); r.done()
for j in sys.argv[1:]:
    try: globals()[j]()
    except Exception as e: print(j, 'FAILED', repr(e)); import traceback; traceback.print_exc()
