# starts ranks, stamps each line, saves jsonl; finish(): shift/rename
import subprocess,threading,time,json,os,re,signal,sys
PY='/opt/tfenv/bin/python'
class Rig:
    def __init__(s,case):
        s.d='/opt/incidents/runs/'+case; os.makedirs(s.d,exist_ok=True); s.rec=[]; s.p={}; s.ex={}; s.st={}; s.l=threading.Lock(); s.th=[]
    def rd(s,n,f,k):
        for b in iter(f.readline,b''):
            with s.l: s.rec.append([time.time(),n,k,b.decode('utf8','replace').rstrip('\n')])
    def start(s,n,cmd,env,merge=False):
        e=dict(os.environ,TF_NUM_INTRAOP_THREADS='1',TF_NUM_INTEROP_THREADS='2',OMP_NUM_THREADS='1',OPENBLAS_NUM_THREADS='1',PYTHONUNBUFFERED='1',CUDA_VISIBLE_DEVICES='',PYTHONDONTWRITEBYTECODE='1'); e.update(env)
        p=subprocess.Popen(cmd,env=e,stdout=subprocess.PIPE,stderr=subprocess.STDOUT if merge else subprocess.PIPE,stdin=subprocess.DEVNULL,cwd=s.d)
        s.p[n]=p; s.st[n]=time.time()
        for f,k in ((p.stdout,'o'),(p.stderr,'e')):
            if f:
                t=threading.Thread(target=s.rd,args=(n,f,k),daemon=True); t.start(); s.th.append(t)
        def w():
            rc=p.wait(); s.ex[n]=(time.time(),rc)
        threading.Thread(target=w,daemon=True).start()
    def wait(s,limit,stop=None):
        t=time.time()
        while time.time()-t<limit and len(s.ex)<len(s.p):
            if stop and stop(s): break
            time.sleep(.1)
    def killall(s,sig=signal.SIGTERM,grace=5):
        for n,p in s.p.items():
            if n not in s.ex: p.send_signal(sig)
        t=time.time()
        while time.time()-t<grace and len(s.ex)<len(s.p): time.sleep(.1)
        for n,p in s.p.items():
            if n not in s.ex: p.kill()
        s.wait(3)
    def save(s,**x):
        time.sleep(.4); s.rec.sort(key=lambda r:r[0])
        json.dump(dict(rec=s.rec,ex=s.ex,st=s.st,pid={n:p.pid for n,p in s.p.items()},**x),open(s.d+'/run.json','w'))
        print(s.d,len(s.rec),{n:v[1] for n,v in s.ex.items()})
def load(case): return json.load(open('/opt/incidents/runs/%s/run.json'%case))
class Fix:
    "delta seconds, per-node clock offset, pid offset, list of (old,new)"
    def __init__(s,delta,off,pidoff,subs): s.delta,s.off,s.po,s.subs=delta,off,pidoff,subs
    def t(s,t,n): return t+s.delta+s.off.get(n,0)
    def line(s,n,x):
        d=s.delta+s.off.get(n,0); po=s.po.get(n,0)
        x=re.sub(r'(?<![\d])(0000 00:00:)(\d{10}\.\d{6})(\s+)(\d+)',lambda m:m[1]+'%.6f'%(float(m[2])+d)+m[3]+str(int(m[4])+po),x)
        import datetime as D
        def iso(m):
            y=D.datetime.strptime(m[0],'%Y-%m-%d %H:%M:%S.%f')+D.timedelta(seconds=d)
            return y.strftime('%Y-%m-%d %H:%M:%S.%f')
        x=re.sub(r'20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}',iso,x)
        x=re.sub(r'@EP(\d+\.\d+)@',lambda m:s.fmt(float(m[1])+d),x)
        x=re.sub(r'("created":"@|created_time:")(\d+\.\d+)',lambda m:m[1]+'%.6f'%(float(m[2])+d),x)
        for a,b in s.subs: x=x.replace(a,b)
        return x
    def fmt(s,t): import datetime as D; return D.datetime.utcfromtimestamp(t).strftime('%H:%M:%S.%f')[:-3]
