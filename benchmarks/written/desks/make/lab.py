"""A laboratory of several "hosts" on one machine: one network namespace per host on a bridge, an own
host name and /etc/hosts per process, output read line by line with its time. Output goes to OUT/NAME."""
import os, re, subprocess, threading, time, json, signal, datetime as dt
OUT = os.environ.get('LAB_OUT', os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
OUT = os.path.abspath(OUT)
MAKE = os.path.dirname(os.path.abspath(__file__))
PY21 = '/opt/tfenv/bin/python'
PY15 = os.path.join(OUT, "tf215/bin/python")
UTC = dt.timezone.utc

def sh(*a, check=False):
    return subprocess.run(a, check=check, capture_output=True, text=True)

class Task:
    pass

class Lab:
    def __init__(self, name, hosts, extra_hosts=(), prefix='U'):
        """hosts: {hostname: ip}; all in one /24."""
        self.name, self.hosts, self.dir = name, hosts, os.path.join(OUT, 'run', name)
        os.makedirs(self.dir, exist_ok=True)
        self.tasks, self.t0 = [], time.time()
        self.br = 'u_br0'
        sh('ip', 'link', 'del', self.br)
        sh('ip', 'link', 'add', self.br, 'type', 'bridge'); sh('ip', 'link', 'set', self.br, 'up')
        self.ns = {}
        for i, (h, ip) in enumerate(hosts.items()):
            ns = 'uL%d' % i
            sh('ip', 'netns', 'del', ns); sh('ip', 'netns', 'add', ns)
            sh('ip', 'link', 'del', 'uv%d' % i); sh('ip', 'link', 'add', 'uv%d' % i, 'type', 'veth', 'peer', 'name', 'uw%d' % i)
            sh('ip', 'link', 'set', 'uw%d' % i, 'netns', ns)
            sh('ip', 'link', 'set', 'uv%d' % i, 'master', self.br); sh('ip', 'link', 'set', 'uv%d' % i, 'up')
            for c in (['link', 'set', 'lo', 'up'], ['addr', 'add', ip + ('/8' if ip.startswith('10.') else '/24'), 'dev', 'uw%d' % i], ['link', 'set', 'uw%d' % i, 'up']):
                sh('ip', 'netns', 'exec', ns, 'ip', *c)
            self.ns[h] = ns
        with open(os.path.join(self.dir, 'hosts'), 'w') as f:
            f.write('127.0.0.1 localhost\n')
            for h, ip in list(hosts.items()) + list(extra_hosts):
                f.write('%s %s %s\n' % (ip, h, h.split('.')[0]) if '.' in h else '%s %s\n' % (ip, h))

    def start(self, name, host, cmd, env=None, pre='', cwd=None, py_nice=10):
        """cmd: list. pre: shell commands run before exec (ulimit ...)."""
        e = {'PATH': '/usr/local/bin:/usr/bin:/bin:/usr/sbin', 'HOME': '/root', 'OMP_NUM_THREADS': '1', 'PYTHONUNBUFFERED': '1',
             'TF_NUM_INTRAOP_THREADS': '1', 'TF_NUM_INTEROP_THREADS': '2', 'LANG': 'C.UTF-8', 'CUDA_VISIBLE_DEVICES': '-1'}
        e.update({k: str(v) for k, v in (env or {}).items()})
        if 'LD_LIBRARY_PATH' in e: pre = (pre + '; ' if pre else '') + 'export LD_LIBRARY_PATH=' + e['LD_LIBRARY_PATH']  # ip netns exec drops it
        script = 'mount --bind %s /etc/hosts; hostname %s; %s exec nice -n %d "$@"' % (os.path.join(self.dir, 'hosts'), host, pre + ';' if pre else '', py_nice)
        p = subprocess.Popen(['ip', 'netns', 'exec', self.ns[host], 'unshare', '-m', '-u', 'bash', '-c', script, 'x'] + cmd,
                             env=e, cwd=cwd or self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        t = Task(); t.name, t.host, t.p, t.pid, t.lines, t.rc, t.started = name, host, p, p.pid, [], None, time.time()
        t.th = []
        for s, f in (('out', p.stdout), ('err', p.stderr)):
            th = threading.Thread(target=self._read, args=(t, s, f), daemon=True); th.start(); t.th.append(th)
        self.tasks.append(t)
        return t

    def _read(self, t, s, f):
        for b in iter(f.readline, b''):
            t.lines.append((time.time(), s, b.decode('utf-8', 'replace').rstrip('\n')))

    def wait(self, tasks=None, timeout=120):
        end = time.time() + timeout
        for t in tasks or self.tasks:
            try: t.rc = t.p.wait(max(0.1, end - time.time()))
            except subprocess.TimeoutExpired: return False
            t.ended = getattr(t, 'ended', time.time())
        return True

    def wait_line(self, t, pat, timeout=90):
        end = time.time() + timeout
        while time.time() < end:
            if any(re.search(pat, l[2]) for l in list(t.lines)): return True
            if t.p.poll() is not None:
                time.sleep(0.3); return any(re.search(pat, l[2]) for l in list(t.lines))
            time.sleep(0.1)
        return False

    def kill(self, t, sig=signal.SIGKILL):
        if t.p.poll() is None: os.kill(t.p.pid, sig)

    def close(self):
        for t in self.tasks:
            if t.p.poll() is None:
                try: os.kill(t.p.pid, signal.SIGCONT); os.kill(t.p.pid, signal.SIGKILL)
                except ProcessLookupError: pass
            t.rc = t.p.wait(); t.ended = getattr(t, 'ended', time.time())
            for th in t.th: th.join(3)
        for i, ns in enumerate(self.ns.values()):
            sh('ip', 'netns', 'del', ns); sh('ip', 'link', 'del', 'uv%d' % i)
        sh('ip', 'link', 'del', self.br)
        rec = [{'name': t.name, 'host': t.host, 'pid': t.pid, 'rc': t.rc, 'started': t.started, 'ended': t.ended,
                'lines': sorted(t.lines, key=lambda l: l[0])} for t in self.tasks]
        json.dump(rec, open(os.path.join(self.dir, 'record.json'), 'w'))
        for t in rec:
            print(self.name, t['name'], t['host'], 'pid', t['pid'], 'rc', t['rc'], len(t['lines']), 'lines', '%.0fs' % (t['ended'] - t['started']))
        return rec

def tf_config(cluster, typ, idx, **kw):
    return json.dumps({'cluster': cluster, 'task': {'type': typ, 'index': idx}, **kw})

# ---------- rendering ----------
_ISO = re.compile(r'(\d{4})-(\d\d)-(\d\d)([ T])(\d\d):(\d\d):(\d\d)')
_GL = re.compile(r'([IWEF])0000 00:00:(\d{10})\.(\d{6})')
_GL2 = re.compile(r'^([IWEF])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{6})')
class Render:
    """Shifts the times of one host's output (and renames paths)."""
    def __init__(self, delta, subs=()):
        self.delta, self.subs = delta, list(subs)
    def text(self, s):
        for a, b in self.subs: s = s.replace(a, b)
        d = dt.timedelta(seconds=self.delta)
        def iso(m):
            g = m.groups(); x = dt.datetime(int(g[0]), int(g[1]), int(g[2]), int(g[4]), int(g[5]), int(g[6])) + d
            return x.strftime('%Y-%m-%d') + g[3] + x.strftime('%H:%M:%S')
        s = _ISO.sub(iso, s)
        s = _GL.sub(lambda m: '%s0000 00:00:%d.%s' % (m[1], int(m[2]) + int(self.delta), m[3]), s)
        s = re.sub(r'"created":"@(\d{10})\.', lambda m: '"created":"@%d.' % (int(m[1]) + int(self.delta)), s)
        def gl2(m):
            x = dt.datetime(dt.datetime.now(UTC).year, int(m[2]), int(m[3]), int(m[4]), int(m[5]), int(m[6])) + d
            return m[1] + x.strftime('%m%d %H:%M:%S') + '.' + m[7]
        return _GL2.sub(gl2, s)
    def at(self, t):
        return dt.datetime.fromtimestamp(t + self.delta, UTC)

def load(name):
    ts = json.load(open(os.path.join(OUT, 'run', name, 'record.json')))
    for t in ts:  # Lab.wait() notices ends in the order of the tasks: the last line says more
        if t['rc'] >= 0 and t['lines']: t['ended'] = min(t['ended'], t['lines'][-1][0] + 0.4)
    return {t['name']: t for t in ts}
def base_delta(rec, iso):
    """seconds that bring the first start of the record to the given UTC time"""
    t0 = min(t['started'] for t in rec.values())
    return int(dt.datetime.fromisoformat(iso).replace(tzinfo=UTC).timestamp() - t0)
def truth(archive, cause, culprit, also, notes):
    import yaml
    stem = re.sub(r'\.(tar\.gz|tar\.xz|tar\.bz2|tgz|zip|tar)$', '', archive)
    yaml.safe_dump({'archive': archive, 'cause': cause, 'culprit_node': culprit, 'also_acceptable': also, 'notes': notes},
                   open(os.path.join(OUT, 'set', stem + '.truth.yaml'), 'w'), sort_keys=False, allow_unicode=True, width=120)
def pack(stage, archive):
    """stage: folder whose content is packed"""
    dst = os.path.join(OUT, 'set', archive)
    if os.path.exists(dst): os.remove(dst)
    names = sorted(os.listdir(stage))
    if archive.endswith('.zip'): subprocess.run(['python3', '-m', 'zipfile', '-c', dst] + names, cwd=stage, check=True)
    else:
        mode = {'gz': '-czf', 'xz': '-cJf', 'tgz': '-czf', 'bz2': '-cjf', 'tar': '-cf'}[archive.rsplit('.', 1)[1]]
        subprocess.run(['tar', mode, dst] + names, cwd=stage, check=True)
    print(archive, os.path.getsize(dst), 'bytes')
class Stage:
    def __init__(self, name):
        import shutil
        self.d = os.path.join(OUT, 'stage', name); shutil.rmtree(self.d, ignore_errors=True); os.makedirs(self.d)
    def put(self, path, text):
        p = os.path.join(self.d, path); os.makedirs(os.path.dirname(p), exist_ok=True)
        open(p, 'wb').write(text if isinstance(text, bytes) else text.encode()); return p
