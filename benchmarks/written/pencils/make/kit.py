import os,re,sys,json,time,subprocess,signal,shutil,random,datetime as dt,tarfile,io
B='/opt/incidents/build'; S='/opt/incidents/set'
def hosts(team,names,base=11):
    os.makedirs(f'{B}/{team}',exist_ok=True)
    p=f'{B}/{team}/hosts'
    open(p,'w').write('127.0.0.1 localhost\n'+''.join(f'127.0.0.{base+i} {n}\n' for i,n in enumerate(names)))
    return p
def run(team,procs,timeout=50,venv='/opt/venv',events=()):
    """procs: list of (name, host, cmd list, env dict, pre). events: list of (t, fn(pdict)). Returns dict name->(path,rc)"""
    hf=f'{B}/{team}/hosts'; root=f'{B}/{team}/root'; os.makedirs(root,exist_ok=True)
    raw=f'{B}/{team}/raw'; os.makedirs(raw,exist_ok=True)
    P={}; t0=time.time()
    for x in procs:
        name,host,cmd,env=x[:4]; pre=x[4] if len(x)>4 else ''
        e={'PATH':'/usr/bin:/bin','HOME':'/root','LANG':'C.UTF-8','PYTHONUNBUFFERED':'1','BOXPRE':pre,'CUDA_VISIBLE_DEVICES':'',
           'TF_NUM_INTEROP_THREADS':'2','TF_NUM_INTRAOP_THREADS':'1','OMP_NUM_THREADS':'1','PYTHONDONTWRITEBYTECODE':'1'}
        e.update(env)
        if e.get('CUDA_VISIBLE_DEVICES')=='-': e.pop('CUDA_VISIBLE_DEVICES')
        f=open(f'{raw}/{name}','wb')
        P[name]=subprocess.Popen((['ip','netns','exec',env['NETNS']] if 'NETNS' in env else [])+['nice','-n','5','/opt/incidents/make/box.sh',host,hf,venv,root,'--']+cmd,stdout=f,stderr=subprocess.STDOUT,env=e,start_new_session=True)
        P[name].t0=time.time()
    ev=sorted(events,key=lambda a:a[0])
    while time.time()-t0<timeout and any(p.poll() is None for p in P.values()):
        while ev and time.time()-t0>=ev[0][0]:
            ev.pop(0)[1](P)
        for n,p in P.items():
            if p.poll() is not None and not hasattr(p,'t1'): p.t1=time.time()
        time.sleep(.1)
    res={}
    for n,p in P.items():
        left=p.poll() is None
        if left:
            try: os.killpg(p.pid,signal.SIGKILL)
            except ProcessLookupError: pass
            p.wait()
        res[n]=dict(path=f'{raw}/{n}',rc='left' if left else p.returncode,t1=getattr(p,'t1',time.time()),pid=p.pid)
    return res
def cpid(p):
    "pid of python under box"
    return p.pid
R1=re.compile(r'@@(\d{10}\.\d+)@@')
R2=re.compile(r'(?<![\d.])(1[78]\d{8}\.\d{3,9})(?!\d)')
R3=re.compile(r'^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6})(?=: [A-Z])')
R5=re.compile(r'^([IWEF])(11\d\d) (\d\d:\d\d:\d\d\.\d{6})')
R4=re.compile(r'(\d{10}\.\d{6})')
class Map:
    """real epoch -> target epoch ; between a and b stretched by k"""
    def __init__(s,t0,target,a,b,k,skew=0):
        s.t0,s.T,s.a,s.b,s.k,s.skew=t0,target,a,b,k,skew
    def __call__(s,t):
        x=t-s.t0
        if t>s.a: x+=(min(t,s.b)-s.a)*(s.k-1) if t>s.a else 0
        return s.T+x+s.skew
def fmt(t,style):
    d=dt.datetime.fromtimestamp(t,dt.timezone.utc).replace(tzinfo=None)
    if callable(style): return style(d)
    return d.strftime(style.replace('%3',f'{d.microsecond//1000:03d}'))
def post(text,m,style='%Y-%m-%d %H:%M:%S,%3',subs=(),tzh=0,addts=None):
    """style for @@ markers in local time (tzh hours)."""
    out=[]
    for L in text.split('\n'):
        L=R1.sub(lambda x:fmt(m(float(x[1]))+tzh*3600,style),L)
        L=R3.sub(lambda x:fmt(m(dt.datetime.strptime(x[1],'%Y-%m-%d %H:%M:%S.%f').replace(tzinfo=dt.timezone.utc).timestamp())+tzh*3600,'%Y-%m-%d %H:%M:%S.%f'),L)
        L=R5.sub(lambda x:x[1]+fmt(m(dt.datetime.strptime('2026'+x[2]+x[3],'%Y%m%d%H:%M:%S.%f').replace(tzinfo=dt.timezone.utc).timestamp())+tzh*3600,'%m%d %H:%M:%S.%f'),L)
        L=R2.sub(lambda x:'%.*f'%(len(x[1].split('.')[1]),m(float(x[1]))),L)
        for a,b in subs:
            L=re.sub(a,b,L)
        out.append(L)
    return '\n'.join(out)
def rd(p): return open(p,'rb').read().decode('utf-8','replace')
def stepspan(text,pat):
    ts=[float(x) for L in text.split('\n') if re.search(pat,L) for x in R1.findall(L)]
    return (min(ts),max(ts)) if ts else (0,0)
def firstts(text):
    for L in text.split('\n'):
        for r in (R1,R2):
            x=r.search(L)
            if x: return float(x[1])
def ep(s): return dt.datetime.strptime(s,'%Y-%m-%d %H:%M:%S').replace(tzinfo=dt.timezone.utc).timestamp()
PY=[(r'/root/\.pyenv/versions/3\.11\.7/lib/python3\.11',r'/usr/lib/python3.11'),(r'/root/\.pyenv/versions/3\.11\.7/bin',r'/usr/bin')]
def w(path,text,mt=None):
    os.makedirs(os.path.dirname(path),exist_ok=True)
    open(path,'w').write(text)
    if mt:
        os.utime(path,(mt,mt)); p=os.path.dirname(path)
        while p.count('/')>5: os.utime(p,(mt,mt)); p=os.path.dirname(p)
def truth(name,ext,cause,node,also,notes):
    node='null' if node is None else json.dumps(node,ensure_ascii=False)
    open(f'{S}/{name}.truth.yaml','w').write(f'archive: {name}{ext}\ncause: {cause}\nculprit_node: {node}\nalso_acceptable: {json.dumps(also)}\nnotes: {json.dumps(notes,ensure_ascii=False)}\n')
def tar(name,d,ext='.tar.gz',top=True,owner=('dev',1000),mt=None):
    mode={'.tar.gz':'w:gz','.tgz':'w:gz','.tar.xz':'w:xz','.tar.bz2':'w:bz2','.tar':'w'}[ext]
    def fl(ti):
        ti.uname=ti.gname=owner[0]; ti.uid=ti.gid=owner[1]
        if ti.isdir() and mt: ti.mtime=mt
        return ti
    with tarfile.open(f'{S}/{name}{ext}',mode) as t:
        if top: t.add(d,arcname=os.path.basename(d),filter=fl)
        else:
            for f in sorted(os.listdir(d)): t.add(f'{d}/{f}',arcname=f,filter=fl)
def lines(text,default=None):
    "list of [real epoch, line]; lines without a stamp take the last one"
    cur=default or firsttsx(text); out=[]
    for L in text.rstrip('\n').split('\n'):
        x=R1.search(L) or (R2.search(L) if re.match(r'[IWEF]0000',L) else None)
        if x: cur=float(x[1])
        else:
            y=R3.search(L)
            if y: cur=dt.datetime.strptime(y[1],'%Y-%m-%d %H:%M:%S.%f').replace(tzinfo=dt.timezone.utc).timestamp()
        out.append([cur,L])
    return out
def firsttsx(text): return firstts(text) or 0
def jshort(t,host,ident,msg,tzh=0,iso=False,tz='+0100'):
    d=dt.datetime.fromtimestamp(t+tzh*3600,dt.timezone.utc)
    s=d.strftime('%Y-%m-%dT%H:%M:%S')+tz if iso else d.strftime('%b %d %H:%M:%S')
    return f'{s} {host} {ident}: {msg}'
def dmesgT(t,msg,tzh=0):
    d=dt.datetime.fromtimestamp(t+tzh*3600,dt.timezone.utc); return f"[{d.strftime('%a %b')} {d.day:2d} {d.strftime('%H:%M:%S %Y')}] {msg}"

def sysnoise(t0,t1,ip,iface='enp3s0',gw='192.168.40.1',seed=1,extra=()):
    r=random.Random(seed); ev=[]
    t=t0-t0%3600+17*60+1
    while t<t1:
        p=r.randint(3000,60000)
        if t>t0: ev+=[(t,f'CRON[{p}]','pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)'),(t,f'CRON[{p+1}]','(root) CMD (cd / && run-parts --report /etc/cron.hourly)'),(t,f'CRON[{p}]','pam_unix(cron:session): session closed for user root')]
        t+=3600
    t=t0+r.uniform(0,1500)
    while t<t1:
        ev+=[(t,'dhclient[655]',f'DHCPREQUEST for {ip} on {iface} to {gw} port 67'),(t,'dhclient[655]',f'DHCPACK of {ip} from {gw}'),(t,'dhclient[655]',f'bound to {ip} -- renewal in {r.randint(1300,1790)} seconds.')]
        t+=r.uniform(1300,1790)
    t=t0+r.uniform(0,1800); c=66
    while t<t1:
        n=c+r.choice([-1,0,1]); 
        if n!=c: ev.append((t,'smartd[690]',f'Device: /dev/sda [SAT], SMART Usage Attribute: 190 Airflow_Temperature_Cel changed from {c} to {n}'))
        c=n; t+=1800
    t=t0+r.uniform(0,9000)
    while t<t1:
        ev.append((t,'chronyd[702]',f'Selected source {gw}')); t+=r.expovariate(1/20000)
    t=(t0//86400)*86400+5.4*3600+r.uniform(0,2400)
    while t<t1:
        if t>t0: ev+=[(t,'systemd[1]','Starting Daily apt download activities...'),(t+4,'systemd[1]','apt-daily.service: Deactivated successfully.'),(t+4,'systemd[1]','Finished Daily apt download activities.'),(t+1800,'systemd[1]','Starting Cleanup of Temporary Directories...'),(t+1800,'systemd[1]','systemd-tmpfiles-clean.service: Deactivated successfully.'),(t+1800,'systemd[1]','Finished Cleanup of Temporary Directories.')]
        t+=86400
    return ev+list(extra)
