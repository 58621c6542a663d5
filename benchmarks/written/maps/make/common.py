import json, os, subprocess, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lab import *
PROG = os.path.join(MAKE, "prog")
def mkdata(**kw):
    subprocess.run(["nice", "/opt/tfenv/bin/python", os.path.join(PROG, "mkdata.py"), json.dumps(kw)], check=True, stderr=subprocess.DEVNULL)
def tfc(cluster, typ, i, **kw):
    return json.dumps({"cluster": cluster, "task": {"type": typ, "index": i}, **kw})
def load(name):
    """raw events of a finished run: {task: [(t, stream, line)]}, meta"""
    d = os.path.join(OUT, "raw", name); meta = json.load(open(d + "/meta.json"))
    return {t: sorted((json.loads(l) for l in open(f"{d}/{t.replace('/', '_')}.jsonl") if '"unshare: ' not in l), key=lambda e: e[0]) for t in meta}, meta
def main(run, collect):
    what = sys.argv[1] if len(sys.argv) > 1 else "all"
    if what in ("run", "all"): run()
    if what in ("collect", "all"): collect()
class Clock:
    """one host's clock: real time -> the incident's time on that host"""
    def __init__(self, delta, tz="UTC"): self.d, self.tz = delta, tz
    def t(self, t): return t + self.d
    def line(self, l): return shift(l, self.d)
    def s(self, t, fmt="%Y-%m-%d %H:%M:%S"): return loc(t + self.d, self.tz, fmt)
def at(s, tz="UTC"):
    return dt.datetime.strptime(s, "%Y-%m-%d %H:%M:%S").replace(tzinfo=ZoneInfo(tz)).timestamp()
def pidof(e):
    for t, s, l in e:
        m = re.match(r"[IWE]0000 00:00:\d+\.\d+ +(\d+) port.cc", l)
        if m: return int(m[1])
