import sys; sys.path.insert(0,"/srv/runs/make")
from lab import *
N=['tango','samba','rumba']
L=Lab('a9',{h:f'10.99.0.{5+i}' for i,h in enumerate(N)})
L.start('stale','rumba',f'python3 {BASE}/make/a9/stale.py')
E=lambda i:{'TF_CONFIG':json.dumps({'cluster':{'worker':[f'{x}:12355' for x in N]},'task':{'type':'worker','index':i}}),'TZ':'Asia/Kolkata','COLS':'1'}
n={h:0 for h in N}
for i,h in enumerate(N): L.start(h,h,f'{PY} {BASE}/make/a9/train_asr.py',E(i))
t=time.time()
while time.time()-t<70:
    for i,h in enumerate(N):
        k=h if not n[h] else f'{h}#{n[h]}'
        if k in L.ex and time.time()-L.ex[k][0]>1 and time.time()-t<46:
            n[h]+=1; L.start(f'{h}#{n[h]}',h,f'{PY} {BASE}/make/a9/train_asr.py',E(i))
    time.sleep(.1)
ss={h:sh(f"ip netns exec {L.hosts[h][1]} ss -ltnp",False).stdout for h in N}
for k in list(L.procs):
    if k not in L.ex and k!='stale': L.kill(k,15)
time.sleep(2); L.finish({'ss':ss})
