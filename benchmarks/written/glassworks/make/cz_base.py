import sys,json; sys.path.insert(0,'/opt/incidents/make')
import lab; lab.enter(90)
from lab import *
mode=sys.argv[1]
H={'tavba1':'10.40.8.21','tavba2':'10.40.8.22','tavba3':'10.40.8.23'}
L=Lab(mode,H,binds=[(A+'/make/cz','/srv/sklo/kod'),(A+'/runs/czdata','/srv/sklo/data'),(f'{A}/runs/{mode}/vystup','/srv/sklo/vystup')],venv='/opt/sklo-venv')
ws=[f'{h}:23100' for h in H]
ps=[]
for i,h in enumerate(H):
    env={'TF_CONFIG':json.dumps({'cluster':{'worker':ws},'task':{'type':'worker','index':i}})}; pre='';args=''
    if mode=='cz_thr' and i==1:
        pre='exec setpriv --reuid 990 --regid 990 --clear-groups --inh-caps -all,+dac_override,+dac_read_search --ambient-caps -all,+dac_override,+dac_read_search prlimit --nproc=46 ' ; 
    if mode=='cz_eio' and i==2:
        env.update(LD_PRELOAD=A+'/make/shim.so',SHIM_PATH='kamera-008',SHIM_ERRNO='5',SHIM_OFF='196608',SHIM_FLAG=f'{L.out}/flag')
    if mode=='cz_ok': args='--epochy 3'
    cmd=f'/opt/sklo-venv/bin/python -u kod/trenuj.py {args}'
    if mode=='cz_thr':
        cmd=cmd+' --vlakna %d'%(24 if True else 4)
    if pre: cmd=pre.replace('exec ','')+cmd; pre=''
    ps.append(L.run(h,cmd,f'{h}.log',env,cwd='/srv/sklo',pre=pre))
if mode=='cz_eio':
    sh(f'mkdir -p {L.out}/vystup')
    L.wait_text('tavba1.log','epocha 2 krok 40',70); open(L.out+'/flag','w').close(); L.note('flag')
L.wait(int(sys.argv[2]) if len(sys.argv)>2 else 70)
L.end()
