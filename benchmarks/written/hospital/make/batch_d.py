from util import *
DF = open(HERE + '/dsfit.py').read()

def tours():
    "numpy 2 in the user site of one host, TF 2.15 wants numpy 1"
    h = {'tours-1': '10.14.0.1', 'tours-2': '10.14.0.2', 'tours-3': '10.14.0.3'}
    W = [f'{k}:2222' for k in h]
    L = Lab('tours', h, ['fit.py'], {'dataset.py': DF})
    try:
        V = [L.start(k, 'fit.py --epochs 4 --spe 60 --log-every 4', tag=k + '_v', tf='215', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, post='rc=$?; echo "[lance] fin code=$rc"; exit $rc', launcher='lance.sh') for i, k in enumerate(h)]
        for p in V: print('life', p.wait(60))
        P = []
        for i, k in enumerate(h):
            e = {'TF_CONFIG': tfc({'worker': W}, 'worker', i)}
            if i == 1: e['PYTHONPATH'] = ROOT + '/np2'
            P.append(L.start(k, 'fit.py --epochs 10 --spe 60', tf='215', env=e, post='rc=$?; echo "[lance] fin code=$rc"; exit $rc', launcher='lance.sh'))
        P[1].wait(60); time.sleep(15)
        for p in (P[0], P[2]): p.kill(signal.SIGTERM)
        time.sleep(4)
        for p in (P[0], P[2]):
            if p.p.poll() is None: p.kill(signal.SIGKILL)
        for p in P: p.wait(15)
        show(L, 6)
    finally: L.end()
    D = -4 * 86400 - 8000
    PM = [(L.code, '/home/aubry/irm'), (ROOT + '/tf215', '/opt/tf215'), (ROOT + '/np2', '/home/aubry/.local/lib/python3.11/site-packages'), (L.dir + '/tours-1.', '/home/aubry/'), (L.dir + '/tours-2.', '/home/aubry/'), (L.dir + '/tours-3.', '/home/aubry/')] + [(f'{L.dir}/{k}_v.', '/home/aubry/') for k in h]
    txt = ''
    for p, s, v in zip(P, (0, 0, 0), V):
        txt += f'\n\n############ {p.tag} : tmux capture-pane -pS - -t irm ############\n' + f'aubry@{p.tag}:~/irm$ ~/lance.sh\n' + plain(v, D - 6 * 86400, PM) + f'aubry@{p.tag}:~/irm$ ~/lance.sh\n' + plain(p, D + s, PM)
    txt += '\n\n############ remarques ############\n- tours-2 : pip install --user monai-extra mardi soir (Paul)\n- tours-3 : dmesg montre un OOM de jeudi dernier (processus "matlab" de M. Leroy), rien aujourd\'hui\n    [jeu. nov. 19 17:02:33 2026] Out of memory: Killed process 5512 (MATLAB) total-vm:98112204kB, anon-rss:60933120kB, file-rss:0kB, shmem-rss:0kB, UID:1044 pgtables:121004kB oom_score_adj:0\n- arret au clavier sur 1 et 3 parce que rien ne bougeait\n'
    pack('tours', 'zip', {'Bureau/Compte rendu panne.txt': txt}, dict(cause='env.python-abi', culprit_node=['tours-2', 'worker:1'], also_acceptable=['env.version-skew'],
         notes='tours-2 imports numpy 2.1.3 from ~/.local with TensorFlow 2.15 compiled for numpy 1: import fails; others wait at start-up and were ended by hand. Red herring: MATLAB OOM kill.'), D + time.time())

def gera():
    "custom op library whose dependency is not installed on one host"
    h = {'gera': '10.15.3.2', 'greiz': '10.15.3.3', 'weida': '10.15.3.4'}
    W = [f'{v}:9999' for v in h.values()]
    ds = DF + '''
import ctypes
_ops = tf.load_op_library(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'ops', 'libwsi_decode.so'))
print('wsi decoder loaded', flush=True)
'''
    L = Lab('gera', h, ['fit.py'], {'dataset.py': ds, 'ops/j.c': 'int opj_version(void){return 25;}', 'ops/w.c': 'int opj_version(void);int wsi_v(void){return opj_version();}'})
    lib = L.dir + '/lib'; os.makedirs(lib)
    sh(f'cd {L.code}/ops && gcc -shared -fPIC -Wl,-soname,libopenslide.so.1 -o {lib}/libopenslide.so.1 j.c && gcc -shared -fPIC -o libwsi_decode.so w.c {lib}/libopenslide.so.1')
    try:
        P = []
        for i, k in enumerate(h):
            e = {'TF_CONFIG': tfc({'worker': W}, 'worker', i)}
            if i != 2: e['LD_LIBRARY_PATH'] = lib
            P.append(L.start(k, 'fit.py --epochs 10 --spe 60', tf='215', env=e, launcher='train.sh'))
        P[2].wait(60); time.sleep(12)
        for p in P[:2]: p.kill(signal.SIGTERM)
        time.sleep(3)
        for p in P:
            if p.p.poll() is None: p.kill(signal.SIGKILL)
        for p in P: p.wait(15)
        show(L, 8)
    finally: L.end()
    D = -15 * 86400 + 30000
    PM = [(L.code, '/projekte/wsi'), (ROOT + '/tf215', '/projekte/env'), (lib, '/usr/lib/x86_64-linux-gnu'), (L.dir + '/', '/projekte/')]
    f = {}
    u = {'gera': 'tf-wsi@0', 'greiz': 'tf-wsi@1', 'weida': 'tf-wsi@2'}
    for k, p, s in zip(h, P, (0, 2, 140)):
        pid = p.p.pid
        j = ''.join(f'{at(t + D + s, 0, "%b %d %H:%M:%S")} {k} {u[k]}[{pid}]: {fix(l, D + s, PM)}\n' for t, l in p.lines)
        j += f'{at(p.lines[-1][0] + D + s, 0, "%b %d %H:%M:%S")} {k} systemd[1]: {u[k]}.service: ' + ('Main process exited, code=exited, status=1/FAILURE\n' if k == 'weida' else f'State \'stop-sigterm\' timed out. Killing.\n{at(p.lines[-1][0] + D + s, 0, "%b %d %H:%M:%S")} {k} systemd[1]: {u[k]}.service: Main process exited, code=exited, status=137/n/a\n')
        f[f'journal-{k}.log'] = j
    f['antwort.txt'] = 'AW: AW: Training\n\n"weida" lief im Oktober noch. Unterschied: neu aufgesetzt mit Debian 12 minimal.\nDie Pakete sollten gleich sein, ich tippe auf die Uhr - die geht 2 min vor, chrony war aus. (S.)\n\nDie beiden anderen habe ich per systemctl stop beendet.\n'
    pack('gera', 'tar.xz', f, dict(cause='env.missing-library', culprit_node=['weida', '10.15.3.4', 'worker:2'], also_acceptable=[],
         notes='weida: libopenslide.so.1: cannot open shared object file while loading the op library; the others wait for it and were stopped. Red herring: clock 140 s off.'), D + time.time())

def rennes():
    "a stale worker still holds the port on one host"
    h = {'rn-a': '10.16.0.1', 'rn-b': '10.16.0.2', 'rn-c': '10.16.0.3'}
    W = [f'{k}:2222' for k in h]
    L = Lab('rennes', h, ['loop.py'], {'dataset.py': DS, 'old.py': "import socket,time\ns=socket.socket();s.bind(('0.0.0.0',2222));s.listen(5);print('listening',flush=True);time.sleep(600)\n"})
    try:
        V = [L.start(k, 'loop.py --steps 200 --every 2 --style bar', tag=k + '-v', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, post='rc=$?; echo "[$HOSTNAME] exit=$rc"; exit $rc') for i, k in enumerate(h)]
        for p in V: print('life', p.wait(60))
        for p in V: L.procs.remove(p); p.tag = p.tag[:-2]
        old = L.start('rn-b', 'old.py', tag='old'); old.wait_for('listening', 10); oldpid = old.pypid()
        P = [L.start(k, 'loop.py --steps 500 --style bar', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, post='rc=$?; echo "[$HOSTNAME] exit=$rc"; exit $rc') for i, k in enumerate(h)]
        P[1].wait(60); time.sleep(10)
        for p in (P[0], P[2]): p.kill(signal.SIGTERM)
        time.sleep(3)
        for p in (P[0], P[2]):
            if p.p.poll() is None: p.kill(signal.SIGKILL)
        for p in P: p.wait(15)
        L.procs.remove(old); show(L, 8); old.end()
    finally: L.end()
    D = -7 * 86400 - 20000
    PM = [(L.code, '/home/dev/pose'), ('/opt/tfenv', '/home/dev/venv'), (L.dir + '/', '/home/dev/')]
    body = f'dev@gw:~$ for n in a b c; do ssh rn-$n "cd pose && ./start.sh" 2>&1 | sed "s/^/rn-$n> /" & done; wait\n' + merged(V, lambda tag, t, l: f'{tag}> {l}', {k: D - 3 * 86400 for k in h}, PM) + 'dev@gw:~$ cd pose && git log --oneline | head -3\n41b02fe pose v2: more steps, bar output\n9d1c55a pose v1 (train_pose_v1.py)\n0b7f2d1 start\ndev@gw:~/pose$ for n in a b c; do ssh rn-$n "cd pose && ./start.sh" 2>&1 | sed "s/^/rn-$n> /" & done; wait\n' + merged(P, lambda tag, t, l: f'{tag}> {l}', {k: D for k in h}, PM)
    body += f'''dev@gw:~$ for n in a b c; do echo "== rn-$n"; ssh rn-$n 'uptime; ps -eo user,pid,lstart,cmd | grep [p]ython; dmesg -T | tail -2'; done
== rn-a
 {at(time.time(), D, '%H:%M:%S')} up 12 days,  1:02,  0 users,  load average: 0.55, 0.31, 0.12
[Tue Nov 17 02:14:07 2026] Out of memory: Killed process 2214 (python) total-vm:44120180kB, anon-rss:31640924kB, file-rss:0kB, shmem-rss:0kB, UID:1001 pgtables:64412kB oom_score_adj:0
[Tue Nov 17 02:14:09 2026] oom_reaper: reaped process 2214 (python), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB
== rn-b
 {at(time.time(), D, '%H:%M:%S')} up 12 days,  1:02,  1 user,  load average: 0.02, 0.05, 0.09
dev      {oldpid:7d} Tue Nov 17 01:58:20 2026 /home/dev/venv/bin/python train_pose_v1.py
== rn-c
 {at(time.time(), D, '%H:%M:%S')} up 12 days,  1:01,  0 users,  load average: 0.40, 0.28, 0.11
'''
    pack('rennes', 'tgz', {'terminal_gw.log': body}, dict(cause='network.port-in-use', culprit_node=['rn-b', 'worker:1'], also_acceptable=[],
         notes='rn-b cannot bind port 2222 ("Failed to add port to server: No address added", "Could not start gRPC server"); the stale train_pose_v1.py of the earlier run is still there and holds it. Red herring: OOM kill on rn-a two days before (the end of the earlier run).'), D + time.time())

def zwickau():
    "a ps host name that does not exist, TF1-style servers"
    h = {'zw01': '10.17.0.1', 'zw02': '10.17.0.2', 'zw03': '10.17.0.3', 'ns1': '10.17.0.53'}
    L = Lab('zwickau', h, ['pss.py', 'nxdns.py'], {'dataset.py': DS}, names={'zw01': '10.17.0.1', 'zw02': '10.17.0.2', 'zw03': '10.17.0.3'})
    open(L.dir + '/resolv.conf', 'w').write('search imise.lan\nnameserver 10.17.0.53\n')
    C = {'chief': ['zw01:2222'], 'ps': ['zw02:2223', 'zw04.imise.lan:2223'], 'worker': ['zw02:2222', 'zw03:2222']}
    try:
        L.start('ns1', 'nxdns.py').wait_for('up', 10)
        Q = [('zw02', 'ps', 0), ('zw02', 'worker', 0), ('zw03', 'worker', 1), ('zw01', 'chief', 0)]
        # the run of two days before: one ps only, ended well
        C0 = dict(C, ps=C['ps'][:1]); Q0 = [q for q in Q if q[1] != 'chief']
        st = lambda k, t, i, c, x: L.start(k, 'pss.py --steps 2400', tag=f'{k}-{t}{i}{x}', env={'TF_CONFIG': tfc(c, t, i), 'GRPC_FAIL_FAST': 'true'}, post='rc=$?; exit $rc')
        V = [st(*q, C0, 'v') for q in Q0]
        [p.wait_for('Started server', 30) for p in V]; time.sleep(1)
        V.append(st('zw01', 'chief', 0, C0, 'v')); print('life', V[-1].wait(60))
        for p in V[:-1]: p.kill(signal.SIGTERM)
        for p in V: p.wait(8)
        P = []
        for k, t, i in Q:
            if t == 'chief': [p.wait_for('Started server', 30) for p in P]; time.sleep(1)
            P.append(L.start(k, 'pss.py --steps 800', tag=f'{k}-{t}{i}', env={'TF_CONFIG': tfc(C, t, i), 'GRPC_DNS_RESOLVER': 'ares', 'GRPC_FAIL_FAST': 'true'}, post='rc=$?; exit $rc'))
        P[3].wait(75)
        for p in P[:3]: p.end()
        show(L, 16)
    finally: L.end()
    D = -11 * 86400 + 2222
    PM = [(L.code, '/home/imise/gluko'), ('/opt/tfenv', '/opt/tf'), (L.dir + '/', '/home/imise/')]
    f = {'log/' + p.tag.replace('-', '/', 1) + '.txt': plain(p, D + s, PM) for p, s in zip(P, (0, 0, 64, 0))}
    f.update({'log/' + p.tag[:-1].replace('-', '/', 1) + '.txt.1': plain(p, D - 2 * 86400 + s, PM) for p, s in zip(V, (0, 0, 64, 0))})
    f['Makefile'] = 'HOSTS = zw01 zw02 zw03\nTF_PS = zw02:2223,zw04.imise.lan:2223\n# TODO zw04 -> Name im DNS beantragt (Hr. Vogt, 9.11.)\ntrain:\n\tfor h in $(HOSTS); do ssh $$h "cd gluko; ./runall $$h" & done; wait\n'
    f['log/zw03/kern.txt'] = 'Nov 13 09:58:11 zw03 kernel: [301122.100201] perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500\nNov 14 21:14:50 zw03 kernel: [428120.552010] igb 0000:03:00.0 eno1: igb: eno1 NIC Link is Down\nNov 14 21:14:53 zw03 kernel: [428123.901220] igb 0000:03:00.0 eno1: igb: eno1 NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX/TX\n'
    pack('zwickau', 'tar.gz', f, dict(cause='network.dns', culprit_node=['zw04.imise.lan', 'zw04', 'ps:1'], also_acceptable=[],
         notes='The name zw04.imise.lan (ps 1) cannot be resolved (DNS resolution failed in the coordinator log); red herring: a link flap on zw03 the day before.'), D + time.time())

def saarlouis():
    "none: ended well, with lines about the lost leader at the end"
    h = {'sb-1': '10.18.0.1', 'sb-2': '10.18.0.2', 'sb-3': '10.18.0.3', 'sb-4': '10.18.0.4'}
    W = [f'{k}:2222' for k in h]
    ds = DS + '''
def before_step(step, rank, log):
    if rank == 2 and step in (60, 61, 140):
        try: raise OSError(110, 'Connection timed out', '/mnt/pacs/series_%04d' % step)
        except OSError as e: log.warning('read failed (%s), retry 1/5', e)
        log.info('retry ok')
    if rank == 1 and step == 90: log.error('augmentation gave NaN in 3 voxels of case 0417, replaced by 0')
def after(rank, log):
    import time
    if rank in (1, 2):
        log.info('writing per-case statistics ...'); time.sleep(14 if rank == 1 else 9)
        log.info('statistics written')
'''
    L = Lab('saarlouis', h, ['loop.py'], {'dataset.py': ds})
    try:
        P = []
        for i, k in enumerate(h):
            P.append(L.start(k, f'loop.py --steps 300 --every 2 --ckpt {L.dir}/ck --ckpt-every 100', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, post='rc=$?; echo "exit $rc"; exit $rc'))
        for p in P: print(p.tag, p.wait(100))
        show(L, 5)
    finally: L.end()
    D = -13 * 86400 + 1234
    PM = [(L.code, '/home/kl/lunge'), ('/opt/tfenv', '/opt/tf'), (L.dir + '/', '/home/kl/')]
    f = {f'abgabe/{k}/lauf7.log': plain(p, D + s, PM) for k, p, s in zip(h, P, (0, 1, -2, 40))}
    f['abgabe/Frage.txt'] = 'Koennen Sie bitte schauen, ob Lauf 7 gueltig ist? Auf sb-1, sb-2 und sb-4 stehen am Ende rote Fehler, Worker 2 soll "crashed" sein, im Text steht auch etwas von "preemption". Sollen wir neu rechnen? Dr. Kuhn meint ja.\n'
    pack('saarlouis', 'zip', f, dict(cause='none', culprit_node=None, also_acceptable=[],
         notes='All four workers report "training finished after 300 steps" and exit 0; the heartbeat errors after that come from worker 2, which left before the others. PACS read errors were retried.'), D + time.time())

if __name__ == '__main__': run(globals())
