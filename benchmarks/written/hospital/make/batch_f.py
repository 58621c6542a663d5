from util import *
DF = open(HERE + '/dsfit.py').read()

FEATSRV = '''"""Feature server of the group: hands out volumes over gRPC."""
import sys, time, logging
from concurrent import futures
import grpc, numpy as np
logging.basicConfig(level=logging.INFO, format='%(asctime)s featsrv %(levelname)s %(message)s', stream=sys.stdout)
log = logging.getLogger()
SIZES = {i: 200 + 37 * (i % 11) for i in range(64)}
SIZES[41] = 1610
def volume(req, ctx):
    i = int(req.decode()); n = SIZES[i % 64]
    log.info('volume %d -> %s: %d slices', i, ctx.peer(), n)
    if i % 17 == 5: log.warning('volume %d: header says 512x512, resampled', i)
    return np.zeros(n * 1024, 'float32').tobytes()
class H(grpc.GenericRpcHandler):
    def service(self, d):
        if d.method == '/feat.Features/Volume': return grpc.unary_unary_rpc_method_handler(volume)
s = grpc.server(futures.ThreadPoolExecutor(4)); s.add_generic_rpc_handlers((H(),)); s.add_insecure_port('0.0.0.0:50061'); s.start()
log.info('serving on :50061'); s.wait_for_termination()
'''

def freiburg():
    "a volume larger than gRPC's 4 MB default comes from the home-made feature server"
    h = {'fr-data': '10.25.0.1', 'fr-1': '10.25.0.11', 'fr-2': '10.25.0.12', 'fr-3': '10.25.0.13'}
    W = [f'{k}:2222' for k in list(h)[1:]]
    ds = DS + '''
import grpc
_ch = grpc.insecure_channel('fr-data:50061')
_volume = _ch.unary_unary('/feat.Features/Volume')
def before_step(step, rank, log):
    if step % 6 == 0:
        n = (step // 6) * 3 + rank
        raw = _volume(str(n).encode(), timeout=20)
        if step % 30 == 0: log.info('volume %d: %.1f MB', n, len(raw) / 1e6)
'''
    L = Lab('freiburg', h, ['loop.py'], {'dataset.py': ds, 'featsrv.py': FEATSRV})
    try:
        s = L.start('fr-data', 'featsrv.py'); s.wait_for('serving', 20)
        P = [L.start(k, 'loop.py --steps 300 --every 2', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}) for i, k in enumerate(list(h)[1:])]
        for p in P: print(p.wait(90))
        s.kill(signal.SIGINT); s.wait(5); errs(L)
    finally: L.end()
    D = -17 * 86400 - 3000
    PM = [(L.code, '/home/neuro/aneurysma'), ('/opt/tfenv', '/home/neuro/venv'), (L.dir + '/', '/home/neuro/')]
    W_ = {'fr-1': 0, 'fr-2': 1, 'fr-3': 2, 'fr-data': 'data'}
    body = 'starte.py: 3 Raenge + Merkmalserver\n' + merged(P, lambda tag, t, l: f'[rank {W_[tag]} | {at(t, 0, "%H:%M:%S")}] {l}', {k: D for k in h}, PM)
    body += ''.join(f'starte.py: rank {i} beendet, returncode {p.p.returncode}\n' for i, p in enumerate(P))
    pack('freiburg', 'tar.gz', {'Lauf_31/starte.log': body, 'Lauf_31/merkmalserver.log': plain(s, D + 12, PM),
        'Lauf_31/Hinweise.txt': 'Server-Log: die Warnungen "header says 512x512" gibt es seit Anfang an, stoeren aber nicht.\nfr-2 hatte am Montag "No space left on device" in /scratch (anderer Lauf), ist bereinigt.\nVermutung Netz? Merkmalserver laeuft weiter und antwortet.\n'},
        dict(cause='network.grpc-message-size', culprit_node=['fr-3', 'rank 2', 'worker:2', 'fr-data'], also_acceptable=[],
             notes='A rank gets RESOURCE_EXHAUSTED: Received message larger than max (4194304) for one big volume from the feature server; the other ranks only lose it. Red herrings: header warnings, disk full of another run.'), D + time.time())
    return P

def quimper():
    "NaN from one worker's data"
    h = {'qp-a': '10.26.0.1', 'qp-b': '10.26.0.2', 'qp-c': '10.26.0.3'}
    W = [f'{k}:2222' for k in h]
    ds = DS.replace("def make(ctx, batch):\n    x, y = _gen(ctx.input_pipeline_id, 4096)", "def make(ctx, batch):\n    x, y = _gen(ctx.input_pipeline_id, 4096)\n    if ctx.input_pipeline_id == 0: x = (x - x.min(1, keepdims=True)) / (x.max(1, keepdims=True) - x.min(1, keepdims=True))\n    if ctx.input_pipeline_id == 0: x[2950:2970] *= 3e18\n    import logging; logging.getLogger('donnees').info('liste %d lue, %d extraits, min %.3g max %.3g', ctx.input_pipeline_id, len(x), x.min(), x.max())").replace('.shuffle(1024, seed=3)', '') + '''
def loss_hook(loss):
    return tf.debugging.check_numerics(loss, 'train loss')
def before_step(step, rank, log):
    if rank == 2 and step % 70 == 30: log.warning('lr scheduler: plateau not reached, keeping lr')
    if rank == 1 and step == 55:
        try: np.array([1.0]) @ np.ones((2, 2))
        except ValueError as e: log.error('metrics plot failed, ignored: %s', e)
'''
    ds = ds.replace("    if ctx.input_pipeline_id == 0: x = (x", "    if ctx.input_pipeline_id == 9: x = (x")
    L = Lab('quimper', h, ['loop.py'], {'dataset.py': ds})
    try:
        P = [L.start(k, 'loop.py --steps 400 --every 2 --style short --eval-every 30', tf='218', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i), 'RANG': str(i)}, post='rc=$?; echo "make[1]: *** [Makefile:8: worker$RANG] Error $rc"; exit 2') for i, k in enumerate(h)]
        for p in P: print(p.wait(90))
        errs(L)
    finally: L.end()
    D = -27 * 86400 - 3000
    PM = [(L.code, '/home/eq/dopp'), (ROOT + '/tf218', '/opt/tf'), (L.dir + '/', '/home/eq/')]
    r = []
    for p, s in zip(P, (0, 4, 0)):
        r.append(f'--------- {p.tag} ---------\n' + plain(p, D + s, PM))
    pack('quimper', 'tar.bz2', {'copie_wiki.txt': '= Panne du job Doppler =\n\n== Journaux (copies depuis screen) ==\n\n' + '\n'.join(r) + '\n== Discussion ==\n* Gael : "Socket closed" => c\'est le pare-feu, on a deja vu ca en mai.\n* Ines : sur qp-b il y a une erreur ValueError matmul juste avant, c\'est le modele ?\n'},
         dict(cause='numeric.nan', culprit_node=['qp-a', 'worker:0'], also_acceptable=['numeric.divergence'], notes='check_numerics "train loss : Tensor had NaN/Inf"; the list of qp-a has values of 1e18 (min/max line), after which the shared weights explode. Red herrings: a caught ValueError on qp-b, firewall remark.'), D + time.time())

def weimar():
    "start model saved by Keras 3 is loaded by TF 2.15"
    h = {'wm-1': '10.27.0.1', 'wm-2': '10.27.0.2', 'wm-3': '10.27.0.3'}
    W = [f'{k}:2222' for k in h]
    ds = DF + "\ndef build(tf):\n    print('start model: modelle/start_v5.keras', flush=True)\n    return tf.keras.models.load_model('modelle/start_v5.keras')\n"
    mk = "import keras\nm=keras.Sequential([keras.layers.Input((24,)),keras.layers.Dense(48,activation='relu'),keras.layers.Dense(4)])\nimport os;os.makedirs('modelle',exist_ok=True);m.save('modelle/start_v5.keras')\n"
    L = Lab('weimar', h, ['fit.py'], {'dataset.py': ds, 'mk.py': mk})
    print(sh(f'cd {L.code} && {PY["221"]} mk.py 2>&1 | tail -1; ls modelle'))
    try:
        P = [L.start(k, 'fit.py --epochs 5 --spe 60', tf='215', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, post='rc=$?; echo "beendet mit $rc"; exit $rc') for i, k in enumerate(h)]
        for p in P: print(p.wait(60))
        show(L, 6)
    finally: L.end()
    D = -33 * 86400
    PM = [(L.code, '/data/haut/klassif'), (ROOT + '/tf215', '/data/haut/conda/envs/tf215'), (L.dir + '/', '/data/haut/')]
    f = {f'2026-10-24_{k}_ausgabe.log': plain(p, D + s, PM) for k, p, s in zip(h, P, (0, 0, 33))}
    f['2026-10-24_Verlauf.txt'] = '  501  scp carla@mac-carla:modelle/start_v5.keras modelle/\n  502  for n in 1 2 3; do scp -q modelle/start_v5.keras wm-$n:/data/haut/klassif/modelle/; done\n  503  for n in 1 2 3; do ssh wm-$n "cd /data/haut/klassif && ./start.sh $((n-1)) > ~/2026-10-24_wm-${n}_ausgabe.log 2>&1" & done; wait\n  504  ls -l modelle\n  505  md5sum modelle/start_v5.keras   # gleich auf allen, Kopie also ok\n'
    pack('weimar', 'zip', f, dict(cause='serialization.version', culprit_node=None, also_acceptable=['env.version-skew'],
         notes='start_v5.keras was saved by Keras 3 (another machine); Keras 2.15 on all three hosts cannot deserialise it. No single host is at fault.'), D + time.time())

def passau():
    "the unit's run time limit ends the job"
    h = {'pa-1': '10.28.0.1', 'pa-2': '10.28.0.2'}
    W = [f'{k}:2222' for k in h]
    ds = DS + '''
def before_step(step, rank, log):
    if rank == 1 and step % 110 == 60: log.warning('slow read: /nas/echo/shard-%03d took 2.1 s', step)
'''
    L = Lab('passau', h, ['loop.py'], {'dataset.py': ds})
    try:
        P = [L.start(k, 'loop.py --steps 5000 --every 4 --style host --eval-every 200', tf='218', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i)}, inner='timeout -k 4 38', post='rc=$?; exit $rc') for i, k in enumerate(h)]
        for p in P: print(p.wait(90))
        show(L, 6)
    finally: L.end()
    D = -14 * 86400 + 500
    PM = [(L.code, '/home/card/echo'), (ROOT + '/tf218', '/opt/tf'), (L.dir + '/', '/home/card/'), ('timeout -k 4 38 ', '')]
    f, alle = {}, []
    for i, (k, p) in enumerate(zip(h, P)):
        u = 'echo-train.service'; T = lambda t: at(t, D + 7 * i, '%b %d %H:%M:%S')
        lim = p.t0 + 38
        rows = [(p.t0, f'{T(p.t0)} {k} systemd[1]: Started {u} - /home/card/start.sh {i}.')] + [(t, f'{T(t)} {k} start.sh[{p.p.pid}]: {fix(l, D + 7 * i, PM)}') for t, l in p.lines]
        rows += [(lim - .01, f'{T(lim)} {k} systemd[1]: {u}: Service reached runtime time limit. Stopping.')]
        rows.sort(key=lambda r: r[0])
        e = max(rows[-1][0], lim + 4)
        if p.p.returncode == 137: rows += [(lim + 4, f'{T(lim + 4)} {k} systemd[1]: {u}: State \'stop-sigterm\' timed out. Killing.')]
        rows.sort(key=lambda r: r[0])
        rows += [(e, f'{T(e)} {k} systemd[1]: {u}: Failed with result \'timeout\'.'), (e, f'{T(e)} {k} systemd[1]: {u}: Consumed 39.{i}04s CPU time.')]
        alle += [(t + 7 * i, i, n, r) for n, (t, r) in enumerate(rows)]
    f['journalctl_-m_-u_echo-train.txt'] = '\n'.join(r for *_, r in sorted(alle)) + '\n'
    f['aufruf.sh'] = 'for i in 0 1; do ssh pa-$((i+1)) systemd-run --unit echo-train -p RuntimeMaxSec=$LIMIT -p TimeoutStopSec=4 /home/card/start.sh $i; done\n'
    f['nas_bemerkung.txt'] = 'Bemerkung: die NAS ist seit gestern langsam (slow read). Vielleicht deshalb abgebrochen? -- Huber\n'
    pack('passau', 'tar.xz', f, dict(cause='scheduler.time-limit', culprit_node=None, also_acceptable=[],
         notes='systemd: "Service reached runtime time limit. Stopping." while training went on normally (SIGTERM caught, then the end). Red herring: slow NAS reads; pa-2 loses its leader first.'), D + time.time())

if __name__ == '__main__': run(globals())
