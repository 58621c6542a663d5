"""Packs the telecoms group. Usage: pack_b.py NAME..."""
import sys
from packlib import *
PYENV = '/root/.pyenv/versions/3.11.7/lib/python3.11'
def subs(run, work, site, std='/usr/lib64/python3.11'):
    return [(OUT + '/run/' + run, work), ('/opt/tfenv/lib/python3.11/site-packages', site), (OUT + '/tf215/lib/python3.11/site-packages', site), (PYENV, std)]
Z = lambda d: d.strftime('%Y-%m-%dT%H:%M:%SZ')
N = lambda d: d.strftime('%Y-%m-%dT%H:%M:%S.%f') + '000Z'
def p06():  # must-gather-like tree
    r = load('r06'); d = base_delta(r, '2026-10-19 09:02:11'); S = subs('r06', '/opt/app', '/opt/app-root/lib64/python3.11/site-packages')
    day = 86400 + 4000; s = Stage('p06'); B = 'must-gather.local.120773/quay-telco/namespaces/scatter/'
    old, now = '', ''
    for n in ('oldps0', 'oldw0', 'oldw1', 'oldw2'):
        t = r[n]
        for x, st, l in rl(t, d, S): old += '[pod/%s/tensorflow] %s\n' % (t['host'], l)
    for n in ('ps0', 'w0', 'w1r2', 'w2'):
        t = r[n]; now += '[pod/%s/init-config] wrote /etc/scatter/env.sh\n' % t['host']
        for x, st, l in rl(t, d + day, S): now += '[pod/%s/tensorflow] %s %s\n' % (t['host'], N(x), l)
    s.put(B + 'logs/oc-logs-all-containers-prefix.txt', now); s.put(B + 'logs/monday-run-oc-logs.txt', old)
    s.put(B + 'logs/scat-worker-1-tensorflow-previous.log', ''.join('%s %s\n' % (N(x), l) for x, _, l in rl(r['w1r1'], d + day, S)))
    R = Render(d + day); ev = 'LAST SEEN   TYPE      REASON             OBJECT                  MESSAGE\n'
    at = Z(R.at(r['w1r2']['ended']))
    ev += ''.join('%-11s %-9s %-18s %-23s %s\n' % e for e in [
        ('31h', 'Normal', 'Completed', 'job/scat-prep', 'Job completed'),
        ('26h', 'Warning', 'OOMKilling', 'node/ocp-w07', 'Memory cgroup out of memory: Killed process 40119 (java) total-vm:9120332kB, anon-rss:4182244kB, file-rss:0kB, shmem-rss:0kB, UID:1000710000'),
        ('61m', 'Warning', 'FailedScheduling', 'pod/scat-worker-2', '0/9 nodes are available: 3 Insufficient memory, 6 node(s) had untolerated taint {telco/ran: }.'),
        ('58m', 'Normal', 'Scheduled', 'pod/scat-worker-2', 'Successfully assigned scatter/scat-worker-2 to ocp-w04'),
        ('58m', 'Normal', 'Pulling', 'pod/scat-worker-1', 'Pulling image "registry.telco.example/ml/scatter:4.3-slim"'),
        ('57m', 'Normal', 'Pulled', 'pod/scat-worker-1', 'Successfully pulled image "registry.telco.example/ml/scatter:4.3-slim" in 31.2s'),
        ('55m', 'Warning', 'BackOff', 'pod/scat-worker-1', 'Back-off restarting failed container tensorflow in pod scat-worker-1_scatter(b1d6)'),
        ('54m', 'Warning', 'Unhealthy', 'pod/scat-ps-0', 'Readiness probe failed: dial tcp 10.128.2.40:2222: connect: connection refused')])
    s.put(B + 'core/events.txt', ev)
    y = 'apiVersion: v1\nkind: List\nitems:\n'
    for n, node, rc, img in (('scat-ps-0', 'ocp-w03', 0, '4.3'), ('scat-worker-0', 'ocp-w03', 0, '4.3'), ('scat-worker-1', 'ocp-w07', 2, '4.3-slim'), ('scat-worker-2', 'ocp-w04', 0, '4.3')):
        y += '- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: %s\n    namespace: scatter\n    labels:\n      training.kubeflow.org/job-name: scat\n  spec:\n    nodeName: %s\n    containers:\n    - name: tensorflow\n      image: registry.telco.example/ml/scatter:%s\n  status:\n    phase: Running\n    containerStatuses:\n    - name: tensorflow\n      restartCount: %d\n' % (n, node, img, rc)
        if rc: y += '      lastState:\n        terminated:\n          exitCode: 1\n          reason: Error\n          finishedAt: "%s"\n      state:\n        waiting:\n          reason: CrashLoopBackOff\n' % at
        else: y += '      state:\n        running: {}\n'
    s.put(B + 'core/pods.yaml', y)
    s.put('must-gather.local.120773/timestamp', '%s\n' % Z(R.at(max(t['ended'] for t in r.values()) + 3300)))
    pack(s.d, 'setubal-4.tar.gz')
    truth('setubal-4.tar.gz', 'env.missing-library', ['scat-worker-1', 'worker:1', 'ocp-w07'], [],
          'scat-worker-1 crash-loops with OSError libsmooth.so.1: cannot open shared object file (its image is the -slim one), the others only wait in CreateSession for it. Monday\'s run was fine. Herrings: OOM kill of a java process on the same node, FailedScheduling that was resolved, the readiness probe of the ps.')
def p07():  # fluent-bit NDJSON, stale good run on top
    r = load('r07'); d = base_delta(r, '2026-08-17 21:03:50'); S = subs('r07', '/workspace', '/usr/local/lib/python3.11/site-packages', '/usr/local/lib/python3.11')
    cut = max(t['started'] for t in r.values()) + 8; out = []; sk = {0: 0, 1: 2, 2: -4}
    for n, t in r.items():
        k = int(n[-1]); L = rl(t, d + sk[k] + (0 if n[0] == 'g' else 3100), S, jump=None if n[0] == 'g' else (cut, 1790))
        for x, st, l in L:
            out.append((x, {'@timestamp': N(x), 'stream': 'stdout' if st == 'out' else 'stderr', 'logtag': 'F', 'log': l, 'kubernetes': {'pod_name': t['host'], 'namespace_name': 'ran-ml', 'container_name': 'tensorflow', 'host': 'rke2-%s' % 'abc'[k], 'labels': {'volcano.sh/job-name': 'ran-kpi', 'rerun': 'false' if n[0] == 'g' else 'true'}}}))
    T = Render(d + 3100).at(min(t['started'] for n, t in r.items() if n[0] == 'w'))
    def kv(dtm, msg, who='volcano-controllers'): out.append((dtm, {'@timestamp': N(dtm), 'stream': 'stderr', 'logtag': 'F', 'log': msg, 'kubernetes': {'pod_name': who, 'namespace_name': 'volcano-system', 'container_name': who, 'host': 'rke2-a'}}))
    h = lambda x: x.strftime('I%m%d %H:%M:%S.%f')
    kv(T - dt.timedelta(seconds=9), h(T - dt.timedelta(seconds=9)) + '       1 job_controller_actions.go:214] Job <ran-ml/ran-kpi> retried, restart count 1 of 3')
    kv(T - dt.timedelta(seconds=8), h(T - dt.timedelta(seconds=8)).replace('I', 'E', 1) + '       1 job_controller_handler.go:402] Failed to update PodGroup ran-ml/ran-kpi: Operation cannot be fulfilled on podgroups.scheduling.volcano.sh "ran-kpi": the object has been modified; please apply your changes to the latest version and try again')
    kv(T - dt.timedelta(seconds=7), h(T - dt.timedelta(seconds=7)) + '       1 job_controller_handler.go:398] PodGroup ran-ml/ran-kpi updated')
    E = Render(d + 3100 + 1790).at(cut + 7.5); kv(E, h(E) + '       1 job_controller_actions.go:61] Killing Job <ran-ml/ran-kpi>, current version 4 (delete request by ops-ines)')
    out.sort(key=lambda o: o[0]); s = Stage('p07'); s.put('fluent-bit/ran-ml.2026-08-17.ndjson', ''.join(json.dumps(o) + '\n' for _, o in out))
    s.put('README.txt', 'Export of index ran-ml, 17 August. The 21:03 run is good. The rerun (changed start script, so that the index no longer comes from the pod name but from an annotation) never came to a step, one pod stayed Running, Ines deleted it after half an hour.\nBackground: on the 16th rke2-b had packet loss, this was repaired.\n')
    pack(s.d, 'evora-31.tar.xz')
    truth('evora-31.tar.xz', 'config.task-index', ['ran-kpi-worker-2', 'worker:1'], ['config.cluster-mismatch'],
          'Rerun: pods ran-kpi-worker-1 and ran-kpi-worker-2 both print TF_CONFIG with task index 1 (and both start a server as ran-kpi-worker-1:2222), index 2 never comes, worker 0 waits for 2/3 tasks, until an operator deletes the job. Herrings: the good first run, the conflict on the PodGroup that was retried, the old packet loss.')
def p08():  # journald exports in three forms
    r = load('r08'); d = base_delta(r, '2026-11-08 03:15:00'); S = subs('r08', '/srv/cdr', '/srv/venv/lib/python3.11/site-packages'); s = Stage('p08')
    sk = {'vie-c1': 0, 'vie-p1': 1, 'vie-w1': -2, 'vie-w2': 47}
    bootid = '5d0f3f3c9ae84a7e9e0c8f1a2b7744e1'
    for n, t in r.items():
        L = rl(t, d + sk[t['host']], S); h = t['host']
        if n == 'chief': s.put('c1/journal.json', ''.join(json.dumps({'__REALTIME_TIMESTAMP': str(int(x.timestamp() * 1e6)), '_HOSTNAME': h, '_SYSTEMD_UNIT': 'cdr-train@chief.service', 'SYSLOG_IDENTIFIER': 'python', '_PID': str(t['pid']), 'PRIORITY': '6', '_TRANSPORT': 'stdout', 'MESSAGE': l}) + '\n' for x, _, l in L))
        elif n == 'ps0': s.put('p1.short-iso', ''.join('%s %s python[%d]: %s\n' % (x.strftime('%Y-%m-%dT%H:%M:%S+0000'), h, t['pid'], l) for x, _, l in L) + '%s %s smartd[811]: Device: /dev/sda [SAT], 1 Currently unreadable (pending) sectors\n' % (L[-1][0].strftime('%Y-%m-%dT%H:%M:%S+0000'), h))
        elif n == 'w0': s.put('w1.short-monotonic', ''.join('[%12.6f] %s python[%d]: %s\n' % (861200 + x.timestamp() - L[0][0].timestamp(), h, t['pid'], l) for x, _, l in L))
        else: s.put('w2/export.journal', ''.join('__REALTIME_TIMESTAMP=%d\n_BOOT_ID=%s\n_HOSTNAME=%s\n_SYSTEMD_UNIT=cdr-train@worker1.service\nSYSLOG_IDENTIFIER=python\n_PID=%d\nPRIORITY=6\nMESSAGE=%s\n\n' % (x.timestamp() * 1e6, bootid, h, t['pid'], l) for x, _, l in L))
    s.put('mail.txt', 'Four hosts, started by the timer at 03:15 UTC. p1 complains about its disk since Friday, a replacement is ordered. w2 was installed new last week from the hardened profile, before that the job ran 40 nights.\n')
    pack(s.d, 'krems-8.tar.bz2')
    truth('krems-8.tar.bz2', 'resource.fd-limit', ['vie-w2', 'worker:1'], [], 'The coordinator stops with "Too many open files" for a .tfrecord on /job:worker/replica:0/task:1 (vie-w2, newly installed with a low limit). Herring: pending sector on the parameter server\'s disk.')
def p09():  # Kusto/OpenSearch CSV with two jobs
    r = load('r09'); d = base_delta(r, '2026-07-30 16:44:20'); S = subs('r09', '/app', '/opt/venv/lib/python3.11/site-packages'); rows = []
    for n, t in r.items():
        for i, (x, st, l) in enumerate(rl(t, d + {'0': 0, '1': 3, '2': -1}[n[-1]], S)):
            rows.append((x, [x.strftime('%Y-%m-%dT%H:%M:%S.%fZ'), 'beam-%s' % ('urban' if n[0] == 'A' else 'rural'), t['host'], 'err' if st == 'err' else 'out', l]))
    def other(sec, pod, l):
        x = Render(d).at(min(t['started'] for t in r.values())) + dt.timedelta(seconds=sec); rows.append((x, [x.strftime('%Y-%m-%dT%H:%M:%S.%fZ'), '', pod, 'err', l]))
    other(4, 'node-exporter-7x', 'ts=2026-07-30 level=error caller=collector.go:169 msg="collector failed" name=ethtool duration_seconds=0.01 err="netlink receive: operation not permitted"')
    other(11, 'kernel@k8s-n04', '[88120.441902] Memory cgroup out of memory: Killed process 21090 (postgres) total-vm:1822344kB, anon-rss:991204kB, file-rss:2204kB, shmem-rss:0kB, UID:999 pgtables:2300kB oom_score_adj:996')
    rows.sort(key=lambda q: q[0]); f = io.StringIO(); w = csv.writer(f); w.writerow(['TimeGenerated [UTC]', 'JobName', 'PodName', 'LogSource', 'LogMessage']); w.writerows(q for _, q in rows)
    s = Stage('p09'); s.put('query_data (3).csv', '\ufeff' + f.getvalue())
    s.put('query.kql', 'ContainerLogV2\n| where PodNamespace == "beams" or PodName has "exporter" or PodName startswith "kernel@"\n| where TimeGenerated between (datetime(2026-07-30 16:40) .. datetime(2026-07-30 17:10))\n| project TimeGenerated, JobName, PodName, LogSource, LogMessage\n| order by TimeGenerated asc\n')
    pack(s.d, 'aveiro-90.zip')
    truth('aveiro-90.zip', 'numeric.nan', ['bmp-b1', 'worker:1'], [], 'Job beam-urban ended well. In beam-rural check_numerics finds Inf/NaN in the gradient of w1 or w2 on one worker (a frames file with huge values), the others abort as consequence. Herrings: OOM kill of postgres, node exporter error.')
def p10():  # Argo workflow, one folder, logs by 'argo logs' + Vector JSON array
    r = load('r10'); d = base_delta(r, '2026-11-16 12:31:45'); S = subs('r10', '/src', '/usr/local/lib/python3.11/site-packages', '/usr/local/lib/python3.11'); s = Stage('p10')
    t0 = min(t['started'] for t in r.values()); cut = t0 + 45
    rows = []
    for n, t in r.items():
        L = rl(t, d, S, jump=(cut, 5400))
        for x, st, l in L: rows.append((x, t['host'], l))
    rows.sort(key=lambda q: q[0])
    s.put('argo-logs.head-n100.txt', ''.join('\x1b[3%dmtiles-9k2lp-%s\x1b[0m: %s\n' % (1 + hash(h) % 6 if False else {'tiles-dispatch-7f9c': 2, 'tiles-feed-0': 3, 'tiles-feed-1': 4, 'tiles-train-0': 6}[h], h, l) for _, h, l in rows[:100]))
    E = Render(d + 5400).at(cut + 5)
    s.put('argo-get.txt', '''Name:                tiles-9k2lp
Namespace:           ml-feed
ServiceAccount:      argo
Status:              Failed
Message:             Stopped with strategy 'Terminate'
Conditions:
 PodRunning          False
 Completed           True
Created:             %s
Finished:            %s
Duration:            1 hour 31 minutes
Parameters:
  dispatcher:        tiles-dispatcher.ml-feed.svc.cluster.local:5050

STEP                   TEMPLATE   PODNAME                          DURATION  MESSAGE
 ✖ tiles-9k2lp         main                                                  workflow shutdown with strategy:  Terminate
 ├─✔ fetch             fetch      tiles-9k2lp-fetch-1              2m
 ├─✖ tiles-dispatch    tfds       tiles-9k2lp-tiles-dispatch-7f9c  1h        workflow shutdown with strategy:  Terminate
 ├─✖ tiles-feed(0:0)   tfds       tiles-9k2lp-tiles-feed-0         1h        workflow shutdown with strategy:  Terminate
 ├─✖ tiles-feed(1:1)   tfds       tiles-9k2lp-tiles-feed-1         1h        workflow shutdown with strategy:  Terminate
 └─✖ tiles-train-0     trainer    tiles-9k2lp-tiles-train-0        1h        workflow shutdown with strategy:  Terminate
''' % (Render(d).at(t0).strftime('%a %b %d %H:%M:%S +0000'), E.strftime('%a %b %d %H:%M:%S +0000')))
    s.put('events.txt', 'LAST SEEN   TYPE      REASON       OBJECT                         MESSAGE\n88m         Warning   OOMKilling   node/rk-w11                    Memory cgroup out of memory: Killed process 66120 (minio) total-vm:4811220kB, anon-rss:2088112kB\n91m         Warning   Unhealthy    pod/tiles-9k2lp-fetch-1        Readiness probe failed: HTTP probe failed with statuscode: 503\n14m         Normal    Killing      pod/tiles-9k2lp-tiles-train-0  Stopping container main\n')
    s.put('svc.txt', 'NAME         TYPE        CLUSTER-IP      EXTERNAL-IP   PORT(S)    AGE\ntiles-disp   ClusterIP   10.43.188.20    <none>        5050/TCP   93m\nminio        ClusterIP   10.43.7.101     <none>        9000/TCP   211d\n')
    pack(s.d, 'leiria-62.tar.gz')
    truth('leiria-62.tar.gz', 'network.dns', None, ['network.unreachable-peer', 'config.cluster-mismatch'],
          'Data workers and the trainer cannot resolve tiles-dispatcher.ml-feed.svc.cluster.local (the service is called tiles-disp) and retry until the workflow was terminated; the dispatcher itself is idle and healthy. Herring: the wait looks like a dead dispatcher.')
if __name__ == '__main__':
    for n in sys.argv[1:]: globals()[n]()
