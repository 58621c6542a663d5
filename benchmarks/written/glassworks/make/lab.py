"""Small laboratory: every 'machine' is a net/uts/mount namespace on a bridge."""
import os,sys,subprocess,time,signal,random
A='/opt/incidents'
def enter(limit=100):
    if os.environ.get('LAB')!='1':
        os.environ['LAB']='1'
        r=subprocess.call(['timeout','-k','3',str(limit),'nice','-n','5','unshare','--fork','--pid','--kill-child','--mount-proc','-n','-m','-u','--propagation','private',sys.executable]+sys.argv)
        sys.exit(r)
def sh(c): return subprocess.run(c,shell=True,stdout=subprocess.PIPE,stderr=subprocess.STDOUT,text=True).stdout
class Lab:
    def __init__(s,name,hosts,binds=(),tmpfs=(),pid0=None,venv='/opt/venv',hostsfile=None,net=True):
        s.name=name; s.out=f'{A}/runs/{name}'; sh(f'rm -rf {s.out}; mkdir -p {s.out}/logs {s.out}/data')
        s.hosts={}; s.procs=[]; s.t0=time.time()
        s.pid0=pid0 or random.randint(3000,90000)
        sh('ip link set lo up; ip link add br0 type bridge; ip link set br0 up')
        roots=sorted({'/'+d.split('/')[1] for _,d in binds}|{'/'+d.split('/')[1] for d,_ in tmpfs}|{'/'+venv.split('/')[1]})
        for r in roots:
            assert r in('/opt','/srv','/home','/mnt','/media'),r
            sh(f'mount -t tmpfs tmpfs {r}')
        for src,dst in list(binds)+[('/opt/tfenv',venv)]:
            sh(f'mkdir -p {src} {dst}; mount --bind {src} {dst}')
        for d,size in tmpfs: sh(f'mkdir -p {d}; mount -t tmpfs -o size={size},mode=1777 tmpfs {d}')
        hf=f'{s.out}/hosts'
        open(hf,'w').write(hostsfile if hostsfile is not None else '127.0.0.1 localhost\n'+''.join(f'{ip} {h}\n' for h,ip in hosts.items()))
        sh(f'mount --bind {hf} /etc/hosts'); open(f'{s.out}/rc','w').close()
        rc=f'{s.out}/resolv'; open(rc,'w').write('nameserver 127.0.0.1\noptions timeout:1 attempts:1\n'); sh(f'mount --bind {rc} /etc/resolv.conf')
        for i,(h,ip) in enumerate(hosts.items()):
            p=subprocess.Popen(['unshare','-n','-u','-m','--propagation','private','bash','-c',f'hostname {h}; ip link set lo up; exec sleep 3600'])
            time.sleep(.15); s.hosts[h]=p.pid
            sh(f'ip link add v{i} type veth peer name w{i}; ip link set v{i} master br0 up; ip link set w{i} netns {p.pid}; nsenter -t {p.pid} -n ip link set w{i} name eth0; nsenter -t {p.pid} -n ip addr add {ip}/24 dev eth0; nsenter -t {p.pid} -n ip link set eth0 up')
        s.idx={h:i for i,h in enumerate(hosts)}
    def on(s,h,cmd): return sh(f'nsenter -t {s.hosts[h]} -n -u -m bash -c {cmd!r}')
    def run(s,h,cmd,log,env={},cwd='/',pre='',keepenv=False):
        try: open('/proc/sys/kernel/ns_last_pid','w').write(str(s.pid0+random.randint(0,900)))
        except OSError: pass
        e={'PATH':'/usr/local/bin:/usr/bin:/bin','HOME':'/tmp','LANG':'C.UTF-8','OMP_NUM_THREADS':'1','TF_NUM_INTRAOP_THREADS':'2','PYTHONUNBUFFERED':'1','PYTHONDONTWRITEBYTECODE':'1'}; e.update(env)
        f=open(f'{s.out}/logs/{log}','ab')
        p=subprocess.Popen(['nsenter','-t',str(s.hosts[h]),'-n','-u','-m','bash','-c',f'cd {cwd}; {pre} exec {cmd}'],stdout=f,stderr=subprocess.STDOUT,stdin=subprocess.DEVNULL,env=e,start_new_session=True)
        p.h=h; p.log=log; s.procs.append(p); s.note(f'start {h} {log} pid {p.pid}'); return p
    def note(s,m):
        open(f'{s.out}/rc','a').write(f'{time.time():.3f} {time.strftime("%H:%M:%S")} {m}\n')
    def wait_text(s,log,text,t=60):
        end=time.time()+t
        while time.time()<end:
            try:
                if text in open(f'{s.out}/logs/{log}',errors='replace').read(): s.note(f'saw {text!r} in {log}'); return True
            except OSError: pass
            time.sleep(.2)
        s.note(f'NOT seen {text!r} in {log}'); return False
    def wait(s,t):
        end=time.time()+t; live=list(s.procs)
        while live and time.time()<end:
            for p in live[:]:
                if p.poll() is not None: s.note(f'exit {p.h} {p.log} rc {p.returncode}'); live.remove(p)
            time.sleep(.1)
        return live
    def kill(s,p,sig=9):
        s.note(f'signal {sig} to {p.h} {p.log}'); os.kill(p.pid,sig)
    def end(s):
        for p in s.procs:
            if p.poll() is None: s.note(f'still alive at end: {p.h} {p.log}'); os.kill(p.pid,9)
        for pid in s.hosts.values(): os.kill(pid,9)
        sh(f'chmod -R a+rX {s.out}')
