from util import *
DF = open(HERE + '/dsfit.py').read()

def colmar():
    "insufficient: the link of one host is lost, its log is not there"
    h = {'cm1': '10.21.0.1', 'cm2': '10.21.0.2', 'cm3': '10.21.0.3', 'cm4': '10.21.0.4'}
    W = [f'{k}:2222' for k in h]
    L = Lab('colmar', h, ['loop.py'], {'dataset.py': DS})
    try:
        P = [L.start(k, 'loop.py --steps 4000 --every 3 --style bar --eval-every 90', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, post='rc=$?; echo "### fini, code $rc"; exit $rc') for i, k in enumerate(h)]
        P[0].wait_for('step +300/', 60); L.down('cm3')
        e = time.time() + 100
        while time.time() < e and any(P[i].p.poll() is None for i in (0, 1, 3)): time.sleep(1)
        for p in P: p.end()
        errs(L)
    finally: L.end()
    D = -16 * 86400 + 700
    PM = [(L.code, '/home/vision/retine'), ('/opt/tfenv', '/opt/tf'), (L.dir + '/', '/home/vision/')]
    f = {'log_cm1.txt': plain(P[0], D, PM), 'log_cm2.txt': plain(P[1], D + 17, PM), 'log_cm4.txt': plain(P[3], D - 5, PM),
         'A_LIRE.txt': "Je n'ai pas les droits sur cm3 (machine de l'equipe Schmitt), il manque donc son journal. Schmitt est en conge.\nLa semaine derniere un job sur cm4 avait ete tue par le noyau (memoire), mais on a depuis reduit le lot.\n"}
    pack('colmar', 'zip', f, dict(cause='network.unreachable-peer', culprit_node=['cm3', 'worker:2'], also_acceptable=['network.timeout', 'process.killed-by-signal', 'sync.hang', 'collective.timeout', 'hardware.nic-link', 'driver.kernel', 'resource.host-oom-killed', 'process.segfault', 'process.abort-check'],
         notes='Only the logs of the victims: worker 2 (cm3) stopped sending heartbeats; why cannot be told from this. (In truth the link of cm3 went down.) Red herring: earlier OOM on cm4.'), D + time.time())

def thionville():
    "insufficient: one member is late, collective time-out, nothing of that member collected"
    h = {'tv-01': '10.22.0.1', 'tv-02': '10.22.0.2', 'tv-03': '10.22.0.3'}
    W = [f'{k}:2222' for k in h]
    ds = DS + '''
import time
def before_step(step, rank, log):
    if rank == 1 and step == 210: time.sleep(60)
'''
    L = Lab('thionville', h, ['loop.py'], {'dataset.py': ds.replace('rank == 1 and step == 210: time.sleep(60)', 'rank == 1 and step == 210: time.sleep(75)')})
    try:
        P = [L.start(k, 'loop.py --steps 800 --every 4 --style short --hb 20', tf='218', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, post='rc=$?; exit $rc') for i, k in enumerate(h)]
        e = time.time() + 120
        while time.time() < e and any(P[i].p.poll() is None for i in (0, 2)): time.sleep(1)
        for p in P: p.end()
        errs(L)
    finally: L.end()
    D = -18 * 86400 + 4000
    PM = [(L.code, '/srv/app/ecg'), (ROOT + '/tf218', '/srv/py'), (L.dir + '/', '/srv/app/')]
    body = merged([P[0], P[2]], lambda tag, t, l: f'{at(t, 0, "%Y-%m-%d %H:%M:%S,%f")[:-3]} [{tag}] {l}', {k: D for k in h}, PM)
    pack('thionville', 'tar.xz', {'lanceur/sortie.log': body, 'lanceur/lanceur.cfg': '[lanceur]\nnoeuds = tv-01 tv-02 tv-03\nrelayer = tv-01 tv-03\n; tv-02 ecrit dans son propre fichier (disque plein le 2/11, depuis nettoye)\n'},
         dict(cause='collective.timeout', culprit_node=None, also_acceptable=['sync.hang', 'sync.straggler'],
         notes='tv-01 and tv-03 end with a collective time-out (20 s); the log of tv-02 was not collected, so nothing says why it was late. Red herring: disk full on 2/11.'), D + time.time())

def erlangen():
    "insufficient: TF1 workers wait for a ps; only the two workers' outputs"
    h = {'er-ps': '10.23.0.1', 'er-w0': '10.23.0.2', 'er-w1': '10.23.0.3'}
    L = Lab('erlangen', h, ['tf1srv.py'], names=dict(h, **{'er-ps2': '10.23.0.9'}))
    try:
        A = '--ps er-ps:2222,er-ps2:2222 --workers er-w0:2222,er-w1:2222 --steps 300'
        ps = L.start('er-ps', f'tf1srv.py --job ps --task 0 {A}')
        P = [L.start(k, f'tf1srv.py --job worker --task {i} {A}', post='rc=$?; echo "rc $rc"; exit $rc') for i, k in enumerate(('er-w0', 'er-w1'))]
        P[0].wait_for('still waiting', 40); time.sleep(45)
        for p in P: p.kill(signal.SIGINT)
        time.sleep(2)
        for p in P:
            if p.p.poll() is None: p.kill(signal.SIGTERM)
        for p in P: print(p.wait(20))
        show(L, 8)
    finally: L.end()
    D = -40 * 86400 + 4000
    PM = [(L.code, '/home/wz/alt/kera'), ('/opt/tfenv', '/home/wz/env'), (L.dir + '/', '/home/wz/alt/')]
    f = {'screenlog.0': plain(P[0], D, PM).replace('\n', '\r\n'), 'screenlog.1': plain(P[1], D + 3, PM).replace('\n', '\r\n')}
    pack('erlangen', 'tgz', f, dict(cause='network.unreachable-peer', culprit_node=['er-ps2', 'ps:1', '/job:ps/replica:0/task:1'], also_acceptable=['ps.unavailable', 'network.timeout', 'scheduler.unschedulable', 'config.cluster-mismatch', 'sync.hang'],
         notes='Both workers only wait for /job:ps/task:1 until interrupted by hand; nothing says why it is not there (in truth the host er-ps2 does not exist).'), D + time.time())

def halle():
    "none: a PS worker is killed and restarted, the coordinator goes on and finishes"
    h = {'hal-c': '10.24.0.1', 'hal-p': '10.24.0.2', 'hal-w0': '10.24.0.3', 'hal-w1': '10.24.0.4'}
    C = {'chief': ['hal-c:2222'], 'ps': ['hal-p:2222'], 'worker': ['hal-w0:2222', 'hal-w1:2222']}
    L = Lab('halle', h, ['pss.py'], {'dataset.py': DS})
    try:
        st = lambda k, t, i, tag=None: L.start(k, 'pss.py --steps 8000 --every 40', tag=tag, env={'TF_CONFIG': tfc(C, t, i)}, post='rc=$?; exit $rc')
        p = st('hal-p', 'ps', 0); w0 = st('hal-w0', 'worker', 0); w1 = st('hal-w1', 'worker', 1); time.sleep(6)
        c = st('hal-c', 'chief', 0); c.wait_for('scheduled 1200 ', 60); w1.kill(signal.SIGKILL); w1.wait(5); time.sleep(1)
        w2 = st('hal-w1', 'worker', 1, 'hal-w1-2')
        print('chief', c.wait(120)); time.sleep(1)
        for q in (p, w0, w2): q.kill(signal.SIGTERM)
        for q in (p, w0, w2): q.wait(5)
        show(L, 6); errs(L)
    finally: L.end()
    D = -22 * 86400 + 8000
    PM = [(L.code, '/app'), ('/opt/tfenv', '/usr/local'), (L.dir + '/', '/app/')]
    for q, n in ((c, 'coordinator-1'), (p, 'ps-1'), (w0, 'worker0-1'), (w1, 'worker1-1'), (w2, 'worker1-1')): q.tag2 = n
    names = {q.tag: q.tag2 for q in (c, p, w0, w1, w2)}
    body = merged([c, p, w0, w1, w2], lambda tag, t, l: f'{names[tag]:<13} | {l}', {q.tag: D for q in (c, p, w0, w1, w2)}, PM)
    body += 'coordinator-1 exited with code 0\n'
    pack('halle', 'tar.bz2', {'projekt_halle/logs_compose.txt': body, 'projekt_halle/befehle.txt': f'docker compose up -d\n# {at(w1.lines[-1][0], D, "%H:%M")} worker1 auf anderen Host gezogen (Wartung), docker kill, neu gestartet\ndocker compose logs --no-color > logs_compose.txt\ndocker compose down\n'},
         dict(cause='none', culprit_node=None, also_acceptable=[], notes='worker1 was killed for maintenance and restarted; the coordinator logged WorkerPreemption/unavailable errors, recovered, finished all 8000 steps and exited 0. ps and workers were stopped afterwards.'), D + time.time())

if __name__ == '__main__': run(globals())
