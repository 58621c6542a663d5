"""Team 1 (Chile, HTCondor). Usage: team_a.py abi|mudo|dag"""
from lab import *
TZ = 'America/Santiago'
def cfg(hosts, i, port=5590): return {'cluster': {'worker': [f'{h}:{port}' for h in hosts]}, 'task': {'type': 'worker', 'index': i}}
PATHS = [(OUT + '/tf215', '/home/transit/venvs/tf215'), ('/opt/tfenv', '/home/transit/venvs/tf'), (OUT + '/np2', '/home/mfarias/.local/lib/python3.11/site-packages'),
         (MAKE, '/home/transit/fugaz')]
def ev(code, job, t, txt, S):  # HTCondor user log event
    return f'{code:03d} ({job}) {S.fmt(t, "%Y-%m-%d %H:%M:%S")} {txt}\n...\n'
def abi():
    H = ['quila', 'maiten', 'lenga']
    with Lab('abi', H, '10.3.40') as L:
        L0 = time.time()
        for i, h in enumerate(H):
            e = {'TF_CONFIG': cfg(H, i), 'FUGAZ_DIR': L.dir, 'PASOS': '60'}
            if h == 'maiten': e['PYTHONPATH'] = OUT + '/np2'
            L.run(h, [PY215, MAKE + '/fugaz.py'], e, tz=TZ)
        L.procs[1].wait(60); time.sleep(12)
        for k in (0, 2): L.procs[k].sig(signal.SIGTERM)
        tk = time.time(); L.waitall(20); L.summary()
    st = L.dir + '/st'; d = when('2026-08-19 03:12:40', TZ, L0); sk = {'quila': 0, 'maiten': -3, 'lenga': 41}
    job = '8841.%03d.000'; lg = ''; S0 = Shift(d, PATHS, TZ)
    for i, p in enumerate(L.procs):
        S = Shift(d + sk[p.host], PATHS + [(L.dir, '/scratch/fugaz/8841')], TZ)
        put(st, f'8841/fugaz.8841.{i}.err', S.text(p.text())); put(st, f'8841/fugaz.8841.{i}.out', '')
    for i in range(3): lg += ev(0, job % i, L0 - 9, 'Job submitted from host: <10.3.40.2:9618?addrs=10.3.40.2-9618&alias=coigue.obs.cl&noUDP&sock=schedd_2211_9c1b>', S0)
    for i, p in enumerate(L.procs): lg += ev(1, job % i, L0 - .5, f'Job executing on host: <{L.ip[p.host]}:9618?addrs={L.ip[p.host]}-9618&alias={p.host}.obs.cl&noUDP&sock=startd_1804_77aa>', S0)
    lg += ev(5, job % 1, L.procs[1].t1, 'Job terminated.\n\t(1) Normal termination (return value 1)\n\t\tUsr 0 00:00:02, Sys 0 00:00:00  -  Run Remote Usage', S0)
    for i in (0, 2): lg += ev(9, job % i, tk, 'Job was aborted.\n\tvia condor_rm (by user transit)', S0)
    put(st, '8841/fugaz.8841.log', lg)
    put(st, '8841/fugaz.sub', 'universe = vanilla\nexecutable = /home/transit/fugaz/lanza.zsh\narguments = $(Process) 3 5590\ngetenv = True\nrequest_cpus = 2\nrequest_memory = 3GB\n+NightlyGroup = "transit"\nlog = fugaz.$(Cluster).log\noutput = fugaz.$(Cluster).$(Process).out\nerror = fugaz.$(Cluster).$(Process).err\nqueue 3\n')
    put(st, 'LEEME-turno.txt', 'Turno noche 18/19 ago. (Ximena)\n\nEl 8841 no avanza. quila y lenga no pasan de conectarse, los bajé con condor_rm.\nPablo dice que es la red, que ayer se cayó el switch de la sala B (ver syslog de lenga). Yo hice ping y responde.\nEl 8840 de la tarde corrió bien en los mismos tres. Entre medio M. Farías anduvo instalando cosas de su cuenta en maiten para su notebook.\n')
    put(st, 'syslog-lenga.recorte', 'Aug 18 17:41:02 lenga kernel: [812244.120934] e1000e 0000:00:19.0 eno1: NIC Link is Down\nAug 18 17:41:09 lenga kernel: [812251.440018] e1000e 0000:00:19.0 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx\nAug 18 22:03:55 lenga systemd[1]: Starting Daily apt download activities...\nAug 19 03:12:31 lenga condor_startd[1804]: slot1_1: Changing state: Unclaimed -> Claimed\n')
    pack(st, 'calama-8841', 'tgz', dict(cause='env.python-abi', culprit=['maiten', 'worker:1'], also=['env.version-skew'],
        notes="maiten's python found numpy 2 in a user's site-packages and TF 2.15, built for numpy 1, could not be imported (the 'compiled using NumPy 1.x' text and _ARRAY_API). The two others only waited and were removed; the NIC link flap on lenga is of the day before."))
def mudo():
    H = ['coigue', 'quila', 'lenga']
    with Lab('mudo', H, '10.3.40', first=21) as L:
        L0 = time.time()
        for i, h in enumerate(H): L.run(h, [PY221, MAKE + '/fugaz.py'], {'TF_CONFIG': cfg(H, i), 'FUGAZ_DIR': L.dir, 'PASOS': '4000', 'PAUSA': '0.08'}, tz=TZ, merge=False)
        L.procs[0].wait_line('paso   150', 90)
        # the path to quila and from it swallows everything: a wrong link address on both sides
        for h in H:
            for o in H:
                if h != o and 'quila' in (h, o): L.sh(h, f'ip neigh replace {L.ip[o]} lladdr 02:00:00:00:66:66 nud permanent dev eth0')
        tb = time.time(); time.sleep(4)
        probe = ''
        for h in H:
            probe += f'%% {h}\n' + L.sh(h, 'date +"%F %T"; ss -tno | grep -E "State|:5590" | cut -c1-150; ' + '; '.join(
                f'echo "-- conectar a {o}:5590 (timeout 2 s)"; timeout 2 bash -c "</dev/tcp/{o}/5590"; echo "rc=$?"' for o in H if o != h), TZ) + '\n'
        tp = time.time()
        for p in L.procs: p.wait(75)
        tk = time.time(); alive = [p.p.poll() is None for p in L.procs]
        for p, a in zip(L.procs, alive):
            if a: p.sig(signal.SIGTERM)
        L.waitall(20); L.summary(); print(alive, tk - tb)
    st = L.dir + '/st'; d = when('2026-09-02 04:40:05', TZ, L0); sk = {'coigue': 0, 'quila': 127, 'lenga': -2}
    S0 = Shift(d, PATHS, TZ)
    for i, p in enumerate(L.procs):
        S = Shift(d + sk[p.host], PATHS + [(L.dir, '/scratch/fugaz/8902')], TZ)
        put(st, f'execute/dir_{4000 + 77 * i}/_condor_stderr.{p.host}', S.text(p.text('e'))); put(st, f'execute/dir_{4000 + 77 * i}/_condor_stdout.{p.host}', S.text(p.text('o')))
    put(st, 'mirada_manual.txt', '# mirada mientras estaba pegado, unos segundos despues del ultimo paso\n' + S0.text(probe))
    put(st, 'correo.eml', f'From: operador.noche@obs.cl\nTo: transit@obs.cl\nDate: Wed, 02 Sep 2026 05:02:11 -0400\nSubject: 8902 pegado\nContent-Type: text/plain; charset=utf-8\n\nHola, el 8902 dejó de escribir pasos. Adjunto lo que había en los execute.\nAntes de esto nadie tocó los nodos, salvo que Redes movió puertos a la VLAN nueva como a las {S0.fmt(tb, "%H:%M")}.\nAl rato se murieron los tres con errores distintos.\nPara mí es el código, la otra semana pasó algo parecido con un NaN.\n')
    pack(st, 'calama-8902', 'tar.xz', dict(cause='network.timeout', culprit=['quila', 'worker:1'], also=['network.unreachable-peer'],
        notes="All three processes lived, but packets to and from quila were swallowed (connects time out with 124 only where quila is an end, unacknowledged bytes and retransmission timers in ss); the heartbeat errors are consequences. The operator's NaN remark and the telemetry errors that the program caught are red herrings."))
def dag():
    H = ['ulmo', 'raulí'.replace('í', 'i'), 'tepa']
    with Lab('dag', H, '10.3.41') as L:
        L0 = time.time(); runs = []
        for att in (0, 1):
            ps = [L.run(h, [PY221, MAKE + '/fugaz.py'], {'TF_CONFIG': cfg(H, i, 5600 + att), 'FUGAZ_DIR': L.dir, 'PASOS': '260', 'CADA': '4'}, tz=TZ) for i, h in enumerate(H)]
            runs.append(ps)
            if att == 0:
                ps[0].wait_line('paso   100', 90); ps[2].sig(signal.SIGKILL); ps[2].wait(5); tev = time.time()
                time.sleep(14)
                for p in ps[:2]:
                    if p.p.poll() is None: p.sig(signal.SIGKILL)
                for p in ps: p.wait(10)
            else:
                for p in ps: p.wait(90)
        L.summary()
    st = L.dir + '/st'; d = when('2026-07-11 23:51:13', TZ, L0); S0 = Shift(d, PATHS + [(L.dir, '/scratch/fugaz/dag77')], TZ)
    for i in range(3):
        S = Shift(d + (0, 12, -75)[i], PATHS + [(L.dir, '/scratch/fugaz/dag77')], TZ)
        put(st, f'todo-junto/{H[i]}.err', S.text(runs[0][i].text()) + S.text(runs[1][i].text()))
    dm = f'{S0.fmt(L0, "%m/%d/%y %H:%M:%S")} Node FUGAZ job proc (9120.0.0) running\n'
    t2 = runs[1][0].t0; te = runs[1][0].t1
    dm += f'{S0.fmt(tev, "%m/%d/%y %H:%M:%S")} Event: ULOG_JOB_EVICTED for HTCondor Node FUGAZ (9120.2.0) {{{S0.fmt(tev, "%m/%d/%y %H:%M:%S")}}}\n{S0.fmt(t2 - 1, "%m/%d/%y %H:%M:%S")} Node FUGAZ job failed; retrying (attempt 1 of 3)\n{S0.fmt(t2, "%m/%d/%y %H:%M:%S")} Node FUGAZ job proc (9124.0.0) running\n{S0.fmt(te + 3, "%m/%d/%y %H:%M:%S")} Node FUGAZ job proc (9124.0.0) completed successfully.\n{S0.fmt(te + 3, "%m/%d/%y %H:%M:%S")} Node FUGAZ job completed\n{S0.fmt(te + 4, "%m/%d/%y %H:%M:%S")} All jobs Completed!\n{S0.fmt(te + 4, "%m/%d/%y %H:%M:%S")} **** condor_scheduniv_exec.9119.0 (condor_DAGMAN) pid 60718 EXITING WITH STATUS 0\n'
    put(st, 'nocturno.dag.dagman.out', dm)
    put(st, 'dmesg_tepa', '[ 4410.220134] Memory cgroup out of memory: Killed process 9912 (casa-parallel) total-vm:18840120kB, anon-rss:12502340kB, file-rss:0kB, shmem-rss:0kB, UID:1012 pgtables:31220kB oom_score_adj:0\n[ 4410.870011] oom_reaper: reaped process 9912 (casa-parallel), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB\n[91022.000412] perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500\n')
    pack(st, 'pozo-almonte', 'tar.bz2', dict(cause='none', culprit=None, notes="The first attempt lost worker 2 (evicted) and the others printed errors; DAGMan retried, the second attempt restored the checkpoint and every worker printed FIN OK. The OOM in tepa's dmesg is another user's program long before."))
globals()[sys.argv[1]]()
