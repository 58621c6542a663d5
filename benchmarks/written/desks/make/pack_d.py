"""Packs the weather service and universities. Usage: pack_d.py NAME..."""
import sys
from packlib import *
from pack_b import subs, Z, N
def p16():  # HTCondor, the files of one process were lost
    r = load('r16'); d = base_delta(r, '2026-03-17 02:11:09'); S = subs('r16', '/home/wx/ens', '/opt/sw/eb/TensorFlow/2.21-foss/lib/python3.11/site-packages', '/opt/sw/eb/Python/3.11.7/lib/python3.11'); s = Stage('p16')
    ev = []; f = lambda x: x.strftime('%Y-%m-%d %H:%M:%S')
    for n, t in r.items():
        k = int(n[1:]); R = Render(d)
        ip = '10.12.4.%d' % (21 + k)
        if k == 5: continue
        ev.append((R.at(t['started'] - 41 + .1 * k), '000 (88213.%03d.000) %s Job submitted from host: <10.12.4.2:9618?addrs=10.12.4.2-9618&alias=submit1.wx.example&noUDP&sock=schedd_1201_a0b1>\n...\n' % (k, '%s')))
        ev.append((R.at(t['started']), '001 (88213.%03d.000) %s Job executing on host: <%s:9618?addrs=%s-9618&alias=%s.wx.example&noUDP&sock=startd_2210_77c1>\n\tSlotName: slot1_1@%s.wx.example\n\tCpus = 4\n\tMemory = 8192\n...\n' % (k, '%s', ip, ip, t['host'], t['host'])))
        how = '\t(1) Normal termination (return value %d)' % t['rc'] if t['rc'] >= 0 else '\t(0) Abnormal termination (signal %d)\n\t(0) No core file' % -t['rc']
        ev.append((R.at(t['ended']), '005 (88213.%03d.000) %s Job terminated.\n%s\n\t\tUsr 0 00:00:21, Sys 0 00:00:04  -  Run Remote Usage\n\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Local Usage\n\t2211  -  Run Bytes Sent By Job\n\t7043  -  Run Bytes Received By Job\n\tPartitionable Resources :    Usage  Request Allocated\n\t   Cpus                 :     0.71        4         4\n\t   Disk (KB)            :       22       20   1203311\n\t   Memory (MB)          :      611     8192      8192\n...\n' % (k, '%s', how)))
        for st in ('out', 'err'): s.put('ens.%d.%s' % (k, st), body(rl(t, d + [0, 1, -3, 0, 12, 0, -1, 2][k], S, streams=(st,))))
    ev.sort(key=lambda e: e[0]); s.put('ens.log', ''.join(e % f(x) for x, e in ev))
    s.put('ens.sub', 'universe = vanilla\nexecutable = run_ens.sh\narguments = $(Process)\noutput = ens.$(Process).out\nerror = ens.$(Process).err\nlog = ens.log\nrequest_cpus = 4\nrequest_memory = 8192\nqueue 8\n')
    s.put('README', 'ens.5.* and its events are on the other submit host, which is in maintenance until Thursday. Wiebke thinks it is the usual MPI module conflict ("The following have been reloaded with a version change: 1) GCCcore/12.3.0 => GCCcore/13.2.0").\n')
    pack(s.d, 'kiel-88.tgz')
    truth('kiel-88.tgz', 'network.unreachable-peer', ['c4-06', 'worker:5'], ['process.killed-by-signal'],
          'Eight workers, the files of worker 5 (c4-06) are missing. The others abort at the same step because /job:worker/replica:0/task:5 went away (connection reset / refused, or a missing heartbeat); why cannot be told (in truth SIGKILL). Herring: the remark on the module conflict.')
def p17():  # PBS Pro, ended well
    r = load('r17'); d = base_delta(r, '2026-02-24 22:40:12'); S = subs('r17', '/lustre/nowcast/v1', '/apps/python/tf215/lib/python3.11/site-packages', '/apps/python/3.11.7/lib/python3.11'); s = Stage('p17')
    o = 'Loading nowcast/1.9\n  Loading requirement: python/3.11.7 tf215/1\n'; e = 'Lmod Warning: the module "intel/2021.4" is deprecated and will be removed on 2026-04-01.\npbsdsh: task 0x00000003 (pb101) start delayed: MOM rejected, retrying in 25 s\n'
    rows_o, rows_e = [], []
    for n, t in r.items():
        for x, st, l in rl(t, d, S): (rows_o if st == 'out' else rows_e).append((x, '%s: %s' % (t['host'], l)))
    rows_o.sort(key=lambda q: q[0]); rows_e.sort(key=lambda q: q[0]); E = Render(d).at(max(t['ended'] for t in r.values())); B = Render(d).at(min(t['started'] for t in r.values()))
    o += ''.join(l + '\n' for _, l in rows_o) + 'pb101: ps 0 is stopped by the job script, all workers are done\n'; e += ''.join(l + '\n' for _, l in rows_e)
    s.put('nowcast.o771204', o); s.put('nowcast.e771204', e)
    f = lambda x: x.strftime('%m/%d/%Y %H:%M:%S')
    s.put('tracejob.txt', '''
Job: 771204.pbs1

%s  S    enqueuing into workq, state 1 hop 1
%s  S    Job Queued at request of nowcast@login2, owner = nowcast@login2, job name = nowcast, queue = workq
%s  L    Not Running: Insufficient amount of resource: ncpus 
%s  S    Job Run at request of Scheduler@pbs1 on exec_vnode (pb101:ncpus=4)+(pb102:ncpus=4)+(pb103:ncpus=4)
%s  S    Obit received momhop:1 serverhop:1 state:4 substate:42
%s  S    Exit_status=0 resources_used.cpupercent=88 resources_used.cput=00:01:21 resources_used.mem=1120448kb resources_used.ncpus=12 resources_used.vmem=9022144kb resources_used.walltime=00:%02d:%02d
%s  S    dequeuing from workq, state 5
''' % (f(B - dt.timedelta(minutes=50)), f(B - dt.timedelta(minutes=50)), f(B - dt.timedelta(minutes=49)), f(B - dt.timedelta(seconds=3)), f(E), f(E), (int((E - B).total_seconds()) + 4) // 60, (int((E - B).total_seconds()) + 4) % 60, f(E + dt.timedelta(seconds=2))))
    s.put('nowcast.e771188', 'Lmod Warning: the module "intel/2021.4" is deprecated and will be removed on 2026-04-01.\npb102: Traceback (most recent call last):\npb102:   File "/lustre/nowcast/v1/nowcast_v1.py", line 5, in <module>\npb102:     import numpy as np\npb102: ModuleNotFoundError: No module named \'numpy\'\n=>> PBS: job killed: walltime 33 exceeded limit 30\n')
    s.put('readme.txt', '771188 was started with the wrong module by Rolf and had 30 s of walltime. 771204 is the one to look at: is it ok that ps prints nothing and got a signal?\n')
    pack(s.d, 'potsdam-771.tar.gz')
    truth('potsdam-771.tar.gz', 'none', None, [], 'Job 771204: the workers wait 25 seconds for the late ps (CreateSession still waiting), then train to the last step and finish; Exit_status=0; the ps is stopped by the script. Herrings: the earlier job 771188 (missing numpy, walltime), deprecation warnings.')
def p18():  # mpirun --tag-output
    r = load('r18'); d = base_delta(r, '2026-01-21 11:03:28'); S = subs('r18', '/home/pgrad/storms', '/home/pgrad/.local/lib/python3.11/site-packages', '/usr/lib/python3.11'); rows = []
    for n, t in r.items():
        k = int(n[1:])
        for x, st, l in rl(t, d + (0, -8, 21)[k], [(a, b) for a, b in S] + [('/var/tmp/u_vocab.txt', '/var/tmp/storm_vocab.txt')]):
            rows.append((x, '[1,%d]<std%s>:%s' % (k, st, l)))
        if t['rc']: rows.append((Render(d).at(t['ended']), '[hail1:%d] [[20111,0],%d] exit code %d from rank %d' % (30211, k, t['rc'], k)))
    rows.sort(key=lambda q: q[0])
    o = '--------------------------------------------------------------------------\nWARNING: No preset parameters were found for the device that Open MPI\ndetected:\n\n  Local host:            hail3\n  Device name:           mlx5_bond_0\n\nDefault device parameters will be used, which may result in lower\nperformance.\n--------------------------------------------------------------------------\n'
    o += ''.join(l + '\n' for _, l in rows)
    fr = min((r['w%d' % i]['ended'], i) for i in range(3))[1]
    o += '--------------------------------------------------------------------------\nmpirun detected that one or more processes exited with non-zero status, thus causing\nthe job to be terminated. The first process to do so was:\n\n  Process name: [[20111,1],%d]\n  Exit code:    1\n--------------------------------------------------------------------------\n' % fr
    s = Stage('p18'); s.put('storms/out.all', o); s.put('storms/job.sh', '#!/bin/bash\nmodule purge; module load openmpi/4.1.6\n# stage the vocabulary on the local disks\nfor h in hail1 hail2 hail3; do scp -q vocab.txt $h:/var/tmp/storm_vocab.txt || true; done\nmpirun --tag-output --host hail1,hail2,hail3 ./with_tf_config.sh python storms.py --steps 200 --vocab /var/tmp/storm_vocab.txt > out.all 2>&1\n')
    s.put('storms/scp.err', 'scp: dest open "/var/tmp/storm_vocab.txt": Permission denied\n'); pack(s.d, 'bergen-21.tar.bz2')
    truth('bergen-21.tar.bz2', 'collective.mismatch', ['hail2', 'worker:1'], ['data.shape-mismatch'], 'hail2 has another (older) vocabulary file: 498 entries against 512 on hail1 and hail3, so the collective of token_embedding has another shape on it and TensorFlow reports the mismatch. Herrings: the Open MPI device warning, the lines of ranks 0 and 2 about unhealthy tasks that stopped sending heartbeats.')
def p19():  # LSF, what bpeek showed of three of four tasks
    r = load('r19'); d = base_delta(r, '2026-10-29 04:22:55'); S = subs('r19', '/work/snow', '/apps/py/tf-2.21/lib/python3.11/site-packages', '/apps/py/3.11/lib/python3.11'); s = Stage('p19')
    E = Render(d).at(max(r[n]['ended'] for n in ('w0', 'w1', 'w3'))); B = Render(d).at(min(t['started'] for t in r.values())); f = lambda x: x.strftime('%a %b %e %H:%M:%S')
    parts = ''
    for n in ('w0', 'w1', 'w3'):
        t = r[n]; parts += '<< output from stdout of 40871[%d] on %s >>\n' % (int(n[1]) + 1, t['host']) + body(rl(t, d + {'w0': 0, 'w1': 41, 'w3': -7}[n], S))
    s.put('bpeek_40871.txt', parts)
    s.put('bjobs_-l.txt', """
Job <40871>, Job Name <snow[1-4]>, User <hkarl>, Project <hydro>, Status <EXIT>,
                     Queue <par>, Command <./snow_task.sh>, Share group charged </hkarl>
%s: Submitted from host <lsf-login>, CWD </work/snow>, Requested Resources <span[ptile=1]>;
%s: Started 4 Task(s) on Host(s) <lsf-n14> <lsf-n15> <lsf-n16> <lsf-n17>,
                     Allocated 4 Slot(s) on Host(s) <lsf-n14> <lsf-n15> <lsf-n16> <lsf-n17>;
%s: Exited with exit code 1. The CPU time used is 31.2 seconds.
%s: Completed <exit>.

 MEMLIMIT
     16 G 

 SCHEDULING PARAMETERS:
           r15s   r1m  r15m   ut      pg    io   ls    it    tmp    swp    mem
 loadSched   -     -     -     -       -     -    -     -     -      -      -  
 loadStop    -     -     -     -       -     -    -     -     -      -      -  
""" % (f(B - dt.timedelta(seconds=95)), f(B - dt.timedelta(seconds=2)), f(E), f(E)))
    s.put('bhist_40869.txt', """
Job <40869>, Job Name <snow[1-4]>, User <hkarl>, Project <hydro>, Command <./snow_task.sh>
%s: Submitted from host <lsf-login>, to Queue <par>, CWD </work/snow>;
%s: Dispatched 4 Task(s) on Host(s) <lsf-n14> <lsf-n15> <lsf-n17> <lsf-n18>;
%s: Exited; TERM_MEMLIMIT: job killed after reaching LSF memory usage limit;
""" % (f(B - dt.timedelta(minutes=70)), f(B - dt.timedelta(minutes=69)), f(B - dt.timedelta(minutes=61))))
    s.put('mail_to_admin.txt', 'Hello, 40869 had too little memory, then I asked for 16 G and 40871 was fine for some seconds. bpeek shows nothing for the third one, its output is gone with the node\'s /tmp.\nHelga\n')
    pack(s.d, 'innsbruck-40.tar.gz')
    truth('innsbruck-40.tar.gz', 'collective.timeout', None, ['sync.hang', 'network.unreachable-peer', 'sync.straggler'],
          'Only three of the four tasks were collected; all three print that the collective has timed out. Why worker 2 (lsf-n16) did not come is not shown (in truth it was stopped with SIGSTOP). Herring: the earlier job 40869, killed for memory.')
def p20():  # srun -l, one file for two jobs steps
    r = load('r20'); d = base_delta(r, '2026-05-05 06:55:31'); S = subs('r20', '/users/eleni/seaice', '/opt/tf/lib/python3.11/site-packages', '/opt/py/lib/python3.11'); s = Stage('p20'); o = ''
    for k in 'gb':
        rows = []
        for n, t in r.items():
            if n[0] != k: continue
            for x, st, l in rl(t, d + (0 if k == 'g' else 5200), S): rows.append((x, '%s: %s' % (n[-1], l)))
        rows.sort(key=lambda q: q[0])
        o += 'submit %s on fx11..fx13\n' % {'g': 'flux job f2Yc9kQ', 'b': 'flux job f2Z81Pm'}[k] + ''.join(l + '\n' for _, l in rows)
        for n, t in r.items():
            if n[0] == k and t['rc']: o += 'flux-shell[%s]:  WARN: task %s exited with exit code %d\n' % (n[-1], n[-1], t['rc'] if t['rc'] > 0 else 128 - t['rc'])
    s.put('home/eleni/seaice/ALL_RANKS.log', o)
    s.put('home/eleni/seaice/notes.rst', 'Sea ice\n=======\n\n* first job of the morning good\n* then the admins put fx12 back from repair (new image), same command, dies\n* dmesg of fx11 shows ``Out of memory: Killed process 9921 (firefox)``, from Sunday\n')
    pack(s.d, 'patras-5.tar.xz')
    truth('patras-5.tar.xz', 'env.version-skew', ['fx12', 'worker:1'], [], 'The second job: rank 1 prints tf 2.15.1, the other two 2.21.0; the collective setup fails between the versions. The first job with equal versions ended well.')
if __name__ == '__main__':
    for n in sys.argv[1:]: globals()[n]()
