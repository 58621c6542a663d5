from util import *

def augsburg():
    "TF_CONFIG typed without quotes on the third host: the shell eats the double quotes; the two others wait"
    h = {'radon01': '10.20.0.11', 'radon02': '10.20.0.12', 'radon03': '10.20.0.13'}
    W = [f'{k}:12345' for k in h]
    L = Lab('augsburg', h, ['loop.py'], {'dataset.py': DS})
    try:
        V = [L.start(k, 'loop.py --steps 240 --every 3 --style short', tag=k + '_alt', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}) for i, k in enumerate(h)]
        for p in V: print('life', p.wait(60))
        P = [L.start(k, 'loop.py --steps 400 --style short', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}) for i, k in enumerate(list(h)[:2])]
        js = tfc({'worker': W}, 'worker', 2).replace(', ', ',').replace(': ', ':')
        bare = js.replace('"', '')
        p3 = L.start('radon03', 'loop.py --steps 400 --style short', env={'TF_CONFIG': bare})
        p3.wait(60); time.sleep(20)
        for p in P: p.kill(signal.SIGINT)
        time.sleep(3)
        for p in P:
            if p.p.poll() is None: p.kill(signal.SIGQUIT)
        for p in P: p.wait(20)
        show(L)
    finally: L.end()
    D = -5 * 86400 - 3 * 3600 + 240
    P3 = [(L.code, '/data/home/lindner/prostata'), ('/opt/tfenv', '/data/sw/tf221'), (L.dir, '/data/home/lindner')]
    c = plain(p3, D, P3)
    pr = lambda k: f'lindner@{k}:~/prostata$ /data/sw/tf221/bin/python loop.py '
    a, b = (pr(k) + '--steps 240 --every 3 --style short\n' + plain(V[i], D - 9 * 86400 + z, P3) + pr(k) + '--steps 400 --style short\n' + plain(P[i], D + z, P3) for i, (k, z) in enumerate((('radon01', 0), ('radon02', -47))))
    mail = f'''Von: Lindner, Jonas <j.lindner@radiologie.example>
An: hpc-hilfe@klinikum.example
Datum: Sat, 21 Nov 2026 15:41:12 +0000
Betreff: Training auf radon01-03 startet nicht mehr

Hallo zusammen,

seit dem Umbau am Wochenende (radon03 ist neu installiert worden) startet unser Prostata-Training nicht mehr.
Auf radon01 und 02 bleibt es einfach stehen, ich habe es nach einer Weile mit Strg-C / Strg-\\ abgebrochen.
Auf radon03 habe ich es diesmal von Hand gestartet, weil der Schluessel fuer die ssh-Schleife dort noch fehlt.
Dr. Weiss meint, das sei wieder die Firewall zwischen den beiden Racks (so war es im Maerz). Koennt ihr
bitte Port 12345 pruefen?

Was ich auf radon03 eingegeben habe, aus dem Terminal kopiert:

lindner@radon03:~/prostata$ export TF_CONFIG={js}
lindner@radon03:~/prostata$ /data/sw/tf221/bin/python loop.py --steps 400 --style short
{c}
lindner@radon03:~/prostata$ nc -vz radon01 12345
Connection to radon01 (10.20.0.11) 12345 port [tcp/*] succeeded!
lindner@radon03:~/prostata$ dmesg -T | tail -4
[Thu Nov 19 22:40:02 2026] python3 invoked oom-killer: gfp_mask=0x100cca(GFP_HIGHUSER_MOVABLE), order=0, oom_score_adj=0
[Thu Nov 19 22:40:02 2026] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/user.slice/user-1207.slice/session-9.scope,task=python3,pid=40112,uid=1207
[Thu Nov 19 22:40:02 2026] Out of memory: Killed process 40112 (python3) total-vm:71322480kB, anon-rss:64120988kB, file-rss:912kB, shmem-rss:0kB, UID:1207 pgtables:127004kB oom_score_adj:0
[Fri Nov 20 07:12:44 2026] eno1: renamed from eth0

Die Bildschirmmitschnitte von 01 und 02 haengen an.

Gruesse
Jonas
'''
    pack('augsburg', 'zip', {'Desktop/Anfrage Training/Mail an HPC-Hilfe.txt': mail.encode('utf8'), 'Desktop/Anfrage Training/screenlog.radon01.0': a.replace('\n', '\r\n'),
         'Desktop/Anfrage Training/screenlog.radon02.0': b.replace('\n', '\r\n'), 'Desktop/Anfrage Training/desktop.ini': '[.ShellClassInfo]\r\nIconResource=C:\\WINDOWS\\System32\\SHELL32.dll,4\r\n'},
         dict(cause='config.tf-config-invalid', culprit_node=['radon03', 'worker:2'], also_acceptable=[],
              notes='On radon03 TF_CONFIG was exported without quotes, so bash removed the JSON quotes: JSONDecodeError there; radon01/02 only wait for 1/3 tasks and were interrupted by hand. Red herrings: firewall suspicion in the mail, an OOM kill two days earlier of another user.'), D + time.time())

def lyon():
    "two containers with the same task index; docker compose logs"
    h = {'seg-a': '10.31.0.2', 'seg-b': '10.31.0.3', 'seg-c': '10.31.0.4', 'seg-d': '10.31.0.5'}
    W = [f'{k}:4000' for k in h]
    L = Lab('lyon', h, ['loop.py'], {'dataset.py': DS})
    try:
        idx = [0, 1, 1, 3]; P = []
        for (k, i) in zip(h, idx):
            P.append(L.start(k, 'loop.py --steps 300 --style bar', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, post='exit $?')); time.sleep(1.2 if k == 'seg-b' else .1)
        time.sleep(40)
        for p in P:
            if p.p.poll() is None: p.kill(signal.SIGTERM)
        for p in P: print(p.tag, p.wait(15))
        show(L, 14)
    finally: L.end()
    D = -12 * 86400 + 5000
    PM = [(L.code, '/app'), ('/opt/tfenv/lib', '/usr/local/lib'), ('/opt/tfenv', '/usr/local'), (L.dir, '/app')]
    body = merged(P, lambda tag, t, l: f'{tag}-1  | {l}', {k: D for k in h}, PM)
    for p in P:
        if p.p.returncode is not None: body += f'{p.tag}-1 exited with code {p.p.returncode if p.p.returncode >= 0 else 128 - p.p.returncode}\n'
    yml = 'services:\n' + ''.join(f'''  {k}:
    image: registry.imagelab.example/seg:2.21-cpu
    hostname: {k}
    networks: [train]
    command: python loop.py --steps 300 --style bar
    env_file: env/{k}.env
''' for k in h) + 'networks:\n  train:\n    driver: overlay\n    ipam: {config: [{subnet: 10.31.0.0/16}]}\n'
    f = {'livraison/compose_logs.txt': body, 'livraison/docker-compose.yml': yml,
         'livraison/LISEZ-MOI.txt': "Sortie de `docker compose logs --no-color > compose_logs.txt` apres l'arret (docker compose stop).\nLe job tournait hier a trois services, j'ai ajoute seg-d ce matin.\nA mon avis c'est le reseau overlay : deja en octobre on a perdu des paquets vers le deuxieme hote.\n  -- Mathilde\n"}
    for k, i in zip(h, idx): f[f'livraison/env/{k}.env'] = 'TF_CONFIG=' + tfc({'worker': W}, 'worker', i) + '\nTF_CPP_MIN_LOG_LEVEL=0\nOMP_NUM_THREADS=1\n'
    pack('lyon', 'tgz', f, dict(cause='config.task-index', culprit_node=['seg-c', 'seg-c-1'], also_acceptable=[],
         notes='seg-b and seg-c both have task index 1 (env files and TF_CONFIG printed in logs), index 2 is missing. Red herring: the remark about the overlay network.'), D + time.time())

def bremen():
    "double free in the group's own C library on one rank; launcher prefixes lines"
    h = {'bm-07': '10.40.1.7', 'bm-08': '10.40.1.8', 'bm-11': '10.40.1.11', 'bm-12': '10.40.1.12'}
    W = [f'{k}:29500' for k in h]
    c = '#include <stdlib.h>\n#include <string.h>\nstatic int n;\nvoid smooth_rows(float*x,int len,int odd){float*t=malloc(len*4);memcpy(t,x,len*4);for(int i=1;i<len;i++)x[i]=.5f*(t[i]+t[i-1]);free(t);n++;if(odd)free(t);}\n'
    ds = DS.replace('import numpy as np', 'import ctypes, os\nimport numpy as np') + '''
_lib = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'libsmoothrows.so'))
_buf = np.ones(333, 'float32')
def before_step(step, rank, log):
    if step % 10 == 0:
        if step % 50 == 0: log.info('smooth_rows on %d rows, kernel v2', len(_buf))
        _lib.smooth_rows(_buf.ctypes.data_as(ctypes.c_void_p), len(_buf), int(rank == 2 and step == 180))
'''
    L = Lab('bremen', h, ['loop.py'], {'dataset.py': ds, 's.c': c})
    sh(f'gcc -O1 -shared -fPIC -o {L.code}/libsmoothrows.so {L.code}/s.c')
    try:
        P = [L.start(k, 'loop.py --steps 500 --every 2 --style bar', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}) for i, k in enumerate(h)]
        P[2].wait(100)
        for p in P: print(p.tag, p.wait(60))
        errs(L)
    finally: L.end()
    D = -2 * 86400 - 40000
    PM = [(L.code, '/srv/jobs/ct-denoise'), ('/opt/tfenv', '/srv/venvs/tf'), (L.dir + '/', '/srv/jobs/launch/')]
    sec = {k: D for k in h}; r = {k: i for i, k in enumerate(h)}
    body = '# fanout.py 0.4: 4 ranks, hosts bm-07 bm-08 bm-11 bm-12\n' + merged(P, lambda tag, t, l: f'[rank {r[tag]}] {l}', sec, PM)
    body += ''.join(f'# fanout.py: rank {r[p.tag]} on {p.tag} returned {p.p.returncode}\n' for p in sorted(P, key=lambda p: p.lines[-1][0]))
    old = at(time.time() - 9000, D, '%b %d %H:%M:%S')
    kern = f'''{old} bm-08 kernel: [ 8812.118201] EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x4a1f0 offset:0x0 grain:32 syndrome:0x0)
{old} bm-08 kernel: [ 8812.990412] mce: [Hardware Error]: Machine check events logged
'''
    pack('bremen', 'tar.xz', {'fanout-2026-11-24.out': body, 'kern.log.bm-08': kern, 'note.md': 'bm-08 has had correctable memory errors since Monday; ticket with the hoster is open. Please replace the DIMM before we restart!! (Tarek)\n'},
         dict(cause='process.abort-check', culprit_node=['bm-11', 'rank 2', 'worker:2'], also_acceptable=[],
              notes='rank 2 (bm-11) died of "double free or corruption (!prev)" / Aborted from the own C library; other ranks only see the peer gone. Red herring: correctable EDAC errors on bm-08 hours earlier.'), D + time.time())

def kassel():
    "a worker is stopped (SIGSTOP) during training"
    h = {'mrz-n1': '10.50.0.1', 'mrz-n2': '10.50.0.2', 'mrz-n3': '10.50.0.3'}
    W = [f'{k}.mrz.example:2222' for k in h]
    L = Lab('kassel', h, ['loop.py'], {'dataset.py': DS}, names={k + '.mrz.example': v for k, v in h.items()})
    try:
        P = [L.start(k, 'loop.py --steps 4000 --every 4 --style host --eval-every 60', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, post='echo "exit status $?"') for i, k in enumerate(h)]
        P[1].wait_for('step 240 '); pid = P[1].kill(signal.SIGSTOP); tstop = time.time()
        e = time.time() + 150
        while time.time() < e and any(p.p.poll() is None for p in (P[0], P[2])): time.sleep(1)
        ps = sh(f'ps -o user,pid,ppid,stat,wchan:20,lstart,time,cmd -p {pid}')
        st = sh(f'head -22 /proc/{pid}/status; echo; cat /proc/{pid}/wchan')
        P[1].kill(signal.SIGKILL); P[1].wait(10)
        print(ps, st); errs(L)
    finally: L.end()
    D = -8 * 86400 + 7000
    PM = [(L.code, '/home/mpohl/train'), ('/opt/tfenv', '/sw/tf'), (L.dir + '/', '/home/mpohl/')]
    wiki = f'''h1. Abbruch Training "knie-T2" {at(time.time(), D, '%d.%m.%Y')}

h2. Beobachtungen
* n1 und n3 sind mit Fehlern ausgestiegen, n2 hat seit {at(tstop, D, '%H:%M')} nichts mehr geschrieben.
* Auf n2 lief der Prozess beim Nachsehen noch, CPU 0 %. Speicher und Platte waren ok. Danach von mir mit kill -9 beendet.
* Netz: {{{{mtr}}}} von n1 nach n2 0 % Verlust.

{{code:title=mrz-n2}}
{fix(ps, D + 31, PM)}
{fix(st, D + 31, PM)}
{{code}}

h2. Vermutung
Malte tippt auf den Switch (Port 14 hatte letzte Woche CRC-Fehler). Bitte gegenpruefen.

{{code:title=mrz-n2 free -g}}
               total        used        free      shared  buff/cache   available
Mem:             125          11          96           0          18         113
Swap:              7           0           7
{{code}}
'''
    f = {f'knieT2/ausgabe_{k}.txt': plain(p, D + s, PM) for (k, p, s) in zip(h, P, (0, 31, -4))}
    f['knieT2/Wiki_Seite_Abbruch.txt'] = wiki
    pack('kassel', 'tar.bz2', f, dict(cause='sync.hang', culprit_node=['mrz-n2', 'worker:1'], also_acceptable=['process.killed-by-signal'],
         notes='mrz-n2 was stopped (ps STAT T / State: T (stopped)) and silent since then; n1 and n3 end by lost heartbeats. Clocks of the hosts differ. Red herring: switch port CRC remark; the final kill -9 was after the fact.'), D + time.time())

def nantes():
    "8 workers, one has a shorter list of patients"
    h = {f'lame{n:02d}': f'10.60.0.{n}' for n in (3, 4, 5, 6, 7, 9, 10, 12)}
    W = [f'{k}:7777' for k in h]
    ds = DS.replace('.shuffle(1024, seed=3).repeat().batch(batch, drop_remainder=True).prefetch(2)', '.shuffle(1024, seed=3).batch(batch, drop_remainder=True).prefetch(2)').replace('def make(ctx, batch):\n    x, y = _gen(ctx.input_pipeline_id, 4096)',
      'def make(ctx, batch):\n    import json, logging\n    n = json.load(open("manifeste.json"))["extraits"][ctx.input_pipeline_id]\n    x, y = _gen(ctx.input_pipeline_id, n)\n    logging.getLogger("donnees").info("liste %d : %d extraits, %d lots par epoque", ctx.input_pipeline_id, n, n // batch)')
    ds += 'LOCAL = True\n'
    man = {'version': 3, 'extraits': [4096, 4096, 4096, 4096, 4096, 2208, 4096, 4096]}
    L = Lab('nantes', h, ['loop.py'], {'dataset.py': ds, 'manifeste.json': json.dumps(man)})
    try:
        P = [L.start(k, 'loop.py --steps 128 --every 3 --eval-every 40', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, post='rc=$?; echo "code retour $rc"; exit $rc') for i, k in enumerate(h)]
        P[5].wait(150)
        e = time.time() + 50
        while time.time() < e and any(p.p.poll() is None for p in P): time.sleep(1)
        for p in P: p.end()
        errs(L, 3)
    finally: L.end()
    D = -1 * 86400 - 9000
    PM = [(L.code, '/home/projets/oct'), ('/opt/tfenv', '/opt/tf'), (L.dir + '/', '/home/projets/')]
    f = {}
    for i, (k, p) in enumerate(zip(h, P)):
        f[f'sorties/1/{k}/stdout'] = plain(p, D + [0, 1, 0, -2, 0, 3, 0, 0][i], PM); f[f'sorties/1/{k}/seq'] = str(i + 1)
    rc = lambda p: next((l.split()[-1] for _, l in p.lines[::-1] if l.startswith('code retour')), 137)
    f['joblog'] = 'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n' + ''.join(
        f'{i+1}\t{p.tag}\t{p.t0 + D:.3f}\t{p.lines[-1][0] - p.t0:10.3f}\t0\t{sum(len(l) for _, l in p.lines)}\t{rc(p)}\t0\tssh {p.tag} "cd /home/projets/oct && ./start.sh {i}"\n' for i, p in sorted(enumerate(P), key=lambda x: x[1].lines[-1][0]))
    f['commande.txt'] = "parallel --joblog joblog --results sorties -j8 ssh {} 'cd /home/projets/oct && ./start.sh $(rang {})' ::: " + ' '.join(h) + '\n# avant: 09 et 12 avaient /tmp plein (18/11), nettoye par Yann\n'
    pack('nantes', 'tar.gz', f, dict(cause='data.uneven-shards', culprit_node=['lame09', 'worker:5'], also_acceptable=[],
         notes='worker 5 (lame09) has 2208 extracts instead of 4096 = 69 batches; it finishes normally after step 69 ("input exhausted"), the other 7 fail in the collective / by lost heartbeat. Red herring: /tmp full on 18/11.'), D + time.time())

def wuerzburg():
    "the chief may not write into the checkpoint directory"
    h = {'pallas': '192.168.7.21', 'juno': '192.168.7.22', 'vesta': '192.168.7.23'}
    W = [f'{v}:5000' for v in h.values()]
    L = Lab('wuerzburg', h, ['loop.py'], {'dataset.py': DS})
    ck = L.dir + '/ablage'; os.makedirs(ck); os.chmod(ck, 0o755)
    try:
        P = [L.start(k, f'loop.py --steps 300 --every 2 --style short --ckpt {ck} --ckpt-every 100', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i), 'HOME': '/tmp'},
             inner='setpriv --reuid 65534 --regid 65534 --clear-groups', post='rc=$?; echo "== make: *** [Makefile:14: train] Error $rc"; exit $rc') for i, k in enumerate(h)]
        for p in P: print(p.tag, p.wait(80))
        show(L, 8); errs(L)
    finally: L.end()
    D = -20 * 86400 + 3333
    PM = [(L.code, '/home/gast2/nieren'), (ck, '/mnt/projekt/nieren/ckpt'), ('/opt/tfenv', '/opt/tf221'), (L.dir + '/', '/home/gast2/')]
    f = {'psshout/' + k: plain(p, D + s, PM) for k, p, s in zip(h.values(), P, (0, 0, 12))}
    f['hosts.txt'] = ''.join(f'{v}   # {k}\n' for k, v in h.items())
    f['aufruf.txt'] = "$ parallel-ssh -h hosts.txt -t 0 -o psshout -e pssherr 'make -C nieren train'\n[1] %s [FAILURE] 192.168.7.21 Exited with error code 2\n[2] %s [FAILURE] 192.168.7.22 Exited with error code 2\n[3] %s [FAILURE] 192.168.7.23 Exited with error code 2\n" % tuple(at(p.lines[-1][0], D, '%H:%M:%S') for p in P)
    f['Notiz.txt'] = 'Gestern abend (anderer Lauf, Konto weissmann) ist vesta wegen voller Platte ausgestiegen:\n  OSError: [Errno 28] No space left on device: \'/scratch/weissmann/cache.7\'\n/scratch ist seit heute frueh wieder frei (61 %). Heute laufen wir als gast2.\n'
    pack('wuerzburg', 'zip', f, dict(cause='checkpoint.permission', culprit_node=['192.168.7.21', 'pallas', 'worker:0'], also_acceptable=[],
         notes='The chief (192.168.7.21) cannot write /mnt/projekt/nieren/ckpt (Permission denied); others lose the peer. Red herring: a disk-full error of another user the evening before on vesta.'), D + time.time())

if __name__ == '__main__': run(globals())
