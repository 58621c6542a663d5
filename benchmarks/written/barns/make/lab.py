import os,subprocess,threading,time,json,re,signal,datetime as dt
PY='/opt/tfenv/bin/python'
class P:
    def __init__(s,name,cmd,env=None,cwd=None,pre=None):
        e={'PATH':'/usr/bin:/bin','HOME':'/tmp','PYTHONUNBUFFERED':'1','CUDA_VISIBLE_DEVICES':''}; e.update(env or {})
        s.name=name; s.lines=[]; s.t0=time.time(); s.end=None
        s.p=subprocess.Popen(['nice','-n','10']+cmd,stdout=subprocess.PIPE,stderr=subprocess.PIPE,env=e,cwd=cwd,preexec_fn=pre,start_new_session=True)
        s.th=[threading.Thread(target=s._r,args=(f,k)) for f,k in((s.p.stdout,'out'),(s.p.stderr,'err'))]
        for t in s.th:t.start()
    def _r(s,f,k):
        for l in f: s.lines.append((time.time(),k,l.decode('utf8','replace').rstrip('\n')))
    def sig(s,n): os.killpg(s.p.pid,n)
    def has(s,x): return any(x in l for _,_,l in s.lines)
    def fin(s,timeout):
        try: s.p.wait(timeout)
        except subprocess.TimeoutExpired: return None
        if s.end is None: s.end=time.time()
        return s.p.returncode
def waitall(ps,timeout):
    t=time.time()
    while time.time()-t<timeout:
        for p in ps:
            if p.p.poll() is not None and p.end is None:p.end=time.time()
        if all(p.p.poll() is not None for p in ps):break
        time.sleep(.1)
def cleanup(ps):
    for p in ps:
        if p.p.poll() is None:
            try:p.sig(signal.SIGCONT);p.sig(signal.SIGKILL)
            except ProcessLookupError:pass
        p.p.wait()
        for t in p.th:t.join(3)
def save(fn,ps,**kw):
    json.dump(dict(kw,procs=[dict(name=p.name,pid=p.p.pid,rc=p.p.returncode,t0=p.t0,end=p.end,lines=p.lines) for p in ps]),open(fn,'w'))
    for p in ps: print(p.name,'rc',p.p.returncode,'lines',len(p.lines),'dur',round((p.end or time.time())-p.t0,1))
# ---- post
class Post:
    """shift = seconds added to all times; subs = list of (regex, repl); tz hours"""
    def __init__(s,shift,subs,tz=0): s.shift=shift;s.subs=[(re.compile(a),b) for a,b in subs];s.tz=dt.timezone(dt.timedelta(hours=tz))
    def dt(s,t,skew=0): return dt.datetime.fromtimestamp(t+s.shift+skew,s.tz)
    def line(s,l,skew=0,extra=()):
        # glog epoch
        l=re.sub(r'^([IWEF])0000 00:00:(\d{10})\.(\d{6})',lambda m:(lambda u:f'{m[1]}0000 00:00:{u//10**6}.{u%10**6:06d}')(int(m[2]+m[3])+round((s.shift+skew)*1e6)),l)
        def f(m):
            d=dt.datetime.strptime(m[1],'%Y-%m-%d %H:%M:%S').replace(tzinfo=dt.timezone.utc).timestamp()
            return s.dt(d,skew).strftime('%Y-%m-%d %H:%M:%S')
        l=re.sub(r'(2026-11-2[89] \d\d:\d\d:\d\d)',f,l)
        def g(m):
            d=dt.datetime.strptime(m[1],'%Y-%m-%dT%H:%M:%S').replace(tzinfo=dt.timezone.utc).timestamp()
            return s.dt(d,skew).strftime('%Y-%m-%dT%H:%M:%S')
        l=re.sub(r'(2026-11-2[89]T\d\d:\d\d:\d\d)',g,l)
        for a,b in list(extra)+s.subs: l=a.sub(b,l) if hasattr(a,'sub') else re.sub(a,b,l)
        return l
