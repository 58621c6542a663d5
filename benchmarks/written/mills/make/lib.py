"""Runner for the real jobs: every task is a real process in one private network/mount/UTS namespace.

Each task's stdout and stderr lines are stamped when they arrive and kept (t, stream, line), so that a
generator can render them as any log shipper would.  Renders may shift a host's clock and rename paths;
they never touch the messages.
"""
import json, os, re, signal, subprocess, sys, threading, time, datetime as dt

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SET = os.path.join(ROOT, "set")
PY21 = "/opt/tfenv/bin/python"
PY15 = os.path.join(ROOT, "tf215/bin/python")


def isolate(hosts):
    """Re-exec in new net+mount+uts namespaces, then give `lo` every host's address and write /etc/hosts."""
    if os.environ.get("ZISO") != "1":
        os.environ["ZISO"] = "1"
        os.execvp("nice", ["nice", "-n", "10", "unshare", "-n", "-m", "-u", sys.executable] + sys.argv)
    sh("mount --make-rprivate /; mkdir -p /run/netns; mount -t tmpfs none /run/netns; ip link set lo up; "
       "ip link add br0 type bridge; ip link set br0 up")
    txt = "127.0.0.1 localhost\n"
    for k, (h, ip) in enumerate(hosts.items()):
        if ip:
            sh(f"ip netns add {h}; ip link add v{k} type veth peer name eth0 netns {h}; ip link set v{k} master br0; "
               f"ip link set v{k} up; ip -n {h} link set lo up; ip -n {h} link set eth0 up; "
               f"ip -n {h} addr add {ip}/24 dev eth0; ip -n {h} route add default dev eth0")
            txt += f"{ip} {h}\n"
    os.makedirs(f"{ROOT}/work", exist_ok=True)
    p = f"{ROOT}/work/hosts.{os.getpid()}"
    open(p, "w").write(txt)
    sh(f"mount --bind {p} /etc/hosts")
    # names that are not in the file fail at once, as with a resolver that answers NXDOMAIN
    q = p + ".res"
    open(q, "w").write("nameserver 127.0.0.53\noptions timeout:1 attempts:1\n")
    sh(f"mount --bind {q} /etc/resolv.conf")


def sh(c):
    return subprocess.run(c, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


class Task:
    def __init__(self, tid, host, cmd, env=None, cwd=None, wrap="", py=PY21, netns=None):
        self.id, self.host, self.lines = tid, host, []
        e = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG")}
        e.update(PYTHONUNBUFFERED="1", OMP_NUM_THREADS="1", TF_NUM_INTRAOP_THREADS="1", TF_NUM_INTEROP_THREADS="2",
                 COLUMNS="120", TERM="xterm", PYTHONDONTWRITEBYTECODE="1")
        e.update({k: str(v) for k, v in (env or {}).items()})
        argv = [a.replace("{py}", py) for a in cmd]
        line = " ".join("'" + a.replace("'", "'\\''") + "'" for a in argv)
        script = f"hostname {host}; {wrap} exec {line}"
        self.start = time.time()
        self.p = subprocess.Popen(["ip", "netns", "exec", netns or host, "unshare", "-u", "bash", "-c", script], env=e, cwd=cwd, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.pid, self.end, self.rc = self.p.pid, None, None
        self.th = [threading.Thread(target=self._rd, args=(f, s), daemon=True)
                   for f, s in ((self.p.stdout, "stdout"), (self.p.stderr, "stderr"))]
        for t in self.th:
            t.start()
        threading.Thread(target=self._wait, daemon=True).start()

    def _rd(self, f, s):
        for b in f:
            self.lines.append((time.time(), s, b.decode("utf8", "replace").rstrip("\n")))

    def _wait(self):
        self.p.wait()
        self.end = time.time()
        for t in self.th:
            t.join(2)
        self.rc = self.p.returncode

    def sig(self, s):
        try:
            os.kill(self.pid, s)
        except ProcessLookupError:
            pass

    def text(self):
        return "\n".join(l for _, _, l in self.lines)


def wait(tasks, limit, until=None):
    """Wait till all ended, or until(tasks) is true, or the limit; says which."""
    t0 = time.time()
    while time.time() - t0 < limit:
        if all(t.rc is not None for t in tasks):
            return "ended"
        if until and until(tasks):
            return "until"
        time.sleep(0.3)
    return "limit"


def killall(tasks, s=signal.SIGKILL):
    for t in tasks:
        if t.rc is None:
            t.sig(s)
    time.sleep(1)
    if s != signal.SIGKILL:
        wait(tasks, 8)
        for t in tasks:
            if t.rc is None:
                t.sig(signal.SIGKILL)
        time.sleep(0.5)


def report(tasks):
    for t in tasks:
        print(f"#### {t.id} host={t.host} pid={t.pid} rc={t.rc} lines={len(t.lines)} took={(t.end or time.time())-t.start:.1f}")


def dump(tasks, path):
    with open(path, "w") as f:
        for t in tasks:
            f.write(json.dumps(dict(id=t.id, host=t.host, pid=t.pid, rc=t.rc, start=t.start, end=t.end, lines=t.lines)) + "\n")


# ---------- clocks and names ----------
TS = re.compile(r"(20\d\d)-(\d\d)-(\d\d)([ T])(\d\d):(\d\d):(\d\d)([.,]\d+)?")
EP = re.compile(r"\b([IWEF])(\d{4}) (\d\d:\d\d:)(\d{10})\.(\d+)")
G0 = re.compile(r"\b([IWEF])(\d{4}) (\d\d):(\d\d):(\d\d)\.(\d{6})\b")
G1 = re.compile(r"\b(\d{10})\.(\d{6,9})\b")


class Clock:
    """shift: seconds added to the machine's UTC time to get this host's local wall time; tz: zone part of it."""

    def __init__(self, shift=0, tz=0):
        self.s, self.tz = shift, tz

    def local(self, t):
        return dt.datetime.fromtimestamp(t + self.s + self.tz * 3600, dt.timezone.utc).replace(tzinfo=None)

    def utc(self, t):
        return dt.datetime.fromtimestamp(t + self.s, dt.timezone.utc).replace(tzinfo=None)

    def line(self, l):
        def f(m):
            z = 0 if m.string[m.end():].startswith('+00:00') else self.tz
            d = dt.datetime(*[int(m[i]) for i in (1, 2, 3, 5, 6, 7)]) + dt.timedelta(seconds=round(self.s) + z * 3600)
            return d.strftime("%Y-%m-%d") + m[4] + d.strftime("%H:%M:%S") + (m[8] or "")

        def g(m):
            t = int(m[4]) + round(self.s)
            return f"{m[1]}0000 00:00:{t}.{m[5]}" if m[2] == "0000" else f"{m[1]}{m[2]} {m[3]}{t}.{m[5]}"

        def h(m):
            y = dt.datetime.utcnow().year
            d = dt.datetime(y, int(m[2][:2]), int(m[2][2:]), int(m[3]), int(m[4]), int(m[5])) + dt.timedelta(seconds=round(self.s) + self.tz * 3600)
            return f"{m[1]}{d:%m%d} {d:%H:%M:%S}.{m[6]}"
        l = TS.sub(f, l)
        l = EP.sub(g, l)
        if "0000 00:00:" not in l:
            l = G0.sub(h, l)
            if '"@' in l or "created_time" in l or "{created" in l:
                l = G1.sub(lambda m: f"{int(m[1]) + round(self.s)}.{m[2]}", l)
        return l


def ren(l, pairs):
    for a, b in pairs:
        l = l.replace(a, b)
    return l


def days_to(y, mo, d, hh, mm, now=None):
    """Seconds from now to that UTC moment: base shift of an incident."""
    now = now or time.time()
    return round(dt.datetime(y, mo, d, hh, mm, tzinfo=dt.timezone.utc).timestamp() - now)


def load(path):
    out = []
    for l in open(path):
        d = json.loads(l)
        t = Task.__new__(Task)
        t.__dict__.update(d)
        t.lines = [tuple(x) for x in d["lines"]]
        out.append(t)
    return out


def pack(folder, archive, kind):
    """folder: absolute path of the collected tree (its basename is the top directory in the archive)."""
    par, base = os.path.split(folder)
    os.makedirs(SET, exist_ok=True)
    dst = os.path.join(SET, archive)
    if os.path.exists(dst):
        os.remove(dst)
    if kind == "zip":
        sh(f"cd {par} && zip -qr {dst} '{base}'")
    elif kind == "zipflat":
        sh(f"cd {folder} && zip -qr {dst} .")
    elif kind == "xz":
        sh(f"cd {par} && tar cJf {dst} {base}")
    elif kind == "flat":
        sh(f"cd {folder} && tar czf {dst} *")
    else:
        sh(f"cd {par} && tar czf {dst} {base}")
    print(archive, os.path.getsize(dst), sh(f"tar tf {dst} 2>/dev/null || unzip -l {dst}"))


def truth(name, archive, cause, node, also, notes):
    import json as j
    q = lambda x: j.dumps(x, ensure_ascii=False)
    open(os.path.join(SET, name + ".truth.yaml"), "w").write(
        f"archive: {archive}\ncause: {cause}\nculprit_node: {q(node)}\nalso_acceptable: {q(also)}\nnotes: {q(notes)}\n")


def put(folder, rel, txt):
    p = os.path.join(folder, rel)
    os.makedirs(os.path.dirname(p), exist_ok=True)
    open(p, "w").write(txt if txt.endswith("\n") else txt + "\n")
