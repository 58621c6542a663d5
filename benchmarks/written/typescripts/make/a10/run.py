import sys; sys.path.insert(0,"/srv/runs/make")
from lab import *
N=['wsr-spree','wsr-havel','wsr-dahme']
L=Lab('a10',{h:f'10.11.12.{13+i}' for i,h in enumerate(N)})
import glob,os
def go(tag,n):
    for i,h in enumerate(N):
        L.start(h+tag,h,f'{PY} {BASE}/make/a10/floods.py',{'N':str(n),'CKPT':f'{L.dir}/ck/{h}','TF_CONFIG':json.dumps({'cluster':{'worker':[f'{x}:3344' for x in N]},'task':{'type':'worker','index':i}}),'TZ':'Europe/Berlin'})
go('',310); L.wait_all(50)
fs=glob.glob(f'{L.dir}/ck/wsr-havel/ckpt-3.data*')
if not fs: L.finish(); sys.exit('no ckpt')
f=sorted(glob.glob(f'{L.dir}/ck/wsr-havel/ckpt-3.data*'))[0]; n=os.path.getsize(f)
os.truncate(f,n//2//4096*4096)
ls=sh(f'ls -l --time-style=full-iso {L.dir}/ck/*').stdout
go('#1',310); L.wait_all(88); L.finish({'ls':ls}); print(ls)
