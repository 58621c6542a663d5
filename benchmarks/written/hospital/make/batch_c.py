from util import *

def brest():
    "parameter server dies; coordinator and workers"
    h = {'chef': '10.5.0.1', 'ps-a': '10.5.0.2', 'ps-b': '10.5.0.3', 'ouvrier1': '10.5.0.4', 'ouvrier2': '10.5.0.5', 'ouvrier3': '10.5.0.6'}
    C = {'chief': ['chef:2222'], 'ps': ['ps-a:2222', 'ps-b:2222'], 'worker': [f'ouvrier{i}:2222' for i in (1, 2, 3)]}
    T = [('chief', 0), ('ps', 0), ('ps', 1), ('worker', 0), ('worker', 1), ('worker', 2)]
    L = Lab('brest', h, ['pss.py'], {'dataset.py': DS})
    try:
        P = {k: L.start(k, 'pss.py --steps 3000 --every 10', env={'TF_CONFIG': tfc(C, *t)}, post='exit $?') for k, t in zip(h, T) if k != 'chef'}
        time.sleep(6)
        P['chef'] = L.start('chef', 'pss.py --steps 3000 --every 10', env={'TF_CONFIG': tfc(C, 'chief', 0)}, post='exit $?')
        P['chef'].wait_for('scheduled 700 ', 90)
        P['ps-b'].kill(signal.SIGKILL)
        P['chef'].wait(90)
        for k in ('ps-a', 'ouvrier1', 'ouvrier2', 'ouvrier3'): P[k].kill(signal.SIGTERM)
        for p in P.values(): p.wait(8)
        show(L, 8)
    finally: L.end()
    D = -25 * 86400 + 555
    PM = [(L.code, '/opt/jobs/sepsis'), ('/opt/tfenv', '/opt/jobs/env'), (L.dir + '/', '/opt/jobs/')]
    f = {}
    for i, (k, p) in enumerate(P.items()):
        f[f'brest_{k}.log'] = ''.join(f'[{at(t + D, 0, "%H:%M:%S")} {k}] {fix(l, D, PM)}\n' for t, l in p.lines)
    f['brest_LANCEUR.log'] = ''.join(f'{at(p.t0, D, "%Y-%m-%d %H:%M:%S")} lancement {k} pid={p.p.pid}\n' for k, p in P.items()) + f'{at(P["chef"].lines[-1][0], D, "%Y-%m-%d %H:%M:%S")} chef termine code=1, arret des autres (SIGTERM)\n'
    f['brest_dmesg_ouvrier2.txt'] = '[Sat Oct 31 23:12:55 2026] python3[18211]: segfault at 0 ip 00007f21c0a1 sp 00007ffd1100 error 4 in libcudart.so.12[7f21c0000000+a1000]\n'
    f['brest_note.txt'] = "Le segfault sur ouvrier2 est peut-etre la cause ? (Noemie)\nLa veille, chef avait plante a cause d'une faute de frappe dans dataset.py (NameError), corrigee.\n"
    pack('brest', 'zip', f, dict(cause='ps.unavailable', culprit_node=['ps-b', 'ps:1'], also_acceptable=['process.killed-by-signal'],
         notes='ps-b (ps task 1) was killed (bash: Killed); the coordinator then ends with UnavailableError for ps task 1. Red herring: segfault of another program on ouvrier2 on 31 Oct, NameError of the day before.'), D + time.time())

if __name__ == '__main__': run(globals())
