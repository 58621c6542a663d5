"""Runs real multi-process TensorFlow jobs, every 'host' in its own network and UTS name space, and keeps
each process's output lines with the time they were printed.  Output folder: $OUT (default: ../work, ../set)."""
import os, subprocess, threading, time, signal, shutil, json, datetime, re, random, tarfile, zipfile, pathlib
HERE = pathlib.Path(__file__).resolve().parent
ROOT = pathlib.Path(os.environ.get('OUT', HERE.parent))
WORK, SET = ROOT/'work', ROOT/'set'
PY = {'2.21': os.environ.get('TFENV', '/opt/tfenv') + '/bin/python', '2.15': str(ROOT/'tf215/bin/python')}
UTC = datetime.timezone.utc

def sh(c): return subprocess.run(c, shell=True, capture_output=True, text=True)

class Proc:
    def __init__(s, p, name, host):
        s.p, s.name, s.host, s.pid, s.rec, s.t0 = p, name, host, p.pid, [], time.time()
        s.t1 = None
        s.th = [threading.Thread(target=s._read, args=(f, k), daemon=True) for f, k in ((p.stdout, 'out'), (p.stderr, 'err'))]
        for t in s.th: t.start()
    def _read(s, f, k):
        for l in f:
            s.rec.append((time.time(), k, l.decode('utf8', 'replace').rstrip('\n')))
    def wait(s, timeout=None):
        try:
            rc = s.p.wait(timeout); s.t1 = time.time()
            for t in s.th: t.join(3)
            return rc
        except subprocess.TimeoutExpired: return None
    def kill(s, sig=signal.SIGKILL):
        try: os.kill(s.pid, sig)
        except ProcessLookupError: pass
    def text(s): return '\n'.join(r[2] for r in s.rec)
    def until(s, pat, timeout=60):
        end = time.time()+timeout
        while time.time() < end:
            if re.search(pat, s.text()): return True
            if s.p.poll() is not None: return bool(re.search(pat, s.text()))
            time.sleep(.2)
        return False

class Job:
    """hosts: {name: ip}; every host gets a namespace on one bridge (10.71.0.0/16)."""
    def __init__(s, name, hosts, aliases=None):
        s.name, s.hosts, s.procs = name, hosts, []
        s.dir = WORK/name; shutil.rmtree(s.dir, ignore_errors=True); s.dir.mkdir(parents=True)
        s.hf = s.dir/'hosts'
        s.hf.write_text('127.0.0.1 localhost\n' + ''.join(f'{ip} {h}\n' for h, ip in {**hosts, **(aliases or {})}.items()))
        sh('ip link add rbr0 type bridge'); sh('ip link set rbr0 up')
        s.ns = {}
        for i, (h, ip) in enumerate(hosts.items()):
            n = f'rn{i}'; s.ns[h] = n
            sh(f'ip netns del {n}; ip link del rv{i}'); sh(f'ip netns add {n}'); sh(f'ip link add rv{i} type veth peer name eth0 netns {n}')
            sh(f'ip link set rv{i} master rbr0; ip link set rv{i} up')
            sh(f'ip -n {n} addr add {ip}/16 dev eth0; ip -n {n} link set eth0 up; ip -n {n} link set lo up')
    def link(s, host, up): sh(f'ip link set rv{list(s.hosts).index(host)} {"up" if up else "down"}')
    def start(s, name, host, args, env=None, tf='2.21', pre='', hosts_file=None, wrap=''):
        e = {k: v for k, v in os.environ.items() if not k.startswith('TF_')}
        e.update(OMP_NUM_THREADS='1', PYTHONUNBUFFERED='1', CUDA_VISIBLE_DEVICES='-1', PYTHONPATH=str(HERE))
        e.pop('CUDA_VISIBLE_DEVICES')
        e.update({k: str(v) for k, v in (env or {}).items()})
        cmd = f'hostname {host}; mount --bind {hosts_file or s.hf} /etc/hosts; {pre} exec {wrap} nice -n 10 {PY.get(tf, tf)} ' + ' '.join("'%s'" % a for a in args)
        p = subprocess.Popen(['ip', 'netns', 'exec', s.ns[host], 'unshare', '-u', '-m', 'sh', '-c', cmd], env=e, cwd=s.dir,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        q = Proc(p, name, host); s.procs.append(q); return q
    def finish(s, timeout=90):
        end = time.time()+timeout
        for q in s.procs: q.wait(max(.1, end-time.time()))
        alive = [q.name for q in s.procs if q.p.poll() is None]
        for q in s.procs:
            if q.p.poll() is None: q.kill(signal.SIGCONT); q.kill(); q.wait(5)
        json.dump([dict(name=q.name, host=q.host, pid=q.pid, rc=q.p.returncode, t0=q.t0, t1=q.t1, rec=q.rec) for q in s.procs], open(s.dir/'raw.json', 'w'))
        for i, n in enumerate(s.ns.values()): sh(f'ip netns del {n}; ip link del rv{i}')
        for q in s.procs: print(f'== {q.name}@{q.host} rc={q.p.returncode} lines={len(q.rec)} {q.t1 and round(q.t1-q.t0)}s')
        if alive: print('still alive at the end (killed):', alive)

def tf_config(cluster, typ, idx): return json.dumps({'cluster': cluster, 'task': {'type': typ, 'index': idx}})

# ---- packing ----
class Raw:
    """A finished job, times moved by `shift` seconds (date of the story) and by `skew[host]`, paths renamed."""
    def __init__(s, name, date=None, skew=None, subs=()):
        s.p = {d['name']: d for d in json.load(open(WORK/name/'raw.json'))}
        t0 = min(d['t0'] for d in s.p.values())
        s.shift = round(date.timestamp() - t0) if date else 0
        s.skew = {h: round(v) for h, v in (skew or {}).items()}; s.subs = [(str(WORK/name), '/JOB')] + list(subs)
        s.subs = list(subs) + [(str(WORK/name), '/data/run')]
    def fix(s, text, host=None, t=None):
        for a, b in s.subs: text = text.replace(str(a), b)
        dl = s.shift + s.skew.get(host, 0)
        def tfts(m):  # 2026-11-26 19:40:01.123456: I ...
            d = datetime.datetime.strptime(m.group(1), '%Y-%m-%d %H:%M:%S.%f').replace(tzinfo=UTC)
            return (d + datetime.timedelta(seconds=dl)).strftime('%Y-%m-%d %H:%M:%S.%f')
        text = re.sub(r'(20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6})', tfts, text)
        def plain(m):
            d = datetime.datetime.strptime(m.group(1), '%Y-%m-%d %H:%M:%S').replace(tzinfo=UTC)
            return (d + datetime.timedelta(seconds=dl)).strftime('%Y-%m-%d %H:%M:%S')
        text = re.sub(r'(20\d\d-\d\d-\d\d \d\d:\d\d:\d\d)(?=,\d{3})', plain, text)
        def absl(m):  # I0000 00:00:1764186000.123456  123 file
            return f'{m.group(1)}{float(m.group(2))+dl:.6f}'
        text = re.sub(r'([IWEF]0000 00:00:)(\d{10}\.\d{6})', absl, text)
        def glog(m):  # I1126 19:34:33.123456
            d = datetime.datetime.strptime('2026'+m.group(2), '%Y%m%d %H:%M:%S.%f').replace(tzinfo=UTC)
            return m.group(1)+(d + datetime.timedelta(seconds=dl)).strftime('%m%d %H:%M:%S.%f')
        text = re.sub(r'\b([IWEF])(\d{4} \d\d:\d\d:\d\d\.\d{6})', lambda m: m.group(0) if m.group(2).startswith('0000') else glog(m), text)
        text = re.sub(r'"@(\d{10}\.\d+)"', lambda m: f'"@{float(m[1])+dl:.9f}"', text)   # old gRPC error details
        text = re.sub(r'(tfevents\.)(\d{10})', lambda m: m[1]+str(int(m[2])+dl), text)
        return text
    def at(s, t, host=None): return t + s.shift + s.skew.get(host, 0)
    def lines(s, name):
        d = s.p[name]; h = d['host']
        return [(s.at(t, h), k, s.fix(l, h)) for t, k, l in sorted(d['rec'], key=lambda r: r[0])]  # arrival order, both streams
    def text(s, name, k=None): return ''.join(l+'\n' for _, kk, l in s.lines(name) if k in (None, kk))
    def end(s, name, by=None, plus=.25):
        # of a process that was killed and waited for later, the end is that of the line `by` of (task, pattern) + plus
        d = s.p[name]; t = d['t1']
        if by: t = next(x for x, _, l in sorted(s.p[by[0]]['rec'], key=lambda r: r[0]) if re.search(by[1], l)) + plus
        elif d['rc'] >= 0 and d['rec']: t = min(t, max(x for x, _, _ in d['rec']) + .2)
        return s.at(t, d['host'])
    def begin(s, name): d = s.p[name]; return s.at(d['t0'], d['host'])

def iso(t, f='%Y-%m-%dT%H:%M:%S.%fZ', off=0):
    return datetime.datetime.fromtimestamp(t + off*3600, UTC).strftime(f)
def ns(t):
    x = int(t*1e9); return iso(x//10**9, '%Y-%m-%dT%H:%M:%S') + '.%09dZ' % (x % 10**9)
def tai64n(t):
    return '@4%015x%08x' % (int(t)+10, int((t % 1)*1e9))
def tab(s): return s.replace('    ', '\t')

def pack(name, kind, files, truth):
    """files: {path: text|bytes}; kind: tar.gz tgz tar.xz zip"""
    SET.mkdir(exist_ok=True); out = SET/f'{name}.{kind}'
    import io
    if kind == 'zip':
        with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:
            for p, b in files.items(): z.writestr(p, b)
    else:
        with tarfile.open(out, 'w:xz' if kind == 'tar.xz' else 'w:gz') as t:
            for p, b in files.items():
                b = b.encode() if isinstance(b, str) else b
                ti = tarfile.TarInfo(p); ti.size = len(b); ti.mtime = int(time.time()); ti.mode = 0o644
                t.addfile(ti, io.BytesIO(b))
    import sys
    truth = {'archive': out.name, **truth}
    def y(v): return json.dumps(v)
    (SET/f'{name}.truth.yaml').write_text(''.join(f'{k}: {y(v) if v is not None else "null"}\n' if k != 'cause' else f'cause: {v}\n' for k, v in truth.items()))
    print('packed', out.name, out.stat().st_size, sum(len(b) for b in files.values()))
