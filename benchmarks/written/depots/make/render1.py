"""Layouts, part 1.  python3 render1.py NAME..."""
import sys, html, random
from lib import *
D = 86400
REN = {}
def ren(f): REN[f.__name__] = f; return f
def iso(t, n=3, z="Z"): return utc(t, "%Y-%m-%dT%H:%M:%S") + (f"{t % 1:.{n}f}"[1:] if n else "") + z
def base(name, date):  # shift so that the job starts at `date` (UTC)
    j = json.load(open(OUT / 'raw' / f'{name}.json')); t0 = min(x['t0'] for v in j['info'].values() for x in v)
    return int(datetime.datetime.fromisoformat(date + '+00:00').timestamp() - t0)
def oom(up, pid, comm, rss_kb, cg='/user.slice/user-1004.slice/session-88.scope'):
    return [f'[{up:.6f}] {comm} invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0',
            f'[{up + .00012:.6f}] CPU: 11 PID: {pid} Comm: {comm} Not tainted 5.15.0-113-generic #123-Ubuntu',
            f'[{up + .0021:.6f}] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,task_memcg={cg},task={comm},pid={pid},uid=1004',
            f'[{up + .0022:.6f}] Out of memory: Killed process {pid} ({comm}) total-vm:{rss_kb * 2}kB, anon-rss:{rss_kb}kB, file-rss:2312kB, shmem-rss:0kB, UID:1004 pgtables:{rss_kb // 500}kB oom_score_adj:0']

@ren
def leipzig():  # Ansible
    R = Raw('leipzig', base('leipzig', '2026-10-14 03:12:40'), {'rail-gpu02': 41, 'rail-gpu03': -3}, [(str(OUT / 'run/leipzig/fit.py'), '/opt/eta/fit.py'), (str(OUT / 'run/leipzig'), '/opt/eta')])
    o = ["$ ansible eta_train -i inv/prod -b -m shell -a 'cat /var/log/eta/train.log | tr \"\\r\" \"\\n\" | tr -d \"\\b\"'"]
    for w in ('w1', 'w0', 'w2'):
        r = R.by(w)
        o.append(f'{r[0][2]} | CHANGED | rc=0 >>'); o += [p for x in r for p in cr(x[4])]
    dm = {'rail-gpu01': oom(1830221.4412, 40122, 'java', 61203344) + ['[1902200.120010] eth1: renamed from veth91ab'], 'rail-gpu02': ['[  12.884100] EXT4-fs (nvme0n1p2): mounted filesystem with ordered data mode. Opts: (null). Quota mode: none.', '[2210041.002130] perf: interrupt took too long (3210 > 3140), lowering kernel.perf_event_max_sample_rate to 62250'], 'rail-gpu03': []}
    tasks = [{'name': 'last kernel lines', 'cmd': 'dmesg | tail -n 40'}]
    j = {'plays': [{'play': {'name': 'collect eta_train'}, 'tasks': [
        {'task': {'name': 'last kernel lines'}, 'hosts': {h: {'changed': True, 'cmd': 'dmesg | tail -n 40', 'rc': 0, 'stderr_lines': [], 'stdout_lines': l} for h, l in dm.items()}},
        {'task': {'name': 'unit state'}, 'hosts': {R.info[w][0]['host']: {'changed': True, 'cmd': 'systemctl show eta-train -p ExecMainStatus,ExecMainPID', 'rc': 0, 'stdout_lines': [f'ExecMainPID={R.info[w][0]["pid"]}', f'ExecMainStatus={R.info[w][0]["rc"] if R.info[w][0]["rc"] >= 0 else 9}']} for w in ('w0', 'w1', 'w2')}},
        {'task': {'name': 'disk'}, 'hosts': {h: {'changed': True, 'rc': 0, 'stdout_lines': ['Filesystem      Size  Used Avail Use% Mounted on', f'/dev/nvme0n1p2  879G  {u}G  {800 - u}G  {u * 100 // 840}% /']} for h, u in (('rail-gpu01', 402), ('rail-gpu02', 771), ('rail-gpu03', 388))}}]}],
        'stats': {h: {'changed': 3, 'failures': 0, 'ok': 4, 'unreachable': 0} for h in dm}}
    pack('leipzig', 'tar.gz', {'adhoc-train-log.out': '\n'.join(o) + '\n', 'collect.json': json.dumps(j, indent=2)}, dict(cause='data.corrupt-record', culprit_node=['rail-gpu02', 'worker:1'], also_acceptable=[],
         notes='Bytes in part-00004.tfrecord (read by worker 1 on rail-gpu02) were zeroed; DataLossError "corrupted record" there is the first error, the others only get the cancelled collectives. Red herrings: old OOM kill of a java process on rail-gpu01, a full-ish disk, warnings.'), 'eta-1014')

@ren
def odense():  # k3s, merged prefix log
    R = Raw('odense', base('odense', '2026-11-03 09:41:02'), {'trainer-worker-1': 0}, [(str(OUT / 'run/odense') + f'/trainer-{x}', '/work') for x in ('chief-0', 'worker-0', 'worker-1', 'ps-0', 'ps-1')] + [(str(OUT / 'run/odense'), '/work')])
    o = [f'[pod/{h}/tensorflow] {iso(t, 9)} {s}' for t, w, h, st, s in R.by('chief-0', 'ps-0', 'worker-0', 'worker-1')]
    pods = '''NAME                 READY   STATUS    RESTARTS   AGE     IP            NODE       NOMINATED NODE   READINESS GATES
trainer-chief-0      0/1     Error     0          9m12s   10.47.42.5    k3s-srv1   <none>           <none>
trainer-ps-0         1/1     Running   0          9m12s   10.47.42.9    k3s-agt1   <none>           <none>
trainer-ps-1         0/1     Error     0          9m12s   10.47.42.10   k3s-agt2   <none>           <none>
trainer-worker-0     1/1     Running   0          9m12s   10.47.42.21   k3s-agt1   <none>           <none>
trainer-worker-1     1/1     Running   0          9m12s   10.47.42.22   k3s-agt2   <none>           <none>
cellcount-api-7d9f   1/1     Running   3 (4h ago) 12d     10.47.42.77   k3s-agt2   <none>           <none>
'''
    ev = '''LAST SEEN   TYPE      REASON             OBJECT                   MESSAGE
9m          Normal    Scheduled          pod/trainer-chief-0      Successfully assigned bio/trainer-chief-0 to k3s-srv1
9m          Normal    Pulled             pod/trainer-ps-1         Container image "reg.local/bio/embed:0.9.4" already present on machine
8m58s       Warning   FailedToRetrieveImagePullSecret   pod/trainer-worker-0   Unable to retrieve some image pull secrets (regcred-old); attempting to pull the image may not succeed.
4h          Warning   BackOff            pod/cellcount-api-7d9f   Back-off restarting failed container api in pod cellcount-api-7d9f_bio(5b0e)
4h          Warning   OOMKilling         node/k3s-agt2            Memory cgroup out of memory: Killed process 19931 (gunicorn) total-vm:2201044kB, anon-rss:1040220kB
'''
    pack('odense', 'tgz', {'k-logs-prefix.txt': '\n'.join(o) + '\n', 'pods.txt': pods, 'events.txt': ev}, dict(cause='ps.unavailable', culprit_node=['trainer-ps-1', 'ps:1', '10.47.42.10', 'trainer-ps-1 (k3s-agt2)'], also_acceptable=['process.killed-by-signal', 'network.unreachable-peer'],
         notes='ps 1 was killed with SIGKILL in round 46 and its log was not collected; the coordinator ends with UnavailableError, connection refused by 10.47.42.10:2222 (task ps:1), kubectl shows trainer-ps-1 in Error without a reason. Red herrings: OOM of gunicorn 4 hours before, pull secret warning.'))

@ren
def tilburg():  # clush / dshbak blocks
    R = Raw('tilburg', base('tilburg', '2026-09-22 22:05:10'), {'lok31': 2, 'lok33': -95}, [(str(OUT / 'run/tilburg'), '/home/prorail/spoor')])
    o = ['[ops@jump ~]$ clush -bw lok[31-33] "cat /home/prorail/spoor/log/run.$(date +%d)"']
    def blk(h, l): o.extend(['-' * 15, h, '-' * 15]); o.extend(l)
    for i, h in enumerate(('lok31', 'lok32', 'lok33')): blk(h, [r[4] for r in R.by(f'w{i}')])
    o.append('[ops@jump ~]$ # lok33 stays in the process table, log of it does not move. before the kill -9 I took (lok31, lok32 have ended already):'); o.append('[ops@jump ~]$ clush -bw lok[31-33] "ps -o pid,ppid,stat,etimes,time,wchan:20,args -C python; grep -E \'State|Threads|SigQ|VmRSS\' /proc/$(pgrep -f train_loop)/status; ss -tn"')
    for h in ('lok31', 'lok32', 'lok33'): blk(h, [x for r in R.recs if r[2] == h and r[1] in ('ps', 'stack', 'ss') for x in r[4].rstrip().split('\n')])
    o.append('[ops@jump ~]$ clush -bw lok[31-33] "dmesg -T | tail -5"')
    blk('lok[31,33]', ['[Sun Sep 20 01:12:09 2026] mlx5_core 0000:81:00.0 ens2np0: Link down', '[Sun Sep 20 01:12:14 2026] mlx5_core 0000:81:00.0 ens2np0: Link up']); blk('lok32', [''])
    pack('tilburg', 'zip', {'20260922_spoor_hang.txt': '\n'.join(o) + '\n'}, dict(cause='sync.hang', culprit_node=['lok33', 'worker:2'], also_acceptable=[],
         notes='worker 2 on lok33 was stopped (SIGSTOP): ps shows STAT T / State: T (stopped) there only, its log ends in the middle of ordinary steps; the others abort with task 2 stopped sending heartbeats / "tasks have crashed" (it did not crash). The operator had to kill it from outside. Its clock is 95 s behind. Red herring: link flap two days before.'))

@ren
def aarhus():  # Salt
    R = Raw('aarhus', base('aarhus', '2026-10-29 18:30:00'), {'dsb-c': 7}, [(str(OUT / 'run/aarhus'), '/srv/dsb')])
    def block(h, lines): return [f'{h}:'] + ['    ' + l for l in lines]
    o = ["# salt 'dsb-*' cmd.run 'cat /srv/dsb/log/train.out'   (append mode: evening run and the rerun are both in it)"]
    m = {'dsb-a': ('old-ps', 'ps'), 'dsb-b': ('old-w0', 'w0'), 'dsb-c': ('old-w1', 'w1')}
    for h, (a, b) in m.items():
        la = [r[4] for r in R.by(a) if r[0] < R.info[b][0]['t0']]
        o += block(h, ['+ ./start.sh run=evening'] + la + ['+ ./start.sh run=night'] + [r[4] for r in R.by(b)])
    pid = dict(x.split('=') for x in R.by('pids')[0][4].split())
    o.append("# salt 'dsb-*' cmd.run 'ss -ltnp'"); o += block('dsb-c', R.by('ss')[0][4].rstrip().split('\n')) + block('dsb-a', ['Minion did not return. [No response]'])
    o.append("# salt dsb-c cmd.run 'ps -eo pid,user,lstart,args | grep tf1_train'")
    t = R.info['old-w1'][0]
    o += block('dsb-c', [f'{pid["old-w1"]} svc-ml  {utc(t["t0"], "%a %b %d %H:%M:%S %Y")} python /srv/dsb/tf1_train.py --ps_hosts dsb-a:2222 --worker_hosts dsb-b:2223,dsb-c:2223 --job_name worker --task_index 1 --train_steps 100000 --log_dir /srv/dsb/logdir_a'])
    note = "evening run was stopped by planned maintenance (script sends TERM to all), that's known and fine.\nmorten thinks the night run has only one worker because the firewall change CHG-8812 closed 2222 between a and c. Not checked.\n"
    pack('aarhus', 'tar.xz', {'salt.out': '\n'.join(o) + '\n', 'NOTE': note}, dict(cause='network.port-in-use', culprit_node=['dsb-c', 'worker:1'], also_acceptable=[],
         notes='The rerun on dsb-c cannot bind 2223 (Address already in use / Could not start gRPC server): the evening run\'s worker 1 was never stopped and still listens. Red herrings: first run ended by SIGTERM, the firewall remark, the chief still running until it was killed.'))

@ren
def brno():  # GitLab CI
    R = Raw('brno', base('brno', '2026-11-12 14:02:51'), {}, [(str(OUT / 'run/brno'), '/builds/bio/fold')])
    t0 = int(R.recs[0][0]); E = '\x1b[0K'; G = '\x1b[32;1m'; X = '\x1b[0;m'
    o = [f'Running with gitlab-runner 17.2.1 (9882d9c7){E}', f'{E}  on brno-shell-2 t3_aaQ{X}'.replace('\x1b[0;m', E), f'section_start:{t0 - 9}:prepare_executor\r{E}{E}\x1b[36;1mPreparing the "docker" executor{X}', 'Using Docker executor with image reg.bio.lan/tf:2.21 ...', f'section_end:{t0 - 4}:prepare_executor\r{E}', f'section_start:{t0 - 4}:step_script\r{E}{E}\x1b[36;1mExecuting "step_script" stage of the job script{X}', f'{G}$ docker compose -f ci/four-node.yml up -d --quiet-pull{X}', f'{G}$ ci/follow.sh ci-ps-a ci-ps-b ci-wk-a ci-wk-b{X}']
    o += [f'{h:8s}| {s}' for t, w, h, st, s in R.recs if w not in ('getent',)]
    e = R.recs[-1][0]
    o.append(f'{G}$ ci/debug_names.sh || true{X}')
    for r in R.by('getent'): o += [f'{r[2]:8s}| {l}' for l in r[4].split('\n')]
    o += [f'WARNING: step_script could not run to completion because the timeout was exceeded. For more control over job and script timeouts see: https://docs.gitlab.com/ee/ci/runners/configure_runners.html#set-script-and-after-script-timeouts', f'section_end:{int(e) + 5}:step_script\r{E}', f'\x1b[31;1mERROR: Job failed: execution took longer than 1m0s seconds{X}']
    pack('brno', 'tar.gz', {'job_88213.log': '\n'.join(o) + '\n'}, dict(cause='network.dns', culprit_node=['ci-ps-b', 'ps:1'], also_acceptable=[],
         notes='The name ci-ps-b is known to no resolver: getent answers for every name but this one on both worker machines (TensorFlow itself prints only that it still waits); the workers wait for ps task 1 until the CI time-out (a consequence) stops the job.'), None)

@ren
def gdynia():  # Azure ML
    R = Raw('gdynia', base('gdynia', '2026-11-18 07:20:33'), {'c-node-2': 5}, [(str(OUT / 'run/gdynia'), '/mnt/azureml/cr/j/5c2f/exe/wd')])
    f = {}
    for i, h in enumerate(('c-node-0', 'c-node-1', 'c-node-2')):
        p = R.info[h][0]
        f[f'azureml-logs/70_driver_log_{i}.txt'] = f'{iso(p["t0"] - 2, 6)} Entering context manager injector.\n[context_manager_injector.py] Command line Options: Namespace(inject=[\'ProjectPythonPath:context_managers.ProjectPythonPath\', \'RunHistory:context_managers.RunHistory\'], invocation=[\'train_loop.py\', \'--steps\', \'300\'])\nScript type = None\nStarting the daemon thread to refresh tokens in background for process with pid = {p["pid"]}\nInitialize DatasetContextManager.\nWARNING:root:azureml.core.run:Failed to read the /proc/driver/nvidia/version, continuing without GPU telemetry\n' + R.text(h) + (f'\n{iso(p["t1"], 6)} The experiment failed. Finalizing run...\nCleaning up all outstanding Run operations, waiting 900.0 seconds\n1 items cleaning up...\nCleanup took 0.107 seconds\n')
        f[f'azureml-logs/65_job_prep-tvmps_{i}d.txt'] = f'[{iso(p["t0"] - 20, 6)}] Entering job preparation.\n[{iso(p["t0"] - 14, 6)}] Starting job preparation.\n[{iso(p["t0"] - 9, 6)}] Job preparation is complete. No downloads for this run. host={h} ip={dict(zip(("c-node-0","c-node-1","c-node-2"),("10.47.0.4","10.47.0.5","10.47.0.6")))[h]}\n'
    f['user_logs/launch_env.json'] = json.dumps({'AZUREML_NODE_COUNT': 3, 'framework': 'Custom(mpi-less)', 'tags': {'owner': 'paula', 'prev_run': 'bid_opt_1763_b: Failed (ResourceExhausted: disk)'}}, indent=1)
    pack('gdynia', 'zip', f, dict(cause='config.task-index', culprit_node=['c-node-2', 'worker:1', 'c-node-1'], also_acceptable=['config.cluster-mismatch'],
         notes='c-node-2 was given task index 1, which c-node-1 has too (both say worker 1 and start a server for c-node-1/index 1); nobody is worker 2. Red herrings: previous run failed for disk, nvidia driver version warning.'), 'bid_opt_1764_a')

@ren
def malmo():  # Splunk CSV
    import csv
    R = Raw('malmo', base('malmo', '2026-10-07 11:15:20'), {'hy-trn-2': 12}, [(str(OUT / 'run/malmo'), '/data/ads')])
    b = io.StringIO(); w = csv.writer(b, quoting=csv.QUOTE_ALL); w.writerow(['_time', 'host', 'source', 'sourcetype', '_raw'])
    ev, cur = [], None
    for t, wh, h, st, s in R.recs:  # Splunk's line merging: lines without a time of their own join the event before
        if wh == 'df': continue
        for p in cr(s):
            if cur.get(h) is not None if isinstance(cur, dict) else False:
                if not re.match(r'(20\d\d-|[IWEF]0000|INFO|WARN|Epoch|\s*\d+/\d+)', p): cur[h][1] += '\n' + p; continue
            cur = cur or {}; cur[h] = [t, p, h, wh]; ev.append(cur[h])
    t = R.recs[0][0]
    ev += [[t - 7020, 'Oct  7 09:18:20 hy-trn-2 systemd[1]: featurestore-sync.service: Failed with result \'exit-code\'.', 'hy-trn-2', 'sys'], [t - 300, 'kernel: [88120.11] TCP: request_sock_TCP: Possible SYN flooding on port 9000. Sending cookies.  Check SNMP counters.', 'hy-trn-1', 'sys']]
    for t, s, h, wh in sorted(ev, key=lambda x: -x[0]): w.writerow([iso(t, 3, '+0000'), h, '/var/log/messages' if wh == 'sys' else '/data/ads/log/fit.err', 'syslog' if wh == 'sys' else 'tf:train', s])
    pack('malmo', 'zip', {'search_results_1791.csv': b.getvalue()}, dict(cause='resource.disk-full', culprit_node=['hy-trn-1', 'worker:0'], also_acceptable=[],
         notes='BackupAndRestore of worker 0 writes to a small, nearly full file system: "No space left on device" on hy-trn-1 is the first error; worker 1 only loses its peer. Newest event first in the export.'))

@ren
def poznan():  # Loki jsonl, two jobs' streams
    R = Raw('poznan', base('poznan', '2026-11-20 16:44:00'), {'feed-w1': 3}, [(str(OUT / 'run/poznan'), '/srv/feed')])
    L = [(t, {'app': 'feed-prod', 'host': h, 'role': w, 'stream': 'stderr' if st == 'err' else 'stdout'}, s) for t, w, h, st, s in R.recs]
    t0 = R.recs[0][0]
    for k in range(40): L.append((t0 + k * 1.3, {'app': 'ranker-nightly', 'host': 'feed-w1', 'role': 'main', 'stream': 'stdout'}, f'{utc(t0 + k * 1.3)},118 INFO ranker epoch=3 batch={k * 25} auc=0.{7100 + k}' if k != 22 else f'{utc(t0 + k * 1.3)},118 WARNING ranker redis timeout (attempt 1/5): TimeoutError: Timeout reading from socket; retrying'))
    L.sort(key=lambda x: -x[0])
    pack('poznan', 'tar.gz', {'logcli_feed_20261120.jsonl': '\n'.join(json.dumps({'labels': l, 'line': s, 'timestamp': iso(t, 9)}) for t, l, s in L) + '\n'}, dict(cause='resource.fd-limit', culprit_node=['feed-w2', 'dw2'], also_acceptable=[],
         notes='The tf.data service worker on feed-w2 has a limit of 96 open files and interleaves 120 files: "Too many open files". The trainer only reports it. A second job (ranker-nightly) in the same export is healthy; newest line first.'))

@ren
def utrecht():  # SageMaker / CloudWatch
    R = Raw('utrecht', base('utrecht', '2026-11-09 05:30:12'), {}, [(str(OUT / 'run/utrecht'), '/opt/ml/code')])
    f = {}; job = 'ctr-embed-2026-11-09-05-21-40-118'
    for w in ('algo-1', 'algo-2', 'algo-3', 'algo-4'):
        ev = [{'timestamp': int(t * 1000), 'message': s, 'ingestionTime': int(t * 1000) + random.Random(int(t)).randint(200, 4000)} for t, _, h, st, s in R.by(w)]
        f[f'{job}/{w}-1794200000.json'] = json.dumps({'events': ev, 'nextForwardToken': 'f/38', 'nextBackwardToken': 'b/37'}, indent=1)
    f[f'{job}/describe-training-job.json'] = json.dumps({'TrainingJobName': job, 'TrainingJobStatus': 'Failed', 'SecondaryStatus': 'Failed', 'FailureReason': 'AlgorithmError: ExecuteUserScriptError: ExitCode 1', 'ResourceConfig': {'InstanceType': 'ml.c5.2xlarge', 'InstanceCount': 4, 'VolumeSizeInGB': 30}, 'EnableManagedSpotTraining': True, 'StoppingCondition': {'MaxRuntimeInSeconds': 7200}, 'SecondaryStatusTransitions': [{'Status': 'Starting', 'StatusMessage': 'Insufficient capacity error from EC2 while launching instances, retrying!'}, {'Status': 'Training', 'StatusMessage': 'Training image download completed. Training in progress.'}, {'Status': 'Failed', 'StatusMessage': 'Training job failed'}]}, indent=1)
    pack('utrecht', 'tar.gz', f, dict(cause='numeric.nan', culprit_node=None, also_acceptable=[],
         notes='Labels are a logarithm of a negative number in some batches: the loss becomes nan in the rounds and the coordinator gives up ("loss is not finite"). ps and workers end because the chief did. Red herrings: capacity error that was retried.'))

@ren
def bergen():  # multilog tai64n
    R = Raw('bergen', base('bergen', '2026-10-02 01:00:05'), {'yard-n2': -4, 'yard-n3': 19}, [(str(OUT / 'run/bergen'), '/opt/yard')])
    tai = lambda t: '@%016x%08x' % (int(t) + 10 + (1 << 62), int((t % 1) * 1e9))
    f = {}
    for i, h in enumerate(('yard-n1', 'yard-n2', 'yard-n3')):
        f[f'{h}/service/yard-train/log/main/current'] = ''.join(f'{tai(t)} {s}\n' for t, w, hh, st, s in R.by(f'w{i}'))
        f[f'{h}/service/yard-train/log/main/@40000000{int(R.recs[0][0]) - 90000:08x}1a2b3c04.s'] = f'{tai(R.recs[0][0] - 90200)} train_loop: OSError: [Errno 28] No space left on device: \'/opt/yard/tmp\'\n{tai(R.recs[0][0] - 90100)} supervise: exit 1\n' if i == 1 else f'{tai(R.recs[0][0] - 90100)} supervise: down\n'
        f[f'{h}/opt/yard/shard.manifest'] = ''.join(f'wagons-{i}{k}.rec {n}\n' for k, n in enumerate([9600 // 4] * 4 if i < 2 else [8224 // 4] * 4))
        f[f'{h}/svstat.txt'] = f'/service/yard-train: down {1200 + i} seconds, normally up\n'
    f['README.operator'] = 'All three gave up at about 01:00, supervise wanted to start them again and again, so I did svc -d on all three. Shapes differ?! The code is the same on all, I compared the checksums. -- Ingrid, shift B\n(The yard-n2 disk trouble is from the day before and was repaired.)\n'
    pack('bergen', 'tar.xz', f, dict(cause='data.uneven-shards', culprit_node=['yard-n3', 'worker:2'], also_acceptable=['collective.mismatch'],
         notes='Worker 2 has 8224 rows, the others 9600 (manifests): it says "input exhausted" at step 257 and enters the final reduce (shape []) while the others are in the gradient all-reduce (shape [544]): the shape mismatch is a consequence. Red herring: disk full on yard-n2 a day earlier.'), 'yard')

@ren
def turku():  # RFC5424 relay
    R = Raw('turku', base('turku', '2026-09-30 12:00:21'), {'vr-w1': -2}, [(str(OUT / 'run/turku'), '/srv/vr')])
    o = []; n = 0
    def line(t, h, app, pid, s, pri): 
        nonlocal n; n += 1
        return f'<{pri}>1 {iso(t, 6)} {h} {app} {pid} - [meta@32473 sequenceId="{n}" relay="loghub2"] {s}'
    ev = [(t, h, 'tf1_train', R.info[w][0]['pid'], s, 27 if st == 'err' else 30) for t, w, h, st, s in R.recs]
    t0 = R.recs[0][0]
    ev += [(t0 - 500, 'vr-w2', 'kernel', '-', x.split('] ', 1)[1], 4) for x in oom(1, 20117, 'R', 30122304)] + [(t0 + 9, 'vr-w0', 'chronyd', 711, 'Selected source 10.47.0.123 (ntp1.vr.lan)', 30), (t0 + 11, 'vr-ps', 'sshd', 4410, 'error: kex_exchange_identification: Connection closed by remote host', 35), (t0 - 498, 'vr-w2', 'systemd', 1, 'session-88.scope: A process of this unit has been killed by the OOM killer.', 28)]
    for e in sorted(ev, key=lambda e: e[0]): o.append(line(*e))
    pack('turku', 'tar.bz2', {'loghub2-20260930.rfc5424': '\n'.join(o) + '\n'}, dict(cause='data.shape-mismatch', culprit_node=['vr-w1', 'worker:1'], also_acceptable=[],
         notes='worker 1 reads a file with 11 features while w is 12 x 1: InvalidArgumentError Matrix size-incompatible at its first step; the others go on without it until the operator stops them (TERM). Red herring: OOM of R on vr-w2 before the start, sshd message.'))
if __name__ == '__main__':
    for n in sys.argv[1:] or REN:
        try: REN[n]()
        except Exception: import traceback; print('!!', n); traceback.print_exc()
