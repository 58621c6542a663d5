from lib import *
import sys
N={f'tioga{i}':f'192.168.64.{i}' for i in (18,19,22,23)}
L=Lab('i5','',{'/usr/workspace/reanal/src':B+'/code/i5','/usr/workspace/reanal/venv':'/opt/tfenv'} if 0 else {'/g/reanal/src':B+'/code/i5','/g/reanal/venv':'/opt/tfenv'},N)
lim=int(sys.argv[1]) if len(__import__('sys').argv)>1 else 0
cg=L.cgroup('pids','bi5',max=lim or 'max')
ps=[]
for i,n in enumerate(N):
    ps.append(L.start(f'r{i}',n,'/g/reanal/venv/bin/python /g/reanal/src/reanal.py',{'FLUX_TASK_RANK':str(i),'FLUX_JOB_NNODES':'4','REANAL_HOSTS':','.join(N),'TF_ENABLE_ONEDNN_OPTS':'0'},cg=[cg] if i==2 else []))
t=time.time()
mx=0
while time.time()-t<70 and any(p.rc is None for p in ps):
    try: mx=max(mx,int(open(cg+'/pids.current').read()))
    except Exception: pass
    if ps[2].rc is not None and time.time()-ps[2].t1>25: break
    time.sleep(.1)
L.extra['max']=mx; L.extra['events']=open(cg+'/pids.events').read(); print(mx,L.extra)
for p in ps: 
    if p.rc is None: L.sig(p,15)
L.wait(ps,5); L.close()
