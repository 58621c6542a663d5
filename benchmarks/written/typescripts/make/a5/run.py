import sys; sys.path.insert(0,"/srv/runs/make")
from lab import *
N=['cn0417','cn0418','cn0422','cn0431']
L=Lab('a5',{h:f'10.128.4.{int(h[3:])-400}' for h in N})
open(L.dir+'/nodes','w').write('\n'.join(N)+'\n')
for i,h in enumerate(N):
    open(f'{L.dir}/hp{i}','w').write(f'units={96 if i==2 else 128}\nlr=0.02\nbatch=64\nlibrary=enamine_real_q3\nreceptor=7l11_mpro\nfp=ecfp4\n')
    L.start(h,h,f'{PY} -u {BASE}/make/a5/screen.py',{'OMPI_COMM_WORLD_RANK':str(i),'OMPI_COMM_WORLD_SIZE':'4','NODEFILE':L.dir+'/nodes','HPARAMS':f'{L.dir}/hp{i}','TZ':'America/Chicago'})
L.wait_all(80); L.finish()
