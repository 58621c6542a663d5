from lab import *; reexec()
import numpy as np
H={'wn-nord':'10.90.1.10','wn-ost':'10.90.1.11','wn-sued':'10.90.1.12','wn-west':'10.90.1.13'}
L=Lab('i07',H,'/opt/grid/venv',pids={'wn-nord':2101,'wn-ost':19941,'wn-sued':7702,'wn-west':33070},mounts=['/srv/grid'])
sh(f'cp {BN}/make/t/gridload.py /srv/grid/')
r=np.random.default_rng(5)
for a in ('nord','ost','sued','west'):
    n=9000; x=(r.normal(50,9,(n,96))).astype('f4'); sd=x.std(1,keepdims=True).astype('f4')
    if a=='ost': x[8011:8019]=0; sd[8011:8019]=0; 
    np.savez(f'/srv/grid/{a}.npz',load=x,std=sd,y=r.normal(0,1,(n,24)).astype('f4')+1)
cl={'worker':[f'{h}:6006' for h in H]}
ps=[L.run(h,'cd /srv/grid && exec /opt/grid/venv/bin/python gridload.py',env={'AREA':h[3:],'TF_CONFIG':cfg(cl,'worker',i)}) for i,h in enumerate(H)]
L.wait(ps,70); dump(L,ps); L.end()
