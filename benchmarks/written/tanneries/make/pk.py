import re, os, datetime as dt, zoneinfo, random, subprocess, shutil
RAW="/opt/incidents/raw"; SET="/opt/incidents/set"; ST="/opt/incidents/stage"
class Warp:
    """t<=tb: start+(t-t0)*k ; after: continues 1:1.  start is the wanted local datetime string of t0"""
    def __init__(s, tz, t0, start, k=1., tb=None):
        s.tz=zoneinfo.ZoneInfo(tz); s.t0=t0; s.k=k; s.tb=tb if tb else 1e18
        s.s=dt.datetime.fromisoformat(start).replace(tzinfo=s.tz).timestamp()
    def ep(s,t):
        return s.s+(min(t,s.tb)-s.t0)*s.k+max(0,t-s.tb)
    def loc(s,t): return dt.datetime.fromtimestamp(t,s.tz)
    def at(s,off): return s.loc(s.s+off)
    def __call__(s,x):
        def e(m):
            d=m.group(2) or ""; t=s.ep(float(m.group(1)+(d or "")))
            return ("%.*f"%(len(d)-1,t)) if d else "%d"%t
        x=re.sub(r"\b(1795\d{6})(\.\d+)?\b",e,x)
        def l(fmt,f,frac):
            def g(m):
                base=dt.datetime.strptime(m.group(1),fmt)
                if base.year==1900: base=base.replace(year=2026)
                if fmt=="%H:%M:%S": base=base.replace(month=11,day=27)
                fr=m.group(2) if frac else None
                if fr: base+=dt.timedelta(seconds=float("."+fr))
                o=s.loc(s.ep(base.replace(tzinfo=f or s.tz).timestamp()))
                if f: o=o.astimezone(f)
                r=o.strftime(fmt)
                if fr: r+=m.group(0)[len(m.group(1))]+("%06d"%o.microsecond)[:len(fr)]
                return r
            return g
        U=dt.timezone.utc
        x=re.sub(r"(2026-11-27T\d\d:\d\d:\d\d)\.(\d+)(?=Z)",l("%Y-%m-%dT%H:%M:%S",U,1),x)
        def tz_(m):
            d=dt.datetime.fromisoformat(m.group(1)+m.group(3))
            return s.loc(s.ep(d.timestamp()+float("."+m.group(2)))).astimezone(d.tzinfo).strftime("%Y-%m-%dT%H:%M:%S")+"."+m.group(2)+m.group(3)
        x=re.sub(r"(2026-11-2\dT\d\d:\d\d:\d\d)\.(\d+)([+-]\d\d:\d\d)",tz_,x)
        x=re.sub(r"(2026-11-2\d \d\d:\d\d:\d\d)[,.](\d+)",l("%Y-%m-%d %H:%M:%S",None,1),x)
        x=re.sub(r"(?m)(?<=^[IWEF])(112[78] \d\d:\d\d:\d\d)\.(\d+)",l("%m%d %H:%M:%S",None,1),x)
        for rx,fmt in ((r"(2[78]/11 \d\d:\d\d:\d\d)","%d/%m %H:%M:%S"),(r"(?m)^(\d\d:\d\d:\d\d)(?= bunna)","%H:%M:%S")):
            from collections import Counter
            tot=Counter(re.findall(rx,x)); seen=Counter()
            def h(m,fmt=fmt,tot=tot,seen=seen):
                v=m.group(1); base=dt.datetime.strptime("2026 "+v,"%Y "+fmt)
                if fmt=="%H:%M:%S": base=base.replace(month=11,day=27)
                fr=(seen[v]+.5)/tot[v]; seen[v]+=1
                return s.loc(s.ep(base.replace(tzinfo=s.tz).timestamp()+fr)).strftime(fmt)
            x=re.sub(rx,h,x)
        return x
def rd(p): return open(os.path.join(RAW,p),errors="replace").read()
def subs(x,*prs):
    for a,b in prs: x=x.replace(a,b)
    return x
def first(x): return float(re.search(r"\b(1795\d{6}\.\d+)",x).group(1))
def wr(name,rel,txt):
    p=os.path.join(ST,name,rel); os.makedirs(os.path.dirname(p),exist_ok=True)
    open(p,"w" if isinstance(txt,str) else "wb").write(txt); return p
def fin(name,ext,cause,node,also,notes,cmd=None):
    d=os.path.join(ST,name); f=name+ext; o=os.path.join(SET,f)
    if os.path.exists(o): os.remove(o)
    if cmd: subprocess.check_call(cmd.replace("OUT",o),shell=True,cwd=d)
    elif ext==".zip": subprocess.check_call("zip -qr %s ."%o,shell=True,cwd=d)
    else: subprocess.check_call("tar c%sf %s *"%({".tar.gz":"z",".tgz":"z",".tar.xz":"J",".tar.bz2":"j",".tar":""}[ext],o),shell=True,cwd=d)
    n="null" if node is None else "["+", ".join('"%s"'%x for x in node)+"]"
    open(os.path.join(SET,name+".truth.yaml"),"w").write("archive: %s\ncause: %s\nculprit_node: %s\nalso_acceptable: [%s]\nnotes: \"%s\"\n"%(f,cause,n,", ".join(also),notes.replace('"',"'")))
    print(name,os.path.getsize(o))
def fresh(name): shutil.rmtree(os.path.join(ST,name),ignore_errors=True)
