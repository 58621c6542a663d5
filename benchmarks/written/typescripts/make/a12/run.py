import sys; sys.path.insert(0,"/srv/runs/make")
from lab import *
N=['corral3','potrero1','tranquera']
L=Lab('a12',{h:f'10.8.0.{30+i}' for i,h in enumerate(N)})
import os; os.makedirs(L.dir+'/modelo')
for i,h in enumerate(N):
    if i==2: time.sleep(14)
    L.start(h,h,f'{PY} {BASE}/make/a12/fit.py',{'OUT':L.dir+'/modelo','TF_CONFIG':json.dumps({'cluster':{'worker':[f'{x}:2222' for x in N]},'task':{'type':'worker','index':i}}),'TZ':'America/Argentina/Buenos_Aires'})
L.wait_all(88); L.finish()
