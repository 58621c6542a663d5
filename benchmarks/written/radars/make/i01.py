from lab import *; reexec()
H={'isbjorn':'172.18.40.11','rype':'172.18.40.12','havert':'172.18.40.13'}
L=Lab('i01',H,'/opt/glasio/venv',pids={'isbjorn':2210,'rype':41873,'havert':918},mounts=['/srv/isradar'])
sh(f'cp {BN}/make/t/tren_isradar.py {BN}/make/t/ekkocache.py /srv/isradar/')
cl={'worker':[f'{h}:2222' for h in H]}
cg='/sys/fs/cgroup/memory/system.slice/isradar-tren.service'
os.makedirs(cg,exist_ok=True); open(cg+'/memory.limit_in_bytes','w').write(str(1100<<20))
sub=subprocess.run('dmesg -c >/dev/null',shell=True)
ps=[]
for i,h in enumerate(H):
    pre=f'echo $$ >/dev/null; ' 
    ps.append(L.run(h,'cd /srv/isradar && exec /opt/glasio/venv/bin/python -u tren_isradar.py',env={'TF_CONFIG':cfg(cl,'worker',i),'EKKO_CACHE':'all' if h=='rype' else 'lru:64'}))
time.sleep(.6)
hp=subprocess.run(['pgrep','-f','tren_isradar.py'],capture_output=True,text=True).stdout.split()
m={}
for x in hp:
    try:
        ns=[l for l in open(f'/proc/{x}/status') if l.startswith('NSpid')][0].split()[1:]
        u=subprocess.run(['nsenter','-t',x,'-u','hostname'],capture_output=True,text=True).stdout.strip()
        m[x]=(u,ns[-1])
        if u=='rype' and len(ns)>1: open(cg+'/cgroup.procs','w').write(x)
    except Exception as e: print(e)
print(m)
L.wait([ps[1]],75); t=time.time(); time.sleep(1); k=subprocess.run(['dmesg'],capture_output=True,text=True).stdout
L.wait(ps,12)
rc=[p.poll() for p in ps]; print(rc)
for h in H: print(h, L.kids(h,'tren_'))
json.dump(dict(lines={p.host:p.lines for p in ps},rc=rc,map=m,dmesg=k,t=t),open(L.dir+'/raw/d.json','w'))
L.end()
