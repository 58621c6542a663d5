"""Run a multi-host job in network namespaces (one per host), keep every line with its time, and render it later.

OUT (argument or env SS_OUT, default: the folder above this file) holds raw/, set/ and run/."""
import json, os, re, signal, subprocess, threading, time, shutil, pathlib, datetime, tarfile, zipfile, io
HERE = pathlib.Path(__file__).resolve().parent
OUT = pathlib.Path(os.environ.get('SS_OUT', HERE.parent))
PY = {'221': os.environ.get('SS_PY221', '/opt/tfenv/bin/python'), '215': str(OUT / 'tf215/bin/python')}

def sh(c, check=False):
    return subprocess.run(c, shell=True, check=check, capture_output=True, text=True)

class Lab:
    def __init__(self, name, hosts, net='10.47'):
        self.name, self.hosts = name, hosts          # hosts: {hostname: ip}
        self.recs, self.procs, self.lock = [], {}, threading.Lock()
        self.run = OUT / 'run' / name
        shutil.rmtree(self.run, ignore_errors=True); self.run.mkdir(parents=True)
        br = 'ssbr0'; pre = net.split('.')
        sh(f'ip link del {br}'); sh(f'ip link add {br} type bridge'); sh(f'ip link set {br} up')
        for i, (h, ip) in enumerate(hosts.items()):
            ns = f'ss{i}'
            sh(f'ip netns del {ns}'); sh(f'ip link del ssv{i}')
            sh(f'ip netns add {ns}')
            sh(f'ip link add ssv{i} type veth peer name eth0 netns {ns}', True)
            sh(f'ip link set ssv{i} master {br} up')
            sh(f'ip -n {ns} addr add {ip}/16 dev eth0', True)
            sh(f'ip -n {ns} link set eth0 up'); sh(f'ip -n {ns} link set lo up')
            os.makedirs(f'/etc/netns/{ns}', exist_ok=True)
            self.ns = getattr(self, 'ns', {}); self.ns[h] = ns
        self.write_hosts()
        for h in hosts: (self.run / h).mkdir()
        for f in (HERE / 'jobs').glob('*.py'): shutil.copy(f, self.run / f.name)
    def write_hosts(self, skip=()):
        t = '127.0.0.1 localhost\n' + ''.join(f'{ip} {h}\n' for h, ip in self.hosts.items() if h not in skip)
        for ns in self.ns.values():
            open(f'/etc/netns/{ns}/hosts', 'w').write(t)
            open(f'/etc/netns/{ns}/resolv.conf', 'w').write('')
    def log(self, who, host, s, stream='out'):
        with self.lock: self.recs.append([time.time(), who, host, stream, s])
    def start(self, who, host, script, args='', py='221', env=None, pre='', cluster=None, task=None, cwd=None, cg=None):
        e = {'PATH': '/usr/bin:/bin:/usr/sbin:/sbin', 'HOME': '/root', 'OMP_NUM_THREADS': '1', 'CUDA_VISIBLE_DEVICES': '-1',
             'PYTHONUNBUFFERED': '1', 'TF_NUM_INTEROP_THREADS': '2', 'TF_NUM_INTRAOP_THREADS': '1', 'PYTHONFAULTHANDLER': ''}
        e.update(env or {})
        if cluster and task: e['TF_CONFIG'] = json.dumps({'cluster': cluster, 'task': {'type': task[0], 'index': task[1]}})
        cmd = f'cd {cwd or self.run / host}; hostname {host}; {pre} exec nice -n 10 {PY[py]} {self.run}/{script} {args}'
        p = subprocess.Popen((['bash', '-c', f'echo $$ > {cg}/cgroup.procs; exec "$@"', 'x'] if cg else []) + ['ip', 'netns', 'exec', self.ns[host], 'unshare', '-u', 'bash', '-c', cmd], env=e, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True)
        def rd(f, stream):
            for b in iter(f.readline, b''):
                self.log(who, host, b.decode('utf8', 'replace').rstrip('\n'), stream)
        ts = [threading.Thread(target=rd, args=(p.stdout, 'out'), daemon=True), threading.Thread(target=rd, args=(p.stderr, 'err'), daemon=True)]
        for t in ts: t.start()
        p.ts, p.who, p.host, p.t0, p.rc, p.t1 = ts, who, host, time.time(), None, None
        def wt():
            p.rc = p.wait(); p.t1 = time.time()
        p.wt = threading.Thread(target=wt, daemon=True); p.wt.start()
        self.procs.setdefault(who, []).append(p)
        return p
    def sig(self, who, s):
        for p in self.procs.get(who, []):
            if p.rc is None:
                try: os.kill(p.pid, s)
                except ProcessLookupError: pass
    def wait(self, whos, timeout):
        end = time.time() + timeout
        for w in whos:
            for p in self.procs[w]: p.wt.join(max(0, end - time.time()))
        return all(p.rc is not None for w in whos for p in self.procs[w])
    def until(self, pat, timeout, who=None, n=1):
        end = time.time() + timeout
        while time.time() < end:
            with self.lock:
                if sum(1 for r in self.recs if (who is None or r[1] == who) and re.search(pat, r[4])) >= n: return True
            if all(p.rc is not None for ps in self.procs.values() for p in ps): return False
            time.sleep(0.2)
        return False
    def done(self):
        for ps in self.procs.values():
            for p in ps:
                if p.rc is None: os.kill(p.pid, signal.SIGKILL)
                p.wt.join(5)
                for t in p.ts: t.join(3)
        info = {w: [dict(pid=p.pid, host=p.host, rc=p.rc, t0=p.t0, t1=p.t1) for p in ps] for w, ps in self.procs.items()}
        (OUT / 'raw').mkdir(exist_ok=True)
        json.dump({'recs': sorted(self.recs, key=lambda r: r[0]), 'info': info}, open(OUT / 'raw' / f'{self.name}.json', 'w'))
        for i in range(len(self.hosts)): sh(f'ip netns del ss{i}'); shutil.rmtree(f'/etc/netns/ss{i}', ignore_errors=True)
        sh('ip link del ssbr0')
        for w, x in info.items(): print(w, [(y['rc'], round((y['t1'] or 0) - y['t0'], 1)) for y in x], sum(1 for r in self.recs if r[1] == w))

# ---------------------------------------------------------------- rendering
def utc(t, f='%Y-%m-%d %H:%M:%S'): return datetime.datetime.fromtimestamp(t, datetime.timezone.utc).strftime(f)
def shift_text(s, d):
    """Shift the clock inside TensorFlow's own prefixes by d seconds."""
    s = re.sub(r'0000 00:00:(\d{10})(\.\d+)', lambda m: f'0000 00:00:{int(m[1]) + int(d)}{m[2]}', s)
    s = re.sub(r'"@(\d{10})(\.\d+)', lambda m: f'"@{int(m[1]) + int(d)}{m[2]}', s)
    def f(m):
        t = datetime.datetime.strptime(m[1], '%Y-%m-%d %H:%M:%S') + datetime.timedelta(seconds=int(d))
        return t.strftime('%Y-%m-%d %H:%M:%S')
    s = re.sub(r'\b(20\d\d-\d\d-\d\d \d\d:\d\d:\d\d)(?=[.,]\d)', f, s)
    def g(m):
        t = datetime.datetime.strptime('2026' + m[2] + ' ' + m[3], '%Y%m%d %H:%M:%S') + datetime.timedelta(seconds=int(d))
        return m[1] + t.strftime('%m%d %H:%M:%S')
    def k(m):
        t = datetime.datetime.strptime(m[2], '%H:%M:%S') + datetime.timedelta(seconds=int(d) % 86400)
        return m[1] + t.strftime('%H:%M:%S') + ' ['
    s = re.sub(r'^()(\d\d:\d\d:\d\d) \[(?=worker|chief)', k, s)
    def h(m):
        t = datetime.datetime.strptime(m[1], '%Y-%m-%dT%H:%M:%S') + datetime.timedelta(seconds=int(d))
        return t.strftime('%Y-%m-%dT%H:%M:%S')
    s = re.sub(r'\b(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)(?=[.+Z])', h, s)
    return re.sub(r'\b([IWEF])(\d{4}) (\d\d:\d\d:\d\d)(?=\.\d{6})', g, s)
class Raw:
    def __init__(self, name, base=0, shift=None, repl=()):
        j = json.load(open(OUT / 'raw' / f'{name}.json'))
        self.info, sh_ = j['info'], shift or {}
        d = lambda h: int(base) + int(sh_.get(h, 0))
        rp = list(repl) + [(str(OUT / 'run' / name), '/srv/train'), (str(OUT / 'tf215'), '/opt/venv'), ('/opt/tfenv', '/opt/venv'), ('/root/.pyenv/versions/3.11.7', '/usr/local')]
        self.recs = []
        for t, w, h, st, s in j['recs']:
            s = shift_text(s, d(h))
            for a, b in rp: s = s.replace(a, b)
            self.recs.append((t + d(h), w, h, st, s))
        for w, xs in self.info.items():
            for x in xs:
                x['t0'] += d(x['host']); x['t1'] = (x['t1'] or 0) + d(x['host'])
    def by(self, *who, stream=None):
        return [r for r in self.recs if (not who or r[1] in who) and (stream is None or r[3] == stream)]
    def text(self, *who, stream=None): return '\n'.join(r[4] for r in self.by(*who, stream=stream)) + '\n'
def cr(s):
    """what a terminal-less collector keeps of a Keras bar: the pieces between carriage returns / backspaces"""
    return [x for x in re.split(r'[\r\x08]+', s) if x.strip()] or ['']

def pack(name, kind, files, truth, root=None):
    dst = OUT / 'set'; dst.mkdir(exist_ok=True)
    arc = f'{name}.{kind}'
    for o in dst.glob(name + '.*'): o.unlink()
    files = {(root + '/' if root else '') + k: (v if isinstance(v, bytes) else v.encode()) for k, v in files.items()}
    if kind == 'zip':
        with zipfile.ZipFile(dst / arc, 'w', zipfile.ZIP_DEFLATED) as z:
            for k, v in files.items(): z.writestr(k, v)
    else:
        with tarfile.open(dst / arc, 'w:' + {'tar.gz': 'gz', 'tgz': 'gz', 'tar.xz': 'xz', 'tar.bz2': 'bz2'}[kind]) as z:
            for k, v in files.items():
                ti = tarfile.TarInfo(k); ti.size = len(v); ti.mtime = int(time.time()); z.addfile(ti, io.BytesIO(v))
    t = {'archive': arc, **truth}
    (dst / f'{name}.truth.yaml').write_text('\n'.join(f'{k}: {json.dumps(v)}' for k, v in t.items()) + '\n')
    print(name, arc, (dst / arc).stat().st_size, {k: len(v) for k, v in files.items()})
