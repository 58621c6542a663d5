"""Helpers to turn OUT/NAME/events.jsonl into what somebody gathered (times, hosts and paths rewritten, messages kept)."""
import datetime as D, json, os, re, shutil, subprocess
HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.environ.get("OUT", os.path.join(HERE, "..", "work")); SET = os.environ.get("SET", os.path.join(HERE, "..", "set"))
RX1 = re.compile(r"(\d{4})-(\d\d)-(\d\d)([ T])(\d\d):(\d\d):(\d\d)")
RX2 = re.compile(r"\b([IWEF])(11)(\d\d) (\d\d):(\d\d):(\d\d)\.")
RX3 = re.compile(r"(?<!\d)(179\d{7})(\.\d+)")
def retime(x, d):
    def f1(m):
        y, mo, da, sep, h, mi, s = m.groups()
        return (D.datetime(int(y), int(mo), int(da), int(h), int(mi), int(s)) + D.timedelta(seconds=d)).strftime(f"%Y-%m-%d{sep}%H:%M:%S")
    def f2(m):
        l, mo, da, h, mi, s = m.groups()
        return l + (D.datetime(2026, int(mo), int(da), int(h), int(mi), int(s)) + D.timedelta(seconds=d)).strftime("%m%d %H:%M:%S.")
    x = RX1.sub(f1, x); x = RX2.sub(f2, x)
    return RX3.sub(lambda m: str(int(m[1]) + d) + m[2], x)
class Run:
    """shift: seconds added everywhere; skew: {host: seconds} added for the lines of that host."""
    def __init__(self, name, subs=(), shift=0, skew=None):
        self.dir = os.path.join(OUT, name); self.name, self.subs, self.shift, self.skew = name, list(subs), int(shift), skew or {}
        self.info = json.load(open(self.dir + "/info.json"))
        self.ev = [json.loads(l) for l in open(self.dir + "/events.jsonl")]
    def d(self, tag): return self.shift + self.skew.get(self.info[tag]["host"], 0)
    def fix(self, x, d=None):
        x = retime(x, self.shift if d is None else d)
        for a, b in self.subs: x = x.replace(a, b)
        return x
    def lines(self, tags=None, stream=None):
        for t, g, s, x in self.ev:
            if (tags is None or g in tags) and (stream is None or s == stream): yield t + self.d(g), g, s, self.fix(x, self.d(g))
    def text(self, tags=None, stream=None): return "".join(x + "\n" for _, _, _, x in self.lines(tags, stream))
    def t0(self, tag): return self.info[tag]["start"] + self.d(tag)
    def t1(self, tag): return self.info[tag]["end"] + self.d(tag)
    def pid(self, tag): return self.info[tag]["pid"]
    def rc(self, tag): return self.info[tag]["rc"]
def ts(t, f="%Y-%m-%d %H:%M:%S", off=0): return (D.datetime.fromtimestamp(t, D.timezone.utc) + D.timedelta(hours=off)).strftime(f)
def iso(t, n=3, z="Z"): return ts(t, "%Y-%m-%dT%H:%M:%S") + (f".{int((t % 1) * 10**n):0{n}d}" if n else "") + z
class Bag:
    def __init__(self, name): self.name, self.dir = name, os.path.join(OUT, "bag", name); shutil.rmtree(self.dir, ignore_errors=True); os.makedirs(self.dir)
    def put(self, path, text):
        p = os.path.join(self.dir, path); os.makedirs(os.path.dirname(p), exist_ok=True)
        open(p, "wb").write(text if isinstance(text, bytes) else text.encode())
    def pack(self, kind, cause, culprit, also, notes, root=None):
        for dp, _, fs in os.walk(self.dir):
            for f in fs:
                b = open(os.path.join(dp, f), "rb").read()
                for w in (b"hands", b"tfenv", b"tf215", b"10.83.7"): assert w not in b, (self.name, f, w, b[max(0, b.find(w) - 60):b.find(w) + 60])
        arc = f"{self.name}.{kind}"; out = os.path.abspath(os.path.join(SET, arc)); os.makedirs(SET, exist_ok=True)
        if os.path.exists(out): os.remove(out)
        items = " ".join(f"'{x}'" for x in sorted(os.listdir(self.dir)))
        c = {"tar.gz": "tar czf", "tgz": "tar czf", "tar.xz": "tar cJf", "tar": "tar cf", "tar.bz2": "tar cjf", "zip": "zip -qr"}[kind]
        subprocess.run(f"{c} {out} {items}", shell=True, check=True, cwd=self.dir)
        with open(os.path.join(SET, self.name + ".truth.yaml"), "w") as f:
            f.write(f"archive: {arc}\ncause: {cause}\nculprit_node: {json.dumps(culprit)}\nalso_acceptable: {json.dumps(also)}\nnotes: {json.dumps(notes)}\n")
        print(arc, os.path.getsize(out))
