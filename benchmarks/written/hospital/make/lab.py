"""A little laboratory: one network namespace per 'host', real IPs on a bridge, own /etc/hosts and hostname.

Processes run as `ip netns exec NS unshare -mu bash start.sh`; every output line is kept with its time of arrival,
so that an incident can be written down later in the shape of any launcher (prefix, JSON lines, docker compose ...).
"""
import os, re, subprocess, threading, time, json, shutil, datetime as dt, signal, tarfile, zipfile, io

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PY = {'221': '/opt/tfenv/bin/python', '215': ROOT + '/tf215/bin/python', '218': ROOT + '/tf218/bin/python'}


def sh(c, check=True):
    return subprocess.run(c, shell=True, check=check, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


class Proc:
    def __init__(s, lab, host, tag, popen):
        s.lab, s.host, s.tag, s.p, s.lines, s.t0 = lab, host, tag, popen, [], time.time()
        s.th = threading.Thread(target=s._read, daemon=True); s.th.start()

    def _read(s):
        for raw in iter(s.p.stdout.readline, b''):
            s.lines.append((time.time(), raw.decode('utf8', 'replace').rstrip('\n')))

    def has(s, pat):
        return any(re.search(pat, l) for _, l in list(s.lines))

    def wait_for(s, pat, timeout=90):
        e = time.time() + timeout
        while time.time() < e:
            if s.has(pat): return True
            if s.p.poll() is not None: time.sleep(.5); return s.has(pat)
            time.sleep(.1)
        print('  !! no', pat, 'in', s.tag); return False

    def pypid(s):
        """the python process below the wrapper shell"""
        todo = [s.p.pid]
        best = None
        while todo:
            p = todo.pop()
            try:
                comm = open(f'/proc/{p}/comm').read().strip()
                if comm.startswith('python'): return p
                kids = open(f'/proc/{p}/task/{p}/children').read().split()
                todo += map(int, kids)
            except OSError: pass
        return best

    def kill(s, sig=signal.SIGKILL):
        p = s.pypid()
        if p: os.kill(p, sig)
        return p

    def wait(s, timeout=120):
        try: s.p.wait(timeout)
        except subprocess.TimeoutExpired:
            print('  !! timeout', s.tag); s.end()
        s.th.join(3)
        return s.p.returncode

    def end(s):
        try: os.killpg(s.p.pid, signal.SIGKILL)
        except OSError: pass
        s.p.wait(); s.th.join(3)


class Lab:
    def __init__(s, name, hosts, progs=(), files=None, names=None):
        """hosts: {host: ip}; progs: files of make/ to copy into code/; files: {name: text} into code/"""
        s.name, s.hosts, s.procs = name, hosts, []
        s.dir = f'{ROOT}/run/{name}'
        shutil.rmtree(s.dir, ignore_errors=True)
        s.code = s.dir + '/code'; os.makedirs(s.code)
        for p in progs: shutil.copy(f'{HERE}/{p}', s.code)
        for n, t in (files or {}).items():
            os.makedirs(os.path.dirname(f'{s.code}/{n}'), exist_ok=True); open(f'{s.code}/{n}', 'w').write(t)
        s.id = 'm' + format(abs(hash(name)) % 4096, 'x')
        with open(s.dir + '/hosts', 'w') as f:
            f.write('127.0.0.1 localhost\n')
            for h, ip in (names or hosts).items(): f.write(f'{ip} {h}\n')
        open(s.dir + '/resolv.conf', 'w').write('nameserver 10.255.0.53\noptions timeout:1 attempts:1\n')
        s.sw = s.id + 'sw'
        sh(f'ip netns add {s.sw}; ip -n {s.sw} link add br0 type bridge; ip -n {s.sw} link set br0 up; ip -n {s.sw} link set lo up')
        for i, (h, ip) in enumerate(hosts.items()):
            ns = s.ns(h)
            sh(f'ip netns add {ns}; ip link add {ns}a netns {ns} type veth peer name v{i} netns {s.sw};'
               f'ip -n {s.sw} link set v{i} master br0; ip -n {s.sw} link set v{i} up;'
               f'ip -n {ns} link set {ns}a name eth0; ip -n {ns} addr add {ip}/16 dev eth0; ip -n {ns} link set eth0 up; ip -n {ns} link set lo up')

    def ns(s, h): return s.id + str(list(s.hosts).index(h))

    def start(s, host, args, tag=None, env=None, pre='', tf='221', post='', inner='', launcher='start.sh', cwd=None, py=None, cg=None):
        """args: python arguments. pre: shell lines before, inner: put before python (e.g. 'timeout 40'), post: shell after"""
        tag = tag or host
        e = dict(PATH=os.environ['PATH'], HOME='/root', LANG='C.UTF-8', PYTHONUNBUFFERED='1', OMP_NUM_THREADS='1', LIBC_FATAL_STDERR_='1',
                 TF_NUM_INTEROP_THREADS='2', TF_NUM_INTRAOP_THREADS='1', HOSTNAME=host)
        e.update(env or {})
        script = f'{s.dir}/{tag.replace("/", "_")}.{launcher}'
        with open(script, 'w') as f:
            f.write(f'{pre}\ncd {cwd or s.code}\n{inner} {py or PY[tf]} {args}\n{post}\n')
        boot = f'hostname {host}; mount --bind {s.dir}/hosts /etc/hosts; mount --bind {s.dir}/resolv.conf /etc/resolv.conf; exec nice -n 10 bash {script}'
        cmd = ['ip', 'netns', 'exec', s.ns(host), 'unshare', '-mu', 'bash', '-c', boot]
        if cg: cmd = ['bash', '-c', f'echo $$ > {cg}/cgroup.procs; exec "$@"', 'x'] + cmd   # ip netns exec hides /sys/fs/cgroup
        p = subprocess.Popen(cmd, env=e,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        pr = Proc(s, host, tag, p); s.procs.append(pr); return pr

    def end(s):
        for p in s.procs:
            if p.p.poll() is None: p.end()
        for h in s.hosts: sh(f'ip netns del {s.ns(h)}', False)
        sh(f'ip netns del {s.sw}', False)

    def down(s, host): sh(f'ip -n {s.sw} link set v{list(s.hosts).index(host)} down')
    def up(s, host): sh(f'ip -n {s.sw} link set v{list(s.hosts).index(host)} up')


MON = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split()
RX = re.compile(r'(?P<iso>20\d\d-\d\d-\d\d[ T]\d\d:\d\d:\d\d)|(?P<ep>\b179\d{7}(?=\.\d|\b))|(?P<sys>(?:\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?\b(?:%s) [ \d]\d \d\d:\d\d:\d\d)|(?P<hms>(?<![\d:.])[012]\d:\d\d:\d\d(?![\d:]))' % '|'.join(MON))


def shift_text(t, sec):
    d = dt.timedelta(seconds=sec)
    def f(m):
        if m['iso']:
            sep = m['iso'][10]; x = dt.datetime.fromisoformat(m['iso']) + d
            return x.strftime('%Y-%m-%d' + sep + '%H:%M:%S')
        if m['ep']: return str(int(m['ep']) + int(sec))
        if m['sys']:
            x = dt.datetime.strptime('2026 ' + m['sys'][-15:], '%Y %b %d %H:%M:%S') + d; wd = f'{x:%a} ' if len(m['sys']) > 15 else ''
            return f'{wd}{MON[x.month-1]} {x.day:2d} {x:%H:%M:%S}'
        if m['hms'].startswith('00:00:'): return m['hms']
        return (dt.datetime.strptime('2026-06-15 ' + m['hms'], '%Y-%m-%d %H:%M:%S') + d).strftime('%H:%M:%S')
    return RX.sub(f, t)


def fix(t, sec=0, paths=()):
    """shift times and rename paths: paths = [(old, new), ...]"""
    if sec: t = shift_text(t, sec)
    for a, b in list(paths) + [('/root/.pyenv/versions/3.11.7', '/usr/local')]: t = t.replace(a, b)
    return t


def at(ts, sec=0, fmt='%Y-%m-%dT%H:%M:%S.%fZ'):
    return (dt.datetime.fromtimestamp(ts, dt.timezone.utc) + dt.timedelta(seconds=sec)).strftime(fmt)


def plain(proc, sec=0, paths=()):
    return fix('\n'.join(l for _, l in proc.lines) + '\n', sec, paths)


def pack(name, ext, files, truth, mtime=None):
    """files: {path in archive: text or bytes}"""
    out = f'{ROOT}/set/{name}.{ext}'
    mtime = mtime or time.time()
    if ext == 'zip':
        with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:
            for n, t in files.items():
                zi = zipfile.ZipInfo(n, time.gmtime(mtime)[:6]); zi.compress_type = zipfile.ZIP_DEFLATED
                z.writestr(zi, t if isinstance(t, bytes) else t.encode())
    else:
        mode = {'tar.gz': 'w:gz', 'tgz': 'w:gz', 'tar.xz': 'w:xz', 'tar.bz2': 'w:bz2', 'tar': 'w'}[ext]
        with tarfile.open(out, mode) as z:
            for n, t in files.items():
                b = t if isinstance(t, bytes) else t.encode()
                ti = tarfile.TarInfo(n); ti.size = len(b); ti.mtime = int(mtime); ti.mode = 0o644; ti.uname = ti.gname = 'users'
                z.addfile(ti, io.BytesIO(b))
    truth = dict(archive=f'{name}.{ext}', **truth)
    q = lambda v: json.dumps(v, ensure_ascii=False)
    with open(f'{ROOT}/set/{name}.truth.yaml', 'w') as f:
        for k in ('archive', 'cause', 'culprit_node', 'also_acceptable', 'notes'): f.write(f'{k}: {q(truth.get(k))}\n')
    print(name, truth['cause'], os.path.getsize(out), 'bytes', {n: (t if isinstance(t, str) else '').count('\n') for n, t in files.items()})


def tfc(kinds, typ, idx, **kw):
    d = {'cluster': kinds, 'task': {'type': typ, 'index': idx}}; d.update(kw); return json.dumps(d)
