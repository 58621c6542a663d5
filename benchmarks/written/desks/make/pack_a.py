"""Packs the first group. Usage: pack_a.py NAME..."""
import sys
from packlib import *
SP = '/opt/tfenv/lib/python3.11/site-packages'; SP15 = OUT + '/tf215/lib/python3.11/site-packages'
def p02():   # notebook only, in a zip in a tar
    r = load('r02'); d = base_delta(r, '2026-11-19 13:41:07')
    L = rl(r['chief'], d, [(OUT + '/run/r02/cell.py', '/tmp/ipykernel_3311/1884203517.py'), (SP, '/opt/conda/lib/python3.11/site-packages')])
    outs, cur = [], None
    i0 = next(i for i, l in enumerate(L) if l[2].startswith('Traceback')); i1 = next(i for i in range(i0, len(L)) if L[i][1] == 'out')
    tb = [l[2] for l in L[i0:i1] if l[1] == 'err']
    def add(part):
        nonlocal cur
        for _, s, l in part:
            n = 'stdout' if s == 'out' else 'stderr'
            if not cur or cur['name'] != n: cur = {'name': n, 'output_type': 'stream', 'text': []}; outs.append(cur)
            cur['text'].append(l + '\n')
    add(L[:i0]); add(L[i1:]); 
    outs.append({'output_type': 'error', 'ename': 'UnavailableError', 'evalue': '\n'.join(tb[next(i for i, l in enumerate(tb) if l.startswith('tensorflow.python.framework')):]).split(': ', 1)[1],
                 'traceback': ['\x1b[31m---------------------------------------------------------------------------\x1b[39m'] + ['\x1b[31m' + l + '\x1b[39m' if 'Error' in l else l for l in tb]})
    def code(n, src, o): return {'cell_type': 'code', 'execution_count': n, 'metadata': {}, 'outputs': o, 'source': src.splitlines(True)}
    def st(s, name='stdout'): return [{'name': name, 'output_type': 'stream', 'text': s.splitlines(True)}]
    src = open(OUT + '/run/r02/cell.py').read()
    nb = {'cells': [
        {'cell_type': 'markdown', 'metadata': {}, 'source': ['# Galaxy colours, asynchronous run 6\n', 'Servers on psn1, psn2 (parameters) and wkn1, wkn2. Started by Ilze with `./up.sh`, 13:35.\n', '\n', 'Last week run 5 died because wkn1 was out of memory, so the batch is 32 now.']},
        code(1, 'import astropy_healpix', [{'output_type': 'error', 'ename': 'ModuleNotFoundError', 'evalue': "No module named 'astropy_healpix'", 'traceback': ["\x1b[31m---------------------------------------------------------------------------\x1b[39m", "\x1b[31mModuleNotFoundError\x1b[39m                       Traceback (most recent call last)", "\x1b[36mCell\x1b[39m\x1b[36m \x1b[39m\x1b[32mIn[1]\x1b[39m\x1b[32m, line 1\x1b[39m\n\x1b[32m----> \x1b[39m\x1b[32m1\x1b[39m \x1b[38;5;28;01mimport\x1b[39;00m astropy_healpix\n", "\x1b[31mModuleNotFoundError\x1b[39m: No module named 'astropy_healpix'"]}]),
        code(2, '# not needed for the tabular run, go on without\nimport os, json\nos.environ["CUDA_VISIBLE_DEVICES"] = "-1"\nos.environ["TF_CONFIG"] = json.dumps({"cluster": {"chief": ["nb-lab:2222"], "ps": ["psn1:2222", "psn2:2222"], "worker": ["wkn1:2222", "wkn2:2222"]}, "task": {"type": "chief", "index": 0}})', []),
        code(3, '!for h in psn1 psn2 wkn1 wkn2; do getent hosts $h; nc -zv -w2 $h 2222; done', st('172.20.9.21     psn1\nConnection to psn1 (172.20.9.21) 2222 port [tcp/*] succeeded!\n172.20.9.22     psn2\nConnection to psn2 (172.20.9.22) 2222 port [tcp/*] succeeded!\n172.20.9.31     wkn1\nConnection to wkn1 (172.20.9.31) 2222 port [tcp/*] succeeded!\n172.20.9.32     wkn2\nConnection to wkn2 (172.20.9.32) 2222 port [tcp/*] succeeded!\n')),
        code(5, '%run_args --epochs 14 --steps 20\n' + src, outs),
        {'cell_type': 'markdown', 'metadata': {}, 'source': ['TODO: restart tomorrow. The machines are reimaged at night, no logs of the servers any more.']}],
        'metadata': {'kernelspec': {'display_name': 'tf (conda)', 'language': 'python', 'name': 'tf'}, 'language_info': {'name': 'python', 'version': '3.11.7'}}, 'nbformat': 4, 'nbformat_minor': 5}
    z = io.BytesIO()
    with zipfile.ZipFile(z, 'w', zipfile.ZIP_DEFLATED) as f:
        f.writestr('colours/run6.ipynb', json.dumps(nb, indent=1)); f.writestr('colours/README.rst', 'Colours\n=======\n\nAsynchronous training, one notebook per run. The servers print to ``/tmp`` of their machines.\n')
        f.writestr('colours/environment.yml', 'name: tf\ndependencies:\n  - python=3.11.7\n  - pip\n  - pip:\n    - tensorflow-cpu==2.21.0\n')
    s = Stage('p02'); s.put('from_anda/nb.zip', z.getvalue()); s.put('from_anda/MOVED', 'notebooks moved from /srv/nb on 2026-11-20\n')
    pack(s.d, 'liepaja-06.tar')
    truth('liepaja-06.tar', 'ps.unavailable', ['ps:1', 'psn2', '172.20.9.22', '/job:ps/replica:0/task:1'], ['network.unreachable-peer', 'process.killed-by-signal'],
          'Only the notebook was kept. The coordinator gets UNAVAILABLE, connection refused from 172.20.9.22 for /job:ps/replica:0/task:1 after 9 good epochs: the parameter server process went away (in truth SIGKILL, not visible). Herrings: ModuleNotFoundError in an early cell that was skipped, the remark on memory of wkn1 in run 5.')
def p03():   # e-mail with attachments
    r = load('r03'); d = base_delta(r, '2026-11-12 08:16:40')
    subs = [(OUT + '/run/r03', '/home/mthiel/tiles'), (SP, '/home/mthiel/.venvs/tf221/lib/python3.11/site-packages')]
    skew = {'sextans': 0, 'lyra': 34, 'vela': -71, 'pavo': 5}
    m = email.message.EmailMessage(policy=email.policy.SMTP)
    m['From'] = 'Marit Thiel <mthiel@astro.example.org>'; m['To'] = 'cluster-help@astro.example.org'; m['Cc'] = 'o.pires@astro.example.org'
    m['Subject'] = 'Re: Re: both trainers stop in the first pass'; m['Date'] = 'Thu, 12 Nov 2026 11:02:18 +0100'; m['Message-ID'] = '<8c1e77.20261112@astro.example.org>'
    m['In-Reply-To'] = '<91ab02.20261112@astro.example.org>'
    m.set_content('''Hello Oskar,

attached the five outputs. sextans runs the dispatcher and the second trainer. vela's clock is off
by a minute or so, I told you in spring.

On 12 Nov 2026 at 10:40, Oskar Pires wrote:
> It looks like vela is the bad one, "Failed to get element from worker vela:5050", and that
> box threw memory errors in September. Please take it out of the list and try again?
> Also dmesg on lyra had this from the night, maybe you hit it too:
>> [3914022.118403] Out of memory: Killed process 18122 (R) total-vm:61190244kB, anon-rss:58771120kB, file-rss:0kB, shmem-rss:0kB, UID:2041 pgtables:115312kB oom_score_adj:0
>
> On 12 Nov 2026 at 09:31, Marit Thiel wrote:
>> Hi, the new service dies after half a minute with both trainers. The same code ran on the
>> October tiles for a week. Since then only the tiles were copied again over the VPN.

I tried without vela at 10:55 and then lyra says the same thing, so I don't believe it is the box.
Marit
''')
    for n, fn in (('disp', 'dispatcher_sextans.txt'), ('dw0', 'lyra.log'), ('dw1', 'vela.log'), ('tr0', 'train-pavo.out'), ('tr1', 'train-sextans.out')):
        t = r[n]; lines = [x for x in rl(t, d + skew[t['host']], subs)]
        m.add_attachment(body(lines).encode(), maintype='text', subtype='plain', filename=fn)
    s = Stage('p03'); s.put('ticket-5521.eml', m.as_bytes()); pack(s.d, 'halden-11.zip')
    truth('halden-11.zip', 'data.corrupt-record', None, [],
          'Both trainers end with DataLossError "corrupted record at 25016" handed on by the tf.data service worker vela:5050; a shared file (tiles/part-00004.tfrecord) has a flipped byte. Herrings: the blame on vela, an old OOM kill of R on lyra.')
def p04():   # Slack export with files; the job hung
    r = load('r04'); d = base_delta(r, '2026-10-07 19:12:30'); sk = {'kelvin': 0, 'joule': -48, 'ampere': 131}
    cut = find(r['w0'], 'step   48') + 1
    subs = [(OUT + '/run/r04', '/data/spectra'), (SP, '/data/envs/tf/lib/python3.11/site-packages')]
    s = Stage('p04'); F = {}
    for n, t in r.items():
        L = rl(t, d + sk[t['host']], subs, jump=(cut, 48600)); F[t['host']] = body(L)
        s.put('export/__uploads/F0%s/%s.out' % ({'w0': '7QK1A', 'w1': '7QK2M', 'w2': '7QKB9'}[n], t['host']), F[t['host']])
    end = dt.datetime(2026, 10, 8, 8, 55, 0, tzinfo=UTC).timestamp()
    def msg(u, t, text, **k): return {'type': 'message', 'user': u, 'ts': '%.6f' % t, 'text': text, 'team': 'T02LAB', **k}
    t0 = dt.datetime(2026, 10, 7, 19, 10, tzinfo=UTC).timestamp()
    s.put('export/users.json', json.dumps([{'id': 'U1', 'name': 'henrike'}, {'id': 'U2', 'name': 'tomasz'}, {'id': 'U3', 'name': 'cluster-bot', 'is_bot': True}], indent=2))
    s.put('export/channels.json', json.dumps([{'id': 'C1', 'name': 'spectra', 'members': ['U1', 'U2', 'U3']}], indent=2))
    s.put('export/spectra/2026-10-07.json', json.dumps([
        msg('U1', t0, 'starting the three-node run on kelvin, joule, ampere. decode cache is the one of Monday, when I had to kill the first try (out of quota), should be fine'),
        msg('U2', t0 + 340, 'nice, 9 steps/s. :tada: going home'),
        msg('U3', t0 + 9000, 'kelvin: kernel: Out of memory: Killed process 7712 (matlab) total-vm:90112332kB, anon-rss:60022114kB')], indent=2))
    s.put('export/spectra/2026-10-08.json', json.dumps([
        msg('U1', end - 1500, 'still at step 48?? no error anywhere. all three processes alive, CPU of each at 0-1 %'),
        msg('U2', end - 1300, 'I bet the OOM on kelvin at night. the all-reduce on kelvin waits, look at the dump: `execute.py line 53 quick_execute`'),
        msg('U1', end - 900, 'I send USR1 to the three for the stacks, then kill them, I need the machines'),
        msg('U1', end - 300, 'here', files=[{'id': 'F07QK1A', 'name': 'kelvin.out', 'mimetype': 'text/plain'}, {'id': 'F07QK2M', 'name': 'joule.out'}, {'id': 'F07QKB9', 'name': 'ampere.out'}]),
        msg('U1', end, '```$ ls -l --time-sort=yes /data/spectra/decoded | tail -n +2 | head -4\n-rw-r--r-- 1 henrike lab 32896 Oct  7 19:12 shard-11.npy\n-rw-r--r-- 1 henrike lab 32896 Oct  7 19:12 shard-09.npy\n-rw-r--r-- 1 henrike lab 32896 Oct  7 19:12 shard-08.npy\n-rw------- 1 henrike lab     5 Oct  5 16:03 shard-10.lock```')], indent=2))
    s.put('export/__uploads/F07QC00/train_spectra.py', open(OUT + '/run/r04/train_spectra.py').read())
    pack(s.d, 'tromso-48.tar.xz')
    truth('tromso-48.tar.xz', 'sync.hang', ['joule', 'worker:1'], ['user.code-error'],
          'No error; all three stop after step 48 and were killed 13 hours later. The faulthandler dumps decide: kelvin and ampere wait in the collective step, joule waits in cached() for a lock file (shard-10.lock of two days before) that nobody holds. Herrings: OOM kill of matlab on kelvin, the remark that blames kelvin.')
def p05():   # org notes + MLflow-ish folders; ended well in the second attempt
    r = load('r05'); d = base_delta(r, '2026-09-02 05:40:11'); sk = {'node-ada': 0, 'node-bell': 19, 'node-cori': -6}
    subs = [(OUT + '/run/r05', '/scratch/tides'), (SP15, '/opt/py311/lib/python3.11/site-packages')]
    s = Stage('p05')
    for h in sk:
        tx = ''
        for k in ('a1', 'a2'):
            t = next(t for t in r.values() if t['host'] == h and t['name'].startswith(k))
            R = Render(d + sk[h]); tx += '2026-09-02 %s - distributed.worker - INFO - Run fit_tides as task on tls://%s:37%s\n' % (R.at(t['started']).strftime('%H:%M:%S,%f')[:-3], h, '11')
            tx += body(rl(t, d + sk[h], subs))
            if t['rc'] == -9: tx += '2026-09-02 %s - distributed.nanny - INFO - Worker process %d was killed by signal 9\n2026-09-02 %s - distributed.nanny - WARNING - Restarting worker\n' % (R.at(t['ended']).strftime('%H:%M:%S,%f')[:-3], t['pid'], R.at(t['ended'] + .3).strftime('%H:%M:%S,%f')[:-3])
            elif t['rc']: tx += '2026-09-02 %s - distributed.worker - WARNING - Compute Failed\nKey:       fit_tides-%s\nFunction:  run_script\nException: "CalledProcessError(1)"\n' % (R.at(t['ended']).strftime('%H:%M:%S,%f')[:-3], t['name'])
            else: tx += '2026-09-02 %s - distributed.worker - INFO - task fit_tides-%s finished, exit code 0\n' % (R.at(t['ended']).strftime('%H:%M:%S,%f')[:-3], t['name'])
        s.put('dask-%s.log' % h, tx)
    s.put('tides.org', '''#+TITLE: Tides, September
* DONE [2026-09-02 Wed] three node fit through Dask
  - dask runs the script again if a task fails (retries=1), from the backup
  - cori's nanny hit its memory limit while the other user's jupyter was up, first try lost at epoch 5
  - score of the end is in mlruns/2/9d1c/metrics/val_mse
* TODO ask Bram why cori prints GPU warnings
** Bram: "cori has a broken riser, all jobs there die, do not use" (that was in June)
''')
    fin = [l for _, _, l in rl(r['a2w0'], d) if 'final evaluation' in l][0]
    mse = re.search(r'mse ([\d.]+)', fin)[1]; ms = int(Render(d).at(r['a2w0']['ended']).timestamp() * 1000)
    s.put('mlruns/2/9d1c/meta.yaml', "artifact_uri: file:///scratch/mlruns/2/9d1c/artifacts\nend_time: %d\nentry_point_name: ''\nexperiment_id: '2'\nlifecycle_stage: active\nrun_id: 9d1c\nrun_name: rigorous-crane-88\nsource_type: 4\nstart_time: %d\nstatus: 3\ntags: []\nuser_id: lotte\n" % (ms, int(Render(d).at(r['a1w0']['started']).timestamp() * 1000)))
    s.put('mlruns/2/9d1c/metrics/val_mse', '%d %s 300\n' % (ms, mse)); s.put('mlruns/2/9d1c/params/epochs', '10'); s.put('mlruns/2/9d1c/tags/mlflow.note.content', 'resumed from backup after dask restart')
    pack(s.d, 'delft-204.tgz')
    truth('delft-204.tgz', 'none', None, [], 'First attempt: node-cori\'s process was killed with signal 9 and the peers aborted; Dask ran it again, BackupAndRestore went on at the stored epoch and all three workers finish with exit code 0 and a final evaluation. Herrings: the failed first attempt, remarks on cori.')
def p01():   # W&B offline run folders, two attempts
    r = load('r01'); d = base_delta(r, '2026-11-03 14:20:02'); sk = {'gamma01': 0, 'gamma02': 3, 'gamma03': -95}
    subs = [(OUT + '/run/r01', '/home/jkask/runoff'), (SP15, '/home/jkask/miniforge3/envs/tf215/lib/python3.11/site-packages')]
    s = Stage('p01')
    for n, t in r.items():
        a = n[:2]; dd = d + sk[t['host']] + (2400 if a == 'a2' else 0)
        L = rl(t, dd, subs); T = Render(dd).at(t['started'])
        rd = 'wandb/offline-run-%s-%s' % (T.strftime('%Y%m%d_%H%M%S'), {'a1w0': 'k2x9f0aa', 'a1w1': 'p77d1c3e', 'a1w2': 'w0qq81zb', 'a2w0': 'm5tt4n2c', 'a2w1': 'e9v0a6hh', 'a2w2': 'b3s8y1ku'}[n])
        s.put(rd + '/files/output.log', body(L))
        s.put(rd + '/files/wandb-metadata.json', json.dumps({'os': 'Linux-5.14.0-427.el9.x86_64-x86_64-with-glibc2.34', 'python': '3.11.7', 'startedAt': T.isoformat().replace('+00:00', 'Z'), 'program': '/home/jkask/runoff/train_runoff.py',
              'args': ['--epochs', '10', '--steps', '20', '--workdir', 'exp', '--hidden', '64' if a == 'a1' else '96'] + (['--sleep', '.03'] if a == 'a1' else []), 'host': t['host'], 'username': 'jkask', 'executable': '/home/jkask/miniforge3/envs/tf215/bin/python', 'cpu_count': 16}, indent=2))
        s.put(rd + '/files/config.yaml', 'wandb_version: 1\nhidden:\n  desc: null\n  value: %d\n_wandb:\n  value:\n    cli_version: 0.18.5\n' % (64 if a == 'a1' else 96))
        s.put(rd + '/files/wandb-summary.json', json.dumps({'_runtime': int(t['ended'] - t['started']), '_wandb': {'runtime': int(t['ended'] - t['started'])}}))
    s.put('notes.md', 'Tue: first try, Juri rebooted gamma02 under me (he says sorry). Started it again after coffee, wider this time since the loss was flat.\nJuri thinks the second failure is still the reboot (half-written backup).\n')
    pack(s.d, 'narva-17.tar.gz')
    truth('narva-17.tar.gz', 'checkpoint.mismatch', None, [],
          'The last attempt (--hidden 96) restores the backup of the first attempt (--hidden 64) from the same work folder and fails with the incompatible-shape error on restore. Herrings: the first attempt lost gamma02 (killed), the remark on a half-written backup.')
if __name__ == '__main__':
    for n in sys.argv[1:]: globals()[n]()
