import json,re,os,random,shutil,subprocess,tarfile,zipfile,io,datetime as D
B='/opt/incidents'
def load(i): return json.load(open(f'{B}/run/{i}/rec.json'))
class Clk:
    def __init__(s,t0,base,tz=0,warp=()):
        s.tz=D.timezone(D.timedelta(hours=tz)); s.t0=t0
        b=D.datetime.fromisoformat(base).replace(tzinfo=s.tz).timestamp(); s.b=b
        s.kn=[(0,0)]+list(warp)
    def m(s,t):
        x=t-s.t0; kn=s.kn
        if x<=0: return s.b+x
        for (a,p),(c,q) in zip(kn,kn[1:]):
            if x<=c: return s.b+p+(x-a)*(q-p)/(c-a)
        a,p=kn[-1]; return s.b+p+(x-a)
    def dt(s,t,skew=0): return D.datetime.fromtimestamp(s.m(t)+skew,s.tz)
    def f(s,t,fmt,skew=0): return s.dt(t,skew).strftime(fmt)
    def fix(s,x,skew=0):
        x=re.sub(r'\b([IWEF]0000 00:00:)(\d{10}\.\d{6})',lambda q:q[1]+'%.6f'%(s.m(float(q[2]))+skew),x)
        def g(q):
            t=D.datetime.strptime('2026'+q[2]+q[3],'%Y%m%d %H:%M:%S.%f').replace(tzinfo=D.timezone.utc).timestamp()
            return q[1]+s.f(t,'%m%d %H:%M:%S.%f',skew)
        x=re.sub(r'\b([IWEF])(\d{4})( \d\d:\d\d:\d\d\.\d{6})',g,x)
        def h(q):
            fr=(q[3]+'000000000')[:6]
            t=D.datetime.strptime(q[1]+fr,'%Y-%m-%d %H:%M:%S').timestamp() if 0 else D.datetime.strptime(q[1][:10]+' '+q[1][11:]+'.'+fr,'%Y-%m-%d %H:%M:%S.%f').replace(tzinfo=D.timezone.utc).timestamp()
            o=s.dt(t,skew)
            if q[4]: o=o.astimezone(D.timezone.utc)
            return o.strftime('%Y-%m-%d')+q[1][10]+o.strftime('%H:%M:%S')+q[2]+('%06d'%o.microsecond)[:min(len(q[3]),6)]+('000' if len(q[3])>6 else '')+(q[4] or '')
        x=re.sub(r'(2026-11-28[T ]\d\d:\d\d:\d\d)([.,])(\d+)(\+00:00|Z)?',h,x)
        return x
def fresh(i):
    d=f'{B}/run/{i}/out'; shutil.rmtree(d,ignore_errors=True); os.makedirs(d); return d
def w(d,name,text,enc='utf-8'):
    p=os.path.join(d,name); os.makedirs(os.path.dirname(p),exist_ok=True)
    with open(p,'wb') as f: f.write(text if isinstance(text,bytes) else text.encode(enc,'replace'))
def pack(d,arc,top):
    out=f'{B}/set/{arc}'
    if arc.endswith('.zip'):
        with zipfile.ZipFile(out,'w',zipfile.ZIP_DEFLATED) as z:
            for r,_,fs in os.walk(d):
                for f in sorted(fs): p=os.path.join(r,f); z.write(p,os.path.join(top,os.path.relpath(p,d)))
    else:
        mode={'gz':'w:gz','tgz':'w:gz','xz':'w:xz','bz2':'w:bz2','tar':'w'}[arc.split('.')[-1]]
        with tarfile.open(out,mode) as t:
            t.add(d,arcname=top,filter=lambda i:(setattr(i,'uname','ops'),setattr(i,'gname','ops'),setattr(i,'uid',1001),setattr(i,'gid',1001),i)[-1])
def truth(name,arc,cause,culprit,also,notes):
    with open(f'{B}/set/{name}.truth.yaml','w') as f:
        f.write(f'archive: {arc}\ncause: {cause}\nculprit_node: {json.dumps(culprit)}\nalso_acceptable: {json.dumps(also)}\nnotes: {json.dumps(notes,ensure_ascii=False)}\n')
