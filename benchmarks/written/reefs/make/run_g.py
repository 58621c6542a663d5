import os,json
from rig import *
r=Rig('g'); P=[24871,24872,24873,]
def tc(i,own=None):
    w=['127.0.0.1:%d'%p for p in P]
    if own: w[1]='127.0.0.1:%d'%own
    return dict(BERTH=n,TF_CONFIG=json.dumps(dict(cluster=dict(worker=w),task=dict(type='worker',index=i))))
for n,i,own,d in (('quai-est',0,None,1),('quai-nord',1,None,9),('quai-sud',1,24879,0)):
    r.start(n,['nice','-n','15',PY,'/opt/incidents/make/g_quai.py'],tc(i,own),merge=True); time.sleep(d)
r.wait(70,lambda s:len(s.ex)>=1 and time.time()-max(v[0] for v in s.ex.values())>25); tk=time.time(); r.killall(); r.save(tk=tk)
