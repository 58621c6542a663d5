"""Packing helpers: load raw runs, move their clock, rename paths, write archives and truths."""
import calendar, datetime as D, io, json, os, re, shutil, subprocess, tarfile, time, zipfile, gzip, csv, random
import yaml
HERE = os.path.dirname(os.path.abspath(__file__)); ROOT = os.path.dirname(HERE); RAW = ROOT + "/raw"; SET = ROOT + "/set"
STG = ROOT + "/work/stage"
class Run:
    """A raw run whose first event is moved to `start` (UTC, 'YYYY-MM-DD HH:MM:SS'); skew: seconds by task; tz: hours for written local times."""
    def __init__(s, name, start, tz=0, skew=None, paths=None, only=None):
        s.name, s.tz, s.skew = name, tz, skew or {}
        s.ev = [json.loads(l) for l in open(f"{RAW}/{name}/events.jsonl")]
        s.delta = calendar.timegm(time.strptime(start, "%Y-%m-%d %H:%M:%S")) - int(s.ev[0]["t"])
        s.paths = (paths or []) + [("/opt/tfenv/lib/python3.11/site-packages", "/opt/tf/lib/python3.11/site-packages"), ("/opt/tfenv", "/opt/tf"), ("/opt/incidents/tf215", "/opt/tf215"),
                   ("/opt/incidents/make", "/srv/train"), ("/opt/incidents/work", "/data"), ("/root/.pyenv/versions/3.11.7", "/usr/local")]
    def sk(s, task): return s.delta + s.skew.get(task, 0)
    def txt(s, x, task):
        d = s.sk(task)
        def f1(m):
            e = calendar.timegm(time.strptime(m[1] + " " + m[3], "%Y-%m-%d %H:%M:%S")) + d + (0 if m[5] else s.tz * 3600)   # +00:00 stays UTC
            g = time.gmtime(e); return time.strftime("%Y-%m-%d", g) + m[2] + time.strftime("%H:%M:%S", g) + (m[4] or "") + (m[5] or "")
        x = re.sub(r"(2026-11-2[67])([ T])(\d\d:\d\d:\d\d)(\.\d+)?(\+00:00)?", f1, x)
        x = re.sub(r"([IWEF]0000 00:00:)(\d{10})(\.\d+)", lambda m: m[1] + str(int(m[2]) + int(d)) + m[3], x)
        x = re.sub(r"@(179573\d{4})(?=\.\d)", lambda m: "@" + str(int(m[1]) + int(d)), x)
        x = re.sub(r"^(\d\d):(\d\d):(\d\d)(?= \S+ \| )", lambda m: time.strftime("%H:%M:%S", time.gmtime((int(m[1]) * 3600 + int(m[2]) * 60 + int(m[3]) + d + s.tz * 3600) % 86400)), x)
        def f3(m):
            e = calendar.timegm(time.strptime("2026" + m[2] + m[3], "%Y%m%d%H:%M:%S")) + d + s.tz * 3600; return m[1] + time.strftime("%m%d %H:%M:%S", time.gmtime(e))
        x = re.sub(r"^([IWEF])(112[67]) (\d\d:\d\d:\d\d)", f3, x)
        for a, b in s.paths: x = x.replace(a, b)
        return x
    def lines(s, task):
        """[(epoch, 'o'|'e', text)] of a task."""
        r = []
        for l in open(f"{RAW}/{s.name}/{task}.jsonl"):
            e = json.loads(l); r.append((e["t"] + s.sk(task), e["s"], s.txt(e["x"], task)))
        return r
    def text(s, task, drop=None): return "\n".join(x for _, _, x in s.lines(task) if not drop or not re.search(drop, x)) + "\n"
    def merged(s, tasks): return sorted(((t, k, st, x) for k in tasks for t, st, x in s.lines(k)), key=lambda z: z[0])
    def events(s, **k): return [dict(e, t=e["t"] + s.sk(e.get("task", ""))) for e in s.ev if all(e.get(a) == b for a, b in k.items())]
    def when(s, task, ev="exit"): return [e["t"] for e in s.events(task=task, ev=ev)][-1]
    def pid(s, task): return s.events(task=task, ev="start")[-1]["pid"]
    def host(s, task): return s.events(task=task, ev="start")[-1]["host"]
def ts(e, f="%Y-%m-%d %H:%M:%S", tz=0, ms=None):
    r = time.strftime(f, time.gmtime(e + tz * 3600))
    return r.replace("MS", f"{int(e % 1 * 1e3):03d}").replace("US", f"{int(e % 1 * 1e6):06d}").replace("NS", f"{int(e % 1 * 1e9):09d}")
def csvtext(rows, delim=","):
    b = io.StringIO(); w = csv.writer(b, delimiter=delim, lineterminator="\n"); [w.writerow(r) for r in rows]; return b.getvalue()
def pack(name, ext, files, cause, culprit, also, notes, mtime=None):
    """files: {path: text or bytes}.  Writes set/NAME.ext and set/NAME.truth.yaml."""
    os.makedirs(SET, exist_ok=True); shutil.rmtree(STG, ignore_errors=True); os.makedirs(STG)
    for p, c in files.items():
        q = os.path.join(STG, p); os.makedirs(os.path.dirname(q), exist_ok=True)
        open(q, "wb").write(c if isinstance(c, bytes) else c.encode())
        if mtime: os.utime(q, (mtime, mtime))
    out = f"{SET}/{name}.{ext}"
    if os.path.exists(out): os.remove(out)
    if ext == "zip": subprocess.run(["zip", "-qr", out, "."], cwd=STG, check=True)
    else: subprocess.run(["tar", {"tar.gz": "-czf", "tgz": "-czf", "tar.xz": "-cJf", "tar": "-cf", "tar.bz2": "-cjf"}[ext], out, "--owner=0", "--group=0"] + sorted(os.listdir(STG)), cwd=STG, check=True)
    yaml.safe_dump(dict(archive=f"{name}.{ext}", cause=cause, culprit_node=culprit, also_acceptable=also, notes=notes), open(f"{SET}/{name}.truth.yaml", "w"), sort_keys=False, width=110, allow_unicode=True)
    print(name, ext, cause, os.path.getsize(out), "bytes", len(files), "files", sum(len(c) for c in files.values()), "raw")
