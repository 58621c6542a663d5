import json, re, os, datetime as D, random, tarfile, zipfile, io, gzip, yaml
from zoneinfo import ZoneInfo
BASE='/srv/runs'; SET=BASE+'/set'
GL=re.compile(r'([IWEF])0000 00:00:(\d{10}\.\d{6})( +)(\d+) ')
class R:
    def __init__(s,name,when,tz,app=None,venv='/opt/venv',fmts=(),off=None,pido=None,subst=()):
        """when: local wall time (str) that the run's t0 is shown at; off: {host:clock offset s}"""
        d=json.load(open(f'{BASE}/runs/{name}.json')); s.d=d
        s.tz=ZoneInfo(tz); w=D.datetime.fromisoformat(when).replace(tzinfo=s.tz)
        # the sub-second part stays, so shift by whole seconds
        s.delta=int(w.timestamp()-d['t0']); s.off=off or {}; s.pido=pido or {}; s.fmts=fmts
        s.subst=[(f'{BASE}/make/{name}',app or '/srv/app'),('/opt/tf',venv),('/root/.pyenv/versions/3.11.7','/usr/local')]+list(subst)
        s.rec=[tuple(r) for r in d['rec']]; s.rec.sort(key=lambda r:r[0])
    def host(s,k): return k.split('#')[0]
    def t(s,t,k=None): return t+s.delta+s.off.get(s.host(k) if k else None,0)
    def dt(s,t,k=None,tz=None): return D.datetime.fromtimestamp(s.t(t,k),tz or s.tz)
    def pid(s,k): return s.d['pid'][k]+s.pido.get(s.host(k),0)
    def fix(s,k,l):
        dl=s.delta+s.off.get(s.host(k),0); po=s.pido.get(s.host(k),0)
        l=GL.sub(lambda m:'%s0000 00:00:%d.%s%s%d '%(m[1],int(m[2][:10])+dl,m[2][11:],m[3],int(m[4])+po),l)
        def sg(m):
            x=D.datetime.fromisoformat(m[2]+m[4]); y=D.datetime.fromtimestamp(x.timestamp()+dl,s.tz)
            z=y.strftime('%z'); return m[1]+y.strftime('%Y-%m-%dT%H:%M:%S')+m[3]+z[:3]+':'+z[3:]
        l=re.sub(r'(SIGTERM caught at )(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)([+-]\d\d:\d\d)',sg,l)
        for rx,fm in s.fmts:
            def f(m):
                try: x=D.datetime.strptime(m[0],fm)
                except ValueError: return m[0]
                if x.year==1900: x=x.replace(year=2026,month=x.month if '%m' in fm else 11,day=x.day if '%d' in fm else 29)
                # the run's zone may differ from UTC offset at the shown date: read as zone's own time then
                u=x.replace(tzinfo=s.tz).timestamp()+dl
                return D.datetime.fromtimestamp(u,s.tz).strftime(fm)
            l=re.sub(rx,f,l,count=1)
        for a,b in s.subst: l=l.replace(a,b)
        return l
    def lines(s,key=None,st=None):
        for t,k,o,l in s.rec:
            if (key is None or k==key or (isinstance(key,(list,tuple)) and k in key)) and (st is None or o==st): yield t,k,o,s.fix(k,l)
    def rc(s,k): return s.d['ex'].get(k,(None,None))
def pack(fn,members,mtime,truth):
    """members: [(path,text or bytes)]"""
    os.makedirs(SET,exist_ok=True); p=f'{SET}/{fn}'; mt=int(mtime)
    B=[(n,x if isinstance(x,bytes) else x.encode()) for n,x in members]
    if fn.endswith('.zip'):
        with zipfile.ZipFile(p,'w',zipfile.ZIP_DEFLATED) as z:
            for i,(n,b) in enumerate(B):
                z.writestr(zipfile.ZipInfo(n,D.datetime.fromtimestamp(mt-60*len(B)+30*i).timetuple()[:6]),b,zipfile.ZIP_DEFLATED)
    elif '.tar' in fn or fn.endswith('.tgz'):
        raw=io.BytesIO()
        with tarfile.open(fileobj=raw,mode='w') as t:
            for i,(n,b) in enumerate(B):
                ti=tarfile.TarInfo(n); ti.size=len(b); ti.mtime=mt-20*i; ti.uname='ops'; t.addfile(ti,io.BytesIO(b))
        b=raw.getvalue()
        if fn.endswith('gz'): open(p,'wb').write(gzip.compress(b))
        elif fn.endswith('.zst'):
            import subprocess; open(p,'wb').write(subprocess.run(['zstd','-q','-c'],input=b,capture_output=True,check=True).stdout)
        elif fn.endswith('.xz'):
            import lzma; open(p,'wb').write(lzma.compress(b))
        else: open(p,'wb').write(b)
    elif fn.endswith('.gz'): open(p,'wb').write(gzip.compress(B[0][1]))
    else: open(p,'wb').write(B[0][1])
    base=re.sub(r'(\.tar)?\.(gz|tgz|zip|zst|xz|txt|tar)$','',fn); base=re.sub(r'\.log$','',base)
    tr=dict(archive=fn,**truth); tr.setdefault('also_acceptable',[])
    tr={k:tr[k] for k in('archive','cause','culprit_node','also_acceptable','notes')}
    open(f'{SET}/{base}.truth.yaml','w').write(yaml.safe_dump(tr,sort_keys=False,allow_unicode=True,width=100))
    print(fn,len(B),'members',sum(x[1].count(b'\n') for x in B),'lines')
