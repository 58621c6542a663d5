from lab import *; reexec()
H={'wren':'10.8.14.2','dipper':'10.8.14.3','siskin':'10.8.14.4'}
L=Lab('i10',H,'/opt/birdnet/py',pids={'wren':1201,'dipper':40417,'siskin':8190},mounts=['/srv/bird'])
sh(f'cp {BN}/make/t/birdcall.py /srv/bird/; bash {BN}/make/t/build_fastfeat.sh /srv/bird/libfastfeat.so')
S={str(i):[[f'{c}{n:02d}',64 if not(i==1 and n==37) else 64*40000] for n in range(12,40) for _ in range(13)] for i,c in ((0,'NW'),(1,'SE'),(2,'MR'))}
json.dump(S,open('/srv/bird/stations.json','w'))
cl={'worker':[f'{h}:2222' for h in H]}
ps=[L.run(h,'cd /srv/bird && ulimit -c 0 && exec /opt/birdnet/py/bin/python birdcall.py',env={'TF_CONFIG':cfg(cl,'worker',i)}) for i,h in enumerate(H)]
ts={}
t0=time.time()
while time.time()-t0<70 and any(p.poll() is None for p in ps):
    for p in ps:
        if p.poll() is not None and p.host not in ts: ts[p.host]=time.time()
    time.sleep(.05)
for p in ps: ts.setdefault(p.host,time.time())
dump(L,ps,end=ts,dm=subprocess.run('dmesg|tail -4',shell=True,capture_output=True,text=True).stdout); L.end()
