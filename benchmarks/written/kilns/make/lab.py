"""A small laboratory: every "host" is a network namespace with its own name and address.

Lab(name, hosts)           builds a bridge and one namespace per host (veth + /etc/hosts).
lab.run(host, argv, ...)   starts a process on that host, nice 10, one OpenMP thread; every output
                           line is kept with the time it was printed: [(t, 'o'|'e', line)].
Shift(...)                 moves the clock that a host's lines show (TF, absl and ISO forms alike)
                           and renames paths. Messages are never changed.
Paths are relative to the folder above this file (OUT)."""
import datetime, json, os, re, shutil, signal, subprocess, sys, threading, time, itertools
from zoneinfo import ZoneInfo
MAKE = os.path.dirname(os.path.abspath(__file__)); OUT = os.path.dirname(MAKE)
PY221 = '/opt/tfenv/bin/python'; PY215 = OUT + '/tf215/bin/python'

def sh(cmd, check=True, **kw):
    return subprocess.run(cmd, shell=True, check=check, text=True, capture_output=True, **kw).stdout

class Proc:
    def __init__(self, host, label, popen, clock=time.time):
        self.host, self.label, self.p, self.lines = host, label, popen, []
        self.t0 = time.time(); self.t1 = None; self.rc = None
        self.th = [threading.Thread(target=self._rd, args=(f, k), daemon=True)
                   for f, k in ((popen.stdout, 'o'), (popen.stderr, 'e')) if f]
        [t.start() for t in self.th]
    def _rd(self, f, k):
        for raw in f:
            self.lines.append((time.time(), k, raw.rstrip('\n')))
    def wait(self, timeout=None):
        try: self.p.wait(timeout)
        except subprocess.TimeoutExpired: return None
        [t.join(5) for t in self.th]
        if self.t1 is None: self.t1 = time.time(); self.rc = self.p.returncode
        return self.rc
    def kids(self):
        return [int(x) for x in sh(f'pgrep -P {self.p.pid}', False).split()]
    def pyproc(self):
        """pid of the python process (the launcher chain ends in exec, so it is our child or itself)."""
        pid = self.p.pid
        while True:
            k = [int(x) for x in sh(f'pgrep -P {pid}', False).split()]
            if 'python' in open(f'/proc/{pid}/cmdline').read().split('\0')[0] or not k: return pid
            pid = k[0]
    def sig(self, s): os.kill(self.pyproc(), s)
    def has(self, s): return any(s in l for _, _, l in self.lines)
    def wait_line(self, s, timeout=120):
        if self._wait_line(s, timeout): return True
        print('\n'.join(l for _, _, l in self.lines[-12:])); raise SystemExit(f'{self.label}: no line {s!r}')
    def _wait_line(self, s, timeout):
        end = time.time() + timeout
        while time.time() < end:
            if self.has(s): return True
            if self.p.poll() is not None: time.sleep(.5); return self.has(s)
            time.sleep(.2)
        return False
    def text(self, streams='oe'):
        return '\n'.join(l for _, k, l in self.lines if k in streams) + '\n'

class Lab:
    n = 0
    def __init__(self, name, hosts, subnet='10.77.3', domain=None, first=11, lo_only=False):
        self.name, self.hosts, self.procs = name, list(hosts), []
        self.dir = f'{OUT}/run/{name}'; shutil.rmtree(self.dir, ignore_errors=True); os.makedirs(self.dir)
        self.ip = {h: f'{subnet}.{first + i}' for i, h in enumerate(self.hosts)}
        self.ns = {h: f'af{os.getpid() % 9999}n{i}' for i, h in enumerate(self.hosts)}
        sw = self.sw = f'af{os.getpid() % 9999}sw'
        sh(f'ip netns add {sw}; ip -n {sw} link add br0 type bridge; ip -n {sw} link set br0 up')
        hf = '127.0.0.1 localhost\n' + ''.join(
            f'{a} {h}' + (f'.{domain} {h}' if domain else '') + '\n' for h, a in self.ip.items())
        for i, h in enumerate(self.hosts):
            ns = self.ns[h]
            sh(f'ip netns add {ns}; ip -n {ns} link set lo up;'
               f'ip -n {sw} link add v{i} type veth peer name eth0 netns {ns};'
               f'ip -n {sw} link set v{i} master br0 up;'
               f'ip -n {ns} addr add {self.ip[h]}/24 dev eth0; ip -n {ns} link set eth0 up')
            open(f'{self.dir}/hosts.{h}', 'w').write(hf)
            open(f'{self.dir}/resolv.{h}', 'w').write('nameserver %s.1\noptions timeout:1 attempts:1\n' % subnet)
    def run(self, host, argv, env=None, label=None, pre='', merge=True, cwd=None, tz='UTC', stdin=None):
        """pre: shell text run as root on that host before the program (ulimit, mount, cgroup ...)."""
        e = {'PATH': '/usr/local/bin:/usr/bin:/bin:/usr/sbin', 'HOME': '/root', 'LANG': 'C.UTF-8',
             'OMP_NUM_THREADS': '1', 'TF_NUM_INTRAOP_THREADS': '1', 'TF_NUM_INTEROP_THREADS': '2',
             'PYTHONUNBUFFERED': '1', 'TZ': tz, 'HOSTNAME': host, 'PYTHONPATH': MAKE, 'LABDIR': self.dir}
        e.update({k: (v if isinstance(v, str) else json.dumps(v)) for k, v in (env or {}).items()})
        script = (f'hostname {host}; mount --bind {self.dir}/hosts.{host} /etc/hosts;'
                  f'mount --bind {self.dir}/resolv.{host} /etc/resolv.conf;{pre}\nexec "$@"')
        cmd = ['nice', '-n', '10', 'ip', 'netns', 'exec', self.ns[host], 'unshare', '-u', '-m', 'bash', '-c', script, 'x', *argv]
        p = subprocess.Popen(cmd, env=e, cwd=cwd or self.dir, text=True, errors='replace',
                             stdin=stdin or subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT if merge else subprocess.PIPE, start_new_session=True)
        pr = Proc(host, label or host, p); self.procs.append(pr); return pr
    def sh(self, host, cmd, tz='UTC'):
        """A command on that host by hand; its text."""
        r = subprocess.run(['ip', 'netns', 'exec', self.ns[host], 'unshare', '-u', '-m', 'bash', '-c',
             f'hostname {host}; mount --bind {self.dir}/hosts.{host} /etc/hosts;' + cmd], text=True,
             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, 'TZ': tz})
        return r.stdout
    def waitall(self, timeout=120, kill=True):
        end = time.time() + timeout
        for p in self.procs:
            p.wait(max(.1, end - time.time()))
        for p in self.procs:
            if p.p.poll() is None and kill:
                try: os.killpg(p.p.pid, signal.SIGKILL)
                except ProcessLookupError: pass
                p.wait(10)
    def summary(self):
        for p in self.procs:
            print(f'== {p.label} rc={p.rc} lines={len(p.lines)} {((p.t1 or time.time()) - p.t0):.0f}s')
            for _, _, l in p.lines[-6:]: print('   ', l[:220])
    def close(self):
        for p in self.procs:
            if p.p.poll() is None:
                try: os.killpg(p.p.pid, signal.SIGKILL)
                except ProcessLookupError: pass
        for ns in [*self.ns.values(), self.sw]: sh(f'ip netns del {ns}', False)
    def __enter__(self): return self
    def __exit__(self, *a): self.close()

class Shift:
    """Text as a host with a clock `delta` seconds away would have shown it, with paths renamed."""
    ISO = re.compile(r'(?<![\d.])(20\d\d-\d\d-\d\d)([ T])(\d\d:\d\d:\d\d)(?=[.,:Z\s\]+]|$)')
    ABSL = re.compile(r'^([IWEF])(\d{4}) (\d\d:\d\d:\d\d)(\.\d+\s+\d+ )')
    EPO = re.compile(r'^([IWEF]0000 00:00:)(\d{10})(\.\d+)')
    CRE = re.compile(r'("created":"@)(\d{10})(\.\d+)')
    OFF = re.compile(r'(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6,9})[+-]\d\d:\d\d')
    def __init__(self, delta, paths=(), tz='UTC'):
        self.d, self.paths, self.tz = delta, list(paths) + [('/root/.pyenv/versions/3.11.7/lib', '/usr/lib')], ZoneInfo(tz)
        self.dt = datetime.timedelta(seconds=delta)
    def line(self, s):
        def iso(m):
            t = datetime.datetime.fromisoformat(m[1] + ' ' + m[3]).replace(tzinfo=self.tz)
            t = datetime.datetime.fromtimestamp(t.timestamp() + self.d, self.tz)
            return t.strftime('%Y-%m-%d') + m[2] + t.strftime('%H:%M:%S')
        def absl(m):
            t = datetime.datetime.strptime('2026' + m[2] + m[3], '%Y%m%d%H:%M:%S') + self.dt
            return m[1] + t.strftime('%m%d %H:%M:%S') + m[4]
        s = self.ISO.sub(iso, s); s = self.ABSL.sub(absl, s)
        s = self.CRE.sub(lambda m: m[1] + str(int(m[2]) + int(self.d)) + m[3], s)
        s = self.OFF.sub(lambda m: m[1] + self.at(time.time()).strftime('%z')[:3] + ':' + self.at(time.time()).strftime('%z')[3:], s)
        s = self.EPO.sub(lambda m: m[1] + str(int(m[2]) + int(self.d)) + m[3], s)
        for a, b in self.paths: s = s.replace(a, b)
        return s
    def text(self, s): return '\n'.join(self.line(l) for l in s.split('\n'))
    def at(self, t): return datetime.datetime.fromtimestamp(t + self.d, self.tz)
    def fmt(self, t, f): return self.at(t).strftime(f)

def when(iso, tz, t0):
    """delta that makes t0 (now-ish epoch) appear as local time iso in tz (whole seconds)."""
    w = datetime.datetime.fromisoformat(iso).replace(tzinfo=ZoneInfo(tz)).timestamp()
    return int(w - t0)

def put(root, rel, text, crlf=False, enc='utf-8'):
    p = os.path.join(root, rel); os.makedirs(os.path.dirname(p), exist_ok=True)
    if crlf: text = text.replace('\r\n', '\n').replace('\n', '\r\n')
    open(p, 'wb').write(text if isinstance(text, bytes) else text.encode(enc, 'replace'))

def pack(stage, name, ext, truth):
    """stage/ -> set/NAME.ext and the truth beside it."""
    dst = f'{OUT}/set/{name}.{ext}'
    if os.path.exists(dst): os.unlink(dst)
    top = ' '.join(f"'{x}'" for x in sorted(os.listdir(stage)))
    if ext == 'zip': sh(f"cd '{stage}' && zip -qr '{dst}' {top}")
    else:
        c = {'tar.gz': 'z', 'tgz': 'z', 'tar.xz': 'J', 'tar.bz2': 'j', 'tar': ''}[ext]
        sh(f"cd '{stage}' && tar --owner=0 --group=0 -c{c}f '{dst}' {top}")
    q = lambda v: json.dumps(v, ensure_ascii=False)
    t = f"archive: {name}.{ext}\ncause: {truth['cause']}\nculprit_node: {q(truth['culprit'])}\n" \
        f"also_acceptable: {q(truth.get('also', []))}\nnotes: {q(truth['notes'])}\n"
    open(f'{OUT}/set/{name}.truth.yaml', 'w').write(t)
    print('packed', dst, os.path.getsize(dst))
