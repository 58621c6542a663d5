import sys,json; sys.path.insert(0,'/opt/incidents/make')
import lab; lab.enter(100)
from lab import *
mode=sys.argv[1]
n=4 if mode=='ee_surv' else 3
H={f'soo{i:02d}':f'10.99.0.{100+i}' for i in ([7,8,9,12] if n==4 else [3,4,5])}
L=Lab(mode,H,binds=[(A+'/make/ee','/home/mturba/turvas'),(f'{A}/runs/{mode}/ruudud','/srv/turvas/ruudud')],venv='/opt/conda/envs/turvas')
code=f"""
import numpy as np
r=np.random.default_rng(5)
n={14 if mode=='ee_uneven' else 12}
for i in range(n):
    m=120
    x=r.normal(size=(m,400)).astype('f'); y=x[:,:20].sum(1).astype('f')
    np.savez('{L.out}/ruudud/vali_%02d.npz'%i,x=x,y=y)
"""
open(L.out+'/g.py','w').write(code); sh(f'/opt/tfenv/bin/python {L.out}/g.py')
if mode=='ee_stack':
    open(f'{L.out}/ruudud/plokipuu.txt','w').write('P000000 -\n'+''.join(f'P{i:06d} P{i-1:06d}\n' for i in range(1,61000)))
hosts=list(H)
nl=f'soo[03-05]' if n==3 else 'soo[07-09,12]'
pr=[]
for i,h in enumerate(H):
    env={'SLURM_PROCID':str(i),'SLURM_NTASKS':str(n),'SLURM_JOB_NODELIST':nl,'SLURM_STEP_NODELIST':nl,'SLURM_STEP_NUM_TASKS':str(n),'SLURM_STEP_TASKS_PER_NODE':f'1(x{n})','SLURM_STEP_NUM_NODES':str(n),'SLURM_NODELIST':nl,'SLURM_JOB_ID':'218834'}
    ar=''
    if mode=='ee_uneven': ar='--epohhe 4'
    if mode=='ee_stack': ar='--plokkpuu /srv/turvas/ruudud/plokipuu.txt'; env['PYTHONFAULTHANDLER']='1'
    if mode=='ee_stack' and i!=1: ar=ar  # all ranks copy the tree
    if mode=='ee_surv': ar='--epohhe 60 '
    sd='/opt/conda/envs/turvas/bin/python'
    pr.append(L.run(h,f'{sd} turvas.py {ar}',f'{h}.log',env,cwd='/home/mturba/turvas'))
if mode=='ee_surv':
    L.wait_text('soo07.log','epohh 9 ',45); L.note('link down soo09'); 
    i=L.idx['soo09']; sh(f'ip link set v{i} down'); L.wait(50)
else: L.wait(int(sys.argv[2]) if len(sys.argv)>2 else 60)
if mode=='ee_uneven':
    for p in L.procs: open(f'{L.out}/logs/spy-{p.h}.txt','w').write(sh(f'/opt/tfenv/bin/py-spy dump --pid {p.pid}'))
L.end()
