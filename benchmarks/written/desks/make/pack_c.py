"""Packs the games studio group. Usage: pack_c.py NAME..."""
import sys
from packlib import *
from pack_b import subs, Z, N
def p11():  # docker compose logs in colour + TeamCity
    r = load('r11'); d = base_delta(r, '2026-06-11 18:20:05'); S = subs('r11', '/app', '/usr/local/lib/python3.11/site-packages', '/usr/local/lib/python3.11')
    cut = find(r['w2'], 'end of data') + 1.5; rows = []
    for n, t in r.items():
        for x, st, l in rl(t, d, S, jump=(cut, 2700)): rows.append((x, n, l))
    rows.sort(key=lambda q: q[0]); c = {'w0': 36, 'w1': 33, 'w2': 32}; nm = {'w0': 'trainer-a-1', 'w1': 'trainer-b-1', 'w2': 'trainer-c-1'}
    s = Stage('p11'); s.put('compose.log', ''.join('\x1b[%dm%s  | \x1b[0m%s\n' % (c[n], nm[n], l) for _, n, l in rows))
    T0 = rows[0][0] - dt.timedelta(seconds=22); E = rows[-1][0] - dt.timedelta(seconds=1)
    h = lambda x: x.strftime('[%H:%M:%S]')
    tc = '''Build 'Anim :: Retrain Locomotion' #418
Started 'Thu Jun 11 %s UTC 2026' on 'lx-agent-3' by 'Git'
%s : Checkout directory: /opt/buildAgent/work/5ad0c2
%s : VCS Root: anim-train.git; revision 8d0e11f
%s : Step 1/3: Export clips
%s :\t [Step 1/3] exported 9 takes; 2 takes shorter than usual (take 5, take 8), see #anim
%s W:\t [Step 1/3] Perforce: connect to server failed; check $P4PORT. TCP connect to p4-edge:1666 failed. Connection timed out. Retrying (1/3)
%s :\t [Step 1/3] Perforce: ok
%s : Step 2/3: docker compose up (Command Line)
%s :\t [Step 2/3] Container anim-trainer-a-1  Started
%s :\t [Step 2/3] Container anim-trainer-b-1  Started
%s :\t [Step 2/3] Container anim-trainer-c-1  Started
%s E: The build anim::Retrain Locomotion #418 {buildId=90812} has been running for more than 45 minutes. Terminating...
%s W:\t [Step 2/3] Step 'docker compose up' was interrupted because of execution timeout
%s : Publishing artifacts
''' % ((T0.strftime('%H:%M:%S'),) + tuple(h(T0 + dt.timedelta(seconds=k)) for k in (0, 1, 2, 9, 10, 15, 19, 21, 21, 22)) + (h(E), h(E), h(E + dt.timedelta(seconds=4))))
    s.put('teamcity_418.log', tc); pack(s.d, 'visby-418.zip')
    truth('visby-418.zip', 'data.uneven-shards', ['trainer-c-1', 'render-lx03', 'worker:2'], ['sync.hang'],
          'render-lx03 (trainer-c) prints "end of data after step N, waiting for the others" long before the others, whose all-reduce then never ends; TeamCity killed the build after 45 minutes. Two of its files are shorter. Herring: Perforce timeout that was retried.')
def p12():  # PowerShell transcript
    r = load('r12'); d = base_delta(r, '2026-10-13 07:58:30'); S = subs('r12', '/home/render/npc', '/home/render/tf215/lib/python3.11/site-packages'); s = Stage('p12')
    E = Render(d).at(max(t['ended'] for t in r.values()))
    hd = '**********************\r\nWindows PowerShell transcript start\r\nStart time: %s\r\nUsername: STUDIO\\k.lund\r\nRunAs User: STUDIO\\k.lund\r\nConfiguration Name: \r\nMachine: WS-0233 (Microsoft Windows NT 10.0.22631.0)\r\nHost Application: C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe\r\nProcess ID: 15288\r\nPSVersion: 5.1.22621.4249\r\nPSEdition: Desktop\r\nBuildVersion: 10.0.22621.4249\r\nCLRVersion: 4.0.30319.42000\r\n**********************\r\n' % (E + dt.timedelta(minutes=7)).strftime('%Y%m%d%H%M%S')
    def cmd(c, o): return 'PS C:\\Users\\k.lund> %s\r\n%s' % (c, o.replace('\n', '\r\n'))
    t = hd + 'Transcript started, output file is C:\\Users\\k.lund\\Documents\\npc.txt\r\n'
    t += cmd('Get-Content \\\\lin-build7\\logs\\fit_npc.log', 'Get-Content : Cannot find path \'\\\\lin-build7\\logs\\fit_npc.log\' because it does not exist.\nAt line:1 char:1\n+ Get-Content \\\\lin-build7\\logs\\fit_npc.log\n+ ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n    + CategoryInfo          : ObjectNotFound: (\\\\lin-build7\\logs\\fit_npc.log:String) [Get-Content], ItemNotFoundException\n    + FullyQualifiedErrorId : PathNotFound,Microsoft.PowerShell.Commands.GetContentCommand\n \n')
    for h, n in (('lin-build7', 'w0'), ('lin-build8', 'w1')):
        t += cmd('ssh render@%s "cat npc/fit_npc.log"' % h, body(rl(r[n], d + (0 if n == 'w0' else 240), S)))
    t += cmd('ssh render@lin-build8 "sudo dmesg -T | tail -3"', '[Mon Oct 12 22:10:41 2026] Out of memory: Killed process 91120 (UnrealEditor-Cm) total-vm:120331220kB, anon-rss:58811904kB, file-rss:0kB, shmem-rss:812kB, UID:1003 pgtables:140220kB oom_score_adj:0\n[Mon Oct 12 22:10:43 2026] oom_reaper: reaped process 91120 (UnrealEditor-Cm), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB\n[Tue Oct 13 03:00:02 2026] EXT4-fs (nvme0n1p2): re-mounted. Opts: errors=remount-ro\n')
    t += cmd('Stop-Transcript', '**********************\nWindows PowerShell transcript end\nEnd time: %s\n**********************\n' % (E + dt.timedelta(minutes=12)).strftime('%Y%m%d%H%M%S'))
    s.put('Documents/npc.txt', ('\ufeff' + t).encode('utf-8')); pack(s.d, 'malmo-233.zip')
    truth('malmo-233.zip', 'resource.disk-full', ['lin-build7', 'worker:0'], [],
          'The chief on lin-build7 fails writing a checkpoint / backup: No space left on device. lin-build8 (clock 4 minutes ahead) only sees the peer go. Herrings: OOM kill of the Unreal editor the evening before, re-mount line, the Get-Content error.')
def p13():  # GitHub Actions raw log, ended well
    r = load('r13'); d = base_delta(r, '2026-05-28 10:07:33'); S = subs('r13', '/app', '/usr/local/lib/python3.11/site-packages', '/usr/local/lib/python3.11'); rows = []
    nm = {'ps0': 'ps-1', 'w0': 'worker0-1', 'w1': 'worker1-1', 'w1b': 'worker1-1', 'chief': 'coord-1'}
    for n, t in r.items():
        for x, st, l in rl(t, d, S): rows.append((x, '%-9s  | %s' % (nm[n], l)))
        if n == 'w1': rows.append((Render(d).at(t['ended']), 'worker1-1 exited with code 137 (restarting)'))
    rows.sort(key=lambda q: q[0]); a, b = rows[0][0], rows[-1][0]; sec = lambda x, k: x + dt.timedelta(seconds=k)
    pre = [(sec(a, -40), 'Current runner version: \'2.317.0\''), (sec(a, -40), '##[group]Runner Image'), (sec(a, -40), 'Image: ubuntu-22.04'), (sec(a, -40), '##[endgroup]'),
           (sec(a, -38), '##[group]Run actions/checkout@v3'), (sec(a, -37), '##[endgroup]'), (sec(a, -36), '##[warning]Node.js 16 actions are deprecated. Please update the following actions to use Node.js 20: actions/checkout@v3.'),
           (sec(a, -30), '##[group]Run pip download -r requirements.txt'), (sec(a, -29), "WARNING: Retrying (Retry(total=4, connect=None, read=None, redirect=None, status=None)) after connection broken by 'ReadTimeoutError(\"HTTPSConnectionPool(host='pypi.org', port=443): Read timed out. (read timeout=15)\")': /simple/absl-py/"), (sec(a, -14), '##[endgroup]'),
           (sec(a, -9), '##[group]Run docker compose -f smoke.yml up --abort-on-container-exit=0 --exit-code-from coord & sleep 11; docker kill -s KILL smoke-worker1-1; wait'), (sec(a, -9), 'shell: /usr/bin/bash -e {0}'), (sec(a, -9), '##[endgroup]')]
    post = [(sec(b, 1), 'coord-1 exited with code 0'), (sec(b, 2), '##[group]Run python tools/check_loss.py coord.log'), (sec(b, 2), '##[endgroup]'), (sec(b, 3), 'check_loss: ok (16 epochs)'), (sec(b, 4), 'Post job cleanup.'), (sec(b, 5), 'Cleaning up orphan processes')]
    s = Stage('p13'); s.put('logs_2291/0_smoke (ps, kill-one).txt', '\ufeff' + ''.join('%s %s\n' % (x.strftime('%Y-%m-%dT%H:%M:%S.%f0Z'), l) for x, l in pre + rows + post))
    s.put('logs_2291/smoke (ps, kill-one)/1_Set up job.txt', ''.join('%s %s\n' % (x.strftime('%Y-%m-%dT%H:%M:%S.%f0Z'), l) for x, l in pre[:4]))
    pack(s.d, 'umea-2291.zip')
    truth('umea-2291.zip', 'none', None, [], 'A resilience test: worker1 was killed and restarted, the coordinator reports the worker failure, recovers, goes through all 16 epochs, exit code 0 and the loss check is ok. Herrings: exited with code 137, UNAVAILABLE lines, pip retry.')
def p14():  # Nomad
    r = load('r14'); d = base_delta(r, '2026-09-21 15:31:18'); S = subs('r14', '/local', '/usr/local/lib/python3.11/site-packages', '/usr/local/lib/python3.11'); s = Stage('p14')
    cut = r['w2']['ended'] + 9; ids = {'ps0': 'c0a81f33', 'w0': '1f0e77d2', 'w1': '84bb0a19', 'w2': 'e7715c60'}
    for n, t in r.items():
        J = None
        for st in ('out', 'err'): s.put('nomad-alloc-logs/%s.std%s' % (ids[n], st), body(rl(t, d, S, jump=J, streams=(st,))))
        R = Render(d); E = Render(d).at(t['ended']); B = R.at(t['started'])
        f = lambda x: x.strftime('%Y-%m-%dT%H:%M:%SZ')
        ev = [('%s' % f(B), 'Started', 'Task started by client'), (f(B - dt.timedelta(seconds=6)), 'Task Setup', 'Building Task Directory'), (f(B - dt.timedelta(seconds=6)), 'Received', 'Task received by client')]
        if n == 'w2': ev = [(f(E), 'Not Restarting', 'Policy allows no restarts'), (f(E), 'Terminated', 'Exit Code: %d, Signal: %d' % (128 - t['rc'] if t['rc'] < 0 else t['rc'], 0))] + ev
        else: ev = [(f(E), 'Killed', 'Task successfully killed'), (f(E), 'Terminated', 'Exit Code: 143'), (f(E - dt.timedelta(seconds=1)), 'Killing', 'Sent interrupt. Waiting 5s before force killing')] + ev
        s.put('alloc-status-%s.txt' % ids[n], '''ID                  = %s-0000-4f1c-9a3e-51d2a7be0011
Eval ID             = 70ab1c22
Name                = playtest.%s[%s]
Node ID             = 5b1e%s
Node Name           = %s
Job ID              = playtest
Job Version         = 3
Client Status       = %s
Client Description  = %s
Desired Status      = %s
Created             = 2m51s ago

Task "tf" is "dead"
Task Resources:
CPU      Memory           Disk     Addresses
0/4000   310 MiB/4.0 GiB  300 MiB  

Task Events:
Started At     = %s
Finished At    = %s
Total Restarts = 0
Last Restart   = N/A

Recent Events:
Time                  Type            Description
%s
''' % (ids[n], 'ps' if n[0] == 'p' else 'worker', n[-1], ids[n][:4], t['host'], 'failed' if n == 'w2' else 'complete', 'Failed tasks' if n == 'w2' else 'All tasks have completed', 'run' if n == 'w2' else 'stop', f(B), f(E), '\n'.join('%-21s %-15s %s' % e for e in ev)))
    s.put('slack-thread.txt', 'Aino  15:32  playtest: one alloc is red again, chief still prints, though slower\nPekka 15:32  nmd-wc ran hot on Friday (94 C) and throttled, maybe the board\nAino  15:34  stopped the job. whoever looks: nmd-wc has the new wide window from Friday\'s client config, the other two the default\n')
    pack(s.d, 'turku-3.tar.gz')
    truth('turku-3.tar.gz', 'process.segfault', ['nmd-wc', 'worker:2', 'e7715c60'], [],
          'Worker 2 on nmd-wc dies with "Fatal Python error: Segmentation fault" in feed() (a native filter, exit code 139); the others go on until stopped by hand. Herring: the remark about heat of nmd-wc on Friday.')
def p15():  # script typescript + tmux captures; two jobs
    r = load('r15'); d = base_delta(r, '2026-04-09 20:12:44'); S = subs('r15', '/home/aku/fx', '/home/aku/fx/.venv/lib/python3.11/site-packages'); s = Stage('p15')
    P = '\x1b]0;aku@desk-0417: ~/fx\x07\x1b[01;32maku@desk-0417\x1b[00m:\x1b[01;34m~/fx\x1b[00m$ '
    A, B = rl(r['trA'], d, S), rl(r['trB'], d, S)
    ts = 'Script started on %s [TERM="xterm-256color" TTY="/dev/pts/3" COLUMNS="180" LINES="50"]\r\n' % (A[0][0] - dt.timedelta(seconds=30)).strftime('%Y-%m-%d %H:%M:%S+00:00')
    def run(c, o): return P + c + '\r\n\x1b[?2004l\r' + o.replace('\n', '\r\n') + '\x1b[?2004h'
    ts += run('nvidia-smi', 'Failed to initialize NVML: GPU access blocked by the operating system\n')
    ts += run('python weather_fx.py trainer --dispatcher tin:5050 --files \'clips/*.tfrecord\' --steps 200 --job clips', body(A))
    ts += run('echo $?', '%d\n' % r['trA']['rc'])
    ts += run('python weather_fx.py trainer --dispatcher tin:5050 --index sensors.csv --steps 200 --job sen\x08 \x08nsors', body(B))
    ts += run('echo $?', '%d\n' % r['trB']['rc']) + P + 'exit\r\n\r\nScript done on %s [COMMAND_EXIT_CODE="1"]\r\n' % (B[-1][0] + dt.timedelta(seconds=60)).strftime('%Y-%m-%d %H:%M:%S+00:00')
    s.put('typescript', ts)
    for n, k in (('disp', -3), ('dw0', 9), ('dw1', -15)):
        t = r[n]; L = rl(t, d + k, S); s.put('tmux/%s-pane.txt' % t['host'], ''.join(l[:178] + '\n' + (l[178:] + '\n' if len(l) > 178 else '') for _, _, l in L))
    s.put('tmux/zinc-dmesg.txt', '[ 8123.550012] usb 1-4: device descriptor read/64, error -71\n[40211.001244] mlx5_core 0000:3b:00.0 ens1np0: Link down\n[40213.870020] mlx5_core 0000:3b:00.0 ens1np0: Link up\n')
    pack(s.d, 'oulu-417.tar.xz')
    truth('oulu-417.tar.xz', 'user.code-error', None, ['config.strategy-misuse'],
          'Two jobs on one tf.data service: clips ended well (exit 0), sensors fails because its map uses tf.numpy_function, which a data worker in another process cannot call ("Could not find callback with key=pyfunc_0 in the registry"). Herrings: NVML error, short link flap on zinc at another time.')
if __name__ == '__main__':
    for n in sys.argv[1:]: globals()[n]()
