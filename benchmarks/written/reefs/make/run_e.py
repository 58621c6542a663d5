import os,json
from rig import *
r=Rig('e'); P=[24851,24852,24853]; lim=[4000,int(os.environ.get('LIM','95')),4000]
for i,n in enumerate(['wft-01','wft-02','wrp-01']):
    r.start(n,['setpriv','--reuid',str(21500+i),'--clear-groups','--inh-caps','+dac_override,+dac_read_search','--ambient-caps','+dac_override,+dac_read_search','bash','-c','ulimit -u %d; exec nice -n 15 %s %s'%(lim[i],PY,'/opt/incidents/make/e_loom.py')],dict(HOME='/tmp',TF_CONFIG=json.dumps(dict(cluster=dict(worker=['127.0.0.1:%d'%p for p in P]),task=dict(type='worker',index=i)))),merge=True)
r.wait(60,lambda s:len(s.ex)>0 and time.time()-min(v[0] for v in s.ex.values())>20); tk=time.time(); r.killall(); r.save(tk=tk)
