import sys,json; sys.path.insert(0,'/opt/incidents/make')
import lab; lab.enter(95)
from lab import *
mode=sys.argv[1]
pre={'om_evict':'saqr-phase','om_ill':'saqr-wing','om_ver':'saqr-fe','om_ps':'saqr-long'}[mode]
R=['chief-0','ps-0','ps-1','worker-0','worker-1']
H={f'{pre}-{r}':f'10.244.{2+i%3}.{31+i}' for i,r in enumerate(R)}
# flat net in the lab
H={h:f'10.244.2.{31+i}' for i,h in enumerate(H)}
L=Lab(mode,H,binds=[(A+'/make/om','/srv/train'),(A+f'/runs/{mode}/mnt','/mnt/falcon')],venv='/opt/tf')
P=lambda r,n:[f'{pre}-{r}-{i}:2222' .replace('2222','22220') for i in range(n)]
cl={'chief':P('chief',1),'ps':P('ps',2),'worker':P('worker',2)}
if mode=='om_ill': sh(f"/opt/tfenv/bin/python -c \"import numpy as np;np.save('{L.out}/mnt/warmup.npy',np.random.default_rng(1).normal(size=(240,60)).astype('f'))\"")
if mode=='om_ver': sh(f'cp -r {A}/runs/fe_v5 {A}/runs/fe_v4 {L.out}/mnt/')
pr={}
for h in H:
    r,i=h[len(pre)+1:].rsplit('-',1)
    env={'TF_CONFIG':json.dumps({'cluster':cl,'task':{'type':r,'index':int(i)}})}
    a=''
    if mode=='om_ill': a=f"--native=/srv/train/libwingbeat_{'bad' if h.endswith('worker-1') else 'ok'}.so"
    if mode=='om_ver': a='--export=/mnt/falcon/fe_v5'
    if mode in('om_evict','om_ps'): a='--steps=40000'
    pr[h]=L.run(h,f'/opt/tf/bin/python -u trainer.py {a}',f'{h}.log',env,cwd='/srv/train')
if mode=='om_evict':
    L.wait_text(f'{pre}-chief-0.log','step 1000 ',40); L.kill(pr[f'{pre}-ps-1'],15)
if mode=='om_ps':
    L.wait_text(f'{pre}-chief-0.log','step 1600 ',50); L.kill(pr[f'{pre}-ps-0'],9)
L.wait(40); L.end()
