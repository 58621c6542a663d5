"""Small machines out of network namespaces: every task gets its own host name, address and /etc/hosts.
All output goes below the folder named by X_OUT (default ../work)."""
import os, re, subprocess, time, signal, shutil, datetime, json, tarfile, zipfile, io
HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.environ.get("X_OUT", os.path.join(HERE, "..", "work"))
SET = os.environ.get("X_SET", os.path.join(HERE, "..", "set"))
PY = os.environ.get("X_PY", "/opt/tfenv/bin/python")
PY215 = os.environ.get("X_PY215", os.path.abspath(os.path.join(HERE, "..", "tf215/bin/python")))

def sh(c, check=True):
    return subprocess.run(c, shell=True, check=check, capture_output=True, text=True).stdout

class Cluster:
    def __init__(self, name, subnet, hosts, tz="UTC0", domain=""):
        self.name, self.subnet, self.tz = name, subnet, tz
        self.hosts = {h: f"{subnet}.{10 + i * 7}" for i, h in enumerate(hosts)}
        self.dir = os.path.abspath(os.path.join(OUT, name)); shutil.rmtree(self.dir, ignore_errors=True); os.makedirs(self.dir)
        self.br = "xb" + str(abs(hash(name)) % 10**6)
        self.ns, self.p = {}, {}
        self.t0 = time.time()
        sh(f"ip netns add {self.br}h && ip netns exec {self.br}h ip link add br0 type bridge && ip netns exec {self.br}h ip link set br0 up")
        table = "127.0.0.1 localhost\n" + "".join(f"{a} {h}{(' ' + h + '.' + domain) if domain else ''}\n" for h, a in self.hosts.items())
        for i, (h, a) in enumerate(self.hosts.items()):
            n = f"{self.br}n{i}"; self.ns[h] = n
            os.makedirs(f"/etc/netns/{n}", exist_ok=True)
            open(f"/etc/netns/{n}/hosts", "w").write(table)
            open(f"/etc/netns/{n}/resolv.conf", "w").write("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
            sh(f"ip netns add {n} && ip link add v{n} type veth peer name eth0 netns {n} && ip link set v{n} netns {self.br}h && "
               f"ip netns exec {self.br}h ip link set v{n} master br0 && ip netns exec {self.br}h ip link set v{n} up && "
               f"ip -n {n} addr add {a}/24 dev eth0 && ip -n {n} link set eth0 up && ip -n {n} link set lo up")
    def run(self, host, cmd, log, env=None, pre="", key=None, py=PY, setup=""):
        """start a python script on a host; `pre` are wrappers (setpriv, prlimit), `setup` shell before exec; own mount namespace"""
        e = {k: v for k, v in os.environ.items() if k in ("HOME",)}
        e.update(PATH=os.path.dirname(py) + ":/usr/bin:/bin:/usr/sbin:/sbin", TZ=self.tz, OMP_NUM_THREADS="1", PYTHONUNBUFFERED="1", CUDA_VISIBLE_DEVICES="-1", LANG="C.UTF-8",
                 TF_NUM_INTRAOP_THREADS="1", TF_NUM_INTEROP_THREADS="2")
        e.update(env or {})
        f = open(os.path.join(self.dir, log), "ab")
        inner = f"hostname {host}; cd {self.dir}; {setup} exec nice -n 10 {pre} {py} {cmd}"
        p = subprocess.Popen(["ip", "netns", "exec", self.ns[host], "unshare", "-m", "--uts", "bash", "-c", inner], env=e, stdout=f, stderr=subprocess.STDOUT, start_new_session=True)
        p.started = time.time(); self.p[key or f"{host}"] = p
        return p
    def wait(self, keys=None, timeout=120):
        end = time.time() + timeout
        ks = keys or list(self.p)
        for k in ks:
            try: self.p[k].wait(max(0.1, end - time.time()))
            except subprocess.TimeoutExpired: pass
        r = {k: self.p[k].poll() for k in ks}; print(self.name, r, flush=True); return r
    def kill(self, k, sig=signal.SIGKILL):
        if self.p[k].poll() is None: os.killpg(self.p[k].pid, sig)
    def lines(self, log):
        try: return open(os.path.join(self.dir, log), errors="replace").read()
        except FileNotFoundError: return ""
    def until(self, log, text, timeout=90, keys=()):
        end = time.time() + timeout
        while time.time() < end and text not in self.lines(log):
            if keys and all(self.p[k].poll() is not None for k in keys): break
            time.sleep(0.3)
        ok = text in self.lines(log); print(self.name, "until", text, ok, flush=True); return ok
    def close(self):
        for k in self.p: 
            self.kill(k, signal.SIGKILL) if self.p[k].poll() is None else None
        for n in list(self.ns.values()) + [self.br + "h"]:
            sh(f"ip netns del {n}", False); shutil.rmtree(f"/etc/netns/{n}", ignore_errors=True)
        try: os.rmdir("/etc/netns")
        except OSError: pass

def shift(text, sec):
    """move every time stamp of a text by sec seconds (wall clock and absl's epoch stamps)"""
    d = datetime.timedelta(seconds=sec)
    def a(m):
        try: t = datetime.datetime.strptime(m[1] + " " + m[3], "%Y-%m-%d %H:%M:%S") + d
        except ValueError: return m[0]
        return t.strftime("%Y-%m-%d") + m[2] + t.strftime("%H:%M:%S")
    text = re.sub(r"(20\d\d-\d\d-\d\d)([ T])(\d\d:\d\d:\d\d)", a, text)
    text = re.sub(r"\b([IWEF]0000 00:00:)(\d{10})(\.\d+)", lambda m: m[1] + str(int(m[2]) + int(sec)) + m[3], text)
    text = re.sub(r'(?<=created_time":")(\d{10})(\.\d+)', lambda m: str(int(m[1]) + int(sec)) + m[2], text)
    return text
def sub(text, pairs):
    for a, b in pairs: text = text.replace(a, b)
    return text
def truth(archive, cause, node, also, notes):
    import yaml
    base = re.sub(r"\.(tar\.gz|tgz|zip|tar\.xz|tar\.bz2)$", "", archive)
    open(os.path.join(SET, base + ".truth.yaml"), "w").write(yaml.safe_dump(dict(archive=archive, cause=cause, culprit_node=node, also_acceptable=also, notes=notes), sort_keys=False, allow_unicode=True))
def pack(archive, files):
    """files: {path inside: str or bytes}"""
    path = os.path.join(SET, archive)
    if archive.endswith(".zip"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
            for n, b in files.items(): z.writestr(n, b)
    else:
        mode = "w:" + {"gz": "gz", "tgz": "gz", "xz": "xz", "bz2": "bz2"}[archive.rsplit(".", 1)[1]]
        with tarfile.open(path, mode) as t:
            for n, b in files.items():
                b = b.encode() if isinstance(b, str) else b
                i = tarfile.TarInfo(n); i.size = len(b); i.mtime = int(time.time()); i.mode = 0o644; t.addfile(i, io.BytesIO(b))
    print(archive, os.path.getsize(path), {n: len(b) for n, b in files.items()}, flush=True)
def stamp(t, fmt="%Y-%m-%d %H:%M:%S", off=0):
    return datetime.datetime.fromtimestamp(t + off, datetime.timezone.utc).strftime(fmt)
