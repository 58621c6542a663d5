"""Render lab captures: time map + substitutions + per-format output."""
import json, re, os, datetime as dt, random, subprocess, shutil
RUN="/opt/incidents/run/"
class TM:
    """piecewise linear map real epoch -> fake epoch. anchors: list of (real, fake)"""
    def __init__(s, anchors): s.a=sorted(anchors)
    def __call__(s,t):
        a=s.a
        if t<=a[0][0]: return a[0][1]+(t-a[0][0])
        for (r0,f0),(r1,f1) in zip(a,a[1:]):
            if t<=r1: return f0+(t-r0)*(f1-f0)/(r1-r0)
        return a[-1][1]+(t-a[-1][0])
def load(run,tag): return [tuple(json.loads(l)) for l in open(f"{RUN}{run}/{tag}.jsonl")]
def first(L,s): return next(t for t,x in L if s in x)
def last(L,s): return [t for t,x in L if s in x][-1]
def cook(L,tm,fmt=None,subs=(),tz=0,skew=0.0,glog=True,drop=()):
    """fmt: f(epoch_fake)->str for \x01 tokens. Returns list of (fake_t, text)"""
    out=[]
    for t,x in L:
        if any(re.search(d,x) for d in drop): continue
        f=lambda r: tm(float(r))+skew
        x=re.sub("\x01([0-9.]+)\x02",lambda m: fmt(f(m.group(1))),x)
        def g(m):
            v=f(m.group(2)+"."+m.group(3)); return f"{m.group(1)}{int(v):d}.{int(v%1*1e6):06d}"
        x=re.sub(r"([IWEF]0000 00:00:)(\d{10})\.(\d{6})",g,x)
        m=re.match(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\.(\d{6}): ([IWEF]) ",x)
        if m:
            v=tm(ep(m.group(1))+int(m.group(2))/1e6)+skew
            x=d(v,tz).strftime("%Y-%m-%d %H:%M:%S.%f")+x[26:]
        m=re.search(r"SIGTERM caught at (\S+)",x)
        if m:
            v=tm(dt.datetime.fromisoformat(m.group(1)[:26]+"+00:00").timestamp())+skew
            x=x.replace(m.group(1),d(v,tz).strftime("%Y-%m-%dT%H:%M:%S.%f")+m.group(1)[26:29]+"+0%d:00"%tz)
        for a,b in subs: x=re.sub(a,b,x)
        x=x.replace("/root/.pyenv/versions/3.11.7","/usr/local")
        out.append((tm(t)+skew,x))
    return out
def d(t,tz=0): return dt.datetime.fromtimestamp(t,dt.timezone(dt.timedelta(hours=tz)))
def ep(s,tz=0): return dt.datetime.strptime(s,"%Y-%m-%d %H:%M:%S").replace(tzinfo=dt.timezone(dt.timedelta(hours=tz))).timestamp()
def txt(C): return "".join(x+"\n" for _,x in C)
def put(base,path,s):
    p=os.path.join(base,path); os.makedirs(os.path.dirname(p),exist_ok=True)
    open(p,"w",encoding="utf8").write(s)
def truth(name,archive,cause,culprit,also,notes):
    import yaml
def write_truth(archive,cause,culprit,also,notes):
    name=re.sub(r"\.(tar\.gz|tgz|zip|tar\.xz|tar\.bz2|txt|log|7z|tar)$","",archive)
    q=lambda s: json.dumps(s,ensure_ascii=False)
    with open(f"/opt/incidents/set/{name}.truth.yaml","w") as f:
        f.write(f"archive: {archive}\ncause: {cause}\nculprit_node: {'null' if culprit is None else json.dumps(culprit)}\nalso_acceptable: {json.dumps(also)}\nnotes: {q(notes)}\n")
def pack(stage,archive,inner=None):
    """tar/zip the stage dir into set/"""
    dst=f"/opt/incidents/set/{archive}"
    if os.path.exists(dst): os.remove(dst)
    par,base=os.path.split(stage.rstrip("/"))
    if archive.endswith(".zip"): subprocess.run(["zip","-qr",dst,base],cwd=par,check=True)
    else:
        fl={"gz":"z","tgz":"z","xz":"J","bz2":"j"}[archive.rsplit(".",1)[1]]
        subprocess.run(["tar",f"c{fl}f",dst,"--owner=1000","--group=1000",base],cwd=par,check=True)
def stage(n):
    p=f"/opt/incidents/run/stage/{n}"; shutil.rmtree(p,ignore_errors=True); os.makedirs(p); return p
PYENV=(r"/root/\.pyenv/versions/3\.11\.7/bin/python3\.11","/usr/bin/python3.11")
