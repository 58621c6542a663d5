"""Run the tasks of one job, each on a 'host' of its own: a network namespace on a private switch, with
its own host name and /etc/hosts.  Every output line is kept with its time in OUT/NAME/events.jsonl;
collectors (collect.py) turn that into what somebody would have gathered."""
import json, os, re, shutil, signal, subprocess, threading, time
HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.environ.get("OUT", os.path.join(HERE, "..", "work"))
PY215 = os.environ.get("TFPY215", os.path.join(HERE, "..", "tf215", "bin", "python"))
PY = os.environ.get("TFPY", "/opt/tfenv/bin/python")

def sh(c, check=True):
    return subprocess.run(c, shell=True, check=check, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

class Lab:
    def __init__(self, name, hosts, subnet="10.83.7", unresolved=(), extra=""):
        self.name, self.hosts = name, list(hosts)
        self.dir = os.path.abspath(os.path.join(OUT, name))
        shutil.rmtree(self.dir, ignore_errors=True); os.makedirs(self.dir)
        self.ev, self.p, self.info = [], {}, {}
        self.lock = threading.Lock()
        self.sw = "Tsw"
        self.cleanup()
        sh(f"ip netns add {self.sw}; ip -n {self.sw} link add br0 type bridge; ip -n {self.sw} link set br0 up")
        self.ip = {h: f"{subnet}.{i+11}" for i, h in enumerate(self.hosts)}
        hf = "127.0.0.1 localhost\n" + "".join(f"{ip} {h} {h.split('.')[0]}\n" for h, ip in self.ip.items() if h not in unresolved) + extra
        self.ns = {}
        for i, h in enumerate(self.hosts):
            ns = f"Tn{i}"; self.ns[h] = ns
            os.makedirs(f"/etc/netns/{ns}", exist_ok=True)
            open(f"/etc/netns/{ns}/hosts", "w").write(hf)
            open(f"/etc/netns/{ns}/resolv.conf", "w").write("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
            sh(f"ip netns add {ns}; ip link add Tv{i} type veth peer name Tp{i}; ip link set Tv{i} netns {ns}; ip link set Tp{i} netns {self.sw};"
               f"ip -n {ns} link set Tv{i} name eth0; ip -n {ns} addr add {self.ip[h]}/24 dev eth0; ip -n {ns} link set eth0 up; ip -n {ns} link set lo up;"
               f"ip -n {self.sw} link set Tp{i} master br0; ip -n {self.sw} link set Tp{i} up")
    def cleanup(self):
        for i in range(16): sh(f"ip netns del Tn{i}; rm -rf /etc/netns/Tn{i}", check=False)
        sh(f"ip netns del {self.sw}", check=False)
    def netsh(self, host, cmd): return sh(f"ip netns exec {self.ns[host]} {cmd}", check=False).stdout
    def script(self, src, as_name, subs=()):
        t = open(os.path.join(HERE, src)).read()
        for a, b in subs:
            assert a in t, a
            t = t.replace(a, b)
        p = os.path.join(self.dir, "src", as_name); os.makedirs(os.path.dirname(p), exist_ok=True)
        open(p, "w").write(t); return p
    def start(self, tag, host, argv, env=None, pre="", py=None, cg=None):
        """Start a process; `pre` is shell run first in the same process (ulimit, cgroup)."""
        e = dict(os.environ, OMP_NUM_THREADS="1", PYTHONUNBUFFERED="1", HOME="/root"); e.pop("OUT", None)
        e.update({k: v for k, v in (env or {}).items() if v is not None})
        for k, v in (env or {}).items():
            if v is None: e.pop(k, None)
        if cg: pre = "sleep 1; " + pre
        cmd = ["ip", "netns", "exec", self.ns[host], "unshare", "-u", "sh", "-c", f'hostname {host}; {pre} exec "$@"', "sh"] + ([py or PY, "-u"] if argv[0].endswith(".py") else []) + argv
        p = subprocess.Popen(cmd, env=e, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir, stdin=subprocess.DEVNULL, preexec_fn=lambda: (os.nice(10), os.setpgrp()))
        self.p[tag] = p
        if cg: open(cg + "/cgroup.procs", "w").write(str(p.pid))  # from outside: ip netns exec hides /sys/fs/cgroup
        self.info[tag] = {"host": host, "pid": p.pid, "start": time.time(), "ip": self.ip[host]}
        ths = []
        for s, f in (("out", p.stdout), ("err", p.stderr)):
            t = threading.Thread(target=self._read, args=(tag, s, f), daemon=True); t.start(); ths.append(t)
        p.ths = ths
        threading.Thread(target=self._reap, args=(tag, p), daemon=True).start()
        return p
    def _reap(self, tag, p):
        p.wait(); self.info[tag].update(rc=p.returncode, end=time.time())
    def _read(self, tag, s, f):
        for b in iter(f.readline, b""):
            with self.lock: self.ev.append([time.time(), tag, s, b.decode("utf8", "replace").rstrip("\n")])
    def wait_line(self, tag, rx, timeout=120, n=1):
        r = re.compile(rx); t0 = time.time()
        while time.time() - t0 < timeout:
            with self.lock: c = sum(1 for e in self.ev if e[1] == tag and r.search(e[3]))
            if c >= n: return True
            if self.p[tag].poll() is not None: time.sleep(.3); return False
            time.sleep(.1)
        return False
    def kill(self, tag, sig=signal.SIGKILL):
        try: os.kill(self.p[tag].pid, sig)
        except ProcessLookupError: pass
        with self.lock: self.info[tag].setdefault("signals", []).append([time.time(), int(sig)])
    def wait(self, tags=None, timeout=180, then=signal.SIGKILL):
        t0 = time.time(); tags = list(tags or self.p)
        while time.time() - t0 < timeout and any(self.p[t].poll() is None for t in tags): time.sleep(.1)
        alive = [t for t in tags if self.p[t].poll() is None]
        if then:
            for t in alive: self.kill(t, then)
            for t in alive:
                try: self.p[t].wait(8)
                except subprocess.TimeoutExpired: self.kill(t, signal.SIGKILL)
        return alive
    def done(self):
        for p in self.p.values():
            if p.poll() is None: p.kill(); p.wait()
            for t in p.ths: t.join(2)
        time.sleep(.2)
        with open(os.path.join(self.dir, "events.jsonl"), "w") as f:
            for e in sorted(self.ev, key=lambda e: e[0]): f.write(json.dumps(e) + "\n")
        json.dump(self.info, open(os.path.join(self.dir, "info.json"), "w"), indent=1)
        self.cleanup()
        print(self.name, {t: (i.get("rc"), round(i.get("end", 0) - i["start"])) for t, i in self.info.items()}, len(self.ev), "lines", flush=True)

def tfc(cluster, typ, idx, **k): return json.dumps({"cluster": cluster, "task": {"type": typ, "index": idx}, **k})
