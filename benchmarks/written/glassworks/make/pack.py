import re,os,time,random,datetime,json,subprocess,shutil
A='/opt/incidents'; UTC=datetime.timezone.utc
def epoch(s): return datetime.datetime.strptime(s,'%Y-%m-%d %H:%M:%S').replace(tzinfo=UTC).timestamp()
class Set:
    """one incident: shift of the clock, time zone, path replacements"""
    def __init__(s,name,run,newstart,tz=0,rep=(),skew=0,seed=0):
        s.name=name; s.run=run; s.tz=tz*3600; s.rep=list(rep); s.R=random.Random(name+str(seed))
        rc=open(f'{A}/runs/{run}/rc').read(); s.rc=[(float(l.split()[0]),l.split(None,2)[2]) for l in rc.splitlines()]
        s.t0=s.rc[0][0]; s.d=round(epoch(newstart)-s.tz-s.t0,3)+s.R.random(); s.dir=f'{A}/runs/_out/{name}'
        shutil.rmtree(s.dir,ignore_errors=True); os.makedirs(s.dir)
    def T(s,t): return t+s.d            # real epoch of the shown world
    def loc(s,t,f='%Y-%m-%d %H:%M:%S'): return datetime.datetime.fromtimestamp(t+s.d+s.tz,UTC).strftime(f)
    def at(s,what):                      # real time of an rc note
        for t,m in s.rc:
            if what in m: return t
        raise KeyError(what)
    def shift(s,text,skew=0):
        d=s.d+skew
        def ep(m):
            v=float(m.group(0))+d; n=len(m.group(0).split('.')[1]) if '.' in m.group(0) else 0
            return f'{v:.{n}f}'
        text=re.sub(r'\b17958\d{5}(?:\.\d+)?\b',ep,text)
        def dt(m):
            v=epoch(m.group(1)+' '+m.group(3))+d+s.tz; ms=m.group(4) or ''
            if ms:
                sep,fr=ms[0],ms[1:]; v+=float('0.'+fr); x=datetime.datetime.fromtimestamp(v,UTC); return x.strftime('%Y-%m-%d')+m.group(2)+x.strftime('%H:%M:%S')+sep+('%06d'%x.microsecond)[:len(fr)]
            return datetime.datetime.fromtimestamp(v,UTC).strftime(f'%Y-%m-%d{m.group(2)}%H:%M:%S')
        text=re.sub(r'(2026-11-27)([ T])(\d\d:\d\d:\d\d)([.,]\d+)?',dt,text)
        text=re.sub(r'\b261127 (\d\d:\d\d:\d\d)',lambda m:datetime.datetime.fromtimestamp(epoch('2026-11-27 '+m.group(1))+d+s.tz,UTC).strftime('%y%m%d %H:%M:%S'),text)
        def ab(m):
            v=epoch('2026-11-27 '+m.group(2))+float('0'+m.group(3))+d+s.tz; x=datetime.datetime.fromtimestamp(v,UTC); return m.group(1)+x.strftime('%m%d %H:%M:%S.%f')
        text=re.sub(r'\b([IWEF])1127 (\d\d:\d\d:\d\d)(\.\d+)',ab,text)
        for a,b in s.rep+[('/root/.pyenv/versions/3.11.7/lib/python3.11','/usr/lib/python3.11'),('/root/.pyenv/versions/3.11.7','/usr')]: text=text.replace(a,b)
        return text
    def raw(s,f): return open(f'{A}/runs/{s.run}/logs/{f}',errors='replace').read()
    def log(s,f,skew=0): return s.shift(s.raw(f),skew)
    def timed(s,f,skew=0):
        """(shown local epoch, line) for each line"""
        t=s.t0+s.R.random(); out=[]
        for l in s.raw(f).splitlines():
            m=re.search(r'2026-11-27[ T](\d\d:\d\d:\d\d)(?:[.,](\d+))?',l) or re.search(r'\b261127 (\d\d:\d\d:\d\d)()',l) or re.search(r'\b[IWEF]1127 (\d\d:\d\d:\d\d)\.(\d+)',l) or re.search(r'\[2026-11-27 (\d\d:\d\d:\d\d)()',l); e=re.search(r'\b(17958\d{5}\.\d+)',l)
            if e: n=float(e.group(1))
            elif m: n=epoch('2026-11-27 '+m.group(1))+(float('0.'+m.group(2)) if m.group(2) else 0)
            else: n=t+s.R.uniform(1e-5,2e-4)
            t=max(t,n); out.append((t+s.d+s.tz+skew,s.shift(l,skew)))
        return out
    def write(s,f,text):
        p=os.path.join(s.dir,f); os.makedirs(os.path.dirname(p),exist_ok=True); open(p,'w').write(text if text.endswith('\n') else text+'\n')
    def pack(s,cmd,truth):
        # cmd: shell with {o}=output base
        out=f'{A}/set/'; subprocess.run(cmd.format(o=out+s.name),shell=True,check=True,cwd=s.dir)
        fn=[f for f in os.listdir(out) if f.startswith(s.name+'.') and not f.endswith('truth.yaml')]
        assert len(fn)==1,fn
        y=f"archive: {fn[0]}\ncause: {truth['cause']}\nculprit_node: {json.dumps(truth['node']) if truth['node'] else 'null'}\nalso_acceptable: {json.dumps(truth.get('also',[]))}\nnotes: {json.dumps(truth['notes'])}\n"
        open(out+s.name+'.truth.yaml','w').write(y); print(fn[0],os.path.getsize(out+fn[0]),subprocess.run(f'find {s.dir} -type f | wc -l; cat $(find {s.dir} -type f) | wc -l',shell=True,capture_output=True,text=True).stdout.split())
def iso(t,tz='+0100'): return datetime.datetime.fromtimestamp(t,UTC).strftime('%Y-%m-%dT%H:%M:%S')+tz
def short(t): return datetime.datetime.fromtimestamp(t,UTC).strftime('%b %d %H:%M:%S')
def dmt(t): return datetime.datetime.fromtimestamp(t,UTC).strftime('[%a %b %e %H:%M:%S %Y]')
