"""The collectors: python pack.py NAME writes set/NAME.* from out/NAME."""
import sys, json, os, random, re
from col import C, OUT

def faro():     # (1) a ticket with attachments, PBS and mpirun --output-filename
    c = C('faro', '2026-03-17 08:41:12', code='/home/gisela/relax', site='/sw/tf/2.21/lib/python3.11/site-packages', data='/work/gisela/relax7')
    c.subs.insert(0, (os.path.join(OUT, 'faro') + '/scr', '/scratch/gisela.412877')); sh = [0, 3, -41, 1]
    end = c.lines('worker0')[-1][0]
    for i in range(4):
        L = c.lines(f'worker{i}', sh[i])
        for s in ('stdout', 'stderr'): c.put(f'att3_out.412877/1/rank.{i}/{s}', c.plain([x for x in L if x[1] == s]))
    c.put('mail1.txt', f'''From: Gisela Prado <gprado@chem.example.edu>
To: hpc-help@example.edu
Date: Tue, 17 Mar 2026 09:32:40 +0000
Subject: [HPC #88213] job 412877 died, network again?

Hi,

my relax7 job (4 nodes, small queue) died soon after the start. All the ranks I looked at (1, 2, 3)
say "Socket closed", so I think the fabric had the same problem as two weeks ago, see #87950.
Can you look at node032? Output folder attached (att3).

Gisela
''')
    c.put('mail2.txt', f'''From: hpc-help@example.edu (Ole)
To: Gisela Prado <gprado@chem.example.edu>
Date: Tue, 17 Mar 2026 10:05:02 +0000
Subject: Re: [HPC #88213] job 412877 died, network again?

Hi Gisela,

no fabric events this morning, ibqueryerrors is clean. Attached: tracejob (att1) and what the node health
check wrote for your four nodes around that time (att2). There was an OOM on node033 in the night, but
that was somebody else's job.  /var on node033 was also near full, logrotate is on it.

> Can you look at node032?

node032 looks fine to me. I have not gone through your output yet, sorry.

Ole
''')
    a = lambda d, f='%m/%d/%Y %H:%M:%S': c.at(end + d, f)
    b = c.lines('worker0')[0][0]
    c.put('att1_tracejob_412877.txt', f'''
Job: 412877.pbs01

{c.at(b-340,'%m/%d/%Y %H:%M:%S')}  S    enqueuing into small, state 1 hop 1
{c.at(b-340,'%m/%d/%Y %H:%M:%S')}  S    Job Queued at request of gprado@login2, owner = gprado@login2, job name = relax7, queue = small
{c.at(b-9,'%m/%d/%Y %H:%M:%S')}  S    Job Run at request of Scheduler@pbs01 on exec_vnode (node031:ncpus=4)+(node032:ncpus=4)+(node033:ncpus=4)+(node034:ncpus=4)
{c.at(b-9,'%m/%d/%Y %H:%M:%S')}  M    Started, pid = 23114
{a(6)}  M    task 00000001 terminated
{a(6)}  M    Terminated
{a(7)}  M    task 00000001 cput=00:01:52
{a(7)}  M    kill_job
{a(8)}  S    Exit_status=1 resources_used.cpupercent=174 resources_used.cput=00:03:49 resources_used.mem=2893244kb resources_used.ncpus=16 resources_used.walltime=00:00:{int(end-b)+15:02d}
{a(9)}  S    dequeuing from small, state 5''')
    r = 'time,node,check,value,state\n'
    for k in range(-3, 2):
        for n in ('node031', 'node032', 'node033', 'node034'):
            t = c.at(end - 300 + k * 300 + int(n[-1]) * 2, '%Y-%m-%dT%H:%M:%S')
            r += f'{t},{n},load1,{1.2 + k * .1 + int(n[-1]) / 7:.2f},OK\n{t},{n},mem_free_mb,{118000 - 700 * k - 13 * int(n[-1])},OK\n{t},{n},ib_mlx5_0,Active,OK\n{t},{n},fs_var_used_pct,{96 if n == "node033" else 41},{"WARN" if n == "node033" else "OK"}\n'
    c.put('att2_nhc.csv', r)
    c.put('att2_dmesg_node033.txt', '''[Tue Mar 17 02:11:48 2026] orca_scf_mpi invoked oom-killer: gfp_mask=0x100cca(GFP_HIGHUSER_MOVABLE), order=0, oom_score_adj=0
[Tue Mar 17 02:11:48 2026] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=412790.pbs01,mems_allowed=0-1,oom_memcg=/pbs_jobs.service/jobid/412790.pbs01,task_memcg=/pbs_jobs.service/jobid/412790.pbs01,task=orca_scf_mpi,pid=90321,uid=20417
[Tue Mar 17 02:11:48 2026] Memory cgroup out of memory: Killed process 90321 (orca_scf_mpi) total-vm:71120344kB, anon-rss:66011220kB, file-rss:8120kB, shmem-rss:0kB, UID:20417 pgtables:131004kB oom_score_adj:0''')
    c.done('faro.tar.gz', 'resource.disk-full', ['node031', 'worker:0', 'rank 0'], [], "tmpfs for the chief's checkpoints filled: rank 0's SaveV2 ends with 'No space left on device' in /scratch of node031; other ranks show only 'Socket closed'. Red herrings: user suspects the fabric and node032, OOM of another job and full /var on node033.")

def gubbio():   # (3) one nohup file for three machines and two attempts
    c = C('gubbio', '2026-05-06 21:14:03', code='/home/vale/tesi', site='/home/vale/tesi/venv/lib/python3.11/site-packages', data='/mnt/nas/vale')
    c.put('tesi/nohup.out', '+ ./lancia.sh merlo corvo gazza\n' + c.merged({'a1worker0': 0, 'a1worker1': 0, 'a1worker2': 0}, lambda k, t, s, l: l)
      + "\n^C interrotto, cambio --units 48\n+ ./lancia.sh merlo corvo gazza\n" + c.merged({'a2worker0': 0, 'a2worker1': 0, 'a2worker2': 0}, lambda k, t, s, l: l))
    c.put('tesi/lancia.sh', '''#!/bin/bash
# tutto nello stesso nohup.out
i=0
for h in "$@"; do
  ssh $h "cd ~/tesi && TF_CONFIG='$(./mkconf.py $i "$@")' venv/bin/python keras_fit.py --epochs 30 --sleep 0.02 --backup /mnt/nas/vale/backup $EXTRA" &
  i=$((i+1))
done
wait''')
    c.put('tesi/APPUNTI.txt', '''6/5  prima prova 32 unita, loss scende piano. fermata a mano dopo 5 epoche.
     seconda con EXTRA="--units 48": parte e muore subito.
     Davide dice: e' il generator_dataset_op, "Python interpreter state is not initialized", bug di TF.
     provare TF 2.15?  oppure il nas (ieri era lento)''')
    c.put('tesi/backup_ls.txt', f'$ ls -l /mnt/nas/vale/backup\ntotal 12\ndrwxr-xr-x 2 vale vale 4096 May  6 21:14 chief\ndrwxr-xr-x 2 vale vale 4096 May  6 21:14 workertemp_1\ndrwxr-xr-x 2 vale vale 4096 May  6 21:14 workertemp_2')
    c.done('gubbio.zip', 'checkpoint.mismatch', None, [], "Attempt 1 (32 units) was interrupted by hand; attempt 2 with 48 units restores the backup of attempt 1 (BackupAndRestore) and fails on the shapes. Red herrings: KeyboardInterrupt of attempt 1, generator_dataset warnings and Davide's remark.")

def jena():     # (3) a notebook and nohup files of lab machines
    c = C('jena', '2026-06-22 16:02:31', code='/home/linus/exp', site='/opt/conda/lib/python3.11/site-packages', data='/srv/linus')
    sh = {'gans': 0, 'schwan': 2, 'ente': -77}
    def cell(kind, src, outs=None):
        d = {'cell_type': kind, 'metadata': {}, 'source': src.splitlines(True)}
        if kind == 'code': d.update(execution_count=cell.n, outputs=outs or []); cell.n += 1
        return d
    cell.n = 4
    st = lambda ls: [{'output_type': 'stream', 'name': s, 'text': [l + '\n' for _, x, l in ls if x == s]} for s in ('stdout', 'stderr') if any(x == s for _, x, _ in ls)]
    nb = {'nbformat': 4, 'nbformat_minor': 5, 'metadata': {'kernelspec': {'name': 'python3', 'display_name': 'Python 3', 'language': 'python'}}, 'cells': [
      cell('markdown', '# Sweep mit tf.data service\n\ndispatcher + data worker auf **ente**, Trainer auf **gans** (hier) und **schwan** (nohup)'),
      cell('code', 'import socket, subprocess\nprint(socket.gethostname())\n!free -g | head -2', [{'output_type': 'stream', 'name': 'stdout', 'text': ['gans\n', '               total        used        free      shared  buff/cache   available\n', 'Mem:              62           9          21           0          31          52\n']}]),
      cell('code', "try:\n    import horovod.tensorflow\nexcept Exception as e:\n    print('ohne horovod:', repr(e))", [{'output_type': 'stream', 'name': 'stdout', 'text': ["ohne horovod: ModuleNotFoundError(\"No module named 'horovod'\")\n"]}]),
      cell('code', '!python ds_train.py --dispatcher grpc://ente:5050 --sleep .05 --steps 400 --fifo /srv/linus/scratch --seed 0', st(c.lines('trainer0', sh['gans']))),
      cell('markdown', 'steht seit der Kaffeepause. Loss sah gut aus. GPU-Problem kann es nicht sein (CPU). Habe alles abgeschossen (kill), siehe nohups.\n\nMalte meint Firewall zwischen gans und ente, aber telnet ente 5050 geht.')]}
    c.put('sweep_0622.ipynb', json.dumps(nb, indent=1, ensure_ascii=False))
    c.put('schwan_nohup.out', c.plain(c.lines('trainer1', sh['schwan'])))
    c.put('ente_nohup.out', c.merged({'dispatcher': sh['ente'], 'dw0': sh['ente'], 'stage': sh['ente']}, lambda k, t, s, l: l))
    c.put('ente_ps.txt', re.sub(r'Nov 26 \d\d:\d\d', 'Jun 22 16:01', c.text(open(os.path.join(OUT, 'jena', 'proc.txt')).read(), c.off + sh['ente'])))
    c.done('jena.tar.xz', 'sync.hang', ['ente', 'dw0', 'ente:5051', 'stage'], [], "The data worker on ente sits in opening a FIFO (wait_for_partner) that the staging program never opens, as it waits for a lock held by an older instance; trainers stop at the same second without an error and were killed by hand. Red herrings: horovod import error that was caught, a remark on the firewall.")

def gent():     # (1) Grid Engine and mpirun --tag-output, one file, eight ranks
    c = C('gent', '2026-02-10 23:50:40', code='/home/wdm/ctr', site='/apps/tf221/lib/python3.11/site-packages', data='/scratch/wdm/ctr')
    ks = ['ps0', 'ps1'] + ['worker%d' % i for i in range(6)]; hs = [f'c{i:02d}n{j}' for i in (1, 2) for j in (1, 2, 3, 4)]
    sk = dict(zip(ks, [0, 2, 0, -4, 1, 0, -1, 3]))
    body = '\n'.join(f'[1,{ks.index(k)}]<{s}>:{l}' for t, k, s, l in sorted(((t - sk[k], k, s, l) for k in ks for t, s, l in c.lines(k, sk[k])), key=lambda x: x[0]))
    rc = json.load(open(os.path.join(OUT, 'gent', 'rc.json'))); first = min(range(2, 8), key=lambda i: c.lines(ks[i])[-1][0])
    head = 'Warning: no access to tty (Bad file descriptor).\nThus no job control in this shell.\n======================== JOB MAP ========================\n' + ''.join(f' Data for node: {h}\tNum slots: 1\tMax slots: 0\tNum procs: 1\n \tProcess OMPI jobid: [61544,1] App: {0 if i < 2 else 1} Process rank: {i} Bound: N/A\n' for i, h in enumerate(hs)) + ' =============================================================\n'
    tail = '\n--------------------------------------------------------------------------\nPrimary job  terminated normally, but 1 process returned\na non-zero exit code. Per user-direction, the job has been aborted.\n--------------------------------------------------------------------------\n--------------------------------------------------------------------------\nmpirun detected that one or more processes exited with non-zero status, thus causing\nthe job to be terminated. The first process to do so was:\n\n  Process name: [[61544,1],%d]\n  Exit code:    1\n--------------------------------------------------------------------------' % first
    c.put('ctr.po554210', ''); c.put('ctr.o554210', head + body + tail)
    e = max(c.lines(k)[-1][0] for k in ks[2:])
    c.put('qacct.txt', f"""$ qacct -j 554210
==============================================================
qname        long.q
hostname     c01n1
group        wdm
owner        wdm
project      NONE
department   defaultdepartment
jobname      ctr
jobnumber    554210
taskid       undefined
account      sge
priority     0
qsub_time    Tue Feb 10 22:13:20 2026
start_time   Tue Feb 10 23:50:36 2026
end_time     {c.at(e + 2, '%a %b %d %H:%M:%S %Y')}
granted_pe   orte
slots        8
failed       0
exit_status  1
ru_wallclock {int(e - c.t0 - c.off) + 6}
maxvmem      9.212G""")
    c.put('health/c02n3.log', """Feb 10 19:02:55 c02n3 kernel: [812231.220115] python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0
Feb 10 19:02:55 c02n3 kernel: [812231.220402] Memory cgroup out of memory: Killed process 7719 (python3) total-vm:44120144kB, anon-rss:33410220kB, file-rss:2120kB, shmem-rss:0kB, UID:3381 pgtables:68112kB oom_score_adj:0
Feb 10 23:50:02 c02n3 nodehealth: load=0.11 mem_free=181G tmp=12% ib=Active edac_ce=0 edac_ue=0 -> OK
Feb 10 23:55:02 c02n3 nodehealth: load=0.42 mem_free=180G tmp=12% ib=Active edac_ce=0 edac_ue=0 -> OK""")
    c.put('health/c01n4.log', """Feb 10 23:50:01 c01n4 nodehealth: load=0.20 mem_free=183G tmp=88% ib=Active edac_ce=14 edac_ue=0 -> WARN (edac_ce)
Feb 10 23:55:01 c01n4 nodehealth: load=0.36 mem_free=183G tmp=88% ib=Active edac_ce=14 edac_ue=0 -> WARN (edac_ce)""")
    c.done('gent.tar.bz2', 'numeric.nan', ['worker:4', 'c02n3', 'rank 6', None], ['numeric.divergence'], "Rank 6 (worker 4) fed NaN inputs; NanLossDuringTrainingError follows there and, through the shared variables, at the others. Red herrings: an old OOM of another user on c02n3, corrected memory errors on c01n4.")

def pula():     # (2) docker compose logs in one stream, compose file, ticket text
    c = C('pula', '2026-04-21 09:03:17', code='/app', site='/usr/local/lib/python3.11/site-packages', data='/data')
    ks = {'coordinator': ('chief', 0), 'worker-1': ('worker0', 0), 'worker-2': ('worker1', 0), 'ps-1': ('ps0', 0)}
    inv = {v[0]: k for k, v in ks.items()}
    c.put('compose-logs.txt', c.merged({v[0]: v[1] for v in ks.values()}, lambda k, t, s, l: f'{"rankfit-" + inv[k]:<20} | {c.iso(t)} {l}'))
    c.put('compose.yaml', """name: rankfit
x-base: &base
  image: registry.corp.example/rankfit:3.2.0
  networks: [train]
  environment: &env
    GRPC_FAIL_FAST: "true"
services:
  coordinator:
    <<: *base
    command: python ps_train.py
    restart: "no"
  worker-1: {<<: *base, command: python ps_train.py}
  worker-2: {<<: *base, command: python ps_train.py}
  ps-1:
    <<: *base
    command: python ps_train.py
    networks: [default]
networks:
  train: {}""")
    c.put('README-incident', """INC-7741  rankfit does not start after the compose refactoring
09:20 sl: coordinator exits 1, every time the same
09:24 sl: all four containers were "Up", ps-1 says its server is started
09:31 mk: my bet is the registry outage from last night (half pulled image), re-pull?
09:40 sl: image digests equal on all""")
    c.done('pula.tgz', 'network.dns', ['ps-1', 'ps:0'], [], "The service ps-1 sits on another compose network, so its name does not resolve for the others; the coordinator ends with 'errors resolving ps-1:2222 ... Temporary failure in name resolution'. Red herring: remark on a registry outage.")

def split():    # (2) docker swarm: service ps, service logs, alert timeline
    c = C('split', '2026-01-29 13:27:44', code='/srv/app', site='/usr/local/lib/python3.11/dist-packages', data='/mnt/ckpt', py='/usr/bin/python3')
    ids = {'ps0': ('train_ps.1.k2v9q0x7b1mz', 'swarm-02', 0), 'worker0': ('train_worker0.1.u8d3hh5e0wqa', 'swarm-03', 1), 'worker1': ('train_worker1.1.pz71c4nn9yto', 'swarm-05', -6)}
    for k, (n, h, d) in ids.items():
        c.put(f'service-logs/{n.split(".")[0]}.json', '\n'.join(json.dumps({'log': l + '\n', 'stream': s, 'attrs': {'com.docker.swarm.node.id': h, 'com.docker.swarm.task.name': n}, 'time': c.iso(t)}) for t, s, l in c.lines(k, d)))
    c.put('stack-ps.txt', """$ docker stack ps train --no-trunc --format 'table {{.ID}}\\t{{.Name}}\\t{{.Node}}\\t{{.DesiredState}}\\t{{.CurrentState}}\\t{{.Error}}'
ID                          NAME               NODE       DESIRED STATE   CURRENT STATE            ERROR
k2v9q0x7b1mz5r8ty3ulc6wae   train_ps.1         swarm-02   Running         Running About a minute ago
u8d3hh5e0wqa7s1bn4xkj2zpf   train_worker0.1    swarm-03   Running         Running About a minute ago
pz71c4nn9yto2m6qv0eurh3ds   train_worker1.1    swarm-05   Running         Running About a minute ago
3fj0s9aw6txe1kd8cyvb7gqmo   train_worker2.1               Running         Pending About a minute ago    "no suitable node (insufficient resources on 3 nodes; scheduling constraints not satisfied on 2 nodes)"
m1c8u7ez2dlp4hq9xyt0wvnrb   train_worker1.1    swarm-05   Shutdown        Failed 31 minutes ago    "task: non-zero exit (137)"
""")
    c.put('timeline.csv', f"""time,source,text
{c.at(c.t0 + c.off - 1790)},alertmanager,"ContainerOOMKilled train_worker1.1.m1c8u7ez2dlp node=swarm-05 (previous stack; limit raised to 6G since)"
{c.at(c.t0 + c.off - 4)},deploy,"docker stack deploy -c train.yml train (r118)"
{c.at(c.t0 + c.off + 70)},alertmanager,"TrainingNoSteps stack=train severity=warning value=0"
{c.at(c.t0 + c.off + 76)},oncall,"docker stack rm train"
{c.at(c.t0 + c.off + 160)},alertmanager,"TrainingNoSteps stack=train resolved"
""")
    c.done('split.zip', 'scheduler.unschedulable', ['worker:2', 'train_worker2.1', 'train_worker2', None], [], "worker 2 never got a node (swarm: Pending, no suitable node), so CreateSession of the other tasks waits for it for ever; the stack was removed by the on-call. Red herring: exit 137 of the previous stack's worker1.")

def lund():     # (2) Grafana Explore export as CSV; the dead ps' stream is not in it
    c = C('lund', '2026-05-19 02:11:08', code='/opt/job', site='/opt/venv/lib/python3.11/site-packages', data='/mnt/efs/job')
    ids = {'chief': ('coordinator', '0f3b6c1de9a24b7f'), 'worker0': ('worker', '91ab77c02d5e4c18'), 'worker1': ('worker', 'b6402e9d7f1148aa')}
    rows = sorted(((t, k, s, l) for k in ids for t, s, l in c.lines(k)), key=lambda x: -x[0])   # newest first, as Explore does
    q = lambda x: '"' + x.replace('"', '""') + '"'
    c.put('Explore-logs-data-2026-05-19 02_40_12.csv', 'Time,Line,tsNs,labels\n' + '\n'.join(','.join([q(c.at(t, '%Y-%m-%d %H:%M:%S.') + '%03d' % (t % 1 * 1000)), q(l), q(str(int(t * 1e9))), q(json.dumps({'cluster': 'ml-batch', 'container': ids[k][0], 'ecs_task': ids[k][1], 'stream': s}))]) for t, k, s, l in rows))
    c.put('README.txt', 'export from Explore, {cluster="ml-batch", container=~"coordinator|worker"}, last 1 h, limit 5000.\nps containers log to another tenant, I have no access. Service events page was empty when I looked (older than 100 events).\nThe task-def warning about cpu shares can be ignored, we always have it. -- petra')
    c.done('lund.tar.gz', 'ps.unavailable', ['ps:1', 'ip-10-8-14-5', None], ['network.unreachable-peer', 'process.killed-by-signal'], "Parameter server 1 was killed, but only the coordinator's and workers' streams were exported: they show UNAVAILABLE against /job:ps/replica:0/task:1 and nothing of why.")

def albi():     # (2) docker json files, fluent-bit metrics, a short note: the job went on to the end
    c = C('albi', '2026-03-03 04:10:22', code='/app', site='/usr/local/lib/python3.11/site-packages', data='/vol/model', py='/usr/local/bin/python')
    m = {'ps0': 'c4e1', 'ps0b': '77d0', 'worker0': 'a902', 'worker1': '1b3f', 'worker2': 'e6aa'}
    sh = {'ps0': 0, 'ps0b': 0, 'worker0': 2, 'worker1': -33, 'worker2': 5}
    for k, i in m.items():
        cid = __import__('hashlib').sha256(i.encode()).hexdigest()
        c.put(f'var/lib/docker/containers/{cid}/{cid}-json.log', '\n'.join(json.dumps({'log': l + '\n', 'stream': s, 'time': c.iso(t)}) for t, s, l in c.lines(k, sh[k])))
        nm = {'ps0': 'recsys_ps.1', 'ps0b': 'recsys_ps.1'}.get(k, 'recsys_worker.%s' % (int(k[-1]) + 1 if k[-1].isdigit() else 0))
        host = {'ps0': 'pool-a1', 'ps0b': 'pool-a1', 'worker0': 'pool-a2', 'worker1': 'pool-a3', 'worker2': 'pool-a4'}[k]
        c.put(f'var/lib/docker/containers/{cid}/config.v2.json', json.dumps({'ID': cid, 'Name': '/' + nm, 'Config': {'Hostname': host, 'Cmd': ['python', 'tf1_train.py']}, 'State': {'Running': False, 'ExitCode': 137 if k.startswith('ps') else 0, 'OOMKilled': False}}))
    c.put('nightly-check.md', "# nightly check 3 March\n\n- recsys: ps container replaced once at 04:10 (watchtower), **task count back to 4/4**\n- recsys: ps removed with `docker stop -t 0` by the clean-up job after the workers left (hence 137)\n- grafana: two alerts `grpc_unavailable_rate`, auto-resolved\n- dmesg on pool-a3: `Out of memory: Killed process 4021 (prometheus)` from Sunday, known\n")
    c.done('albi.tgz', 'none', None, [], "The only parameter server was replaced in mid-run; the monitored sessions caught the errors, recovered from the checkpoint and all workers finished. Red herrings: UNAVAILABLE lines, exit 137 of ps, old OOM of prometheus.")

def soria():    # (1) LSF mail output with three hosts in one file, node health
    c = C('soria', '2026-07-08 11:02:14', code='/gpfs/u/ana/sweep', site='/gpfs/sw/tf/lib/python3.11/site-packages', data='/gpfs/u/ana/run')
    sh = {'dispatcher': 0, 'dw0': 0, 'trainer0': 0, 'dw1': 19, 'dw1b': 19, 'trainer1': 19}
    b, e = (c.at(x, '%a %b %d %H:%M:%S %Y') for x in (c.t0 + c.off, c.lines('trainer0')[-1][0] + 2))
    out = '\n'.join(f'=== blaunch {h} {k} ===\n' + c.plain(c.lines(k, sh[k])) for k, h in [('dispatcher', 'hn101'), ('trainer0', 'hn102'), ('dw0', 'hn102'), ('trainer1', 'hn103')])
    c.put('1220875.out', f"""Sender: LSF System <lsfadmin@hn101>
Subject: Job 1220875: <sweep> in cluster <hagia> Done

Job <sweep> was submitted from host <login1> by user <ana> in cluster <hagia> at {b}
Job was executed on host(s) <1*hn101>, in queue <normal>, as user <ana> in cluster <hagia> at {b}
                            <1*hn102>
                            <1*hn103>
</gpfs/u/ana> was used as the home directory.
Started at {b}
Terminated at {e}
Results reported at {e}

Your job looked like:

------------------------------------------------------------
# LSBATCH: User input
./sweep.lsf
------------------------------------------------------------

Successfully completed.

Resource usage summary:

    CPU time :                                   94.10 sec.
    Max Memory :                                 2204 MB
    Max Processes :                              11

The output (if any) follows:

{out}""")
    c.put('hn103/dataworker.log.1', c.plain(c.lines('dw1', 19))); c.put('hn103/dataworker.log', c.plain(c.lines('dw1b', 19)))
    c.put('hn103/messages', """Jul  7 03:18:22 hn103 kernel: gmx_mpi invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0
Jul  7 03:18:22 hn103 kernel: Out of memory: Killed process 20812 (gmx_mpi) total-vm:190221448kB, anon-rss:181002204kB, file-rss:0kB, shmem-rss:120kB, UID:5120 pgtables:356020kB oom_score_adj:0
Jul  8 11:02:20 hn103 systemd[1]: Started Session 4411 of user ana.
Jul  8 11:15:01 hn103 CROND[29902]: (root) CMD (/usr/lib64/sa/sa1 1 1)""")
    c.put('mail.txt', """> Ana wrote: please check, the data workers of my sweep printed 'UNAVAILABLE ... Connection refused',
> and the process on hn103 was killed as far as I can tell. Are the results usable?

Hi Ana, the supervisor restarted your data worker there (log.1 is the first life). I am collecting things for the node team
now, there was an OOM on that node yesterday.    Berk""")
    c.done('soria.tar.gz', 'none', None, [], "A data worker on hn103 was killed and restarted by its supervisor; both trainers finished all steps and LSF reports success. Red herrings: heartbeat retries against the dispatcher at the start, yesterday's OOM of another user.")

def oulu():     # (1) one e-mail with attachments as MIME parts
    import email.message, email.policy
    c = C('oulu', '2026-06-03 14:20:09', code='/home/kk/seg', site='/opt/apps/tf/2.21/lib/python3.11/site-packages', data='/lustre/kk/seg')
    sh = {'dispatcher': 0, 'trainer0': 0, 'dw0': 8, 'trainer1': -2}
    rk = {'dispatcher': 0, 'dw0': 1, 'trainer0': 2, 'trainer1': 3}; ho = {'dispatcher': 'r4i2n0', 'dw0': 'r4i2n1', 'trainer0': 'r4i2n0', 'trainer1': 'r4i2n2'}
    pid = {k: int(re.search(rf' start {k} .*pid (\d+)', open(os.path.join(OUT, 'oulu', 'events.txt')).read())[1]) for k in rk}
    dm = open(os.path.join(OUT, 'oulu', 'dmesg.txt')).read().splitlines()
    i0 = max(i for i, l in enumerate(dm) if 'invoked oom-killer' in l)
    k0 = [l.replace('/hp_job', '/pbspro/90417.adm').replace('uid=0', 'uid=21877').replace('UID:0', 'UID:21877') for l in dm[i0:] if l.startswith('[') and 'hp' not in l.replace('hp_job', '')]
    dead = max(t for t, _, _ in c.lines('dw0'))
    ts = [float(re.match(r'\[ *([\d.]+)', l)[1]) for l in k0]
    k0 = [c.at(dead + 1 + x - ts[-1], '%Y-%m-%dT%H:%M:%S.%f+00:00').replace('T', 'T') + ' r4i2n1 kernel: ' + l.split('] ', 1)[1] for x, l in zip(ts, k0)] if ts else []
    old = ['2026-06-03T09:55:10.114022+00:00 r4i2n1 kernel: nfs: server home-nfs not responding, still trying', '2026-06-03T09:55:41.560110+00:00 r4i2n1 kernel: nfs: server home-nfs OK']
    log = '\n'.join(f'[1,{rk[k]}]<{s}>:{l}' for t, k, s, l in sorted(((t - sh[k], k, s, l) for k in rk for t, s, l in c.lines(k, sh[k])), key=lambda x: x[0]))
    log += f"""
--------------------------------------------------------------------------
mpirun noticed that process rank 1 with PID {pid['dw0']} on node r4i2n1 exited on signal 9 (Killed).
--------------------------------------------------------------------------"""
    m = email.message.EmailMessage(policy=email.policy.default)
    m['From'] = 'Pekka (HPC) <support@csc.example>'; m['To'] = 'kk@uni.example'; m['Subject'] = 'Re: [#90417] job with data service gone, firewall?'
    m['Date'] = 'Wed, 03 Jun 2026 15:02:11 +0000'; m['Message-ID'] = '<20260603150211.90417@csc.example>'
    m.set_content("""Hi,

I forward this to our TF person with what I could find: your job's stdout and the messages of the three nodes (filtered to kernel).
There was an NFS hiccup in the morning, long over before the job began.

Pekka

> On 3 Jun, kk wrote:
> the data service does not survive with the large images, the whole job is gone after half a minute.
> Rank 2 and 3 were still training fine. Did the firewall rules for port 5051 change in the maintenance,
> or does somebody clean up processes on the compute nodes? It worked with the small images. I use 1 chunk per rank as usual
> (select=3:ncpus=2:mem=1100mb).
""")
    att = lambda n, t: m.add_attachment(t.rstrip() + '\n', subtype='plain', filename=n, cte='quoted-printable')
    att('seg.o90417', log); att('kernel-r4i2n1.txt', '\n'.join(old + k0))
    att('kernel-r4i2n0.txt', '2026-06-03T09:55:12.001921+00:00 r4i2n0 kernel: nfs: server home-nfs not responding, still trying\n2026-06-03T09:55:41.561002+00:00 r4i2n0 kernel: nfs: server home-nfs OK')
    c.put('Re_ [#90417] job with data service gone.eml', m.as_bytes())
    c.done('oulu.zip', 'resource.host-oom-killed', ['r4i2n1', 'rank 1', 'r4i2n1:5051'], [], "The data worker caches large elements and outgrew the job's memory cgroup; the kernel killed it (kernel lines of r4i2n1, mpirun: rank 1 signal 9). The trainers show nothing. Red herrings: NFS hiccup in the morning, firewall question.")

def visby():    # (2) a post-incident document with excerpts, and the export of a log shipper
    c = C('visby', '2026-08-12 06:30:20', code='/srv/etl', site='/srv/venv/lib/python3.11/site-packages', data='/mnt/fs/clicks')
    sh = {'chief': 0, 'worker0': 1, 'worker1': -2, 'ps0': 0}; ho = {'chief': 'etl-coord', 'worker0': 'etl-w-a', 'worker1': 'etl-w-b', 'ps0': 'etl-ps'}
    L = {k: c.lines(k, sh[k]) for k in sh}
    for k in ('worker0', 'worker1', 'ps0'):
        c.put(f'vector/{ho[k]}.ndjson', '\n'.join(json.dumps({'file': '/var/log/etl/task.log', 'host': ho[k], 'message': l, 'source_type': 'file', 'timestamp': c.iso(t)}) for t, s, l in L[k]))
    ch = L['chief']; e = next(i for i, x in enumerate(ch) if 'DataLoss' in x[2] or 'DATA_LOSS' in x[2] or 'Traceback' in x[2])
    ok = c.plain(ch[max(0, e - 45):e]); bad = c.plain(ch[e:e + 70]); h = c.plain(ch[:14])
    c.put('PIR-2026-081.md', f"""# PIR-2026-081: clicks model not refreshed

| | |
|---|---|
| Detected | {c.at(ch[-1][0] + 120)} UTC, `ModelTooOld` |
| Impact | ranking served yesterday's model |
| Status | DRAFT, root cause open |

## Timeline (UTC)

- **05:58** node `etl-w-b` rebooted after kernel update (planned)
- **{c.at(ch[0][0], '%H:%M')}** training started by cron, 1 coordinator, 2 workers, 1 ps
- **{c.at(ch[-1][0], '%H:%M')}** coordinator exited 1
- **06:41** S3 `503 SlowDown` on artefact upload of *another* pipeline (search-index), retried fine

## What the coordinator said

At the beginning:

```text
{h}
```

Business as usual up to

```
{ok}
```

and then

```
{bad}
```

## Hypotheses

1. kernel update on `etl-w-b` changed something about the NIC (Jonas)
2. object store throttling, see timeline
3. none of the above

## Follow-ups

- [ ] read the workers' logs (exported, `vector/`)
- [ ] alert earlier
""")
    c.done('visby.tar.gz', 'data.corrupt-record', [None, 'worker:1', 'etl-w-b'], [], "One record of the input files is damaged (the file is not named): DataLossError (corrupted record) read by worker 1 ends the coordinator. Red herrings: reboot of etl-w-b, S3 throttling of another pipeline, Jonas's hypothesis.")

def tartu():    # (3) screenshots typed off (panes are wrapped) and one nohup file; nothing of ibis
    c = C('tartu', '2026-10-02 18:20:51', code='/home/mari/mag', site='/home/mari/.venvs/tf/lib/python3.11/site-packages', data='/home/mari/run')
    wrap = lambda t, w: '\n'.join(p for l in t.split('\n') for p in ([l[i:i + w] for i in range(0, len(l), w)] or ['']))
    a = c.plain(c.lines('worker0', 0)); b = c.plain(c.lines('worker1', -12))
    c.put('kiwi nohup.txt', b)
    c.put('screenshot1 (typed).txt', 'typed from the photo of emu, window is 132 wide\n\n' + '\n'.join(wrap(a, 132).split('\n')[-74:]) + '\nmari@emu:~/mag$ ')
    c.put('screenshot2 (typed).txt', """mari@emu:~/mag$ ping -c2 ibis
ping: ibis: Destination Host Unreachable     <-- that was on MONDAY, cable, Juhan fixed it
mari@kiwi:~/mag$ dmesg | grep -i kill
[412090.101221] Out of memory: Killed process 30122 (matlab) total-vm:40118820kB, anon-rss:29911920kB, file-rss:0kB, shmem-rss:0kB, UID:1004 pgtables:61200kB oom_score_adj:0
                    (Juhan's matlab, last week)""")
    c.put('what happened.txt', 'emu + kiwi + ibis, three workers, worked all afternoon. I have no account on ibis any more since 6 pm (Juhan starts it for me), so no log from there. Is it my code??')
    c.done('tartu.zip', 'network.unreachable-peer', ['ibis', 'worker:2', None], ['process.killed-by-signal', 'collective.timeout'], "worker 2 on ibis vanished (it was killed) but nothing from ibis was collected; the two others show only the lost connection. Red herrings: Monday's ping, OOM of matlab on kiwi.")

def brno():     # (3) script(1) recordings of the two waiting members
    c = C('brno', '2026-11-09 15:44:30', code='/home/xnovak/dp', site='/home/xnovak/dp/env/lib/python3.11/site-packages', data='/home/xnovak/dp/run')
    for k, h, d in (('worker0', 'lab07', 0), ('worker1', 'lab09', 49)):
        L = c.lines(k, d)
        pr = f'\x1b]0;xnovak@{h}: ~/dp\x07\x1b[01;32mxnovak@{h}\x1b[00m:\x1b[01;34m~/dp\x1b[00m$ '
        t = f'Script started on {c.at(L[0][0] - 20, "%Y-%m-%d %H:%M:%S")}+00:00 [TERM="xterm-256color" TTY="/dev/pts/2" COLUMNS="211" LINES="54"]\n'
        t += pr + 'nproc\r\n8\r\n' + pr + ('pip list 2>/dev/null | grep -i tensorr\x08 \x08f\r\ntensorflow-cpu               2.21.0\r\ntensorflow-io-gcs-filesystem 0.37.1\r\n' if d else 'uptime\r\n 15:44:12 up 12 days,  3:01,  2 users,  load average: 3.90, 3.71, 3.20\r\n')
        t += pr + f'python custom_loop.py --steps 1000 --lr run/lr{k[-1]}.txt\r\n' + '\r\n'.join(('^C^C^C' if 'SIGTERM caught' in x[2] else '') + x[2] for x in L) + '\r\nKilled\r\n' + pr + 'date\r\n' + c.at(L[-1][0] + 41, '%a %b %e %H:%M:%S UTC %Y') + '\r\n' + pr + 'exit\r\n'
        t += f'\nScript done on {c.at(L[-1][0] + 52, "%Y-%m-%d %H:%M:%S")}+00:00 [COMMAND_EXIT_CODE="0"]\n'
        c.put(f'typescript.{h}', t)
    c.put('poznamky.md', "- lab12 je v jine mistnosti, tam bezi worker 2 pod uctem Tomase, jeho vystup nemam\n- lab07: `xmrig` nejakeho studenta vcera bral vsechny CPU, uz je pryc\n- najednou zadne kroky, Ctrl-C nepomohlo, z druheho terminalu `kill`, a kdyz ani to ne, `kill -9` na obou\n- Tomas: 'u me PID existuje porad'\n- varovani o oneDNN mam vzdycky\n")
    c.done('brno.tar.gz', 'sync.hang', ['worker:2', 'lab12', None], ['collective.timeout', 'sync.straggler'], "worker 2 on lab12 got stuck in reading a file (heartbeats went on), but only the two waiting members were recorded: steps cease without any error until both were killed by hand; why cannot be told. Red herrings: yesterday's miner on lab07, the SIGTERM line and worker 1's Socket closed (both from the killing by hand).")


def narva():    # (3) one folder, logs appended by two attempts, history and ss
    c = C('narva', '2026-09-14 10:12:02', code='/home/olga/kfit', site='/home/olga/kfit/.venv/lib/python3.11/site-packages', data='/home/olga/kfit/run', py='/home/olga/kfit/.venv/bin/python')
    for i, h, d in ((0, 'thinkstation', 0), (1, 'oldxeon', 154)):
        c.put(f'kfit/{h}.txt', c.plain(c.lines(f'a1worker{i}', d)) + ('\n^C^CKilled\n' if i == 0 else '\n') + c.plain(c.lines(f'a2worker{i}', d)))
    c.put('kfit/oldxeon_history.txt', """  501  cd kfit
  502  export TF_CONFIG="$(cat tfconf1.json)"
  503  python keras_fit.py --epochs 40 --sleep .03 2>&1 | tee -a oldxeon.txt
  504  vim keras_fit.py
  505  python keras_fit.py --epochs 40 --sleep .03 2>&1 | tee -a oldxeon.txt
  506  df -h .
  507  ss -ltnp | grep 12345""")
    c.put('kfit/ss.txt', c.text(open(os.path.join(OUT, 'narva', 'ss.txt')).read(), c.off + 154))
    c.put('kfit/mail_to_supervisor.txt', """First try got stuck (I wanted to look something up on oldxeon, then nothing moved on thinkstation, ^C did nothing there,
I killed it from another window).
Second try does not even start. Disk on oldxeon is 97% full, could that be it? The GPU warnings I always get.""")
    c.done('narva.tar.gz', 'network.port-in-use', ['oldxeon', 'worker:1'], [], "Attempt 1's worker 1 was left stopped on oldxeon and still holds port 12345; attempt 2's worker 1 cannot bind. Red herrings: the stuck attempt 1 (killed by hand), a nearly full disk.")

if __name__ == '__main__':
    for n in sys.argv[1:]: globals()[n]()
