import json, re, os, datetime as dt, random, shutil, tarfile, zipfile, subprocess
BC="/opt/incidents"
U=dt.timezone.utc
class Run:
    def __init__(s, name, start, subs=(), k=1, first=None, last=None):
        """start: naive datetime (as the log's wall clock, taken UTC for epoch). k stretches the time between first and last regex"""
        ev=json.load(open(f"{BC}/runs/{name}.jsonl")); s.t0=ev[0][0]
        s.start=start.replace(tzinfo=U).timestamp(); s.k=k
        s.a=s.t0; s.b=s.t0
        if first: s.a=next(t for t,_,_,l in ev if re.search(first,l))
        if last: s.b=[t for t,_,_,l in ev if re.search(last,l)][-1]
        s.b=max(s.a,s.b)
        s.subs=list(subs); s.ev=[]
        for t,task,st,l in ev:
            x=s.line(l)
            o=s.off(task)
            if o:
                x=re.sub(r"(00:00:\d+\.\d+\s+)(\d+) ",lambda q:f"{q[1]}{int(q[2])+o} ",x)
                x=re.sub(r'"pid": (\d+)',lambda q:f'"pid": {int(q[1])+o}',x)
                if task=="_launcher": pass
            if k>1 and t>s.a+.02: x=re.sub(r'(in_ms|sync_ms)(": |=)([\d.]+)',lambda q:f"{q[1]}{q[2]}{float(q[3])*k:.1f}",x)
            if k>1 and re.search(r"ajo valmis|terminado|xong|bitti|run complete",x): x=re.sub(r'("sec": |sec=)[\d.]+',lambda q:q[1]+"%.1f"%(s.m(t)-s.start-1.2),x)
            s.ev.append((s.m(t),task,st,x))
    def m(s,t):
        if t<=s.a: r=t-s.t0
        elif t<=s.b: r=(s.a-s.t0)+(t-s.a)*s.k
        else: r=(s.a-s.t0)+(s.b-s.a)*s.k+(t-s.b)
        return s.start+r
    def line(s,l):
        def iso(m):
            t=dt.datetime.fromisoformat(m[0].replace(" ","T")).replace(tzinfo=U).timestamp()
            n=len(m[3] or ""); d=dt.datetime.fromtimestamp(s.m(t),U)
            r=d.strftime("%Y-%m-%d")+m[2]+d.strftime("%H:%M:%S")
            if n: r+=d.strftime(".%f")[:n]
            return r
        l=re.sub(r"(2026-11-\d\d)([ T])\d\d:\d\d:\d\d(\.\d{3,6})?",iso,l)
        def dmy(m):
            d=dt.datetime.fromtimestamp(s.m(dt.datetime.fromisoformat("2026-11-28T"+m[1]+(m[2] or "")).replace(tzinfo=U).timestamp()),U)
            return d.strftime("%d.%m.%Y %H:%M:%S")+(d.strftime(".%f")[:4] if m[2] else "")
        l=re.sub(r"28\.11\.2026 (\d\d:\d\d:\d\d)(\.\d{3})?",dmy,l)
        l=re.sub(r"00:00:(1795\d{6}\.\d+)",lambda m:"00:00:%.6f"%s.m(float(m[1])),l)
        for a,b in s.subs: l=re.sub(a,b,l) if not isinstance(b,str) or "\\" in a or "\\" in b else l.replace(a,b)
        return l
    def off(s,task):
        m=re.fullmatch(r"(worker|ps)(\d)",task)
        if not m: return {"molino1":1741,"molino2":3911,"comal":7003}.get(task,0)
        i=int(m[2])+(4 if m[1]=="ps" else 0); return i*1741+i*i*37
    def of(s,task,streams=("out","err")): return [(t,l) for t,k,st,l in s.ev if k==task and st in streams]
    def exits(s): return {l.split()[0]:(t,int(l.split()[1])+s.off(l.split()[0]),int(l.split()[2])) for t,k,st,l in s.ev if k=="_launcher" and st=="exit"}
    def pids(s): return {l.split()[0]:int(l.split()[1])+s.off(l.split()[0]) for t,k,st,l in s.ev if k=="_launcher" and st=="start"}
def D(t,f="%Y-%m-%d %H:%M:%S",h=0): return (dt.datetime.fromtimestamp(t,U)+dt.timedelta(hours=h)).strftime(f)
def ms(t,h=0): return D(t,"%Y-%m-%dT%H:%M:%S.%f",h)[:-3]
class Box:
    def __init__(s,name): s.name=name; s.d=f"{BC}/tmp/{name}"; shutil.rmtree(s.d,ignore_errors=True); os.makedirs(s.d)
    def put(s,path,text):
        p=os.path.join(s.d,path); os.makedirs(os.path.dirname(p),exist_ok=True)
        if isinstance(text,list): text="\n".join(text)+"\n"
        open(p,"w",encoding="utf8").write(text)
    def ship(s,kind="tar.gz",inner=True):
        a=f"{BC}/set/{s.name}.{kind}"
        if os.path.exists(a): os.remove(a)
        mt=dict(filter=lambda i:(setattr(i,"uid",1000),setattr(i,"gid",1000),setattr(i,"uname","ml"),setattr(i,"gname","ml"),i)[-1])
        if kind=="zip":
            with zipfile.ZipFile(a,"w",zipfile.ZIP_DEFLATED) as z:
                for r,_,fs in sorted(os.walk(s.d)):
                    for f in sorted(fs): z.write(os.path.join(r,f),os.path.relpath(os.path.join(r,f),s.d))
        else:
            mode={"tar.gz":"w:gz","tgz":"w:gz","tar.xz":"w:xz","tar.bz2":"w:bz2","tar":"w"}[kind]
            with tarfile.open(a,mode) as z:
                for f in sorted(os.listdir(s.d)): z.add(os.path.join(s.d,f),arcname=(s.name+"/" if inner else "")+f,**mt)
        s.arch=os.path.basename(a); return s
    def truth(s,cause,node,also,notes):
        n="null" if node is None else json.dumps(node,ensure_ascii=False)
        open(f"{BC}/set/{s.name}.truth.yaml","w").write(f"archive: {s.arch}\ncause: {cause}\nculprit_node: {n}\nalso_acceptable: {json.dumps(also)}\nnotes: {json.dumps(notes,ensure_ascii=False)}\n")
def addr(run, prefix, n, ips, port=2222, names=None):
    """sub rules from 127.0.0.1:port found in a run to host addresses"""
    raw=open(f"{BC}/runs/{run}.jsonl").read()
    return sorted(set(re.findall(r"127\.0\.0\.1:(\d{5})",raw)))
