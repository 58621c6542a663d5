import os,json,subprocess,shutil
from rig import *
r=Rig('a'); 
for n,Hh,N in (('tannat',64,81),('malbec',48,121),('bonarda',64,81)):
    d=r.d+'/'+n; shutil.rmtree(d,ignore_errors=True)
    e=dict(os.environ,NO=n,H=str(Hh),N=str(N),SCR=d,CUDA_VISIBLE_DEVICES='',TF_CPP_MIN_LOG_LEVEL='3')
    if n!='malbec' or 1: subprocess.run([PY,'/opt/incidents/make/a_adega.py'],env=e,stdout=subprocess.DEVNULL,stderr=subprocess.DEVNULL)
ns=['tannat','malbec','bonarda']; P=[24811,24812,24813]
for i,n in enumerate(ns):
    r.start(n,['nice','-n','15',PY,'/opt/incidents/make/a_adega.py'],dict(NO=n,H='64',SCR=r.d+'/'+n,TF_CONFIG=json.dumps(dict(cluster=dict(worker=['127.0.0.1:%d'%p for p in P]),task=dict(type='worker',index=i)))))
r.wait(60); r.killall()
r.save(ls={n:subprocess.run(['ls','-ln',r.d+'/'+n],capture_output=True,text=True).stdout for n in ns})
