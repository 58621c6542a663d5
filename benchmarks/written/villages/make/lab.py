"""A small laboratory: every 'host' is a network namespace with its own address, host name and /etc/hosts,
all on one bridge that lives in a namespace of its own.  Each line a process prints is kept with its time."""
import json, os, re, signal, subprocess, sys, threading, time
BASE = os.environ.get("YBASE", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PY221, PY215 = "/opt/tfenv/bin/python", f"{BASE}/tf215/bin/python"
SET = f"{BASE}/set"


def sh(cmd, check=True):
    r = subprocess.run(cmd, shell=True, capture_output=True, text=True)
    if check and r.returncode:
        raise SystemExit(f"{cmd}: {r.stderr}")
    return r.stdout


class Lab:
    def __init__(self, name, hosts, extra_hosts=""):
        """hosts: {hostname: ip}"""
        self.name, self.hosts = name, hosts
        self.dir = f"{BASE}/work/{name}"
        sh(f"rm -rf {self.dir}; mkdir -p {self.dir}")
        self.tag = "y" + name[:4]
        self.close()
        self.hub = f"{self.tag}hub"
        sh(f"ip netns add {self.hub} && ip -n {self.hub} link add br0 type bridge && ip -n {self.hub} link set br0 up")
        with open(f"{self.dir}/hosts", "w") as f:
            f.write("127.0.0.1 localhost\n" + "".join(f"{ip} {h}\n" for h, ip in hosts.items()) + extra_hosts)
        self.ns = {}
        for i, (h, ip) in enumerate(hosts.items()):
            ns = self.ns[h] = f"{self.tag}n{i}"
            sh(f"ip netns add {ns} && ip link add eth1 netns {ns} type veth peer name v{i} netns {self.hub}")
            sh(f"ip -n {self.hub} link set v{i} master br0 up; ip -n {ns} link set lo up; "
               f"ip -n {ns} addr add {ip}/24 dev eth1; ip -n {ns} link set eth1 up")
        self.procs = {}

    def port(self, host, up):           # pull / plug the cable
        i = list(self.hosts).index(host)
        sh(f"ip -n {self.hub} link set v{i} {'up' if up else 'down'}")

    def run(self, key, host, cmd, env=None, pre="", hosts=None, nice=10):
        """Start cmd (a shell line) as on host; key names its capture file."""
        hf = hosts or f"{self.dir}/hosts"
        inner = (f"hostname {host}; mount --make-rprivate /; mount --bind {hf} /etc/hosts; cd {self.dir}; {pre}\n"
                 f"exec nice -n {nice} {cmd}")
        e = dict(os.environ, OMP_NUM_THREADS="1", PYTHONUNBUFFERED="1", HOSTNAME=host, **(env or {}))
        p = subprocess.Popen(["ip", "netns", "exec", self.ns[host], "unshare", "-m", "-u", "bash", "-c", inner],
                             env=e, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        p.lines, p.key, p.host, p.t0 = [], key, host, time.time()

        def pump(f, s):
            for b in iter(f.readline, b""):
                p.lines.append((time.time(), s, b.decode("utf8", "replace").rstrip("\n")))
        p.th = [threading.Thread(target=pump, args=a, daemon=True) for a in ((p.stdout, "stdout"), (p.stderr, "stderr"))]
        for t in p.th: t.start()
        self.procs[key] = p
        return p

    def wait_for(self, key, text, timeout=90):
        p, end = self.procs[key], time.time() + timeout
        while time.time() < end:
            if any(text in l for _, _, l in list(p.lines)): return True
            if p.poll() is not None: time.sleep(.3); return any(text in l for _, _, l in list(p.lines))
            time.sleep(.2)
        print("!! no", text, "from", key); return False

    def kill(self, key, sig=signal.SIGKILL):
        try: os.killpg(self.procs[key].pid, sig)
        except ProcessLookupError: pass

    def wait(self, keys=None, timeout=120, kill=True):
        end = time.time() + timeout
        for k in keys or list(self.procs):
            p = self.procs[k]
            try: p.wait(max(.1, end - time.time()))
            except subprocess.TimeoutExpired:
                if not kill: continue
                print("!! still running, killed:", k); self.kill(k); p.wait()
            p.tend = getattr(p, "tend", time.time())
            for t in p.th: t.join(2)
        self.save()
        return {k: self.procs[k].returncode for k in self.procs}

    def save(self):
        for k, p in self.procs.items():
            json.dump({"key": k, "host": p.host, "pid": p.pid, "t0": p.t0, "t1": getattr(p, "tend", None),
                       "rc": p.returncode, "lines": p.lines}, open(f"{self.dir}/{k}.raw", "w"))

    def close(self):
        for n in re.findall(rf"^{self.tag}\w+", sh("ip netns list", False), re.M):
            sh(f"ip netns del {n}", False)


def shift(line, d):
    """Move every clock reading in a line by d seconds (TF, absl, gRPC, ISO and plain ones)."""
    def f(fmt, pre=""):
        def g(m):
            try: t = time.mktime(time.strptime(m.group(0)[len(pre) and 1:], fmt))
            except ValueError: return m.group(0)
            return (m.group(0)[0] if pre else "") + time.strftime(fmt, time.localtime(t + d))
        return g
    line = re.sub(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d", f("%Y-%m-%d %H:%M:%S"), line)
    line = re.sub(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d", f("%Y-%m-%dT%H:%M:%S"), line)

    def absl(m):
        t = time.mktime(time.strptime("2026" + m.group(2), "%Y%m%d %H:%M:%S"))
        return m.group(1) + time.strftime("%m%d %H:%M:%S", time.localtime(t + d))
    line = re.sub(r"\b([IWEF])((?:11|12|10)\d\d \d\d:\d\d:\d\d)", absl, line)
    line = re.sub(r"(0000 00:00:)(\d{10})", lambda m: m.group(1) + str(int(m.group(2)) + int(d)), line)
    line = re.sub(r'"(@?)(179\d{7})\.', lambda m: f'"{m.group(1)}{int(m.group(2)) + int(d)}.', line)
    return line


def raw(name, key, d=0, repl=()):
    """The captured process, its clock moved by d seconds and path prefixes renamed."""
    r = json.load(open(f"{BASE}/work/{name}/{key}.raw"))
    base = [(f"{BASE}/work/{name}", "."), ]
    out = []
    for t, s, l in sorted(r["lines"], key=lambda x: x[0]):
        l = shift(l, d)
        for a, b in list(repl) + base: l = l.replace(a, b)
        out.append((t + d, s, l))
    r["lines"] = out; r["t0"] += d; r["t1"] = (r["t1"] or 0) + d
    return r


def iso(t, fmt="%Y-%m-%dT%H:%M:%S", ms=3, z="Z"):
    return time.strftime(fmt, time.gmtime(t)) + (f"{t % 1:.{ms}f}"[1:] if ms else "") + z


def truth(name, archive, cause, node, also, notes):
    with open(f"{SET}/{name}.truth.yaml", "w") as f:
        f.write(f"archive: {archive}\ncause: {cause}\nculprit_node: {json.dumps(node)}\n"
                f"also_acceptable: {json.dumps(also)}\nnotes: {json.dumps(notes, ensure_ascii=False)}\n")
