"""Layouts, part 2.  python3 render2.py NAME..."""
import sys, html, random
from lib import *
from render1 import base, iso, oom
REN = {}
def ren(f): REN[f.__name__] = f; return f

@ren
def graz():  # YARN
    R = Raw('graz', base('graz', '2026-11-05 20:10:00'), {'ip-10-47-33-8': 4, 'ip-10-47-33-9': -1}, [(str(OUT / 'run/graz'), '/mnt/ads')])
    f = {}; A = {'good': 'application_1794300000000_0417', 'bad': 'application_1794300000000_0418'}
    for w, x in R.info.items():
        tag, r = w.split('-'); k = {'chief0': 2, 'ps0': 3, 'worker0': 4}[r]; d = f'{A[tag]}/container_{A[tag][12:]}_01_{k:06d}'
        f[d + '/stderr'] = R.text(w, stream='err'); f[d + '/stdout'] = R.text(w, stream='out')
        f[d + '/prelaunch.out'] = 'Setting up env variables\nSetting up job resources\nCopying debugging information\nLaunching container\n'; f[d + '/directory.info'] = f'ls -l:\ntotal 24\n-rw-r--r-- 1 yarn yarn 73 container_tokens\n-rwx------ 1 yarn yarn 5120 launch_container.sh\nhost: {x[0]["host"]}\n'
    for tag, st in (('good', 'SUCCEEDED'), ('bad', 'FAILED')):
        t = iso(R.info[f'{tag}-chief0'][0]['t0'] - 8, 3, '').replace('T', ' ').replace('.', ','); e = iso(R.info[f'{tag}-chief0'][0]['t1'] + 1, 3, '').replace('T', ' ').replace('.', ',')
        f[f'{A[tag]}/container_{A[tag][12:]}_01_000001/AppMaster.stderr'] = f'{t} INFO  ApplicationMaster: Application attempt appattempt_{A[tag][12:]}_000001\n{t} WARN  NativeCodeLoader: Unable to load native-hadoop library for your platform... using builtin-java classes where applicable\n{t} INFO  ApplicationMaster: requesting 3 containers <memory:4096, vCores:2>\n{t} WARN  RMContainerRequestor: Container preempted by scheduler, will request another: container_{A[tag][12:]}_01_000099\n{e} INFO  ApplicationMaster: chief:0 exited with {R.info[tag + "-chief0"][0]["rc"]}, stopping ps:0 worker:0\n{e} INFO  ApplicationMaster: Final app status: {st}\n'
    pack('graz', 'tar.gz', f, dict(cause='checkpoint.mismatch', culprit_node=None, also_acceptable=['user.code-error'],
         notes='application _0418 restores the checkpoint of _0417 (embedding dim 24) into a model of dim 32 (--dim 32): shape mismatch at restore on the chief. _0417 ended well. Red herrings: preempted container that was replaced, native-hadoop warning.'), 'userlogs')

@ren
def lublin():  # wiki page
    R = Raw('lublin', base('lublin', '2026-10-21 23:50:30'), {'kst-02': 33}, [(str(OUT / 'run/lublin'), '/srv/kst')])
    tx = lambda w: html.escape('\n'.join(cr(r[4])[-1] for r in R.by(w)))
    ls = html.escape(re.sub(r'[A-Z][a-z]{2} \d\d \d\d:\d\d', utc(R.info['a1w0'][0]['t1'], '%b %d %H:%M'), R.by('ls')[0][4]))
    p = f'''<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>INC-5521 Demand forecast does not come back - Confluence</title><style>pre{{font-family:monospace}} .status{{color:#b00}}</style></head>
<body class="theme-default"><div id="breadcrumbs"><a href="#">Customers</a> &gt; <a href="#">KST</a> &gt; Incidents 2026</div>
<h1 id="title-text">INC-5521 Demand forecast does not come back</h1>
<p>Created by <a href="#">Agnieszka W.</a>, last modified on Oct 22, 2026</p>
<p class="status">STATUS: OPEN</p>
<h2>What the customer says</h2><p>Ran all evening, then kst-01 was rebooted for the patch window (announced). The unit came up again, but the training does not get to epoch 1. Customer suspects the new switch.&nbsp;Ping between both is 0.1&nbsp;ms, no loss.</p>
<h2>kst-01</h2><h3>evening</h3><div class="code panel"><pre>{tx("a1w0")}</pre></div>
<h3>after reboot</h3><div class="code panel"><pre>{tx("a2w0")}</pre></div>
<h2>kst-02</h2><h3>evening</h3><div class="code panel"><pre>{tx("a1w1")}</pre></div><h3>after reboot of the other</h3><div class="code panel"><pre>{tx("a2w1")}</pre></div>
<h2>other things</h2><table><tr><th>when</th><th>what</th></tr><tr><td>Oct 20</td><td>kst-02 nvme0 SMART: Percentage Used 11%, Media and Data Integrity Errors 0</td></tr><tr><td>Oct 21 19:02</td><td>switch replaced</td></tr></table>
<pre>$ ls -lR /srv/kst/kst-01/backup
{ls}</pre>
<div id="comments-section"><p><b>Ravi:</b> can it be NCCL? there is a line about collective implementation.</p><p><b>Agnieszka:</b> no GPUs there.</p></div></body></html>'''
    pack('lublin', 'zip', {'INC-5521.html': p}, dict(cause='checkpoint.corrupt', culprit_node=['kst-01', 'worker:0'], also_acceptable=[],
         notes='The BackupAndRestore checkpoint on kst-01 was cut to a third between the attempts; BackupAndRestore on the chief (kst-01) ends with IndexError: Read less bytes than requested; kst-02 only loses its peer. The ls shows a .data file that is too small for the model. Red herrings: switch, NCCL remark, first attempt ended by the reboot.'))

@ren
def kosice():  # Airflow
    R = Raw('kosice', base('kosice', '2026-11-17 04:00:19'), {}, [(str(OUT / 'run/kosice'), '/opt/airflow/jobs')])
    n = R.info['tr'][0]['t0']
    CMD = {'train': 'python jobs/consume.py --files ../in/*.csv --tokenizer py --steps 4000', 'train_linear': 'python jobs/consume.py --service af-disp:5050 --files ../in/*.csv --steps 240 --out linear', 'data_dispatcher': 'python jobs/data_node.py dispatcher --port 5050', 'data_worker': 'python jobs/data_node.py worker --port 5051 --dispatcher af-disp:5050 --address af-dw:5051'}
    def head(t, task, att, ok=None): 
        i = lambda d: '[' + iso(t + d, 3, '+0000') + ']'
        return [f'{i(-3)} {{taskinstance.py:1157}} INFO - Dependencies all met for <TaskInstance: assay_train.{task} scheduled__2026-11-16T04:00:00+00:00 [queued]>', f'{i(-2.8)} {{taskinstance.py:1359}} INFO - Starting attempt {att} of 2', f'{i(-2.2)} {{standard_task_runner.py:57}} INFO - Started process {4000 + att * 31} to run task', f"{i(-1)} {{subprocess.py:75}} INFO - Running command: ['/usr/bin/bash', '-c', '{CMD.get(task, 'python jobs/qc_report.py')}']", f'{i(-.9)} {{subprocess.py:86}} INFO - Output:']
    body = [f'[{iso(t, 3, "+0000")}] {{subprocess.py:93}} INFO - {s}' for t, w, h, st, s in R.by('tr')]
    e = R.recs[-1][0]; i = lambda d: '[' + iso(e + d, 3, '+0000') + ']'
    rc = R.info['tr'][0]['rc']
    tail = [f'{i(.4)} {{subprocess.py:97}} INFO - Command exited with return code {rc}', f'{i(.5)} {{taskinstance.py:1937}} ERROR - Task failed with exception', 'Traceback (most recent call last):', '  File "/home/airflow/.local/lib/python3.11/site-packages/airflow/operators/bash.py", line 210, in execute', '    raise AirflowException(', f'airflow.exceptions.AirflowException: Bash command failed. The command returned a non-zero exit code {rc}.', f'{i(.6)} {{taskinstance.py:1400}} INFO - Marking task as FAILED. dag_id=assay_train, task_id=train']
    a1 = head(n - 900, 'train', 1) + [f'[{iso(n - 880, 3, "+0000")}] {{local_task_job_runner.py:302}} WARNING - State of this instance has been externally set to failed. Terminating instance.', f'[{iso(n - 879, 3, "+0000")}] {{process_utils.py:131}} INFO - Sending 15 to group 4031. PIDs of all processes in the group: [4031]', f'[{iso(n - 878, 3, "+0000")}] {{taskinstance.py:1632}} ERROR - Received SIGTERM. Terminating subprocesses.']
    other = head(n - 300, 'qc_report', 1) + [f'[{iso(n - 290 + k * 2, 3, "+0000")}] {{subprocess.py:93}} INFO - plate {k:02d}: z\'={0.61 + k % 7 / 50:.2f} ok' if k != 9 else f'[{iso(n - 290 + k * 2, 3, "+0000")}] {{subprocess.py:93}} INFO - ERROR plate 09: KeyError: \'well H12\' (skipped, handled)' for k in range(28)] + [f'[{iso(n - 200, 3, "+0000")}] {{taskinstance.py:1400}} INFO - Marking task as SUCCESS. dag_id=assay_train, task_id=qc_report']
    d = 'dag_id=assay_train/run_id=scheduled__2026-11-16T04:00:00+00:00/'
    i2 = lambda w: '\n'.join(head(R.info[w][0]['t0'], {'tr0': 'train_linear', 'disp': 'data_dispatcher', 'dw': 'data_worker'}[w], 1) + [f'[{iso(t, 3, "+0000")}] {{subprocess.py:93}} INFO - {s}' for t, w_, h, st, s in R.by(w)] + ([f'[{iso(e + 9, 3, "+0000")}] {{taskinstance.py:1400}} INFO - Marking task as SUCCESS. dag_id=assay_train, task_id=train_linear'] if w == 'tr0' else [])) + '\n'
    pack('kosice', 'tgz', {d + 'task_id=train_linear/attempt=1.log': i2('tr0'), d + 'task_id=data_dispatcher/attempt=1.log': i2('disp'), d + 'task_id=data_worker/attempt=1.log': i2('dw'), d + 'task_id=train/attempt=1.log': '\n'.join(a1) + '\n', d + 'task_id=train/attempt=2.log': '\n'.join(head(n, 'train', 2) + body + tail) + '\n', d + 'task_id=qc_report/attempt=1.log': '\n'.join(other) + '\n'}, dict(cause='user.code-error', culprit_node=None, also_acceptable=[],
         notes="attempt 2: of task train: the user's py_function encode() raises KeyError 'LEJ', a site its table lacks. Attempt 1 was ended by hand (state set externally); qc_report logged a handled KeyError and succeeded; train_linear (through the tf.data service) succeeded."))

@ren
def rostock():  # chat export
    R = Raw('rostock', base('rostock', '2026-10-26 08:05:44'), {'sup-w2': 6}, [(str(OUT / 'run/rostock'), '/home/nlp'), ])
    t = R.recs[-1][0]; M = []
    def say(d, u, x): M.append({'type': 'message', 'user': u, 'ts': f'{t + d:.6f}', 'text': x})
    f = lambda w, a=0, b=None: '```\n' + '\n'.join(r[4] for r in R.by(w)[a:b]) + '\n```'
    say(60, 'U02JOOST', 'hi, our three node job sits there and then I had to Ctrl-C / TERM it. it worked on friday. what is it? w0:'); say(75, 'U02JOOST', f('w0'))
    say(300, 'U7SUPAN', 'thanks. friday = before or after the image rebuild? please the other two as well'); say(420, 'U02JOOST', 'after I think. w2'); say(431, 'U02JOOST', f('w2'))
    say(500, 'U7SUPMO', 'looks like the port 6100 is filtered, we had this at another customer (they had `DEADLINE_EXCEEDED` as well). ask them for iptables'); say(900, 'U02JOOST', 'w1 was a bit hidden in another tmux, sorry'); say(905, 'U02JOOST', f('w1'))
    say(960, 'U02JOOST', 'and dmesg of w1 in case:'); say(961, 'U02JOOST', '```\n' + '\n'.join(oom(402113.118, 9921, 'chrome', 8112200)) + '\n```'); say(990, 'U7SUPAN', 'got it, will write up after lunch :ramen:')
    pack('rostock', 'tar.gz', {'2026-10-26.json': json.dumps(M, indent=2), 'users.json': json.dumps([{'id': 'U02JOOST', 'name': 'joost (customer)'}, {'id': 'U7SUPAN', 'name': 'an'}, {'id': 'U7SUPMO', 'name': 'mo'}], indent=1)}, dict(cause='env.missing-library', culprit_node=['sup-w1', 'w1', 'worker:1'], also_acceptable=[],
         notes='Worker 1 ends at once with ModuleNotFoundError: sentencepiece; w0 and w2 only wait for it and were terminated. Red herrings: firewall remark, old chrome OOM.'), 'C04TFHELP')

@ren
def nantes():  # podman k8s-file
    R = Raw('nantes', base('nantes', '2026-11-23 13:33:00'), {'pod-b': 2}, [(str(OUT / 'run/nantes'), '/app')])
    f = {}
    for i, h in enumerate(('pod-a', 'pod-b', 'pod-c')):
        o = []
        for t, w, _, st, s in R.by(f'w{i}'):
            st = 'stderr' if st == 'err' else 'stdout'
            while len(s) > 400: o.append(f'{iso(t, 9, "+00:00")} {st} P {s[:400]}'); s = s[400:]
            o.append(f'{iso(t, 9, "+00:00")} {st} F {s}')
        cid = f'{(i + 3) * 0x1f3a9c77b1:064x}'[-12:]
        f[f'overlay-containers/{cid}/userdata/ctr.log'] = '\n'.join(o) + '\n'
        p = R.info[f'w{i}'][0]
        f[f'inspect/{cid}.json'] = json.dumps([{'Id': cid, 'Name': f'train_{h}', 'State': {'Status': 'exited', 'ExitCode': p['rc'] if p['rc'] >= 0 else 128 - p['rc'], 'OOMKilled': False, 'StartedAt': iso(p['t0'], 9), 'FinishedAt': iso(p['t1'], 9)}, 'HostConfig': {'Memory': 8589934592, 'PidsLimit': 64 if i == 1 else 2048, 'ShmSize': 65536000, 'Ulimits': []}, 'Config': {'Hostname': h, 'Image': 'localhost/foldnet:7'}}], indent=2)
    b = R.recs[0][0]; st = lambda d: utc(b + d, '%b %d %H:%M:%S')
    f['journal-podman.txt'] = f'{st(-86000)} bio4 kernel: Memory cgroup out of memory: Killed process 7719 (samtools) total-vm:9120040kB, anon-rss:8380220kB, file-rss:812kB, shmem-rss:0kB, UID:0 pgtables:16500kB oom_score_adj:0\n{st(-2)} bio4 podman[812]: container create train_pod-a (image=localhost/foldnet:7)\n{st(-1)} bio4 podman[812]: container init train_pod-b (image=localhost/foldnet:7)\n{st(-1)} bio4 podman[812]: time="{iso(b - 1, 0)}" level=warning msg="StopSignal SIGTERM failed to stop container old_fold in 10 seconds, resorting to SIGKILL"\n{st(0)} bio4 podman[812]: container start train_pod-c (image=localhost/foldnet:7)\n'
    pack('nantes', 'tar.xz', f, dict(cause='resource.thread-limit', culprit_node=['pod-b', 'worker:1', 'train_pod-b'], also_acceptable=[],
         notes='pod-b has a pids limit of 64: thread creation fails there (see its log); the other two wait for it and are stopped.'), 'storage')

@ren
def zagreb():  # Jira XML
    R = Raw('zagreb', base('zagreb', '2026-11-02 10:12:15'), {'hz-2': -48}, [(str(OUT / 'run/zagreb'), '/opt/hz')])
    e = html.escape; tx = lambda w: e('\n'.join(r[4] for r in R.by(w)))
    d = lambda t: utc(t, '%a, %d %b %Y %H:%M:%S +0000'); t = R.recs[-1][0]
    x = f'''<?xml version="1.0" encoding="UTF-8"?>
<!-- RSS generated by JIRA (9.12.4) -->
<rss version="0.92"><channel><title>Support</title><link>https://support.example/</link>
<item><title>[SUP-20931] Training aborts at the first step since Monday</title><key id="41022">SUP-20931</key><project id="10010" key="SUP">Support</project>
<type id="3">Incident</type><priority id="2">High</priority><status id="1">Open</status><reporter username="h.kovac">Hrvoje K.</reporter><created>{d(t + 900)}</created>
<description>&lt;p&gt;Three machines, same container, same commit (we checked, git rev-parse 9c1ff0e on all). TF log of hz-1:&lt;/p&gt;&lt;pre&gt;{e(tx("w0"))}&lt;/pre&gt;</description>
<comments>
<comment id="9001" author="second.line" created="{d(t + 2400)}">&lt;p&gt;Please add the others. Also: is the 100G card in hz-2 still the one with the CRC errors from August?&lt;/p&gt;</comment>
<comment id="9002" author="h.kovac" created="{d(t + 4000)}">&lt;p&gt;Replaced in August, no errors since. hz-2:&lt;/p&gt;&lt;pre&gt;{e(tx("w1"))}&lt;/pre&gt;</comment>
<comment id="9003" author="h.kovac" created="{d(t + 4060)}">&lt;p&gt;hz-3:&lt;/p&gt;&lt;pre&gt;{e(tx("w2"))}&lt;/pre&gt;</comment>
<comment id="9004" author="h.kovac" created="{d(t + 5000)}">&lt;p&gt;units, if of use&lt;/p&gt;&lt;pre&gt;hz-1: ExecStart=python train_loop.py --steps 200 --hidden 32&#10;hz-2: ExecStart=python train_loop.py --steps 200 --hidden 32&#10;hz-3: ExecStart=python train_loop.py --steps 200 --hidden 48&lt;/pre&gt;</comment>
</comments></item></channel></rss>
'''
    pack('zagreb', 'zip', {'SUP-20931.xml': x}, dict(cause='collective.mismatch', culprit_node=['hz-3', 'worker:2'], also_acceptable=['data.shape-mismatch'],
         notes='hz-3 was started with --hidden 48, the others with 32, so its members of the all-reduce/broadcast have other shapes. Red herring: NIC with CRC errors in August.'))

@ren
def lille():  # docker compose
    R = Raw('lille', base('lille', '2026-11-24 09:00:02'), {}, [(str(OUT / 'run/lille'), '/code')])
    o = ['Attaching to db-1, chief-1, ps-1, worker1-1, worker2-1']
    rcs = R.info['worker2']
    for t, w, h, st, s in R.recs:
        if len(rcs) > 1 and t >= rcs[1]['t0'] and rcs: o.append('worker2-1 exited with code 137 (restarting)'); rcs = []
        o.append(f'{w + "-1":10s}| {s}')
    t = R.recs[0][0]
    o.insert(30, f'{"db-1":10s}| {utc(t + 2)}.114 UTC [1] FATAL:  password authentication failed for user "grafana"'); o.insert(90, f'{"db-1":10s}| {utc(t + 9)}.871 UTC [71] ERROR:  duplicate key value violates unique constraint "runs_pkey"')
    o.append('chief-1 exited with code 0'); o.append('Aborting on container exit...')
    pack('lille', 'tar.gz', {'compose-up.log': '\n'.join(o) + '\n'}, dict(cause='none', culprit_node=None, also_acceptable=[],
         notes='worker2 was killed (137) and restarted, the coordinator logged the loss and went on; all 150 rounds were done and the chief exited with 0.'))

@ren
def tampere():  # ts %.s, two attempts in one file, s6
    R = Raw('tampere', base('tampere', '2026-10-18 17:20:00'), {'mess-2': -11}, [(str(OUT / 'run/tampere'), '/srv/fc')])
    f = {}
    for i, h in enumerate(('mess-1', 'mess-2')):
        x = R.info[f'w{i}']; o = []
        for t, w, _, st, s in R.by(f'w{i}'):
            if len(x) > 1 and t >= x[1]['t0'] and not any('run: attempt 2' in l for l in o): o.append(f'{x[1]["t0"]:.6f} s6-supervise fc-train: run: attempt 2')
            for p in cr(s): o.append(f'{t:.6f} {p}')
        o.insert(0, f'{x[0]["t0"] - .1:.6f} s6-supervise fc-train: run: attempt 1'); f[f'{h}.fc-train.ts'] = '\n'.join(o) + f'\n{x[-1]["t1"]:.6f} s6-supervise fc-train: finish: exit {x[-1]["rc"]} signal 0, down permanently\n'
    f['ticket.txt'] = 'from: weekend duty\nfc-train crashed with a long trace on mess-1 and mess-2 Sunday evening, see files. please check before Monday, planners need the model.\n'
    pack('tampere', 'tar.bz2', f, dict(cause='none', culprit_node=None, also_acceptable=[],
         notes='Attempt 1 ended because worker 1 was killed with SIGKILL (worker 0 saw a lost peer), attempt 2 restored the backup and finished all epochs with exit 0.'))

@ren
def cork():  # Jenkins
    R = Raw('cork', base('cork', '2026-11-13 21:30:07'), {}, [(str(OUT / 'run/cork'), '/var/lib/jenkins/workspace/plate-embed')])
    T = lambda t: f'[{iso(t)}] '
    t0, e = R.recs[0][0], R.recs[-1][0]
    o = ['Started by timer', 'Running in Durability level: MAX_SURVIVABILITY', '[Pipeline] Start of Pipeline', '[Pipeline] node', 'Running on bio-agent-3 in /var/lib/jenkins/workspace/plate-embed', '[Pipeline] {', '[Pipeline] stage', '[Pipeline] { (Lint)', T(t0 - 30) + '+ ruff check .', T(t0 - 29) + 'jobs/old.py:4:1: F401 [*] `os` imported but unused', T(t0 - 29) + 'Found 1 error.', T(t0 - 28) + '[Pipeline] warnError', 'WARNING: ruff failed, ignored', '[Pipeline] }', '[Pipeline] stage', '[Pipeline] { (Train)', '[Pipeline] parallel', '[Pipeline] { (Branch: dispatcher)', '[Pipeline] { (Branch: dw1)', '[Pipeline] { (Branch: dw2)', '[Pipeline] { (Branch: trainer)']
    o += [T(t) + f'[{w}] {s}' for t, w, h, st, s in R.recs]
    o += ['[Pipeline] }', '[Pipeline] // parallel', '[Pipeline] stage', '[Pipeline] { (Archive)', T(e + 1) + 'Archiving artifacts', '[Pipeline] }', '[Pipeline] // node', '[Pipeline] End of Pipeline', 'Finished: SUCCESS']
    pack('cork', 'tgz', {'builds/412/log': '\n'.join(o) + '\n', 'builds/412/build.xml': '<flow-build><number>412</number><result>SUCCESS</result><duration>%d</duration></flow-build>\n' % int((e - t0) * 1000)}, dict(cause='none', culprit_node=None, also_acceptable=[],
         notes='tf.data worker 2 and then the dispatcher were killed and restarted (journal); the trainer logged retries and finished all its steps; SUCCESS.'))

@ren
def vigo():  # Elastic NDJSON, only four of the seven workers
    R = Raw('vigo', base('vigo', '2026-11-10 02:14:50'), {'bcn-wk4': 8}, [(str(OUT / 'run/vigo'), '/opt/bid')])
    o = []
    for n, (t, w, h, st, s) in enumerate(r for r in R.recs if r[1] in ('wk1', 'wk2', 'wk4', 'wk6')):
        o.append(json.dumps({'_index': '.ds-filebeat-8.14.1-2026.11.10-000031', '_id': f'p{n:05x}Q', '_source': {'@timestamp': iso(t), 'host': {'name': h}, 'log': {'file': {'path': '/opt/bid/log/worker.log'}, 'offset': n * 131}, 'message': s, 'agent': {'type': 'filebeat', 'version': '8.14.1'}}}))
    pack('vigo', 'tar.xz', {'elasticdump.ndjson': '\n'.join(o) + '\n'}, dict(cause='ps.unavailable', culprit_node=['ps:1', 'bcn-ps1'], also_acceptable=['network.unreachable-peer', 'process.killed-by-signal'],
         notes='Job of 9 tasks. ps 1 was killed, only four workers\' logs were collected: they show connection loss/refusal of ps task 1 (10.47.200.3) and then wait in session creation until they are stopped. Why the ps went away cannot be told.'))

@ren
def debrecen():  # tab separated sheet
    R = Raw('debrecen', base('debrecen', '2026-10-11 06:06:06'), {'mav-2': 64}, [(str(OUT / 'run/debrecen'), '/srv/mav')])
    o = ['insert_id\tevent_time (UTC)\tinstance\tseverity\tjsonPayload.message']
    n = 0
    for t, w, h, st, s in R.by('w0', 'w1'):
        for p in cr(s):
            n += 1; p = p.replace('\t', '    ').replace('"', '""'); p = f'"{p}"' if '"' in p or ',' in p else p
            o.append(f'{n:07x}\t{utc(t)}.{int(t % 1 * 1000):03d}\t{h}\t{"ERROR" if st == "err" else "INFO"}\t{p}')
    s2 = 'who\twhen\tremark\nZsolt\t10-11 07:02\tI think it is the NFS server, it was slow at 05:10 (monitoring: 1 alert, cleared 05:14)\nZsolt\t10-11 07:05\tclock of mav-2 is a minute ahead\nEva\t10-11 07:30\tmav-3: no access for us, asked the owner\n'
    pack('debrecen', 'zip', {'Copy of mav training logs - remarks.tsv': s2, 'Copy of mav training logs - Sheet1.tsv': '\n'.join(o) + '\n'}, dict(cause='network.unreachable-peer', culprit_node=['mav-3', 'worker:2'], also_acceptable=['process.killed-by-signal', 'collective.timeout', 'resource.host-oom-killed', 'scheduler.preempted'],
         notes='worker 2 (mav-3) was killed with SIGKILL, but only mav-1 and mav-2 were collected: they show that task 2 was lost (connection reset / refused, heartbeats), nothing says why.'))

@ren
def narvik():  # Markdown incident document
    R = Raw('narvik', base('narvik', '2026-09-16 13:45:00'), {'ofot-w0': 0, 'ofot-w1': 27}, [(str(OUT / 'run/narvik'), '/srv/malm')])
    pr = lambda h: '\n'.join(r[4].rstrip() for r in R.by('probe') if r[2] == h)
    b = lambda w: '```text\n' + R.text(w) + '```\n'
    md = f'''# PM-2026-031: ore train ETA model stood still

| | |
|---|---|
| Opened | 2026-09-16 |
| Owner | support L2 (Sigrid) |
| State | draft, cause to be filled in |

## Timeline (copied from the bridge call)

* 13:45 job started by scheduler (ps on ofot-ps, workers on ofot-w0 and ofot-w1)
* a little later: `ofot-w1` prints no more steps, `ofot-w0` continues
* the customer stopped everything by hand
* *Per:* "w1 has had a bad DIMM in June, I bet on that"  (EDAC counters are 0 today: `ce_count=0 ue_count=0`)

## Logs

### ofot-w1

{b("w1")}
### ofot-w0

{b("w0")}
### ofot-ps

{b("ps")}
## Probes while it stood (before the stop)

From ofot-w1: `timeout 6 bash -c "exec 3<>/dev/tcp/10.47.150.2/2222"; echo rc=$?` and `ss -tno`

```
{pr("ofot-w1")}
```

From ofot-w0, same probe:

```
{pr("ofot-w0")}
```

On ofot-ps, `ss -ltno`:

```
{pr("ofot-ps")}
```

## Root cause

_TBD_
'''
    pack('narvik', 'tar.gz', {'PM-2026-031.md': md}, dict(cause='network.timeout', culprit_node=['ofot-w1', 'worker:1'], also_acceptable=['network.unreachable-peer'],
         notes='Packets from ofot-w1 to the ps are dropped silently: the probe from w1 times out (rc=124) while that from w0 connects (rc=0), ss on w1 shows unacknowledged data with retransmission timers; no TensorFlow error. Red herring: DIMM remark.'))

@ren
def sibiu():  # docker swarm service logs + a second service that ended well
    R = Raw('sibiu', base('sibiu', '2026-11-19 15:00:00'), {'swarm-n2': 1}, [(str(OUT / 'run/sibiu'), '/app')])
    ids = {'w0': ('1.k2j9x0a7', 'swarm-m1'), 'w1': ('2.zq81mmv4', 'swarm-n2'), 'w2': ('3.p0d7rr2e', 'swarm-n3')}
    o = [f'{iso(t, 9)} bioseq_train.{ids[w][0]}@{ids[w][1]}    | {s}' for t, w, h, st, s in R.recs]
    S = Raw('lille', base('lille', '2026-11-19 14:58:00'), {}, [(str(OUT / 'run/lille'), '/code')])
    o2 = [f'{iso(t, 9)} ads_chief.1.u7h2w{n % 1}@swarm-m1    | {s}' for n, (t, w, h, st, s) in enumerate(S.by('chief', stream='out'))]
    ps = '''ID         NAME                 IMAGE             NODE       DESIRED STATE   CURRENT STATE              ERROR                       PORTS
p0d7rr2e   bioseq_train.3       reg/bioseq:31     swarm-n3   Shutdown        Failed 31 seconds ago      "task: non-zero exit (1)"
k2j9x0a7   bioseq_train.1       reg/bioseq:31     swarm-m1   Shutdown        Shutdown 6 seconds ago
zq81mmv4   bioseq_train.2       reg/bioseq:31     swarm-n2   Shutdown        Shutdown 6 seconds ago
a91ll0s3   bioseq_train.3       reg/bioseq:30     swarm-n3   Shutdown        Rejected 2 hours ago       "No such image: reg/bioseq:30"
u7h2w0     ads_chief.1          reg/ads:12        swarm-m1   Shutdown        Complete 1 minute ago
'''
    pack('sibiu', 'tar.gz', {'service-logs-bioseq_train.txt': '\n'.join(o) + '\n', 'service-logs-ads_chief.txt': '\n'.join(o2) + '\n', 'stack-ps.txt': ps}, dict(cause='config.tf-config-invalid', culprit_node=['swarm-n3', 'bioseq_train.3', 'worker:2'], also_acceptable=[],
         notes='TF_CONFIG of the third task has a trailing comma: JSONDecodeError there at once; the others wait for it and are shut down. Red herrings: image rejected 2 hours before; the service ads_chief logged a lost worker and completed.'))
if __name__ == '__main__':
    for n in sys.argv[1:] or REN:
        try: REN[n]()
        except Exception: import traceback; print('!!', n); traceback.print_exc()
