"""Shared helpers: hosts as network namespaces, processes with time-stamped output, archives.

Every "host" is a network namespace with its own address, its own /etc/hosts and its own UTS name,
so that TensorFlow prints real addresses and really talks over a (virtual) wire.
"""
import os, re, shutil, signal, subprocess, sys, threading, time, datetime, tarfile, zipfile, io
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
OUT = os.path.join(ROOT, "out")
SET = os.path.join(ROOT, "set")
TF221 = "/opt/tfenv/bin/python"
TF215 = os.path.join(ROOT, "tf215/bin/python")
TAG = "ac"

def sh(cmd, check=False):
    r = subprocess.run(cmd, shell=True, capture_output=True, text=True, errors="replace")
    if check and r.returncode: raise RuntimeError(cmd + "\n" + r.stderr)
    return r.stdout + r.stderr

class Net:
    def __init__(self, hosts):
        self.hosts = dict(hosts); self.ns = {}
        for n in [*(f"{TAG}{i}" for i in range(12)), TAG + "hub"]: sh(f"ip netns del {n}")
        sh(f"ip netns add {TAG}hub", True)
        sh(f"ip -n {TAG}hub link add name br0 type bridge && ip -n {TAG}hub link set br0 up", True)
        table = "127.0.0.1 localhost\n" + "".join(f"{ip} {h} {h.split('.')[0]}\n" for h, ip in self.hosts.items())
        for i, (h, ip) in enumerate(self.hosts.items()):
            n = f"{TAG}{i}"; self.ns[h] = n
            sh(f"ip netns add {n} && ip -n {TAG}hub link add v{i} type veth peer name eth0 netns {n} && "
               f"ip -n {TAG}hub link set v{i} master br0 up && ip -n {n} addr add {ip}/24 dev eth0 && "
               f"ip -n {n} link set eth0 up && ip -n {n} link set lo up", True)
            os.makedirs(f"/etc/netns/{n}", exist_ok=True)
            open(f"/etc/netns/{n}/hosts", "w").write(table)
            open(f"/etc/netns/{n}/resolv.conf", "w").write("")
    def drop(self, a, b):
        """Packets between a and b vanish: both know a wrong MAC address of the other."""
        sh(f"ip -n {self.ns[a]} neigh replace {self.hosts[b]} lladdr 02:00:00:00:00:99 dev eth0 nud permanent", True)
        sh(f"ip -n {self.ns[b]} neigh replace {self.hosts[a]} lladdr 02:00:00:00:00:98 dev eth0 nud permanent", True)
    def exec(self, host, cmd):
        return sh(f"ip netns exec {self.ns[host]} unshare -u sh -c 'hostname {host}; {cmd}'")
    def close(self):
        for n in [*self.ns.values(), TAG + "hub"]:
            sh(f"ip netns del {n}; rm -rf /etc/netns/{n}")

class Proc:
    def __init__(self, name, argv, host=None, net=None, env=None, pre="", cwd=None):
        self.name, self.host, self.lines, self.t0 = name, host, [], time.time()
        e = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root", "LANG": "C.UTF-8",
             "OMP_NUM_THREADS": "1", "TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "2",
             "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
        e.update(env or {})
        inner = (pre + "; " if pre else "") + 'exec nice -n 10 "$@"'
        if host: inner = f"hostname {host}; " + inner
        full = ["sh", "-c", inner, "sh", *map(str, argv)]
        if host: full = ["unshare", "-u", "-m", *full]
        if net: full = ["ip", "netns", "exec", net.ns[host], *full]
        self.p = subprocess.Popen(full, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=e, cwd=cwd, start_new_session=True)
        self.pid = self.p.pid
        self.rc = None; self.t1 = None
        self.th = threading.Thread(target=self._read, daemon=True); self.th.start()
    def _read(self):
        for l in iter(self.p.stdout.readline, b""):
            self.lines.append((time.time(), l))
        self.p.wait(); self.rc = self.p.returncode; self.t1 = time.time()
    def wait(self, timeout):
        self.th.join(timeout); return not self.th.is_alive()
    def wait_for(self, pat, timeout=90):
        r = re.compile(pat.encode()); end = time.time() + timeout
        while time.time() < end:
            if any(r.search(l) for _, l in list(self.lines)): return True
            if not self.th.is_alive(): return any(r.search(l) for _, l in list(self.lines))
            time.sleep(0.2)
        return False
    def kill(self, sig=signal.SIGKILL):
        try: os.killpg(self.pid, sig)
        except ProcessLookupError: pass
    def text(self): return b"".join(l for _, l in self.lines).decode("utf-8", "replace")

def finish(procs, timeout, sig=signal.SIGKILL):
    end = time.time() + timeout
    for p in procs: p.wait(max(0.1, end - time.time()))
    for p in procs:
        if p.th.is_alive(): p.kill(sig); p.wait(8)
        if p.th.is_alive(): p.kill(); p.wait(5)

def shift(text, secs):
    """Shift every kind of time stamp TensorFlow, Python's logging and our scripts print."""
    if not secs: return text
    D = datetime.timedelta(seconds=secs)
    def iso(m):
        t = datetime.datetime.strptime(m[1] + " " + m[3], "%Y-%m-%d %H:%M:%S") + D
        return t.strftime("%Y-%m-%d") + m[2] + t.strftime("%H:%M:%S")
    text = re.sub(r"(20\d\d-\d\d-\d\d)([ T])(\d\d:\d\d:\d\d)", iso, text)
    text = re.sub(r"(?<=00:00:)(1\d{9})(?=\.\d+)", lambda m: str(int(m[1]) + int(secs)), text)
    text = re.sub(r"(\[t=)(1\d{9})", lambda m: m[1] + str(int(m[2]) + int(secs)), text)
    text = re.sub(r'("created":"@)(1\d{9})(?=\.)', lambda m: m[1] + str(int(m[2]) + int(secs)), text)
    def glog(m):
        t = datetime.datetime.strptime("2026" + m[2] + " " + m[3], "%Y%m%d %H:%M:%S") + D
        return m[1] + t.strftime("%m%d %H:%M:%S")
    return re.sub(r"(?m)^([IWEF])((?:0\d|1[0-2])[0-3]\d) (\d\d:\d\d:\d\d)(?=\.\d)", glog, text)

def rename(text, table):
    for a, b in table.items(): text = text.replace(a, b)
    return text.replace("/root/.pyenv/versions/3.11.7", "/usr/local")

def ts(t, fmt, off=0): return datetime.datetime.utcfromtimestamp(t + off).strftime(fmt)

def fresh(name):
    d = os.path.join(OUT, name); shutil.rmtree(d, ignore_errors=True); os.makedirs(d); return d

def put(base, path, data, enc="utf-8"):
    p = os.path.join(base, path); os.makedirs(os.path.dirname(p), exist_ok=True)
    open(p, "wb").write(data if isinstance(data, bytes) else data.encode(enc, "replace"))

def pack(name, kind, tree, truth):
    """tree: folder to pack.  kind: tar.gz, tgz, tar.xz, tar.bz2, tar, zip."""
    os.makedirs(SET, exist_ok=True)
    arch = f"{name}.{kind}"; p = os.path.join(SET, arch)
    if os.path.exists(p): os.remove(p)
    if kind == "zip":
        with zipfile.ZipFile(p, "w", zipfile.ZIP_DEFLATED) as z:
            for r, _, fs in os.walk(tree):
                for f in sorted(fs): z.write(os.path.join(r, f), os.path.relpath(os.path.join(r, f), tree))
    else:
        mode = {"tar.gz": "w:gz", "tgz": "w:gz", "tar.xz": "w:xz", "tar.bz2": "w:bz2", "tar": "w"}[kind]
        with tarfile.open(p, mode) as t:
            for f in sorted(os.listdir(tree)): t.add(os.path.join(tree, f), f)
    import json
    lines = ["archive: " + arch] + [f"{k}: {json.dumps(truth[k], ensure_ascii=False)}" for k in ("cause", "culprit_node", "also_acceptable", "notes")]
    open(os.path.join(SET, name + ".truth.yaml"), "w").write("\n".join(lines) + "\n")
    print("packed", arch, os.path.getsize(p))
