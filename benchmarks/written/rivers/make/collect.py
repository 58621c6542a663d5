"""Turns run/<job>.json into what somebody collected. `python collect.py name...`; output in set/."""
import json, os, re, sys, shutil, subprocess, datetime as D, io, zipfile, csv, html
HERE = os.path.dirname(os.path.abspath(__file__)); RUN = f'{HERE}/../run'; SET = os.path.abspath(f'{HERE}/../set'); U = D.timezone.utc
def dt(t): return D.datetime.fromtimestamp(t, U)
def f(t, fmt='%Y-%m-%d %H:%M:%S', ms=0):
    s = dt(t).strftime(fmt); return s.replace('%%', '%') + (('.%03d' % (t % 1 * 1000)) if ms else '')
def shift(line, d):
    if not d: return line
    line = re.sub(r'(?<=\d{4} 00:00:)(\d{10})(?=\.\d{6})', lambda m: str(int(m[1]) + int(d)), line)
    def g(m):
        return (D.datetime.strptime(m[1], '%Y-%m-%d %H:%M:%S') + D.timedelta(seconds=int(d))).strftime('%Y-%m-%d %H:%M:%S')
    line = re.sub(r'\b(2026-\d\d-\d\d \d\d:\d\d:\d\d)', g, line)
    def h(m):
        return '[' + (D.datetime.strptime('2026-11-27 ' + m[1], '%Y-%m-%d %H:%M:%S') + D.timedelta(seconds=int(d))).strftime('%H:%M:%S') + ']'
    return re.sub(r'^\[(\d\d:\d\d:\d\d)\]', h, line)
class J:
    def __init__(s, job, d=0, skew={}, sub=()):
        x = json.load(open(f'{RUN}/{job}.json')); s.rc = x['rc']; s.marks = [[t + d, m] for t, m in x['marks']]; s.d, s.skew = d, skew
        def c(l):
            l = l.replace('/opt/incidents/tfk', '/opt/tf/lib/python3.11/site-packages')
            for a, b in sub: l = l.replace(a, b)
            return l
        s.rows = [(t + d + skew.get(l, 0), l, c(shift(m, d + skew.get(l, 0)))) for t, l, m in x['rows']]
        s.t0 = min(t for t, _, _ in s.rows); s.t1 = max(t for t, _, _ in s.rows)
    def of(s, *ls): return [r for r in s.rows if r[1] in ls]
    def text(s, l): return ''.join(m + '\n' for _, _, m in s.of(l))
class Box:
    def __init__(s, name): s.n = name; s.d = f'{RUN}/box/{name}'; shutil.rmtree(s.d, ignore_errors=True); os.makedirs(s.d)
    def w(s, p, txt):
        q = f'{s.d}/{p}'; os.makedirs(os.path.dirname(q), exist_ok=True); open(q, 'wb').write(txt if isinstance(txt, bytes) else txt.encode())
    def pack(s, ext, cause, node, also, notes, top=False):
        a = f'{SET}/{s.n}.{ext}'
        if os.path.exists(a): os.unlink(a)
        if ext == 'zip': subprocess.run(['zip', '-qr', a, '.'], cwd=s.d, check=True)
        else: subprocess.run(['tar', {'tar.gz': '-czf', 'tgz': '-czf', 'tar.xz': '-cJf', 'tar.bz2': '-cjf'}[ext], a] + (['-C', os.path.dirname(s.d), s.n] if top else ['-C', s.d, '.']), check=True)
        q = json.dumps
        open(f'{SET}/{s.n}.truth.yaml', 'w').write(f'archive: {s.n}.{ext}\ncause: {cause}\nculprit_node: {q(node)}\nalso_acceptable: {q(also)}\nnotes: {q(notes, ensure_ascii=False)}\n')
        sz = os.path.getsize(a); print(s.n, ext, sz, 'TOO BIG' if sz > 300000 else '')
def syslog(t, h, m): return f'{dt(t).strftime("%b %e %H:%M:%S")} {h} {m}\n'
# 1 ------------------------------------------------ supplier: launcher with JSON lines; the ps output is not there
def psun():
    j = J('psun', -3 * 86400 - 4321); b = Box('bietigheim')
    o = io.StringIO()
    H = {'ulm': 'p0', 'calw': 'p1', 'esslingen': 'w0', 'aalen': 'w1', 'stuttgart': 'c'}
    o.write(json.dumps(dict(ts=round(j.t0 - 2.2, 3), lvl='launch', msg='pyfleet 3.1 submit from LT-WIN-FEUERBACH user hkoch', ranks={v: k for k, v in H.items()})) + '\n')
    for i, (h, r) in enumerate(H.items()): o.write(json.dumps(dict(ts=round(j.t0 - 1.9 + i * .1, 3), lvl='launch', msg=f'ssh {h} ok, rank {r}, capture={"off (role=ps, --quiet-ps)" if r[0] == "p" else "on"}')) + '\n')
    for t, l, m in j.rows:
        if l in ('ulm', 'calw'): continue
        o.write(json.dumps(dict(ts=round(t, 3), r=H[l], o=m)) + '\n')
    o.write(json.dumps(dict(ts=round(j.t1 + .8, 3), lvl='launch', msg='rank c exited rc=1; tearing down p0 p1 w0 w1', teardown='SIGKILL')) + '\n')
    b.w('pyfleet-20261123T.ndjson', o.getvalue())
    b.w('Teams_ADAS-Training_export.txt', f'''[{f(j.t1+900, "%d.%m.%Y %H:%M")}] Heike Koch: recsys ist wieder abgebrochen, nach ca. 70 Schritten
[{f(j.t1+960, "%d.%m.%Y %H:%M")}] Jonas Bauer: das sind die "UNIMPLEMENTED: Releasing a multi-device component handle" Zeilen auf den Workern, TF 2.21 kann das nicht. Downgrade!
[{f(j.t1+1020, "%d.%m.%Y %H:%M")}] Heike Koch: die ps-Ausgaben haben wir nicht, --quiet-ps. Die Maschinen sind schon wieder vergeben.
[{f(j.t1+1100, "%d.%m.%Y %H:%M")}] Jonas Bauer: Zabbix zu aalen hängt bei, da war heute früh was mit Speicher
''')
    b.w('zabbix_mail.txt', f'''Problem started at {f(j.t0-29000, "%H:%M:%S on %Y.%m.%d")}
Problem name: High memory utilization (>90% for 5m)
Host: aalen
Severity: Average
Operational data: 93.1 %

Resolved at {f(j.t0-27800, "%H:%M:%S on %Y.%m.%d")}  (duration 20m)
''')
    b.pack('zip', 'ps.unavailable', ['calw', 'ps:1', 'p1'], ['network.unreachable-peer', 'process.killed-by-signal'], 'ps task 1 (calw) vanished: connection reset, then refused at 172.20.9.14:4100; its own output was not captured, so why it died cannot be told. Red herrings: UNIMPLEMENTED release message, old memory alert of aalen, SIGKILL at teardown.')
# 2 ------------------------------------------------ HPC: tarball of tarballs, Slurm array, two attempts
def psckpt():
    j = J('psckpt', -9 * 86400 + 30000, {'kestrel#1': -47, 'kestrel#2': -47}, sub=[('/home/proj', '/lustre/proj')]); b = Box('harwell')
    ls = [m for _, m in j.marks if m.startswith('total')][0]
    ls = shift(ls, j.d)
    for n, a in (('1', '7719301_1'), ('2', '7719301_2')):
        d = f'{RUN}/box/in{n}'; shutil.rmtree(d, ignore_errors=True); os.makedirs(d)
        o = open(f'{d}/slurm-{a}.out', 'w'); lab = {h + '#' + n: i for i, h in enumerate(['harrier', 'kestrel', 'osprey', 'merlin'])}
        for t, l, m in j.rows:
            if l in lab: o.write(f'{lab[l]}: {m}\n')
        if n == '1':
            tt = [t for t, m in j.marks if 'merlin#1' in m][0]
            o.write(f'slurmstepd: error: *** STEP {a.replace("_1","")}.0 ON harrier CANCELLED AT {f(tt, "%Y-%m-%dT%H:%M:%S")} DUE TO PREEMPTION ***\n')
        else: o.write('srun: error: merlin: task 3: Exited with exit code 1\nsrun: Terminating StepId=7719301.0\nslurmstepd: error: *** STEP 7719301.0 ON harrier CANCELLED AT ' + f(j.t1 + 1, "%Y-%m-%dT%H:%M:%S") + ' ***\n')
        o.close(); open(f'{d}/batch.sh', 'w').write('#!/bin/bash\n#SBATCH --array=1-6%1\n#SBATCH -N4 --ntasks-per-node=1 --requeue\n#SBATCH -p scavenge\nsrun -l python wd_ps.py --epochs 9\n')
        if n == '2': open(f'{d}/ls-before.txt', 'w').write('+ ls -l ckpt  (prologue of array task 2)\n' + ls)
        b.w(f'job_{a}.tar', subprocess.run(['tar', '-C', d, '-cf', '-', '.'], capture_output=True).stdout)
    b.w('sacct.txt', f'''JobID|JobName|State|ExitCode|Start|End|NodeList
7719301_1|widedeep|PREEMPTED|0:15|{f(j.t0,'%Y-%m-%dT%H:%M:%S')}|{f(j.t0+13,'%Y-%m-%dT%H:%M:%S')}|harrier,kestrel,osprey,merlin
7719301_2|widedeep|FAILED|1:0|{f(j.t0+13,'%Y-%m-%dT%H:%M:%S')}|{f(j.t1,'%Y-%m-%dT%H:%M:%S')}|harrier,kestrel,osprey,merlin
''')
    b.w('README.client', 'Array task 1 got preempted as usual on scavenge, no problem, the loop is made for it.\nArray task 2 (same code, same nodes) dies at start. Please look at task 2 only.\nNB clock of kestrel is wrong by most of a minute, known.\n')
    b.pack('tar.bz2', 'checkpoint.corrupt', None, ['storage.network-fs'], 'Second attempt restores ckpt-3 whose data file is 131072 bytes where its siblings have 256072: restore fails. Red herring: the preemption of attempt 1 (the trigger at most), clock of kestrel.', top=True)
# 3 ------------------------------------------------ supplier: column launcher within Jenkins, two jobs of which one failed
def mismatch():
    j = J('mismatch', -40 * 3600 - 777, {'feile': 95}, sub=[]); b = Box('neckarsulm'); k = J('tds_ok', 0) if os.path.exists(f'{RUN}/tds_ok.json') else None
    o = 'Started by user Brandt, Silke\nRunning as SYSTEM\n[Pipeline] node\nRunning on linux-pool in /srv/jenkins/ws/signs\n[Pipeline] { (train)\n[Pipeline] sh\n+ ./rankrun --hosts hammer,zange,feile -- python signs.py --mode loop\n'
    o += 'TIME         HOST    ST  TEXT\n------------ ------- --- --------------------------------------------\n'
    for t, l, m in j.rows: o += f'{f(t, "%H:%M:%S", 1)} {l:<7} {"run":<3} {m}\n'
    for l in ('feile', 'hammer', 'zange'): o += f'{f(j.t1+.3, "%H:%M:%S", 1)} {l:<7} END rc=1\n'
    o += 'script returned exit code 1\n[Pipeline] }\n[Pipeline] // node\n[Pipeline] End of Pipeline\nERROR: script returned exit code 1\nFinished: FAILURE\n'
    b.w('consoleText_signs-nightly_812', o)
    p = J('uneven_ok', 0) if 0 else None
    b.w('Confluence/Known+issues.html', '<html><body><h1>Known issues &ndash; sign recognition</h1><table><tr><th>Symptom</th><th>Remedy</th></tr><tr><td>"Collective ops is aborted by"</td><td>network switch in hall 4 lost a packet, just restart (2025)</td></tr><tr><td>feile clock 95 s fast</td><td>NTP blocked, ticket open</td></tr></table><p>Classes per host come from <code>/etc/signs/classes.txt</code> (GTSRB: 43). Since Tuesday the config job rolls out GTSRB+1 (new sign), host by host.</p></body></html>\n')
    b.w('rollout_classes.csv', 'host;file;lines;md5;deployed\nhammer;/etc/signs/classes.txt;43;5d0cc1;2026-03-02\nzange;/etc/signs/classes.txt;43;5d0cc1;2026-03-02\nfeile;/etc/signs/classes.txt;44;e7a914;' + f(j.t0 - 50000, '%Y-%m-%d') + '\n')
    b.w('nagios.txt', f'''***** Nagios *****

Notification Type: PROBLEM

Service: Uplink hall4-sw2 errors
Host: hall4-sw2
State: WARNING

Date/Time: {f(j.t0-7*3600,'%a %b %d %H:%M:%S UTC %Y')}

Additional Info:
in-errors 0.02% (threshold 0.01%)
''')
    b.pack('tar.gz', 'collective.mismatch', ['feile', 'worker:2'], ['config.cluster-mismatch', 'data.shape-mismatch'], 'feile all-reduces a histogram of 44 bins, the others 43 ("Shape mismatch in the collective instance"). Red herrings: wiki remark on the switch, Nagios uplink warning, clock of feile 95 s fast.')
# 4 ------------------------------------------------ hospital: SGE, TF1 servers, port held by a stale worker; .eml with zip
def portuse():
    j = J('portuse', -6 * 86400 + 22222, {'adige': 3}, sub=[]); b = Box('cremona')
    ss = [m for _, m in j.marks if m.startswith('State')][0]; tr = {'reno': 1, 'tevere': 2, 'adige': 3, 'brenta': 4}
    z = io.BytesIO(); Z = zipfile.ZipFile(z, 'w', zipfile.ZIP_DEFLATED)
    for h, i in tr.items(): Z.writestr(f'emg_ps.o884213.{i}', j.text(h))
    Z.writestr('emg_ps.po884213.4', ''); Z.writestr('qacct.txt', ''.join(f'==============================================================\nqname        neuro.q\nhostname     {h}.irccs.lan\njobname      emg_ps\njobnumber    884213\ntaskid       {i}\nfailed       {0 if h=="brenta" else 100}\nexit_status  {1 if h=="brenta" else 143}\nmaxvmem      1.9G\n' for h, i in tr.items()))
    Z.writestr('brenta_dopo.txt', '[root@brenta ~]# qstat -u "*" | grep brenta\n[root@brenta ~]# ss -ltnp\n' + ss + '[root@brenta ~]# ps -o pid,ppid,user,lstart,args -p 402\n  PID  PPID USER                      STARTED COMMAND\n  402     1 lzorzi   ' + f(j.t0 - 86400, '%a %b %e %H:%M:%S %Y') + ' python emg_ps.py --job worker --task 2\n'); Z.close()
    import base64; att = base64.encodebytes(z.getvalue()).decode()
    b.w('Fwd_ emg di nuovo.eml', f'''From: "Silvia Pavan" <spavan@irccs.lan>
To: calcolo@irccs.lan
Date: {f(j.t1+3000,'%a, %d %b %Y %H:%M:%S +0000')}
Subject: Fwd: emg di nuovo fermo?
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="=_b17"

--=_b17
Content-Type: text/plain; charset=utf-8

Ciao, il job 884213 parte ma gira solo su due macchine, l'ho cancellato (qdel).
Secondo Piet e' l'NFS ("de homes waren vanochtend traag, zal dat wel zijn").
adige scrive "Waiting for model to be ready" e quindi secondo me e' adige.
Allego tutto quello che c'e' nella cartella.
S.

--=_b17
Content-Type: text/plain; name="messages_reno.txt"

{syslog(j.t0-11000,'reno','kernel: nfs: server nas-cuore not responding, still trying')}{syslog(j.t0-10991,'reno','kernel: nfs: server nas-cuore OK')}{syslog(j.t0-5,'reno','sge_execd[2210]: starting job 884213.1')}
--=_b17
Content-Type: application/zip; name="emg_884213.zip"
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename="emg_884213.zip"

{att}
--=_b17--
''')
    b.w('emg_884213.zip', z.getvalue())
    b.pack('zip', 'network.port-in-use', ['brenta', 'worker:2'], [], 'brenta cannot start its gRPC server: port 2223 is held by a stale worker of another user (pid 402, ppid 1); "Could not start gRPC server". Red herrings: NFS hiccup hours before, "Waiting for model to be ready" of adige, qdel exit 143.')
# 5 ------------------------------------------------ supplier: Artifactory certificate expired; two attempts in one file
def tls():
    j = J('tls', 86400 * 1 + 3600, {}, sub=[('artefakt', 'artefakt')]); b = Box('bochum')
    A = {'motor#1': 'MOTOR', 'getriebe#1': 'GETRIEBE', 'motor#2': 'MOTOR', 'getriebe#2': 'GETRIEBE'}; o = ''
    last = None
    for t, l, m in j.rows:
        if l not in A: continue
        n = l[-1]
        if n != last and (last is None or n == '2') : o += f'\n######## lauf.py attempt {n} {f(t)} ########\n'; last = n
        o += f'<{A[l]}|{int((t-j.t0)*1000):06d}ms> {m}\n'
    o += f'<LAUF> GETRIEBE returned 1, MOTOR gets SIGTERM after 10 s grace (returned -15)\n'
    b.w('lauf_panel.log', o)
    b.w('artifactory-alert.json', json.dumps({'alerts': [{'labels': {'alertname': 'ProbeCertExpiresSoon', 'instance': 'https://artefakt:8443', 'severity': 'info'}, 'annotations': {'summary': 'certificate expires in < 14d'}, 'startsAt': f(j.t0 - 14 * 86400, '%Y-%m-%dT%H:%M:%SZ'), 'status': 'suppressed'}, {'labels': {'alertname': 'NodeLoadHigh', 'instance': 'motor:9100'}, 'startsAt': f(j.t0 - 4000, '%Y-%m-%dT%H:%M:%SZ'), 'endsAt': f(j.t0 - 3500, '%Y-%m-%dT%H:%M:%SZ'), 'status': 'resolved'}]}, indent=1))
    b.w('notiz.md', 'Versuch 1: Keras-3-fit geht nicht mit unserer Strategie (PerReplica), hab ein Flag gesetzt.\nVersuch 2: hängt jetzt bei "Waiting for 1/2 tasks to connect" -> Firewall zwischen motor und getriebe? Ticket an Netzwerk ist raus.\n')
    b.pack('tgz', 'network.tls', ['artefakt', 'getriebe', 'worker:1'], [], 'In the last attempt getriebe dies before joining: the Artifactory certificate (artefakt:8443) has expired; motor only waits for it. Red herrings: attempt 1 (Keras 3 with PerReplica), firewall remark, load alert.')
# 6 ------------------------------------------------ supplier: coloured launcher, tf.data service journal on a full disk
def tdsdisk():
    j = J('tdsdisk', -12 * 86400 + 9000, {}); b = Box('wendlingen'); C = dict(vorsicht=31, ruhe=32, geduld=33, eifer=36)
    o = ''
    for t, l, m in j.rows: o += f'\x1b[{C[l]}m{l.capitalize():>9}\x1b[0m \x1b[2m+{t-j.t0:6.1f}\x1b[0m {m}\n'
    o += '\x1b[1;31m    Eifer\x1b[0m exited with 1\n\x1b[1m   launch\x1b[0m stopping Vorsicht, Ruhe, Geduld (KILL)\n'
    b.w('bunt.ansi', o)
    b.w('df_all_hosts.txt', f'''vorsicht# df -h /mnt/scratch
Filesystem      Size  Used Avail Use% Mounted on
tmpfs            64K   64K     0 100% /mnt/scratch
vorsicht# ls -l /mnt/scratch
-rw-r--r-- 1 root root 57344 {f(j.t0-88000,'%b %e %H:%M')} core.8841
drwxr-xr-x 3 root root    80 {f(j.t0,'%b %e %H:%M')} journal
eifer# df -h /
Filesystem      Size  Used Avail Use% Mounted on
/dev/sda2        98G   91G  7.0G  93% /
''')
    b.w('prometheus.txt', f'''[FIRING:1] NodeFilesystemAlmostOutOfSpace (eifer:9100 / warning)
Filesystem on /dev/sda2 at eifer:9100 has only 7.1% available space left.
Active since {f(j.t0-260000)} UTC

[RESOLVED] HostOomKillDetected (geduld:9100)
{f(j.t0-70000)} UTC  oom_kill counter increased by 1 (ros_bag_play)
''')
    b.pack('tar.xz', 'resource.disk-full', ['vorsicht', 'dispatcher'], [], 'The tf.data service dispatcher on vorsicht cannot write its journal (/mnt/scratch full, an old core file): "No space left on device"; shown in the trainer eifer. Red herrings: eifer at 93 % (still 7 GB), old OOM kill on geduld.')
# 7 ------------------------------------------------ students: three desktops, rsyslog to one, SIGSTOP, hung and interrupted
def stop():
    j = J('stop', 15 * 3600, {'balkon': -6}); b = Box('marburg'); o = ''
    for t, l, m in j.rows:
        tt = t - j.skew.get(l, 0)
        o += f'{dt(tt).strftime("%b %e %H:%M:%S")} {l} vogel[{ {"wohnzimmer":2674,"kueche":2676,"balkon":2678}[l]}]: {m}\n'
    b.w('var_log_remote_vogel.log', o)
    ts = [t for t, m in j.marks if 'kueche signal 19' in m][0]
    P = [m for _, m in j.marks if m.startswith('PS')][0].splitlines()
    b.w('WhatsApp Chat mit Vogel-WG.txt', f'''{f(ts+8,'%d.%m.%y, %H:%M')} - Lena: bleibt bei epoch 3 stehen, alle drei
{f(ts+60,'%d.%m.%y, %H:%M')} - Tarik: WLAN balkon? das hing gestern auch
{f(ts+60,'%d.%m.%y, %H:%M')} - Lena: ping balkon 2 ms, geht
{f(ts+120,'%d.%m.%y, %H:%M')} - Lena: hab ps auf kueche abgetippt bevor ich alles mit strg-c gekillt hab:
PID STAT WCHAN ELAPSED TIME COMMAND
{P[1].strip()}
{f(ts+120,'%d.%m.%y, %H:%M')} - Tarik: sagt die log doch: "tasks have crashed". kueche ist abgestürzt, RAM?
{f(ts+180,'%d.%m.%y, %H:%M')} - Lena: der prozess ist aber noch da. auf kueche saß Mama am terminal ssh fenster offen, die wollte "nur was kopieren"
''')
    b.pack('zip', 'sync.hang', ['kueche', 'worker:1'], ['process.killed-by-signal', 'collective.timeout'], 'The process on kueche was stopped (state T, do_signal_stop in the typed-off ps; Ctrl-Z/SIGSTOP); heartbeats cease, the other two wait and then report task 1 as crashed. Red herrings: WLAN remark, "have crashed", Ctrl-C at the end.')
# 8 ------------------------------------------------ HPC: mpiexec.hydra -prepend-rank, eight ranks, thread limit on one node
def threads():
    N = 'amber basalt chalk diorite flint gneiss marble slate'.split(); j = J('threads', -20 * 86400 + 700, {'marble': -12}); b = Box('keflavik')
    o = 'Sourcing /opt/intel/oneapi/setvars.sh\n:: initializing oneAPI environment ... done\n+ mpiexec.hydra -prepend-rank -ppn 1 -f hosts python seis.py --mode loop --epochs 2 --steps 30\n'
    for t, l, m in j.rows: o += f'[{N.index(l)}] {m}\n'
    o += f'\n[mpiexec@amber] Sending Ctrl-C to processes as requested\n[mpiexec@amber] Press Ctrl-C again to force abort\n'
    b.w('seis.o33120', o)
    jr = []
    for i, h in enumerate(N):
        jr += [syslog(j.t0 - 20 + i * .1, h, 'pbs_mom[1711]: Job;33120.pbs0;Started, pid = %d' % (6082 + 2 * i)), syslog(j.t0 - 300 + i, h, 'systemd[1]: Starting system activity accounting tool...'), syslog(j.t0 - 299 + i, h, 'systemd[1]: Finished system activity accounting tool.')]
    jr += [syslog(j.t0 - 9000, 'chalk', 'kernel: oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=33102.pbs0,mems_allowed=0-1,oom_memcg=/pbs/33102.pbs0,task_memcg=/pbs/33102.pbs0,task=ls-dyna,pid=40112,uid=60551'), syslog(j.t0 - 9000, 'chalk', 'kernel: Memory cgroup out of memory: Killed process 40112 (ls-dyna) total-vm:98811204kB, anon-rss:95210008kB, file-rss:0kB, shmem-rss:0kB, UID:60551 pgtables:190044kB oom_score_adj:0')]
    b.w('journal_all_nodes.txt', ''.join(jr))
    b.w('clush.txt', "$ clush -bw amber,basalt,chalk,diorite,flint,gneiss,marble,slate 'ulimit -u; ulimit -n'\n---------------\namber,basalt,chalk,diorite,flint,marble,slate (7)\n---------------\n96365\n20000\n---------------\ngneiss\n---------------\n17\n20000\n$ clush -bw @seis 'ls /opt/tf/bin/python'\n---------------\n@seis (8)\n---------------\n/opt/tf/bin/python\n")
    b.pack('tar.gz', 'resource.thread-limit', ['gneiss', 'worker:5', 'rank 5'], [], 'Rank 5 on gneiss aborts at start as a thread cannot be created (ulimit -u 17 there only); the other seven wait for 1/8 until interrupted. Red herrings: old OOM kill of ls-dyna on chalk, check-failure look of the abort.', top=True)
# 9 ------------------------------------------------ HPC: PBS, clush, packets of one node vanish
def blackhole():
    H = ['gauss', 'euler', 'noether', 'hilbert']; j = J('blackhole', -2 * 86400 + 40000, {'hilbert': 31}); b = Box('toulouse'); tl = [t for t, m in j.marks if m == 'loss'][0]
    for h in H: b.w(f'1201188/{h}/stdall', j.text(h)) if h in ('gauss', 'noether') else b.w(f'1201188/{h}.log.rank', j.text(h))
    o = ''
    for h in H:
        k = j.skew.get(h, 0); o += f'==================== {h}: journalctl --no-pager --since today\n' + syslog(j.t0 + k - 30, h, 'pbs_mom[2201]: Job;1201188.torque;Started') + syslog(tl + k - 1400, h, 'systemd[1]: Starting man-db-cache-update.service...') + (syslog(tl + k - 2, h, 'opensm[771]: nothing to report') if h == 'gauss' else '')
        if h == 'noether': o += syslog(tl + 70 + k, h, 'chronyd[911]: Source 10.10.0.1 no longer reachable') 
        if h == 'euler': o += syslog(tl - 50000, h, 'kernel: nvme nvme0: I/O tag 317 (113d) QID 4 timeout, completion polled')
    b.w('journal.txt', o)
    b.w('check_by_admin.txt', f"""# {f(tl+300)}  from the management VLAN
[root@mgmt ~]# clush -bw gauss,euler,noether,hilbert uptime
all four up 41 days
[root@mgmt ~]# ssh noether ethtool eth0 | grep -i link
        Link detected: yes
[root@mgmt ~]# ssh noether dmesg | tail -1
[3540118.112001] EXT4-fs (sda3): re-mounted. Opts: (null)
[root@mgmt ~]# ssh gauss ping -c 5 -W 1 10.10.3.3
PING 10.10.3.3 (10.10.3.3) 56(84) bytes of data.

--- 10.10.3.3 ping statistics ---
5 packets transmitted, 0 received, 100% packet loss, time 4102ms

[root@mgmt ~]# ssh gauss ping -c 2 10.10.3.4 | tail -2
2 packets transmitted, 2 received, 0% packet loss, time 1001ms
rtt min/avg/max/mdev = 0.101/0.108/0.115/0.007 ms
""")
    b.pack('tar.xz', 'network.timeout', ['noether', 'worker:2'], ['network.unreachable-peer', 'hardware.nic-link'], 'From one moment all packets of noether vanish (ping 100 % loss while link is up and the host and its process live); heartbeats of worker 2 time out. Red herrings: nvme time-out on euler, clock of hilbert, the text "have crashed".')
# 10 ----------------------------------------------- hospital: LSF mail with zip, uneven shards, hang, bkill
def uneven():
    H = ['larice', 'ontano', 'frassino']; j = J('uneven', -15 * 86400 + 11000, {'ontano': 14}, sub=[]); b = Box('trento')
    o = f"""Sender: LSF System <lsfadmin@larice>
Subject: Job 55120: <tacsegm> in cluster <sanita> Exited

Job <tacsegm> was submitted from host <quercia> by user <gferri> in cluster <sanita> at {f(j.t0-40,'%a %b %e %H:%M:%S %Y')}
Job was executed on host(s) <1*larice>, in queue <ricerca>, as user <gferri> in cluster <sanita> at {f(j.t0-3,'%a %b %e %H:%M:%S %Y')}
                            <1*ontano>
                            <1*frassino>
</home/gferri> was used as the home directory.
</home/gferri/tac-segm> was used as the working directory.
Started at {f(j.t0-3,'%a %b %e %H:%M:%S %Y')}
Terminated at {f(j.t1+1,'%a %b %e %H:%M:%S %Y')}

------------------------------------------------------------
# LSBATCH: User input
blaunch -z "larice ontano frassino" ./lancia.sh
------------------------------------------------------------

TERM_OWNER: job killed by owner.
Exited with signal termination: 15.

Resource usage summary:

    CPU time :                                   41.20 sec.
    Max Memory :                                 1822 MB
    Max Processes :                              3

The output (if any) follows:

"""
    for h in H: o += f'--- {h} ---\n' + j.text(h)
    b.w('posta/55120.txt', o)
    b.w('posta/risposta.txt', 'Caro Gianni,\nsul nodo ontano martedi\' c\'era "mce: CPU3: Core temperature above threshold" nel dmesg, per me e\' quello. Ogni tanto si blocca.\nP.S. Joost zegt: "de laatste patienten van ziekenhuis 3 ontbreken nog, komt volgende week".\nMarco\n')
    b.w('posta/ls.txt', '$ ls -l slices-*.tfrecord\n' + ''.join(f'-rw-r--r-- 1 gferri ricerca {os.path.getsize(f"{RUN}/uneven.work/slices-{i}.tfrecord")} {f(j.t0-90000,"%b %e %H:%M")} slices-{i}.tfrecord\n' for i in range(3)))
    b.pack('zip', 'data.uneven-shards', ['frassino', 'worker:2'], ['sync.hang', 'collective.timeout'], 'frassino has a smaller shard (ls) and finishes after 66 steps while the others still wait in step 67; killed by the owner (bkill). Red herrings: MCE temperature remark on ontano, TERM_OWNER.')
# 11 ----------------------------------------------- HPC: GNU parallel --tag, two jobs, one fails: device placement
def device():
    j = J('device', -33 * 3600, {}); b = Box('leuven'); o = ''
    cmd = {'tulip': 'ps 0', 'crocus': 'worker 0', 'violet': 'worker 1'}
    for t, l, m in j.rows: o += f'{l[:-2]} {"cpu" if l[-1]=="A" else "gpu"} {cmd[l[:-2]]}\t{m}\n'
    b.w('parallel_tag.out', o)
    b.w('joblog', 'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n' + ''.join(f'{i+1}\t{l[:-2]}\t{j.t0:.3f}\t{max(t for t,x,_ in j.rows if x==l)-j.t0:.3f}\t0\t{len(j.text(l))}\t{j.rc[l] if j.rc[l]>=0 else 0}\t{-j.rc[l] if j.rc[l]<0 else 0}\t./fluxfit.sh {"cpu" if l[-1]=="A" else "gpu"} {cmd[l[:-2]]}\n' for i, l in enumerate(j.rc)))
    b.w('typescript', f'Script started on {f(j.t1+60,"%Y-%m-%d %H:%M:%S+00:00")}\n[ann@tulip ~]$ clush -bw tulip,crocus,violet "ls /dev/nvidia* 2>&1 | head -2"\n---------------\ntulip,crocus,violet (3)\n---------------\nls: cannot access \'/dev/nvidia*\': No such file or directory\n[ann@tulip ~]$ ssh violet dmesg | grep -i oom\n[9120011.220140] Out of memory: Killed process 1180 (paraview) total-vm:40110220kB, anon-rss:30112008kB, file-rss:0kB, shmem-rss:0kB, UID:1019 pgtables:70112kB oom_score_adj:0\n[ann@tulip ~]$ exit\nScript done\n')
    b.pack('tar.gz', 'config.device-placement', ['violet', 'worker:1'], [], 'Job "gpu": worker 1 pins an op to /job:worker/task:1/device:GPU:0, which does not exist: cannot assign a device. Job "cpu" is fine; signal 9 of the ps and of worker 1 in "cpu" is the clean-up after the chief had finished. Red herring: old OOM of paraview.')
# 12 ----------------------------------------------- AKS: Log Analytics table
def skew():
    j = J('skew', -4 * 86400 + 5000, {}); b = Box('utrecht'); o = 'TimeGenerated [UTC]\tComputer\tPodName\tContainerName\tLogSource\tLogMessage\n'
    nd = {'pool-a': 'aks-cpu-31120-vmss000001', 'pool-b': 'aks-cpu-31120-vmss000004', 'pool-c': 'aks-spot-88210-vmss000000'}
    for t, l, m in j.rows: o += f'{dt(t).strftime("%-m/%-d/%Y, %-I:%M:%S")}.{int(t%1*1000):03d} {dt(t).strftime("%p")}\t{nd[l]}\t{l}\ttrainer\tstderr\t"{m.replace(chr(34), chr(34)*2)}"\n'
    b.w('query_data.tsv', o)
    b.w('KubePodInventory.tsv', 'TimeGenerated [UTC]\tName\tPodStatus\tContainerStatusReason\tImage\tPodRestartCount\n' + ''.join(f'{dt(j.t1).strftime("%-m/%-d/%Y, %-I:%M:%S %p")}\t{p}\tSucceeded\tCompleted\tacrvision.azurecr.io/trainer:{"2026.10" if p!="pool-c" else "2024.07"}\t0\n' for p in nd))
    b.w('KubeEvents.tsv', f'TimeGenerated [UTC]\tName\tReason\tMessage\n{dt(j.t0-20).strftime("%-m/%-d/%Y, %-I:%M:%S %p")}\tpool-c\tFailedScheduling\t0/6 nodes are available: 6 Insufficient cpu. preemption: 0/6 nodes are available\n{dt(j.t0-12).strftime("%-m/%-d/%Y, %-I:%M:%S %p")}\tpool-c\tTriggeredScaleUp\tpod triggered scale-up: [{{aks-spot 0->1 (max: 4)}}]\n{dt(j.t0-5).strftime("%-m/%-d/%Y, %-I:%M:%S %p")}\tpool-c\tPulled\tContainer image "acrvision.azurecr.io/trainer:2024.07" already present on machine\n')
    b.w('remark.txt', 'Daan: pool-c heeft nog de oude image (2.16.2 naast 2.21.0), dus de job is stuk gegaan. Kan iemand kijken?\n')
    b.pack('zip', 'none', None, [], SKEW_NOTE)
SKEW_NOTE = 'All three pods print "training finished after 150 steps" and succeed, although pool-c runs TensorFlow 2.16.2 and the others 2.21.0. Red herrings: the version difference and the remark on it, FailedScheduling (then scaled up), OUT_OF_RANGE lines.'
# 13 ----------------------------------------------- GKE: gcloud logging read (YAML), survived
def psnone():
    j = J('psnone', -86400 * 5, {}, sub=[]); b = Box('eemshaven'); import random
    o = ''
    for t, l, m in sorted(j.rows, key=lambda r: -r[0]):
        pod = l.replace('1b', '1')
        o += f'---\ninsertId: {abs(hash((t, m))) % 10**15:015d}\nlabels:\n  k8s-pod/app: reco\nlogName: projects/reco-prod/logs/stderr\nresource:\n  labels:\n    cluster_name: reco-euw4\n    container_name: tf\n    pod_name: {pod}\n  type: k8s_container\nseverity: ERROR\ntextPayload: {json.dumps(m, ensure_ascii=False)}\ntimestamp: \'{dt(t).strftime("%Y-%m-%dT%H:%M:%S.%f")}000Z\'\n'
    b.w('gcloud-logging-read.yaml', o)
    tk = [t for t, m in j.marks if 'worker-1' in m][0]
    b.w('k9s-screen.txt', f""" Context: gke_reco-prod_europe-west4_reco-euw4                <0> all
 ┌────────────────────────── Pods(reco)[4] ──────────────────────────┐
 │ NAME              PF  READY  STATUS     RESTARTS  IP          AGE  │
 │ reco-chief-0      ●   0/1    Completed         0  10.8.1.5    3m   │
 │ reco-ps-0         ●   1/1    Running           0  10.8.2.8    3m   │
 │ reco-worker-0     ●   1/1    Running           0  10.8.1.6    3m   │
 │ reco-worker-1     ●   1/1    Running           1  10.8.2.7    3m   │
 └────────────────────────────────────────────────────────────────────┘
""")
    b.w('events.txt', f'LAST SEEN   TYPE      REASON     OBJECT              MESSAGE\n3m          Normal    Started    pod/reco-worker-1   Started container tf\n2m          Warning   Unhealthy  pod/reco-worker-1   Liveness probe failed: command timed out\n2m          Normal    Killing    pod/reco-worker-1   Container tf failed liveness probe, will be restarted\n2m          Normal    Started    pod/reco-worker-1   Started container tf\n')
    b.pack('tar.gz', 'none', None, [], 'The coordinator survives the restart of worker 1 (liveness probe) and the chief prints "done" after epoch 7; the exported severity ERROR is only stderr.', top=True)
# 14 ----------------------------------------------- students: TF1 servers, two machines think they are worker 1
def taskidx():
    j = J('taskidx', 86400 * 2 - 500, {}); b = Box('coburg')
    def cut(l, a=130, z=14):
        r = j.text(l).split('\n'); return '\n'.join(r) if len(r) < a + z else '\n'.join(r[:a] + [f'[... {len(r)-a-z} Zeilen, immer das gleiche ...]'] + r[-z:])
    b.w('Google Doc - Verteilte Systeme Protokoll.txt', '\ufeffProtokoll Gruppe 4\n\nGestartet auf allen drei Rechnern mit nohup. sofa läuft durch, keller stürzt ab, flur kommt nie richtig rein (am Ende Strg-C).\n* Meinung Ben: UnicodeDecodeError, also ein Umlaut in den Daten? Oder falsches locale auf keller\n* Meinung Ida: der ps auf sofa startet dauernd neu ("just restarted")\n\n[Ausgabe sofa, ps]\n' + cut('sofa-ps') + '\n[Ausgabe sofa]\n' + cut('sofa') + '\n[Ausgabe keller]\n' + cut('keller', 200) + '\n[Ausgabe flur]\n' + cut('flur') + '\n')
    b.w('history_flur.txt', '  211  scp keller:ps-demo/start.sh .\n  212  nano start.sh\n  213  ./start.sh\n  214  nc -vz sofa 2222\nConnection to sofa (192.168.1.40) 2222 port [tcp/*] succeeded!\n')
    b.pack('tar.gz', 'config.task-index', ['flur', 'worker:1'], ['config.cluster-mismatch'], 'flur was started as worker/1 like keller (script copied; first line of each output), so the two overwrite each other on the ps ("Session handle is not found") and keller dies with a garbled status. Red herrings: UnicodeDecodeError/locale, "ps just restarted".')
# 15 ----------------------------------------------- EKS: Logs Insights CSV
def dns():
    j = J('dns', -86400 * 8, {}); b = Box('tralee'); o = io.StringIO(); w = csv.writer(o); w.writerow(['@timestamp', 'kubernetes.pod_name', 'log'])
    for t, l, m in j.rows: w.writerow([dt(t).strftime('%Y-%m-%d %H:%M:%S.') + '%03d' % (t % 1 * 1000), l, m])
    b.w('logs-insights-results.csv', o.getvalue())
    b.w('stern_coredns.txt', ''.join(f'coredns-5d78c coredns [INFO] 10.100.7.4:{40000+i} - {i+7} "A IN feed-dispatch.vision-ml.svc.cluster.local. udp 62 false 512" NXDOMAIN qr,aa,rd 155 0.00012s\n' for i in range(4)))
    b.w('kubectl_get_svc.txt', 'NAMESPACE   NAME            TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)    AGE\nvision      feed-dispatch   ClusterIP   None         <none>        5050/TCP   2d\nvision      vision-train    ClusterIP   None         <none>        8888/TCP   2d\n')
    b.w('slack.txt', 'aoife 09:12  spot interruption on ip-10-100-7-3 this morning, maybe that?\nmateo 09:13  feed-w-a registered fine after that\n')
    b.pack('zip', 'network.dns', None, ['config.cluster-mismatch'], 'Worker feed-w-b and the trainer use feed-dispatch.vision-ml.svc.cluster.local, which does not resolve (NXDOMAIN; the service lives in namespace vision). Red herring: spot interruption.')
# 16 ----------------------------------------------- SageMaker console: restart, ended well
def kerasnone():
    j = J('kerasnone', -86400 * 11 + 3333, {}, sub=[('/srv/app', '/opt/ml')]); b = Box('sligo')
    o = {'logGroup': '/aws/sagemaker/TrainingJobs', 'events': [{'timestamp': int(t * 1000), 'logStreamName': f'birds-{"a" if l[-1]=="1" else "b"}/{l[:-2]}-17', 'message': m} for t, l, m in j.rows]}
    b.w('filter-log-events.json', json.dumps(o, indent=0))
    b.w('list-training-jobs.json', json.dumps({'TrainingJobSummaries': [{'TrainingJobName': 'birds-' + x, 'TrainingJobStatus': 'Completed', 'TrainingEndTime': f(max(t for t, l, m in j.rows if l[-1] == n) + 3)} for x, n in (('a', '1'), ('b', '2'))]}, indent=2))
    b.w('console-copy.txt', 'Amazon SageMaker > Training jobs > birds-a\nManaged spot training: Enabled\nStatus history\nStarting\tPreparing the instances for training\nDownloading\tDownloading the training image\nTraining\tTraining image download completed. Training in progress.\n')
    b.pack('tar.bz2', 'none', None, [], 'Two jobs, both Completed: in birds-a algo-2 only notes a SIGTERM (preemption notifier) and trains to the end; all four workers print "training finished".')
# 17 ----------------------------------------------- hospital, Dutch: only the victims' logs
def victims():
    j = J('victims', -86400 * 17 + 9999, {'waal': -20}); b = Box('zutphen')
    for h, n in (('dommel', 'retina_fit.o41.1'), ('waal', 'retina_fit.o41.2'), ('merwede', 'retina_fit.o41.4')): b.w(f'doos/{n}', f'# {h}\n' + j.text(h))
    b.w('doos/LEESMIJ', 'Beste collega,\nvan linge (taak 3) heb ik geen uitvoer, de schijf daar wordt na elke job gewist. Volgens mij is het de keras-versie.\nMvg, Jan\n')
    b.w('doos/dmesg.dommel', '[771203.118] Out of memory: Killed process 9931 (MATLAB) total-vm:61022104kB, anon-rss:50110200kB, file-rss:0kB, shmem-rss:0kB, UID:5110 pgtables:101204kB oom_score_adj:0\n')
    b.pack('tgz', 'network.unreachable-peer', ['linge', 'worker:2'], ['collective.timeout', 'process.killed-by-signal', 'process.segfault'], 'Only the consequences: worker 2 (linge) vanished, its output is lost; the others report its connection/heartbeat. Red herrings: MATLAB OOM on dommel, Keras remark.')
# 18 ----------------------------------------------- hobby: nohup on three small hosts, Telegram; checkpoint folder of root
def ckperm():
    j = J('ckperm', 86400 * .75, {'thistle': 41}); b = Box('penryn'); ls = [m for _, m in j.marks][-1]
    b.w('bramble/nohup.out', j.text('bramble')); b.w('clover-tee.txt', j.text('clover')); b.w('thistle_screenlog.0', j.text('thistle') + '\n[killed by hand]\n')
    b.w('telegram.json', json.dumps({'name': 'flatml', 'messages': [{'from': 'Jory', 'date': f(j.t0 - 80000), 'text': 'last night I tried it with sudo once because of port 80, worked'}, {'from': 'Morwenna', 'date': f(j.t0 - 70000), 'text': 'SD card of clover: mmc0: timeout waiting for hardware interrupt, again. rebooted, fine since'}, {'from': 'Morwenna', 'date': f(j.t1 + 60), 'text': 'died after the first epoch. thistle again?? too little RAM'}, {'from': 'Jory', 'date': f(j.t1 + 90), 'text': 'id -u says 61000. ls -ldn ckpt: ' + re.sub(r'2026-..-.. ..:..', f(j.t0 - 79000, '%Y-%m-%d %H:%M'), ls)}]}, indent=1))
    b.pack('tar.gz', 'checkpoint.permission', None, [], 'The first save fails with permission denied: ckpt belongs to root (an earlier sudo run). Red herrings: SD card time-out on clover, RAM of thistle.')
if __name__ == '__main__':
    for n in sys.argv[1:]:
        try: globals()[n]()
        except Exception: print(n, 'FAILED'); import traceback; traceback.print_exc()
