"""Team 4 (Brazil, docker compose / supervisord). Usage: team_d.py abort|pose|dsvc"""
from lab import *
TZ = 'America/Sao_Paulo'; T = MAKE + '/passada.py'
PATHS = [(OUT + '/tf215', '/usr/local'), ('/opt/tfenv', '/usr/local'), (MAKE, '/app')]
def jl(S, t, l): return S.line(l)
def mw(H, i, port=7000): return {'cluster': {'worker': [f'{h}:{port}' for h in H]}, 'task': {'type': 'worker', 'index': i}}
def abort():
    H = ['pele', 'coutinho', 'zito', 'pepe']
    with Lab('abort', H, '10.10.0') as L:
        L0 = time.time(); D = 'pele:5050'
        L.run('pele', [PY221, T, 'dispatcher', D], label='disp', tz=TZ); L.run('coutinho', [PY221, T, 'dworker', D, 'coutinho:5051'], label='dados', tz=TZ)
        L.procs[1].wait_line('dworker ')
        for i, h in enumerate(H[2:]):
            L.run(h, [PY221, '-X', 'faulthandler', T, 'treino', D], {'TF_CONFIG': mw(H[2:], i), 'SUAVIZA': '1', 'FRAMES': '[120, 180, 300]' if h == 'pepe' else '[120]', 'PASSOS': '400'}, label='treino', tz=TZ)
        L.procs[3].wait(70); L.procs[2].wait(15); time.sleep(4); tk = time.time()
        for p in L.procs:
            if p.p.poll() is None: p.sig(signal.SIGTERM)
        L.waitall(5); L.summary()
    st = L.dir + '/st'; d = when('2026-04-26 19:48:33', TZ, L0)
    for p, n in zip(L.procs, ('dispatcher', 'dados', 'treino0', 'treino1')):
        S = Shift(d + dict(zito=-31).get(p.host, 0), PATHS + [(L.dir, '/estado')], TZ)
        put(st, f'{p.host}__docker_compose_logs.txt', ''.join(f'{n}-1  | {jl(S, t, l)}\n' for t, k, l in p.lines) + (f'{n}-1 exited with code {128 + 6 if p.rc == -6 else p.rc}\n' if p.rc and p.rc not in (-9, -15) else ''))
    S = Shift(d, (), TZ)
    put(st, '_zap_biomec.txt', f'{S.fmt(tk + 90, "%d/%m/%Y %H:%M")} - Rafa Biomec: caiu de novo\n{S.fmt(tk + 110, "%d/%m/%Y %H:%M")} - Tonho TI: foi a memoria, esse servidor do pepe é velho, ontem o chrome do scout estourou a RAM\n{S.fmt(tk + 150, "%d/%m/%Y %H:%M")} - Rafa Biomec: <Mídia oculta>\n{S.fmt(tk + 200, "%d/%m/%Y %H:%M")} - Rafa Biomec: coloquei hoje os clipes longos do jogo de sábado na lista do treino1\n')
    put(st, 'pepe__dmesg_ontem.txt', '[Sat Apr 25 22:10:41 2026] Out of memory: Killed process 30112 (chrome) total-vm:34112804kB, anon-rss:2910044kB, file-rss:1204kB, shmem-rss:88120kB, UID:1000 pgtables:18220kB oom_score_adj:300\n')
    pack(st, 'santos-26', 'zip', dict(cause='process.abort-check', culprit=['pepe', 'worker:1', 'treino1'], also=['user.code-error'],
        notes="treino1 on pepe died by SIGABRT from glibc's heap check ('double free or corruption') in the native smoothing library, first with the long clips; treino0's error is the echo. The chrome OOM of the day before and the remark about memory mislead."))
def pose():
    A, B = ['garrincha', 'didi'], ['nilton', 'zagallo']
    with Lab('pose', A + B + ['feola'], '10.10.1') as L:
        L0 = time.time()
        L.run('feola', [PY221, T, 'poseserver', '7443'], {'MAXQ': '9'}, label='pose', tz=TZ); L.run('feola', [PY221, T, 'poseserver', '7444'], label='pose20', tz=TZ)
        for i, h in enumerate(A): L.run(h, [PY221, T, 'treino', '-'], {'TF_CONFIG': mw(A, i), 'POSE': 'feola:7443', 'PASSOS': '240'}, label=f'prof{i}', tz=TZ, merge=False)
        for i, h in enumerate(B): L.run(h, [PY221, T, 'treino', '-'], {'TF_CONFIG': mw(B, i), 'POSE': 'feola:7444', 'PASSOS': '150'}, label=f'sub20_{i}', tz=TZ, merge=False)
        for p in L.procs[2:]: p.wait(60)
        tk = time.time(); [p.sig(signal.SIGTERM) for p in L.procs if p.p.poll() is None]; L.waitall(5); L.summary()
    st = L.dir + '/st'; d = when('2026-02-03 08:31:02', TZ, L0); sup = {}
    for p in L.procs:
        S = Shift(d + dict(didi=190, feola=-2).get(p.host, 0), PATHS + [(L.dir, '/estado')], TZ)
        for k, n in (('o', 'stdout'), ('e', 'stderr')):
            x = ''.join(jl(S, t, l) + '\n' for t, kk, l in p.lines if kk == k)
            if x: put(st, f'supervisor/{p.label}-{n}---supervisor-{hash(p.label) & 0xffffff:x}.log', x)
        c = lambda t: S.fmt(t, '%Y-%m-%d %H:%M:%S,') + '%03d' % (t % 1 * 1000)
        q = sup.setdefault(p.host, []); q.append((p.t0, f"{c(p.t0)} INFO spawned: '{p.label}' with pid {p.p.pid}")); q.append((p.t0 + 1, f'{c(p.t0 + 1)} INFO success: {p.label} entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)'))
        q.append((p.t1, f'{c(p.t1)} ' + (f'INFO exited: {p.label} (exit status 0; expected)' if p.rc == 0 else f'WARN stopped: {p.label} (terminated by SIGTERM)' if p.rc in (-15, -9) else f'WARN exited: {p.label} (exit status {p.rc}; not expected)')))
    for h, q in sup.items(): put(st, f'supervisord/{h}.log', '\n'.join(x for _, x in sorted(q)) + '\n')
    put(st, 'chamado_glpi_1187.html', '<html><head><meta charset="utf-8"><title>GLPI - Chamado 1187</title></head><body><h3>Treino do profissional parou (sub-20 terminou)</h3><p>Aberto por: Rafa (Biomecânica)</p><p>De manhã rodamos os dois. O do sub-20 acabou. O do profissional não. São máquinas diferentes, mas o mesmo servidor de pose (feola).</p><p><b>Resposta TI:</b> o firewall do feola deve ter bloqueado. E o GPS do colete tamb&eacute;m deu erro, vejam isso primeiro.</p></body></html>\n')
    pack(st, 'santos-1187', 'tgz', dict(cause='network.grpc-message-size', culprit=None, also=[],
        notes="The professional team's job got a clip of 6 MB from the pose server: 'Received message larger than max (6000000 vs. 4194304)', RESOURCE_EXHAUSTED; no node is at fault (a limit in the code). The sub20 job ended well (its last caught GPS error is noise); the firewall remark is a guess."))
def dsvc():
    H = ['rivelino', 'gerson', 'tostao', 'jair']
    with Lab('dsvc', H, '10.10.2') as L:
        L0 = time.time(); D = 'rivelino:5050'
        L.run('rivelino', [PY221, T, 'dispatcher', D], label='disp', tz=TZ); w = [L.run(h, [PY221, T, 'dworker', D, f'{h}:5051'], label='dados', tz=TZ) for h in ('rivelino', 'gerson')]
        w[1].wait_line('dworker ')
        tr = [L.run(h, [PY221, T, 'treino', D], {'TF_CONFIG': mw(H[2:], i), 'PASSOS': '330', 'PAUSA': '.09'}, label='treino', tz=TZ) for i, h in enumerate(H[2:])]
        tr[0].wait_line('passo 90 '); w[1].sig(signal.SIGKILL); w[1].wait(5); time.sleep(5)
        w.append(L.run('gerson', [PY221, T, 'dworker', D, 'gerson:5051'], label='dados', tz=TZ))
        for p in tr: p.wait(80)
        tk = time.time(); [p.sig(signal.SIGTERM) for p in L.procs if p.p.poll() is None]; L.waitall(8); L.summary()
    st = L.dir + '/st'; d = when('2026-09-14 22:17:50', TZ, L0); rows = []
    for p in L.procs:
        S = Shift(d + dict(jair=14).get(p.host, 0), PATHS + [(L.dir, '/estado')], TZ)
        n = {'disp': 'dispatcher', 'dados': f'dados-{p.host}', 'treino': f'treino-{p.host}'}[p.label]
        rows += [(t, f'{n:<18}| {(S.at(t).astimezone(datetime.timezone.utc)).strftime("%Y-%m-%dT%H:%M:%S.%f")}{t * 1e9 % 1000:03.0f}Z {jl(S, t, l)}') for t, k, l in p.lines]
    rows.sort(key=lambda r: r[0])
    put(st, 'tudo.log', '\n'.join(r for _, r in rows) + '\n')
    put(st, 'docker_ps_a.txt', 'CONTAINER ID   IMAGE              COMMAND                  CREATED          STATUS                        NAMES\n9b1f0d6c2a11   passada:2026.9     "python passada.py t…"   12 minutes ago   Exited (0) 9 minutes ago      treino-tostao\n1c77e0b3fa90   passada:2026.9     "python passada.py t…"   12 minutes ago   Exited (0) 9 minutes ago      treino-jair\nd20d54ab1e08   passada:2026.9     "python passada.py d…"   12 minutes ago   Exited (143) 8 minutes ago    dispatcher\n77aa10fe0c5d   passada:2026.9     "python passada.py d…"   12 minutes ago   Exited (143) 8 minutes ago    dados-gerson\n0e4b2a6d9931   passada:2026.9     "python passada.py d…"   12 minutes ago   Exited (143) 8 minutes ago    dados-rivelino\n')
    put(st, 'pergunta.txt', 'apareceu um monte de erro vermelho no meio, o dados-gerson caiu e voltou sozinho. posso usar o modelo?? - Rafa\n')
    pack(st, 'santos-14', 'tar.xz', dict(cause='none', culprit=None, notes="A tf.data service worker on gerson died and was started again; both trainers printed 'treino terminado' and exited 0. The failed first heartbeats (dispatcher not up yet) and the caught GPS errors are survived noise; the rest was stopped afterwards."))
if __name__ == '__main__': globals()[sys.argv[1]]()
