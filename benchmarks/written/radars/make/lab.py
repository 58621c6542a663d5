# A small lab: every "machine" has own net, uts, pid namespaces; run me under unshare -n -m (reexec does it)
import os, sys, subprocess, time, re, json, threading, signal
from datetime import datetime, timedelta
BN='/opt/incidents'
def reexec():
    if os.environ.get('INLAB')!='1':
        os.environ['INLAB']='1'
        os.execvp('unshare',['unshare','-n','-m','--propagation','private',sys.executable,os.path.abspath(sys.argv[0])]+sys.argv[1:])
def sh(c): subprocess.run(c,shell=True,check=True)
class Lab:
    def __init__(s,name,hosts,env,domain='',pids=None,net=24,mounts=()):
        s.name=name; s.dir=f'{BN}/run/{name}'; sh(f'rm -rf {s.dir}; mkdir -p {s.dir}/raw'); s.h={}; s.env=env; s.procs=[]
        for m in ('/opt','/srv','/mnt','/home'): sh(f'mkdir -p {m}; mount -t tmpfs none {m}')
        sh(f'mkdir -p {env} && mount --bind /opt/tfenv {env}')
        for m in mounts: sh(f'mkdir -p {m}')
        sh('ip link set lo up; ip link add br0 type bridge; ip link set br0 up')
        with open(s.dir+'/hosts','w') as f:
            f.write('127.0.0.1 localhost\n')
            for h,ip in hosts.items(): f.write(f'{ip} {h}{domain} {h}\n')
        sh(f'mount --bind {s.dir}/hosts /etc/hosts; echo hosts: files > {s.dir}/nss; mount --bind {s.dir}/nss /etc/nsswitch.conf')
        for i,(h,ip) in enumerate(hosts.items()):
            last=(pids or {}).get(h, 1000+hash(h)%60000)
            p=subprocess.Popen(['unshare','-n','-u','-p','-m','--fork','--mount-proc','bash','-c',f'hostname {h}; ip link set lo up; echo {last} > /proc/sys/kernel/ns_last_pid; exec sleep 100000'])
            time.sleep(.25)
            c=int(open(f'/proc/{p.pid}/task/{p.pid}/children').read().split()[0])
            sh(f'ip link add v{i} type veth peer name eth0 netns {c}; ip link set v{i} master br0 up; nsenter -t {c} -n sh -c "ip a add {ip}/{net} dev eth0; ip link set eth0 up"')
            s.h[h]=c; s.procs.append(p)
    def run(s,host,cmd,out=None,env=None,cb=None,pre=''):
        """start a shell line in a host. out: file (raw); cb: called per line"""
        e={'PATH':'/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin','HOME':'/root','LANG':'C.UTF-8','PYTHONUNBUFFERED':'1','TF_NUM_INTRAOP_THREADS':'1','TF_NUM_INTEROP_THREADS':'2','OMP_NUM_THREADS':'1','CUDA_VISIBLE_DEVICES':'-1'}
        e.update(env or {})
        p=subprocess.Popen(['nsenter','-t',str(s.h[host]),'-n','-u','-p','-m','nice','-n','5','bash','-c',cmd],env=e,stdin=subprocess.DEVNULL,stdout=subprocess.PIPE,stderr=subprocess.STDOUT,start_new_session=True)
        p.host=host; p.lines=[]
        def rd():
            for l in p.stdout: p.lines.append((time.time(),l.decode('utf8','replace').rstrip('\n')))
        p.th=threading.Thread(target=rd,daemon=True); p.th.start()
        return p
    def sh(s,host,cmd):
        return subprocess.run(['nsenter','-t',str(s.h[host]),'-n','-u','-p','-m','bash','-c',cmd],capture_output=True,text=True).stdout
    def wait(s,ps,t):
        end=time.time()+t
        for p in ps:
            try: p.wait(max(.1,end-time.time()))
            except subprocess.TimeoutExpired: pass
    def kids(s,host,pat):
        o=s.sh(host,"ps -eo pid,args"); return [int(l.split()[0]) for l in o.splitlines() if pat in l and 'bash -c' not in l and 'nsenter' not in l and 'ps -eo' not in l]
    def end(s):
        for p in s.procs:
            for c in open(f'/proc/{p.pid}/task/{p.pid}/children').read().split(): os.kill(int(c),9)
        time.sleep(.5)
    def save(s,extra=None):
        pass
def shift(text,d):
    """move all times in a text by d seconds"""
    def a(m):
        f='%Y-%m-%d'+m.group(2)+'%H:%M:%S'
        return (datetime.strptime(m.group(0),f)+timedelta(seconds=d)).strftime(f)
    text=re.sub(r'(2026-1[12]-\d\d)([ T])\d\d:\d\d:\d\d',a,text)
    text=re.sub(r'([IWEF]0000 00:00:)(179\d{7})(?=\.)',lambda m:m.group(1)+str(int(m.group(2))+int(d)),text)
    def b(m):
        t=datetime.strptime('2026'+m.group(2)+' '+m.group(3),'%Y%m%d %H:%M:%S')+timedelta(seconds=d)
        return m.group(1)+t.strftime('%m%d %H:%M:%S')
    return re.sub(r'\b([IWEF])(1[12]\d\d) (\d\d:\d\d:\d\d)(?=\.\d{6})',b,text)
def cfg(cluster,typ,i,**kw): return json.dumps(dict(cluster=cluster,task=dict(type=typ,index=i),**kw))
def status(p):
    return p.returncode
def dump(L,PS,**kw):
    d=dict(procs=[dict(host=p.host,tag=getattr(p,'tag',p.host),pid=getattr(p,'kid',0),lines=list(p.lines),rc=p.poll()) for p in PS],**kw)
    json.dump(d,open(L.dir+'/raw/d.json','w'))
    for p in PS: print(p.host,len(p.lines),p.poll())
