import os,subprocess,threading,time,json,signal,re,datetime as D,shutil
B='/opt/incidents'
class P:
    pass
class Lab:
    n=0
    def __init__(s,inc,subnet,binds,nodes):
        s.inc=inc; s.dir=f'{B}/run/{inc}'; shutil.rmtree(s.dir,ignore_errors=True); os.makedirs(s.dir)
        s.binds=binds; s.nodes=nodes; s.ps=[]; s.extra={}; s.links=[]; s.cgs=[]
        sh=lambda c:subprocess.run(c,shell=True,check=False,stderr=subprocess.DEVNULL)
        s.sh=sh
        sh('ip link add bibr0 type bridge; ip link set bibr0 up')
        with open(s.dir+'/hosts','w') as f:
            f.write('127.0.0.1 localhost\n')
            for n,ip in nodes.items(): f.write(f'{ip} {n} {n.split(".")[0]}\n')
        for i,(n,ip) in enumerate(nodes.items()):
            ns=f'bi-{i}'
            sh(f'ip netns add {ns}; ip link add bi{i}a type veth peer name bi{i}b; ip link set bi{i}a master bibr0 up; ip link set bi{i}b netns {ns}; ip netns exec {ns} ip link set bi{i}b name eth0; ip netns exec {ns} ip addr add {ip}/24 dev eth0; ip netns exec {ns} ip link set eth0 up; ip netns exec {ns} ip link set lo up')
            os.makedirs(f'{s.dir}/nodes/{n}',exist_ok=True)
        s.ns={n:f'bi-{i}' for i,n in enumerate(nodes)}
    def cgroup(s,kind,name,**kv):
        p=f'/sys/fs/cgroup/{kind}/{name}'; os.makedirs(p,exist_ok=True); s.cgs.append(p)
        for k,v in kv.items(): open(f'{p}/{kind}.{k}','w').write(str(v))
        return p
    def start(s,id,node,cmd,env={},pre='',cg=(),cwd='/'):
        b=[]
        tops=sorted({'/'+d.strip('/').split('/')[0] for d in list(s.binds)+[x for x in re.findall(r'MKD (\S+)',pre)]})
        pre=pre or 'true'; pre=re.sub(r'MKD (\S+)',r'mkdir -p \1',pre)
        src=f'{s.dir}/nodes/{node}'
        for t in tops: b.append(f'mkdir -p {t}; mount -t tmpfs none {t}')
        for d,f in s.binds.items(): 
            f=f.replace('NODE',src); os.makedirs(f,exist_ok=True)
            b.append(f'mkdir -p {d}; mount --bind {f} {d}')
        pass
        # sources live below /tmp: fine, /tmp is not covered
        line=f'hostname {node}; mount --bind {s.dir}/hosts /etc/hosts; '+'; '.join(b)+f'; {pre}; cd {cwd}; exec '+cmd
        e={'PATH':'/usr/local/bin:/usr/bin:/bin:/usr/sbin','HOME':'/root','LANG':'C.UTF-8','PYTHONUNBUFFERED':'1'}; e.update(env)
        def pe():
            os.setsid()
            for c in cg: open(c+'/cgroup.procs','w').write(str(os.getpid()))
        p=P(); p.id=id; p.node=node; p.rc=None; p.t0=time.time(); p.t1=None; p.log=[]
        p.po=subprocess.Popen(['ip','netns','exec',s.ns[node],'nice','-n','5','unshare','-u','-m','sh','-c',line],env=e,stdout=subprocess.PIPE,stderr=subprocess.PIPE,preexec_fn=pe,text=True,errors='replace')
        p.pid=p.po.pid
        def rd(st,nm):
            for l in st: p.log.append([time.time(),nm,l.rstrip('\n')])
        p.th=[threading.Thread(target=rd,args=(st,nm),daemon=True) for st,nm in ((p.po.stdout,'out'),(p.po.stderr,'err'))]
        for t in p.th: t.start()
        def wt():
            p.rc=p.po.wait(); p.t1=time.time()
        p.w=threading.Thread(target=wt,daemon=True); p.w.start()
        s.ps.append(p); return p
    def sig(s,p,sg):
        try: os.killpg(p.pid,sg)
        except Exception as e: print('sig',p.id,e)
    def wait(s,ps,timeout):
        end=time.time()+timeout
        for p in ps: p.w.join(max(0,end-time.time()))
        return [p.rc for p in ps]
    def close(s):
        for p in s.ps:
            if p.rc is None: s.sig(p,signal.SIGKILL); p.killed=True
        for p in s.ps: p.w.join(5); [t.join(2) for t in p.th]
        json.dump(dict(extra=s.extra,procs=[dict(id=p.id,node=p.node,pid=p.pid,rc=p.rc,t0=p.t0,t1=p.t1,log=p.log,cleanup=getattr(p,'killed',False)) for p in s.ps]),open(s.dir+'/rec.json','w'))
        for n in s.ns.values(): s.sh(f'ip netns del {n}')
        s.sh('ip link del bibr0')
        for i in range(len(s.ns)): s.sh(f'ip link del bi{i}a')
        for c in s.cgs: s.sh(f'rmdir {c}')
        for p in s.ps: print(s.inc,p.id,p.node,'rc',p.rc,'lines',len(p.log),'%.1fs'%((p.t1 or 0)-p.t0),'cleanup' if getattr(p,'killed',0) else '')
def load(inc):
    r=json.load(open(f'{B}/run/{inc}/rec.json')); 
    return r
class Clock:
    "t' = base + (t-t0)*k ; tz hours; rewrites stamps inside TF's lines"
    def __init__(s,t0,base,k=1.0,tz=0):
        s.t0=t0; s.base=D.datetime.fromisoformat(base).replace(tzinfo=D.timezone(D.timedelta(hours=tz))).timestamp(); s.k=k; s.tz=D.timezone(D.timedelta(hours=tz))
    def m(s,t): return s.base+(t-s.t0)*s.k
    def dt(s,t,skew=0): return D.datetime.fromtimestamp(s.m(t)+skew,s.tz)
    def fix(s,x,skew=0):
        x=re.sub(r'\b([IWEF]0000 00:00:)(\d{10}\.\d{6})',lambda q:q[1]+'%.6f'%(s.m(float(q[2]))+skew),x)
        return x
