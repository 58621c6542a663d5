from lib import *
import numpy as np
N={'ip-10-2-6-14':'10.2.6.14','ip-10-2-6-71':'10.2.6.71','ip-10-2-7-200':'10.2.7.200'}
N={'ip-10-2-6-14':'10.2.6.14','ip-10-2-6-71':'10.2.6.71','ip-10-2-6-200':'10.2.6.200'}
L=Lab('i8','',{'/home/ray/szkody':B+'/code/i8','/home/ray/anaconda3':'/opt/tfenv','/dane/szkody':'NODE/szkody'},N)
for i,n in enumerate(N):
    d=f'{L.dir}/nodes/{n}/szkody/czesc-{i}'; os.makedirs(d)
    for j in range(1200):
        sh=(64,64,3) if not (i==1 and j==1013) else (64,48,3)
        np.save(f'{d}/szk_{i*40000+j*7:07d}.npy',np.random.default_rng(j).integers(0,255,sh,dtype='u1'))
W=[f'{ip}:{p}' for ip,p in zip(N.values(),(38811,41903,35527))]
ps=[L.start(f'{n}',n,'/home/ray/anaconda3/bin/python /home/ray/szkody/szkody.py',{'TF_CONFIG':json.dumps({'cluster':{'worker':W},'task':{'type':'worker','index':i}})}) for i,n in enumerate(N)]
L.wait(ps,80)
for p in ps:
    if p.rc is None: L.sig(p,15)
L.wait(ps,5); L.close()
