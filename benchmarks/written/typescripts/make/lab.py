"""One netns + uts + mount namespace a host; records every line with its time."""
import subprocess, os, sys, time, threading, json, signal, tempfile, shutil
BASE='/srv/runs'; PY='python3'
def sh(c, check=True): return subprocess.run(c, shell=True, check=check, capture_output=True, text=True)
class Lab:
    def __init__(s, name, hosts, subnet='10.20.0'):
        s.name=name; s.dir=f'{BASE}/runs/{name}'; shutil.rmtree(s.dir, ignore_errors=True); os.makedirs(s.dir)
        s.hosts={}; s.rec=[]; s.procs={}; s.lock=threading.Lock(); s.threads=[]; s.ex={}; s.st={}
        s.br=f'bxl{os.getpid()%10000}'; sh(f'ip netns add {s.br} && ip netns exec {s.br} ip link set lo up && ip netns exec {s.br} ip link add br0 type bridge && ip netns exec {s.br} ip link set br0 up')
        for i,h in enumerate(hosts):
            ip=hosts[h] if isinstance(hosts,dict) else f'{subnet}.{11+i}'
            s.hosts[h]=(ip,f'{s.br}h{i}')
            n=s.hosts[h][1]
            sh(f'ip netns add {n}; ip netns exec {n} ip link set lo up; ip netns exec {s.br} ip link add v{i} type veth peer name eth0 netns {n}; ip netns exec {s.br} ip link set v{i} master br0 up; ip netns exec {n} ip addr add {ip}/16 dev eth0; ip netns exec {n} ip link set eth0 up')
        s.hf={}
        for h in s.hosts: s.sethosts(h,{k:v[0] for k,v in s.hosts.items()})
        s.t0=time.time()
    def sethosts(s,h,m):
        p=f'{s.dir}/hosts.{h}'; s.hf[h]=p
        open(p,'w').write('127.0.0.1 localhost\n'+''.join(f'{v} {k}\n' for k,v in m.items()))
    def start(s,key,host,cmd,env=None,pre='',cwd=None):
        ns=s.hosts[host][1]
        e={k:v for k,v in os.environ.items() if k in('PATH','LANG')}
        e.update(PYTHONUNBUFFERED='1',TF_NUM_INTRAOP_THREADS='1',TF_NUM_INTEROP_THREADS='2',OMP_NUM_THREADS='1',HOME='/root',PYTHONDONTWRITEBYTECODE='1')
        e.update(env or {})
        script=f'hostname {host}; mount --bind {s.hf[host]} /etc/hosts; mount --bind /dev/null /etc/resolv.conf; {pre} exec nice -n 5 {cmd}'
        p=subprocess.Popen(['ip','netns','exec',ns,'unshare','-u','-m','bash','-c',script],env=e,cwd=cwd or s.dir,stdout=subprocess.PIPE,stderr=subprocess.PIPE,bufsize=0)
        s.procs[key]=p; s.st[key]=time.time()
        def rd(f,st):
            buf=b''
            while True:
                d=os.read(f.fileno(),65536)
                if not d: break
                buf+=d
                *ls,buf=buf.split(b'\n')
                t=time.time()
                with s.lock:
                    for l in ls: s.rec.append((t,key,st,l.decode('utf8','replace').rstrip('\r')))
            if buf:
                with s.lock: s.rec.append((time.time(),key,st,buf.decode('utf8','replace')))
        def w():
            rc=p.wait(); s.ex[key]=(time.time(),rc)
        for a in((rd,(p.stdout,'o')),(rd,(p.stderr,'e')),(w,())):
            t=threading.Thread(target=a[0],args=a[1],daemon=True); t.start(); s.threads.append(t)
        return p
    def wait_line(s,key,sub,to=60):
        end=time.time()+to
        while time.time()<end:
            with s.lock:
                if any(r[1]==key and sub in r[3] for r in s.rec): return True
            if key in s.ex and time.time()-s.ex[key][0]>1: return False
            time.sleep(.05)
        return False
    def wait_all(s,to=80,keys=None):
        end=s.t0+to
        while time.time()<end and any(k not in s.ex for k in (keys or s.procs)): time.sleep(.1)
        return all(k in s.ex for k in (keys or s.procs))
    def kill(s,key,sig): s.procs[key].send_signal(sig)
    def finish(s,meta=None):
        for k,p in s.procs.items():
            if k not in s.ex: p.send_signal(signal.SIGCONT); p.kill()
        time.sleep(.7)
        for h in list(s.hosts): sh(f'ip netns del {s.hosts[h][1]}',False)
        sh(f'ip netns del {s.br}',False)
        d=dict(t0=s.t0,rec=s.rec,ex=s.ex,st=s.st,pid={k:p.pid for k,p in s.procs.items()},meta=meta or {})
        json.dump(d,open(f'{BASE}/runs/{s.name}.json','w'),ensure_ascii=False)
        for k in s.procs: print(s.name,k,'rc',s.ex.get(k,(0,None))[1],'t',round(s.ex.get(k,(0,0))[0]-s.t0,1),'lines',sum(r[1]==k for r in s.rec))
