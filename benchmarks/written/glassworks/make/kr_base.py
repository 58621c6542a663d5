import sys,json; sys.path.insert(0,'/opt/incidents/make')
import lab; lab.enter(95)
from lab import *
mode=sys.argv[1]
H={'danji0':'192.168.77.10','danji1':'192.168.77.11','danji2':'192.168.77.12','danji3':'192.168.77.13'}
L=Lab(mode,H,binds=[(A+f'/runs/{mode}/kimchi','/home/kimchi/train'),(f'{A}/runs/{mode}/ck','/mnt/onggi/ck')],venv='/home/kimchi/venv')
c={'ps':['danji0:23300'],'worker':['danji1:23300','danji2:23300','danji3:23300'],'table_port':23390,'bins':20000,'ckpt':'/mnt/onggi/ck'}
if mode=='kr_msg': c['bins']=61000
json.dump(c,open(f'{L.out}/kimchi/cluster.json','w'),indent=1)
sh(f'cp {A}/make/kr/kimchi_train.py {L.out}/kimchi/train.py')
jobs=[('danji0','ps',0),('danji1','worker',0),('danji2','worker',1),('danji3','worker',2)]
if mode=='kr_idx': jobs[3]=('danji3','worker',1)
for h,j,i in jobs:
    env={'STEPS':'6000'}; pre=''
    if mode=='kr_alloc':
        env['KEEP_BATCHES']='6'
        pre='ulimit -v 4600000;' if h=='danji2' else 'ulimit -v 7000000;'
        if h=='danji3': env['KEEP_BATCHES']=''
        if h=='danji2': env['KEEP_BATCHES']='160'
        if h=='danji1': env['KEEP_BATCHES']=''
        env['STEPS']='30000'
    L.run(h,f'/home/kimchi/venv/bin/python train.py {j} {i}',f'{h}.out',env,cwd='/home/kimchi/train',pre=pre)
L.wait(int(sys.argv[2]) if len(sys.argv)>2 else 55); 
for p in L.procs:
    if p.poll() is None: open(f'{L.out}/logs/spy-{p.h}.txt','w').write(sh(f'/opt/tfenv/bin/py-spy dump --pid {p.pid}'))
L.end()
