import os,json
from rig import *
import random,struct
r=Rig('c'); ns=['nudi','urchin','polyp']; P=[24831,24832,24833]; random.seed(4)
for n in ns:
    for e in range(12):
        os.makedirs(f'{r.d}/{n}/e{e:02d}',exist_ok=True)
        for k in range(6):
            p=f'{r.d}/{n}/e{e:02d}/tile_{k}.f32'
            if os.path.exists(p): os.unlink(p)
            if n=='urchin' and (e,k)==(7,2): os.mkfifo(p,0o644)
            else: open(p,'wb').write(struct.pack('<640f',*[random.gauss(0,1) for _ in range(640)]))
for i,n in enumerate(ns):
    r.start(n,['nice','-n','15',PY,'/opt/incidents/make/c_reef.py'],dict(STAGE=r.d+'/'+n,TF_CONFIG=json.dumps(dict(cluster=dict(worker=['127.0.0.1:%d'%p for p in P]),task=dict(type='worker',index=i)))),merge=True)
def stop(s): return s.rec and len(s.rec)>60 and time.time()-s.rec[-1][0]>9
r.wait(80,stop); pr={}
for n,p in r.p.items():
    q=p.pid
    pr[n]={'t':time.time(),'ps':subprocess.run(['ps','-L','-o','pid,lwp,stat,wchan:22,pcpu,time,comm','-p',str(q)],capture_output=True,text=True).stdout,'status':open(f'/proc/{q}/status').read(),'ls':subprocess.run(['ls','-ln','--time-style=long-iso',f'{r.d}/{n}/e07'],capture_output=True,text=True).stdout}
    os.kill(q,signal.SIGUSR1); time.sleep(.5)
tk=time.time(); r.killall(); r.save(pr=pr,tk=tk)
