"""A small rig: several 'hosts' (network namespaces on one bridge) in which real TensorFlow tasks run.

    with Rig("name", {"hostA": "10.3.0.11", ...}) as rig:
        p = rig.spawn("worker0", "hostA", [PY, "script.py"], env={...})
        rig.wait_line("worker0", "step 40"); rig.kill("worker0", 9)
Each task's output lands in raw/NAME/TASK.jsonl as {"t": epoch, "s": "o"|"e", "x": line}; exits and kills in events.jsonl.
"""
import json, os, re, signal, subprocess, sys, threading, time
HERE = os.path.dirname(os.path.abspath(__file__)); ROOT = os.path.dirname(HERE)
PY = "/opt/tfenv/bin/python"; PY215 = os.path.join(ROOT, "tf215/bin/python")
RAW = os.path.join(ROOT, "raw")

def sh(c):
    return subprocess.run(c, shell=True, check=False, capture_output=True, text=True)

def enter():
    """Run the calling script again inside private network and mount namespaces."""
    if os.environ.get("RIG") != "1":
        os.environ["RIG"] = "1"
        os.execvp("unshare", ["unshare", "-m", "-n", "--propagation", "private", sys.executable] + sys.argv)

class Rig:
    def __init__(self, name, hosts, extra_hosts=""):
        self.name, self.hosts = name, hosts
        self.out = os.path.join(RAW, name); os.makedirs(self.out, exist_ok=True)
        self.procs, self.lines, self.threads = {}, {}, []
        self.ev = open(os.path.join(self.out, "events.jsonl"), "a")
        self.extra = extra_hosts
    def __enter__(self):
        os.makedirs("/run/netns", exist_ok=True)
        sh("mount -t tmpfs none /run/netns; ip link set lo up; ip link del br0; ip link add br0 type bridge; ip link set br0 up")
        hf = os.path.join(self.out, "hosts")
        open(hf, "w").write("127.0.0.1 localhost\n" + "".join(f"{ip} {h}\n" for h, ip in self.hosts.items()) + self.extra)
        sh(f"mount --bind {hf} /etc/hosts")
        for i, (h, ip) in enumerate(self.hosts.items()):
            n = f"n{i}"
            sh(f"ip netns add {n}; ip link add v{i} type veth peer name eth0 netns {n}; ip link set v{i} master br0 up;"
               f"ip netns exec {n} ip link set lo up; ip netns exec {n} ip addr add {ip}/16 dev eth0; ip netns exec {n} ip link set eth0 up")
        return self
    def event(self, **k):
        k["t"] = time.time(); self.ev.write(json.dumps(k) + "\n"); self.ev.flush()
    def spawn(self, task, host, cmd, env=None, pre=""):
        i = list(self.hosts).index(host)
        e = dict(os.environ, PYTHONUNBUFFERED="1", OMP_NUM_THREADS="1", TF_NUM_INTEROP_THREADS="2", TF_NUM_INTRAOP_THREADS="1",
                 CUDA_VISIBLE_DEVICES="-1")
        e.pop("TF_CONFIG", None); e.update(env or {})
        import shlex
        inner = f"hostname {host}; {pre} exec nice -n 10 " + " ".join(shlex.quote(c) for c in cmd)
        p = subprocess.Popen(["ip", "netns", "exec", f"n{i}", "unshare", "-u", "bash", "-c", inner],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=e, cwd=HERE)
        self.procs[task] = p; self.lines.setdefault(task, [])
        f = open(os.path.join(self.out, task + ".jsonl"), "a")
        self.event(ev="start", task=task, host=host, pid=p.pid)
        def pump(stream, s):
            for b in iter(lambda: stream.readline(), b""):
                x = b.decode("utf8", "replace").rstrip("\n")
                f.write(json.dumps({"t": time.time(), "s": s, "x": x}) + "\n"); f.flush(); self.lines[task].append(x)
        ts = [threading.Thread(target=pump, args=(p.stdout, "o"), daemon=True), threading.Thread(target=pump, args=(p.stderr, "e"), daemon=True)]
        def reap():
            rc = p.wait(); [t.join(3) for t in ts]; self.event(ev="exit", task=task, host=host, pid=p.pid, rc=rc)
        [t.start() for t in ts]; r = threading.Thread(target=reap, daemon=True); r.start(); self.threads.append(r)
        return p
    def wait_line(self, task, pat, timeout=120):
        end = time.time() + timeout
        while time.time() < end:
            if any(re.search(pat, l) for l in list(self.lines[task])): return True
            if self.procs[task].poll() is not None: return False
            time.sleep(0.2)
        return False
    def pids(self, task):
        """The task's pid (everything is exec'ed, so it is the Python process)."""
        return self.procs[task].pid
    def kill(self, task, sig=signal.SIGKILL):
        if self.procs[task].poll() is None:
            self.event(ev="kill", task=task, sig=int(sig)); os.kill(self.procs[task].pid, sig)
    def wait(self, timeout, tasks=None):
        end = time.time() + timeout
        while time.time() < end:
            if all(self.procs[t].poll() is not None for t in (tasks or self.procs)): return True
            time.sleep(0.3)
        return False
    def __exit__(self, *a):
        for t, p in self.procs.items():
            if p.poll() is None: os.kill(p.pid, signal.SIGCONT); self.kill(t, 9)
        [t.join(5) for t in self.threads]
        for i in range(len(self.hosts)): sh(f"ip netns del n{i}")
        sh("umount /etc/hosts; umount /run/netns; ip link del br0")

def tf_config(jobs, typ, idx):
    return json.dumps({"cluster": jobs, "task": {"type": typ, "index": idx}})
