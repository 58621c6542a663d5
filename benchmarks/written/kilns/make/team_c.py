"""Team 3 (Japan, PBS Pro). Usage: team_c.py pids|channels|psgone"""
from lab import *
TZ = 'Asia/Tokyo'
PATHS = [(OUT + '/tf215', '/opt/tf215'), ('/opt/tfenv', '/opt/tf221'), (MAKE, '/home/moromi/src')]
def cl(H, nps, port=3300): return {'chief': [f'{H[0]}:{port}'], 'ps': [f'{h}:{port}' for h in H[1:1 + nps]], 'worker': [f'{h}:{port}' for h in H[1 + nps:]]}
def roles(c): return [(t, i, a.split(':')[0]) for t in ('ps', 'worker', 'chief') for i, a in enumerate(c[t])]
def start(L, c, py=PY221, script='kojictl.py', special={}, **kw):
    for t, i, h in roles(c):
        e, pre = special.get(h, ({}, ''))
        L.run(h, [py, f'{MAKE}/{script}'], {'TF_CONFIG': {'cluster': c, 'task': {'type': t, 'index': i}}, **kw, **e}, pre=pre, tz=TZ)
SLASH = re.compile(r'^(20\d\d)/(\d\d)/(\d\d) (\d\d:\d\d:\d\d)')
HMS = re.compile(r'^(\d\d:\d\d:\d\d)(?= <)')
def sl(S, t, s):
    s = SLASH.sub(lambda m: S.fmt(t, '%Y/%m/%d %H:%M:%S'), s); s = HMS.sub(lambda m: S.fmt(t, '%H:%M:%S'), s); return S.line(s)
def pids():
    H = [f'kura{i:02d}' for i in range(1, 7)]; c = cl(H, 2)
    with Lab('pids', H, '192.168.61') as L:
        L0 = time.time(); n = 'af_%d' % os.getpid(); os.makedirs(f'{L.dir}/cg')
        pre = f'mount -t cgroup -o pids none {L.dir}/cg && mkdir -p {L.dir}/cg/{n} && echo {os.environ.get("PIDS", "104")} > {L.dir}/cg/{n}/pids.max && echo $$ > {L.dir}/cg/{n}/cgroup.procs;'
        start(L, c, special={'kura05': ({}, pre)}, READERS='24', STEPS='200', SLEEP='0.15', ZENIN='1')
        ch = L.procs[-1]; ch.wait(60); time.sleep(9)
        tk = time.time(); 
        for p in L.procs:
            if p.p.poll() is None: p.sig(signal.SIGTERM)
        L.waitall(6); L.summary(); rmdir = sh(f'rmdir /sys/fs/cgroup/pids/{n}', False)
    st = L.dir + '/st'; d = when('2026-11-05 01:22:10', TZ, L0); rows = []
    for p in L.procs:
        S = Shift(d + dict(kura02=7, kura05=-4).get(p.host, 0), PATHS + [(L.dir, '/work/koji/run31')], TZ)
        rows += [(t, f'{p.host}: {sl(S, t, l)}') for t, k, l in p.lines]
    rows.sort(key=lambda r: r[0]); put(st, 'run31/koji_muro.o20417', '\n'.join(r for _, r in rows) + '\n')
    put(st, 'run31/koji_muro.tcsh', '#!/bin/tcsh -f\n#PBS -N koji_muro\n#PBS -l select=6:ncpus=2:mem=4gb\n#PBS -j oe\nsetenv TFV 221\nforeach n (`sort -u $PBS_NODEFILE`)\n  pbs_tmrsh $n /home/moromi/src/task.csh $n $PBS_JOBID |& sed "s/^/${n}: /" &\nend\nwait\n')
    S = Shift(d, PATHS, TZ)
    put(st, 'run31/tracejob.txt', f'Job: 20417.kura00\n\n{S.fmt(L0 - 8, "%m/%d/%Y %H:%M:%S")}  S    enqueuing into workq, state 1 hop 1\n{S.fmt(L0 - 2, "%m/%d/%Y %H:%M:%S")}  S    Job Run at request of Scheduler@kura00 on exec_vhost (kura01:ncpus=2)+(kura02:ncpus=2)+(kura03:ncpus=2)+(kura04:ncpus=2)+(kura05:ncpus=2)+(kura06:ncpus=2)\n{S.fmt(tk, "%m/%d/%Y %H:%M:%S")}  S    Job to be deleted at request of moromi@kura00\n{S.fmt(tk + 6, "%m/%d/%Y %H:%M:%S")}  S    Exit_status=271 resources_used.cpupercent=88 resources_used.mem=2911044kb resources_used.ncpus=12 resources_used.walltime=00:00:{int(tk + 6 - L0):02d}\n')
    put(st, 'run31/memo.sjis.txt', '11/5 夜勤メモ（佐伯）\n・run31 止まったので qdel した。\n・kura02 は先週メモリエラーが出て交換済み。今回も kura02 では？（時計もずれている）\n・kura05 は昨日、情シスが pbs_mom の更新をした。他の号機はまだ。\n', enc='cp932')
    pack(st, 'noda-31', 'tar.gz', dict(cause='resource.thread-limit', culprit=['kura05', 'worker:1'], also=['process.abort-check'],
        notes="kura05's worker could not create a thread (pthread_create failed, pids limit of the new pbs_mom there) and died; the coordinator only saw it go. kura02's replaced memory and its clock are red herrings."))
def channels():
    H = ['kura07', 'kura08', 'kura09']
    with Lab('channels', H, '192.168.61', first=31) as L:
        L0 = time.time()
        for i, h in enumerate(H): L.run(h, [PY221, MAKE + '/shoyu.py'], {'TF_CONFIG': {'cluster': {'worker': [x + ':4100' for x in H]}, 'task': {'type': 'worker', 'index': i}}, 'MOROMI_CH': '24' if h == 'kura08' else '32'}, tz=TZ, merge=False)
        L.waitall(60); L.summary()
    st = L.dir + '/st'; d = when('2026-05-21 16:40:31', TZ, L0)
    for i, p in enumerate(L.procs):
        S = Shift(d + (0, 55, 2)[i], PATHS + [(L.dir, '/work')], TZ)
        for k, x in (('o', 'OU'), ('e', 'ER')): put(st, f'spool_copy/20101[{i}].kura00.{x}', '\n'.join(sl(S, t, l) for t, kk, l in p.lines if kk == k) + '\n')
    put(st, 'spool_copy/README', 'copied from /var/spool/pbs/spool of kura07,08,09 (one subjob each) by hand, 5/22 AM\nold: 20098 had been stopped by a license problem of the viewer, not related?\n')
    put(st, 'dmesg-T.kura07', '[Tue May 19 08:12:44 2026] EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x3a1c2f offset:0x80 grain:32 syndrome:0x0)\n[Thu May 21 03:00:01 2026] perf: interrupt took too long (3140 > 3131), lowering kernel.perf_event_max_sample_rate to 63500\n')
    pack(st, 'noda-20101', 'tar.bz2', dict(cause='collective.mismatch', culprit=['kura08', 'worker:1'], also=['data.shape-mismatch'],
        notes="kura08 ran with 24 channels where the others have 32: the first all-reduce of phase 2 had different shapes ('Shape mismatch in the collective instance'). The corrected memory error on kura07 and the colour chart that was skipped are red herrings."))
def psgone():
    H = ['kura21', 'kura22', 'kura23', 'kura24', 'kura25']; c = cl(H, 2, 3390)
    with Lab('psgone', H, '192.168.62') as L:
        L0 = time.time(); start(L, c, STEPS='300', SLEEP='0.1')
        ch = L.procs[-1]; ch.wait_line('step 400', 70); L.procs[1].sig(signal.SIGKILL)
        ch.wait(30); time.sleep(3)
        for p in L.procs:
            if p.p.poll() is None: p.sig(signal.SIGTERM)
        L.waitall(6); L.summary()
    st = L.dir + '/st'; d = when('2026-03-12 10:02:59', TZ, L0)
    for p in L.procs:
        if p.host in ('kura22', 'kura23'): continue
        S = Shift(d + dict(kura24=-9).get(p.host, 0), PATHS + [(L.dir, '/work/koji/run12')], TZ)
        put(st, f'ticket_0312/{p.host}_{"main" if p.host == "kura21" else "sagyo"}.txt', '\n'.join(sl(S, t, l) for t, k, l in p.lines) + '\n', crlf=(p.host == 'kura25'))
    put(st, 'ticket_0312/連絡.txt', '情報システム 御中\n\n3/12 朝の学習ジョブが途中で落ちました。ログは主番と作業番の分を付けます。\n置き場番（kura22、kura23）のログは /tmp に書いていたため、再起動で消えました。\n停電作業は3/14と聞いていますが、早まったのでしょうか。\n以上、よろしくお願いします。\n')
    pack(st, 'noda-0312', 'zip', dict(cause='ps.unavailable', culprit=['kura23', 'ps:1'], also=['network.unreachable-peer', 'process.killed-by-signal'],
        notes="Only the coordinator's and the workers' logs are there: parameter server 1 (kura23) went away (really a SIGKILL), why cannot be seen. The caught sensor table warnings and the power work in the letter are no evidence."))
if __name__ == '__main__': globals()[sys.argv[1]]()
