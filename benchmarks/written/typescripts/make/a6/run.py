import sys; sys.path.insert(0,"/srv/runs/make")
from lab import *
import subprocess
N=['theia','rhea','dione']
L=Lab('a6',{'theia':'192.168.88.10','rhea':'192.168.88.11','dione':'192.168.88.12'})
for i,h in enumerate(N):
    sh(f"""{PY} -c "
import numpy as np
a=np.random.randint(0,8,3000)
if {i}==1: a[517]=91234567
np.save('{L.dir}/off{i}.npy',a)" """)
    L.start(h,h,f'{PY} {BASE}/make/a6/echo_train.py',{'OFFSETS':f'{L.dir}/off{i}.npy','TF_CONFIG':json.dumps({'cluster':{'worker':[f'{x}:2222' for x in N]},'task':{'type':'worker','index':i}}),'TZ':'America/Los_Angeles'})
L.wait_all(80); L.finish({'dmesg':sh('dmesg | grep -i segfault | tail -3; dmesg | tail -6',False).stdout})
