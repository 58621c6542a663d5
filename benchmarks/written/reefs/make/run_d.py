import os,json
from rig import *
r=Rig('d'); cl=dict(ps=['127.0.0.1:24841'],worker=['127.0.0.1:24842'],chief=['127.0.0.1:24843'])
for n,t in (('ps','ps'),('worker','worker'),('chief','chief')):
    r.start(n,['nice','-n','15',PY,'/opt/incidents/make/d_coord.py'],dict(TF_CONFIG=json.dumps(dict(cluster=cl,task=dict(type=t,index=0)))))
r.wait(70,lambda s:'chief' in s.ex and time.time()-s.ex['chief'][0]>12); r.save0=time.time(); tk=time.time(); r.killall(); r.save(tk=tk)
