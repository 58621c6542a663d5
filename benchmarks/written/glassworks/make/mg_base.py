import sys,json; sys.path.insert(0,'/opt/incidents/make')
import lab; lab.enter(95)
from lab import *
mode=sys.argv[1]
H={'sava-01':'172.22.0.4','sava-02':'172.22.0.5','sava-03':'172.22.0.3'}
hf=None
if mode=='mg_dns':
    hf=None
L=Lab(mode,H,binds=[(A+'/make/mg','/srv/app'),(A+f'/runs/{mode}/sauv','/mnt/vanille/sauvegarde')],venv='/opt/venv',hostsfile=hf)
ws=[f'{h}:24500' for h in H]
if mode=='mg_ckpt':
    # previous attempt leaves a backup, which is then truncated
    pass
if mode=='mg_ckpt':
    import glob,shutil
    sh(f'cp -r {A}/runs/mg_hang/sauv/* {L.out}/sauv/; rm -f {L.out}/sauv/rejets*')
    f=sorted(glob.glob(L.out+'/sauv/*data*'))[-1]; os.truncate(f,8192)
for i,h in enumerate(H):
    env={'TF_CONFIG':json.dumps({'cluster':{'worker':ws},'task':{'type':'worker','index':i}}),'EPOQUES':'40'}
    if mode=='mg_hang' and i==1: env['CONTROLE']='1'
    pre=''
    if mode=='mg_dns' and i==2:
        open(f'{L.out}/hosts3','w').write('127.0.0.1 localhost\n172.22.0.3 sava-03\n172.22.0.5 sava-02\n'); pre=f'mount --bind {L.out}/hosts3 /etc/hosts;'
    L.run(h,'/opt/venv/bin/python entrainement.py',f'{h}.log',env,cwd='/srv/app',pre=pre)
if mode=='mg_hang':
    L.wait_text('sava-01.log','epoque 3/',40); L.wait(25)
    for p in L.procs:
      if p.poll() is None: open(f'{L.out}/logs/spy-{p.h}.txt','w').write(sh(f'/opt/tfenv/bin/py-spy dump --pid {p.pid}'))
    L.wait(1)
else:
    L.wait(int(sys.argv[2]) if len(sys.argv)>2 else 60)
L.end()
