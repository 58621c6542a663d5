"""Team 2 (Finland, Nomad + Loki). Usage: team_b.py frontend|uneven|victims"""
from lab import *
import hashlib
TZ = 'Europe/Helsinki'
PATHS = [(OUT + '/tf215', '/opt/venv'), ('/opt/tfenv', '/opt/venv'), (MAKE, '/local/app')]
def aid(s):
    h = hashlib.md5(s.encode()).hexdigest(); return f'{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}'
def cfg(hosts, i, port=26011): return {'cluster': {'worker': [f'{h}:{port}' for h in hosts]}, 'task': {'type': 'worker', 'index': i}}
def ns(t, S): return str(int((t + S.d) * 1e9))
def frontend():
    H = ['hki-nmd-07', 'hki-nmd-11', 'vsa-nmd-02']
    with Lab('frontend', H, '172.19.8') as L:
        for v, py in (('new', PY221), ('old', PY215)): sh(f'CUDA_VISIBLE_DEVICES= TF_CPP_MIN_LOG_LEVEL=3 nice {py} {MAKE}/frontend.py {L.dir}/frontend-{v}.pb')
        L0 = time.time()
        for i, h in enumerate(H):
            L.run(h, [PY215, MAKE + '/tekstitys.py'], {'TF_CONFIG': cfg(H, i), 'WORK': L.dir, 'CLIPS': '1280', 'FRONTEND': L.dir + '/frontend-' + ('new' if h == 'vsa-nmd-02' else 'old') + '.pb', 'EPOCHS': '20'}, tz='UTC', merge=False)
        L.procs[2].wait(50); time.sleep(14)
        L.waitall(1); tk = time.time(); L.summary()
    st = L.dir + '/st'; d = when('2026-08-04 21:14:02', TZ, L0); ev = []
    for i, p in enumerate(L.procs):
        S = Shift(d + (0, 2, -18)[i], [(L.dir + '/frontend-new', '/local/models/frontend'), (L.dir + '/frontend-old', '/local/models/frontend'), (L.dir, '/alloc/data')] + PATHS); a = aid(p.host + '1')
        put(st, f'var_nomad/alloc/{a}/alloc/logs/train.stderr.0', S.text(p.text('e'))); put(st, f'var_nomad/alloc/{a}/alloc/logs/train.stdout.0', S.text(p.text('o')))
        t = S.at(p.t0).strftime('%Y-%m-%dT%H:%M:%SZ'); t1 = S.at(p.t1).strftime('%Y-%m-%dT%H:%M:%SZ')
        ev.append(f'ID                  = {a}\nEval ID             = {aid("ev")[:8]}\nName                = tekstitys-train.worker[{i}]\nNode Name           = {h if 0 else p.host}\nJob ID              = tekstitys-train\nJob Version         = {[14,14,14][i]}\nClient Status       = failed\nDesired Status      = {"run" if i == 2 else "stop"}\n\nRecent Events:\nTime                  Type            Description\n{t1}  ' + (f'Terminated      Exit Code: {p.rc}' if i == 2 or p.rc > 0 else 'Killed          Task successfully killed') + f'\n{t}  Started         Task started by client\n{t}  Downloading Artifacts  Client is downloading artifacts\n{t}  Received        Task received by client\n')
    put(st, 'alloc-status.txt', '\n\n'.join(ev))
    put(st, 'tekstitys-train.nomad.hcl', 'job "tekstitys-train" {\n  datacenters = ["hki", "vsa"]\n  type = "batch"\n  group "worker" {\n    count = 3\n    restart { attempts = 0 }\n    task "train" {\n      driver = "docker"\n      config { image = "registry.sis/ml/tf-train:2.15.1-py311" }\n      artifact { source = "https://artifacts.${node.datacenter}.sis/frontend/latest/frontend.pb" destination = "local/models" }\n      resources { cpu = 2000 memory = 3000 }\n    }\n  }\n}\n')
    put(st, 'lue_minut.md', '# tekstitys-train 4.8.\n\n- ajo kaatui heti alkuun, allokit kerätty `cp -r` kolmelta clientiltä\n- hki-nmd-11:ssä oli aamulla levy täynnä (docker prune ajettu klo 9), liittyykö?\n- vsa: peilipalvelin sai uuden frontend-julkaisun eilen, hki:n peili on päivän jäljessä\n')
    pack(st, 'kajaani-14', 'zip', dict(cause='serialization.version', culprit=['vsa-nmd-02', 'worker:2'], also=['env.version-skew'],
        notes="worker 2 on vsa-nmd-02 fetched a frontend graph made by a newer TensorFlow: Op type not registered 'DecodeWebP', GraphDef produced at version 2474, this binary built for 1645, beyond the forward compatibility guarantee. The others only waited and lost their peer; the full disk in the notes was cleaned hours before."))
def uneven():
    H = ['hki-nmd-03', 'hki-nmd-04', 'hki-nmd-05', 'vsa-nmd-01']
    with Lab('uneven', H, '172.19.8', first=31) as L:
        L0 = time.time()
        for i, h in enumerate(H):
            L.run(h, [PY215, MAKE + '/tekstitys.py'], {'TF_CONFIG': cfg(H, i, 26107), 'WORK': L.dir, 'CLIPS': '1920,1920,1856,1920', 'EPOCHS': '4', 'LOOP': '1'}, tz='UTC')
        L.procs[2].wait_line('done-file written', 90); time.sleep(26)
        alive = [p.p.poll() is None for p in L.procs]; print(alive)
        st_ = L.sh(H[0], f'for p in {" ".join(str(p.pyproc()) for p in L.procs if p.p.poll() is None)}; do grep -E "Name|State|Threads" /proc/$p/status | tr "\\n" " "; cat /proc/$p/wchan; echo; done')
        time.sleep(10); tk = time.time()
        for p in L.procs:
            if p.p.poll() is None: p.sig(signal.SIGTERM)
        time.sleep(5); L.waitall(1); L.summary(); print(st_)
    st = L.dir + '/st'; d = when('2026-10-20 02:31:44', TZ, L0); rows = []
    for i, p in enumerate(L.procs):
        S = Shift(d + (0, 1, 3, -44)[i], [(L.dir, '/alloc/data')] + PATHS)
        for t, k, l in p.lines:
            rows.append((t + S.d, json.dumps({'labels': {'job': 'tekstitys-train', 'host': p.host, 'alloc': aid(p.host)[:8], 'group': 'worker', 'index': str(i)}, 'line': S.line(l), 'timestamp': S.at(t).strftime('%Y-%m-%dT%H:%M:%S.%fZ')}, ensure_ascii=False)))
    S = Shift(d)
    for dt, m in ((3, 'client: alloc status update acked'), (20, 'client.gc: marking allocation for GC: alloc_id=' + aid('old')), (tk - L0, 'client.driver_mgr.docker: container killed: signal=SIGTERM (job stop by user aino.s)')):
        rows.append((L0 + dt + d, json.dumps({'labels': {'job': 'nomad-client', 'host': 'hki-nmd-03'}, 'line': m, 'timestamp': S.at(L0 + dt).strftime('%Y-%m-%dT%H:%M:%S.%fZ')})))
    rows.sort(); put(st, 'logcli-2026-10-20.jsonl', '\n'.join(r for _, r in rows) + '\n')
    put(st, 'query.fish', "logcli query --limit 5000 --forward -o jsonl '{job=~\"tekstitys-train|nomad-client\"}' --from=2026-10-19T23:00:00Z --to=2026-10-20T00:00:00Z > logcli-2026-10-20.jsonl\n")
    pack(st, 'kajaani-20', 'tar.gz', dict(cause='data.uneven-shards', culprit=['hki-nmd-05', 'worker:2'], also=['sync.hang'],
        notes="worker 2's manifest has 1856 clips (58 batches), the others' 1920 (60): so worker 2 was done 8 steps before the others over four epochs; it waits for the others' done-files while they stand in their last all-reduces without an error until somebody stopped the job. The caught lexikon warnings mean nothing; the SIGTERM is the operator's end to a hang."))
def victims():
    H = ['hki-nmd-12', 'hki-nmd-14', 'vsa-nmd-05']
    with Lab('victims', H, '172.19.9') as L:
        L0 = time.time()
        for i, h in enumerate(H):
            L.run(h, [PY215, MAKE + '/tekstitys.py'], {'TF_CONFIG': cfg(H, i, 26300), 'WORK': L.dir, 'CLIPS': '1600', 'EPOCHS': '9'}, tz='UTC')
        L.procs[0].wait_line("Epoch 3/9", 60); time.sleep(1); L.procs[1].sig(signal.SIGKILL); time.sleep(15)
        L.waitall(1); L.summary()
    st = L.dir + '/st'; d = when('2026-06-28 13:05:10', TZ, L0); md = ''
    for i in (0, 2):
        p = L.procs[i]; S = Shift(d + (0, 0, 65)[i], [(L.dir, '/alloc/data')] + PATHS)
        put(st, f'liitteet/{p.host}.logcli.txt', ''.join(f'{S.at(t).strftime("%Y-%m-%dT%H:%M:%SZ")} {{host="{p.host}", stream="stderr"}} {S.line(l)}\n' for t, k, l in p.lines))
    S = Shift(d)
    put(st, 'postmortem-luonnos.md', f'# Postmortem (luonnos): puhekieliajo {S.at(L0).strftime("%d.%m.")}\n\n*Omistaja:* Aino S. *Tila:* kesken\n\nAjo katkesi kolmannella epookilla. Kolmen allokin logeista kaksi löytyy Lokista. Kolmas (hki-nmd-14) puuttuu: Vector oli siellä pois päältä päivityksen takia ja alloc on jo siivottu (`nomad alloc logs`: *alloc not found*). Koneelta ei ole enää mitään; se asennettiin uudelleen heinäkuussa.\n\n## Hypoteeseja\n\n1. verkko (Jukka)\n2. muisti loppui kuten toukokuussa -- ei todisteita\n3. uudelleenkäynnistys päivityksen yhteydessä?\n\n## Toimenpiteet\n\n- [ ] Vectorin hälytys\n')
    pack(st, 'kajaani-06', 'tar.xz', dict(cause='network.unreachable-peer', culprit=['hki-nmd-14', 'worker:1'],
        also=['process.killed-by-signal', 'resource.host-oom-killed', 'process.segfault', 'process.abort-check', 'collective.timeout', 'scheduler.evicted', 'sync.hang'],
        notes="Only the two survivors' logs exist; they show that worker 1 (hki-nmd-14) vanished and nothing says why (really a SIGKILL). All the hypotheses in the draft are guesses."))
if __name__ == '__main__': globals()[sys.argv[1]]()
