import sys,json; sys.path.insert(0,'/opt/incidents/make')
import lab; lab.enter(95)
from lab import *
mode=sys.argv[1]
H={'secadero-central':'10.11.5.2','barbacua1':'10.11.5.21','barbacua2':'10.11.5.22','barbacua3':'10.11.5.23'}
if mode=='ar_tls': H['acopio']='10.11.5.9'
L=Lab(mode,H,binds=[(A+'/make/ar','/srv/yerba'),(f'{A}/runs/{mode}/cert','/srv/cert')],venv='/opt/tfcpu')
py='/opt/tfcpu/bin/python secado.py '
B=['barbacua1','barbacua2','barbacua3']
if mode=='ar_disp':
    d=L.run('secadero-central',py+'despachador','secadero-central.jsonl',cwd='/srv/yerba'); 
    L.wait_text('secadero-central.jsonl','despachador arriba',30)
    L.run('barbacua1',py+'lector','barbacua1-lector.jsonl',cwd='/srv/yerba')
    L.run('barbacua2',py+'entrena --rango 0 --pasos 20000','barbacua2.jsonl',cwd='/srv/yerba')
    L.run('barbacua3',py+'entrena --rango 1 --pasos 20000','barbacua3.jsonl',cwd='/srv/yerba')
    L.wait_text('barbacua3.jsonl','"n": 1200',40); L.kill(d,9)
    L.wait(35)
else:
    g='--grupo '+','.join(f'{h}:23060' for h in B)
    if mode=='ar_tls':
        sh(f'cp -r {A}/runs/cert/* {L.out}/cert/; cp {A}/make/ar/srv.py {L.out}/cert/')
        L.run('acopio','/opt/tfcpu/bin/python /srv/cert/srv.py','acopio.log',cwd='/srv/cert'); time.sleep(2)
        g+=' --manifiesto https://acopio:8443/secado/manifiesto.json'
    ps=[]
    for i,h in enumerate(B):
        env={'CA_INTERNA':'/srv/cert/ca.pem' if not(mode=='ar_tls' and i==2) else '/srv/cert/ca_vieja.pem'}
        ps.append(L.run(h,py+f'entrena --rango {i} --pasos {500 if mode=="ar_slow" else 300} {g}',f'{h}.jsonl',env,cwd='/srv/yerba'))
    if mode=='ar_slow':
        L.wait_text('barbacua1.jsonl','"n": 120,',30); L.note('slow begins on barbacua2')
        end=time.time()+40
        while time.time()<end and ps[1].poll() is None:
            os.kill(ps[1].pid,19); time.sleep(random.uniform(.08,.22)); os.kill(ps[1].pid,18); time.sleep(random.uniform(.005,.02))
        L.note('end of slow')
    L.wait(45 if mode!='ar_slow' else 1)
L.end()
