import sys; sys.path.insert(0,"/srv/runs/make")
from lab import *
N=['calc-lyon','calc-grenoble','calc-annecy']
L=Lab('a7',{h:f'10.3.{i+1}.20' for i,h in enumerate(N)})
for i,h in enumerate(N):
    sh(f"""{PY} -c "
import numpy as np
a=np.random.rand(9000,25).astype('float32')
if {i}==2: a[8713,11]=np.nan; a[8714,24]=np.inf
np.save('{L.dir}/releves_2024_s{i}.npy',a)" """)
    L.start(h,h,f'{PY} {BASE}/make/a7/compteurs.py',{'SHARD':f'{L.dir}/releves_2024_s{i}.npy','TF_CONFIG':json.dumps({'cluster':{'worker':[f'{x}:4000' for x in N]},'task':{'type':'worker','index':i}}),'TZ':'Europe/Paris'}); time.sleep(.7)
L.wait_all(80); L.finish()
