"""Small harness: hosts are network namespaces on one bridge, each with its own host name and /etc/hosts.
Output folder: $QOUT (default: the folder above this one); work files in $QOUT/w/NAME, results in $QOUT/set."""
import os, re, subprocess, time, json, shutil, tarfile, zipfile, datetime as dt, signal
OUT = os.environ.get("QOUT", os.path.abspath(os.path.join(os.path.dirname(__file__), "..")))
PY = {"221": "/opt/tfenv/bin/python", "215": OUT + "/tf215/bin/python", "x": OUT + "/xenv/bin/python"}
MAKE = os.path.dirname(os.path.abspath(__file__))

def sh(c): return subprocess.run(c, shell=True, capture_output=True, text=True)

class Net:
    def __init__(s, name, hosts):
        s.name, s.hosts, s.procs = name, hosts, []
        s.dir = f"{OUT}/w/{name}"; shutil.rmtree(s.dir, ignore_errors=True); os.makedirs(s.dir)
        sh("ip link add qbr0 type bridge; ip link set qbr0 up")
        s.ns = {}
        for i, (h, ip) in enumerate(hosts.items()):
            ns = f"q{i}{name[:5]}"; s.ns[h] = ns
            sh(f"ip link del qv{i}; ip netns del {ns}; ip netns add {ns}; ip link add qv{i} type veth peer name e0 netns {ns};"
               f"ip link set qv{i} master qbr0 up; ip -n {ns} a add {ip}/24 dev e0; ip -n {ns} link set e0 up; ip -n {ns} link set lo up")
        s.hostsfile = s.dir + "/.hosts"
        open(s.hostsfile, "w").write("127.0.0.1 localhost\n" + "".join(f"{ip} {h} {h.split('.')[0]}\n" for h, ip in hosts.items()))
    def start(s, host, cmd, log, env=None, pre="", err=None, cwd=None, append=False):
        e = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG")}
        e.update(OMP_NUM_THREADS="1", PYTHONUNBUFFERED="1", TF_NUM_INTRAOP_THREADS="1", CUDA_VISIBLE_DEVICES="", USER="root")
        e.update({k: (v if isinstance(v, str) else json.dumps(v)) for k, v in (env or {}).items()})
        mode = "ab" if append else "wb"
        o = open(log if log.startswith("/") else f"{s.dir}/{log}", mode)
        er = subprocess.STDOUT if err is None else open(f"{s.dir}/{err}", mode)
        b = f"hostname {host.split('.')[0]}; mount --bind {s.hostsfile} /etc/hosts; cd {cwd or s.dir}; {pre} exec {cmd}"
        p = subprocess.Popen(["ip", "netns", "exec", s.ns[host], "unshare", "-m", "-u", "nice", "-n", "10", "bash", "-c", b],
                             stdout=o, stderr=er, stdin=subprocess.DEVNULL, env=e, start_new_session=True)
        p.host = host; p.t0 = dt.datetime.utcnow(); s.procs.append(p); return p
    def wait(s, ps=None, t=60):
        end = time.time() + t
        for p in ps or s.procs:
            try: p.wait(max(0.1, end - time.time()))
            except subprocess.TimeoutExpired: pass
        return [p.poll() for p in ps or s.procs]
    def grep(s, log, pat, t=60):
        end = time.time() + t
        while time.time() < end:
            try:
                if re.search(pat, s.read(log)): return True
            except FileNotFoundError: pass
            time.sleep(.3)
        print("NOT SEEN", log, pat); return False
    def read(s, log): return open(f"{s.dir}/{log}", errors="replace").read()
    def close(s):
        for p in s.procs:
            if p.poll() is None:
                try: os.killpg(p.pid, signal.SIGKILL)
                except ProcessLookupError: pass
                p.wait()
        for i, ns in enumerate(s.ns.values()): sh(f"ip link del qv{i}; ip netns del {ns}")

def shift(txt, delta=0, tz=0):
    """Shift every clock in the text by delta seconds (host skew / other day) and local ones by tz hours too."""
    d = dt.timedelta(seconds=delta + tz * 3600)
    def iso(m):
        t = dt.datetime.strptime(m[1] + " " + m[3], "%Y-%m-%d %H:%M:%S") + d
        return t.strftime("%Y-%m-%d") + m[2] + t.strftime("%H:%M:%S")
    txt = re.sub(r"(?<!\d)(2026-\d\d-\d\d)([ T])(\d\d:\d\d:\d\d)", iso, txt)
    def glog(m):
        t = dt.datetime.strptime("2026" + m[2] + m[3], "%Y%m%d%H:%M:%S") + d
        return m[1] + t.strftime("%m%d %H:%M:%S")
    txt = re.sub(r"(?<![A-Za-z0-9])([IWEF])(1[12]\d\d) (\d\d:\d\d:\d\d)", glog, txt)
    txt = re.sub(r"(?<![A-Za-z0-9])([IWEF]0000 00:00:)(\d{10})", lambda m: m[1] + str(int(m[2]) + delta), txt)
    def hms(m):
        t = dt.datetime.strptime("20261126" + m[2], "%Y%m%d%H:%M:%S") + d
        return m[1] + t.strftime("%H:%M:%S") + m[3]
    txt = re.sub(r"(?m)(\[)(\d\d:\d\d:\d\d)(\])", hms, txt)
    txt = re.sub(r'(description:")?(created_time:")(2026-\d\d-\d\d)(T)(\d\d:\d\d:\d\d)', lambda m: m[0], txt)
    return txt

def sub(txt, mp):
    for a, b in mp.items(): txt = txt.replace(a, b)
    return txt

def t(base, s, f="%Y-%m-%dT%H:%M:%S"): return (base + dt.timedelta(seconds=s)).strftime(f)

def finish(name, files, fmt, cause, culprit, also=(), notes="", root=""):
    """files: {path: str|bytes}. Writes the archive and the truth."""
    d = f"{OUT}/w/{name}/.pack"; shutil.rmtree(d, ignore_errors=True)
    for p, c in files.items():
        q = os.path.join(d, root, p); os.makedirs(os.path.dirname(q), exist_ok=True)
        open(q, "wb").write(c if isinstance(c, bytes) else c.encode())
    arc = f"{OUT}/set/{name}.{fmt}"
    if fmt == "zip":
        with zipfile.ZipFile(arc, "w", zipfile.ZIP_DEFLATED) as z:
            for r, _, fs in os.walk(d):
                for f in fs: z.write(os.path.join(r, f), os.path.relpath(os.path.join(r, f), d))
    else:
        with tarfile.open(arc, "w:xz" if fmt.endswith("xz") else "w:gz") as z:
            for e in sorted(os.listdir(d)): z.add(os.path.join(d, e), e)
    def q(x): return json.dumps(x, ensure_ascii=False)
    open(f"{OUT}/set/{name}.truth.yaml", "w").write(f"archive: {name}.{fmt}\ncause: {cause}\nculprit_node: {q(culprit)}\nalso_acceptable: {q(list(also))}\nnotes: {q(notes)}\n")
    print("DONE", name, os.path.getsize(arc), {k: len(v) for k, v in files.items()})
