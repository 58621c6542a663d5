import os,json,shutil
from rig import *
r=Rig('h'); P=[24881,24882]
for x in ('vocab.tsv',): 
    if os.path.exists(r.d+'/'+x): os.unlink(r.d+'/'+x)
for i,n in enumerate(['arctic','sooty']):
    r.start(n,['nice','-n','15',PY,'/opt/incidents/make/h_tern.py'],dict(OUT=r.d,TF_CONFIG=json.dumps(dict(cluster=dict(worker=['127.0.0.1:%d'%p for p in P]),task=dict(type='worker',index=i)))),merge=True); time.sleep(4)
r.wait(70); r.killall(); r.save()
