import sys; sys.path.insert(0,"/srv/runs/make")
from lab import *
H={'r07u12':'10.60.7.12','r07u14':'10.60.7.14','r08u03':'10.60.8.3'}
L=Lab('a3',H)
cl=[f'{h}:29400' for h in H]
for h,i in(('r07u12',0),('r07u14',1),('r08u03',1)):
    L.start(h,h,f'{PY} {BASE}/make/a3/walz.py',{'TF_CONFIG':json.dumps({'cluster':{'worker':cl},'task':{'type':'worker','index':i}}),'TZ':'Asia/Seoul'}); time.sleep(.8)
r=0; t=time.time()
n={h:0 for h in H}
while time.time()-t<66:
    for h,i in(('r07u12',0),('r07u14',1),('r08u03',1)):
        k=h if not n[h] else f'{h}#{n[h]}'
        if k in L.ex and time.time()-L.ex[k][0]>1 and time.time()-t<45:
            n[h]+=1
            L.start(f'{h}#{n[h]}',h,f'{PY} {BASE}/make/a3/walz.py',{'TF_CONFIG':json.dumps({'cluster':{'worker':cl},'task':{'type':'worker','index':i}}),'TZ':'Asia/Seoul'})
    time.sleep(.2)
for k in L.procs:
    if k not in L.ex: L.kill(k,15)
time.sleep(2); L.finish()
