"""A small laboratory: "machines" are network namespaces (own address, host name, /etc/hosts, private
mounts), joined by a routing hub namespace.  Each task's stdout/stderr is captured line by line with
its arrival time into OUT/raw/<incident>/<task>.jsonl; the collectors later write these as the files
that a person would have gathered (shifted clocks, other prefixes), never changing the messages."""
import json, os, re, shutil, signal, subprocess, sys, threading, time, datetime as dt
from zoneinfo import ZoneInfo

OUT = os.environ.get("OUT", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAKE = os.path.join(OUT, "make")
HUB = "nhub"

def sh(cmd, check=True):
    r = subprocess.run(cmd, shell=True, text=True, capture_output=True)
    if check and r.returncode:
        raise RuntimeError(f"{cmd}: {r.stderr}")
    return r.stdout

class Task:
    pass

class Lab:
    def __init__(self, name, hosts, domain=None, hosts_file=None):
        """hosts: {hostname: ip}"""
        self.name, self.hosts, self.tasks = name, dict(hosts), {}
        self.dir = os.path.join(OUT, "raw", name)
        shutil.rmtree(self.dir, ignore_errors=True)
        os.makedirs(self.dir)
        self.shared = os.path.join(self.dir, "shared"); os.makedirs(self.shared)
        sh(f"ip netns del {HUB}", False)
        sh(f"ip netns add {HUB}; ip netns exec {HUB} sysctl -qw net.ipv4.ip_forward=1")
        sh(f"ip netns exec {HUB} ip link set lo up")
        self.ns = {}
        table = "127.0.0.1 localhost\n" + "".join(
            f"{ip} {h}" + (f" {h}.{domain}" if domain else "") + "\n" for h, ip in self.hosts.items())
        for i, (h, ip) in enumerate(self.hosts.items()):
            ns = f"n{i}x"; self.ns[h] = ns
            sh(f"ip netns del {ns}", False); sh(f"ip netns add {ns}")
            sh(f"ip link add nv{i} type veth peer name eth0 netns {ns} && ip link set nv{i} netns {HUB}")
            x = f"ip netns exec {ns} "
            sh(x + "ip link set lo up"); sh(x + f"ip addr add {ip}/32 dev eth0"); sh(x + "ip link set eth0 up")
            sh(x + "ip route add 169.254.1.1 dev eth0 scope link"); sh(x + f"ip route add default via 169.254.1.1 dev eth0 src {ip}")
            y = f"ip netns exec {HUB} "
            sh(y + f"ip link set nv{i} up"); sh(y + f"ip addr add 169.254.1.1/32 dev nv{i}", False)
            sh(y + f"sysctl -qw net.ipv4.conf.nv{i}.proxy_arp=1"); sh(y + f"ip route add {ip}/32 dev nv{i}")
            os.makedirs(f"/etc/netns/{ns}", exist_ok=True)
            open(f"/etc/netns/{ns}/hosts", "w").write(hosts_file or table)
            open(f"/etc/netns/{ns}/resolv.conf", "w").write("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
            open(f"/etc/netns/{ns}/nsswitch.conf", "w").write("passwd: files\ngroup: files\nhosts: files\n")
    def hub(self, cmd, check=True):
        return sh(f"ip netns exec {HUB} {cmd}", check)
    def on(self, host, cmd, check=False):
        r = subprocess.run(["ip", "netns", "exec", self.ns[host], "bash", "-c", cmd], text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return r.stdout
    def spawn(self, task, host, argv, env=None, mounts=(), cwd="/", tz="UTC", py="/opt/tfenv",
              pidns=False, pre="", uid=None, cg=None, tmpfs=(), pyat="/opt/venv"):
        """mounts: [(source, path in the task's view)] below /mnt, /opt, /srv, /data, /scratch..."""
        tops = sorted({"/" + p.split("/")[1] for _, p in list(mounts) + [(0, pyat)] + [(0, t[0]) for t in tmpfs]} - {"/tmp", "/dev"})
        s = ["set -e", f"hostname {host.split('.')[0]}"]
        for t in tops:
            s.append(f"mkdir -p {t}; mount -t tmpfs -o size=64m none {t}")
        for src, dst in list(mounts) + [(py, pyat), (MAKE, "/opt/.m")]:
            if dst == "/opt/.m": continue
            if os.path.isdir(src): s.append(f"mkdir -p {dst}; mount --bind {src} {dst}")
            else: s.append(f"mkdir -p {os.path.dirname(dst)}; cp {src} {dst}")
        for dst, size in tmpfs:
            s.append(f"mkdir -p {dst}; mount -t tmpfs -o size={size} none {dst}")
        if pre: s.append(pre)
        s.append(f"cd {cwd}")
        run = f"exec nice -n 10 " + (f"setpriv --reuid={uid} --regid={uid} --clear-groups " if uid else "")
        s.append(run + '"$@"')
        ns = ["unshare", "--uts", "--mount"] + (["--pid", "--fork", "--mount-proc", "--kill-child"] if pidns else [])
        e = {"PATH": f"{pyat}/bin:/usr/bin:/bin", "HOME": "/root", "OMP_NUM_THREADS": "1", "TZ": tz, "PYTHONUNBUFFERED": "1",
             "TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "2", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
        e.update({k: str(v) for k, v in (env or {}).items()})
        full = ["ip", "netns", "exec", self.ns[host]] + ns + ["bash", "-c", "\n".join(s), "x"] + argv
        if cg: full = ["bash", "-c", f'echo $$ > {cg}/cgroup.procs; exec "$@"', "x"] + full
        p = subprocess.Popen(full, env=e, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        t = Task(); t.p, t.host, t.name, t.events, t.t0 = p, host, task, [], time.time()
        t.file = open(os.path.join(self.dir, task.replace("/", "_") + ".jsonl"), "w")
        lock = threading.Lock()
        def rd(stream, tag):
            for b in iter(stream.readline, b""):
                with lock:
                    ev = (time.time(), tag, b.decode("utf8", "replace").rstrip("\n"))
                    t.events.append(ev); t.file.write(json.dumps(ev) + "\n"); t.file.flush()
        t.th = [threading.Thread(target=rd, args=a, daemon=True) for a in ((p.stdout, "out"), (p.stderr, "err"))]
        [x.start() for x in t.th]
        self.tasks[task] = t
        return t
    def pid(self, task):
        """pid of the Python process (through the wrappers)"""
        pid = self.tasks[task].p.pid
        while True:
            k = open(f"/proc/{pid}/cmdline").read().split("\0")
            if "python" in os.path.basename(k[0]): return pid
            c = open(f"/proc/{pid}/task/{pid}/children").read().split()
            if not c: return pid
            pid = int(c[0])
    def kill(self, task, sig=signal.SIGKILL):
        os.kill(self.pid(task), sig)
    def wait_line(self, task, pat, timeout=120, n=1):
        end = time.time() + timeout
        while time.time() < end:
            if sum(1 for e in self.tasks[task].events if re.search(pat, e[2])) >= n: return True
            if self.tasks[task].p.poll() is not None: time.sleep(.5); return False
            time.sleep(.1)
        return False
    def wait(self, timeout, tasks=None, kill=True):
        end = time.time() + timeout; left = []
        for n in tasks or list(self.tasks):
            t = self.tasks[n]
            try: t.p.wait(max(0.1, end - time.time())); t.end = getattr(t, "end", time.time())
            except subprocess.TimeoutExpired:
                left.append(n)
        if kill:
            for n in left:
                try: self.kill(n)
                except Exception: pass
                self.tasks[n].p.kill()
        for n in tasks or list(self.tasks):
            if n in left and not kill: continue
            [x.join(3) for x in self.tasks[n].th]
        return {n: self.tasks[n].p.poll() for n in self.tasks}, left
    def close(self):
        for t in self.tasks.values():
            if t.p.poll() is None:
                try: self.kill(t.name)
                except Exception: pass
                t.p.kill()
        for ns in self.ns.values():
            sh(f"ip netns del {ns}", False); shutil.rmtree(f"/etc/netns/{ns}", ignore_errors=True)
        sh(f"ip netns del {HUB}", False)
        meta = {n: dict(host=t.host, rc=t.p.poll(), t0=t.t0, end=getattr(t, "end", None)) for n, t in self.tasks.items()}
        json.dump(meta, open(os.path.join(self.dir, "meta.json"), "w"), indent=1)
        for n, t in self.tasks.items():
            print(f"--- {n} rc={t.p.poll()} lines={len(t.events)}")

def events(t):
    return sorted(t.events, key=lambda e: e[0])

# ---------------------------------------------------------------- clocks
_R = [
    (re.compile(r"\b(20\d\d-\d\d-\d\d[ T]\d\d:\d\d:\d\d)([.,]\d{3,6})?"), None),
    (re.compile(r"(?<=0000 00:00:)(\d{10})(\.\d+)"), "epoch"),
    (re.compile(r"(?<![\d.])(179\d{7})(\.\d+)?(?![\d])"), "epoch"),
    (re.compile(r"(?<=^[IWEF])(\d\d\d\d \d\d:\d\d:\d\d)(\.\d{6})"), "absl"),
]
def shift(line, delta):
    """Moves every time in the line by delta seconds (one clock for one host)."""
    def iso(m):
        sep = m[1][10]
        a = dt.datetime.strptime(m[1].replace("T", " "), "%Y-%m-%d %H:%M:%S")
        f = m[2] or ""
        if f: a = a.replace(microsecond=int((f[1:] + "000000")[:6]))
        a += dt.timedelta(seconds=delta)
        return a.strftime(f"%Y-%m-%d{sep}%H:%M:%S") + (f[0] + f"{a.microsecond:06d}"[:len(f) - 1] if f else "")
    def ep(m):
        v = float(m[1] + (m[2] or "")) + delta
        return f"{v:.6f}"[: len(m[0])] if m[2] else str(int(v))
    def ab(m):
        a = dt.datetime.strptime("2026" + m[1] + m[2], "%Y%m%d %H:%M:%S.%f") + dt.timedelta(seconds=delta)
        return a.strftime("%m%d %H:%M:%S.%f")
    for i, (rx, kind) in enumerate(_R):
        if i == 2 and _R[1][0].search(line): continue
        line = rx.sub(iso if kind is None else ep if kind == "epoch" else ab, line)
    return line

def loc(t, tz="UTC", fmt="%Y-%m-%d %H:%M:%S"):
    return dt.datetime.fromtimestamp(t, ZoneInfo(tz)).strftime(fmt)
def iso(t, digits=6, z="Z"):
    return dt.datetime.fromtimestamp(t, dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[: 20 + digits] + z
def isons(t):
    return dt.datetime.fromtimestamp(t, dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{int((t % 1) * 1e9):09d}Z"
def syslog(t, tz="UTC"):
    d = dt.datetime.fromtimestamp(t, ZoneInfo(tz)); return d.strftime("%b ") + f"{d.day:2d}" + d.strftime(" %H:%M:%S")

# ---------------------------------------------------------------- packing
class Pack:
    def __init__(self, name, archive):
        self.name, self.archive = name, archive
        self.dir = os.path.join(OUT, "raw", name, "collect"); shutil.rmtree(self.dir, ignore_errors=True); os.makedirs(self.dir)
    def w(self, path, text):
        p = os.path.join(self.dir, path); os.makedirs(os.path.dirname(p), exist_ok=True)
        if not isinstance(text, str): text = "\n".join(text) + "\n"
        open(p, "w").write(text)
    def gz(self, path, text):
        import gzip
        p = os.path.join(self.dir, path); os.makedirs(os.path.dirname(p), exist_ok=True)
        if not isinstance(text, str): text = "\n".join(text) + "\n"
        with gzip.open(p, "wt") as f: f.write(text)
    def done(self, cause, culprit, also, notes, top=None):
        import yaml_min
        out = os.path.join(OUT, "set"); os.makedirs(out, exist_ok=True)
        a = os.path.join(out, self.archive)
        if os.path.exists(a): os.remove(a)
        d, e = os.path.split(self.dir)
        if top: 
            n = os.path.join(d, top); shutil.rmtree(n, ignore_errors=True); shutil.copytree(self.dir, n); src, what = d, top
        else: src, what = self.dir, "."
        if a.endswith(".zip"): sh(f"cd {src} && zip -qr {a} {what}")
        else: sh(f"cd {src} && tar {'-cJf' if a.endswith('xz') else '-czf'} {a} {what if top else '*'}")
        if top: shutil.rmtree(n)
        yaml_min.write(os.path.join(out, self.name + ".truth.yaml"), dict(archive=self.archive, cause=cause, culprit_node=culprit,
                       also_acceptable=also, notes=notes))
        print("SET", self.name, os.path.getsize(a), "bytes"); print(sh(f"cd {self.dir} && find . -type f | xargs wc -l"), flush=True)
        if os.path.getsize(a) > 300_000: print("!!! TOO BIG")
