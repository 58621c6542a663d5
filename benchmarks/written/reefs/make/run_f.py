import os,json,random
from rig import *
r=Rig('f'); P=[24861,24862,24863]
for i,L in enumerate((4200,4200,3640)):
    with open(f'{r.d}/s{i}.csv','w') as f:
        for _ in range(L):
            x=[random.gauss(0,1) for _ in range(4)]; f.write(','.join('%.4f'%q for q in x+[x[0]*.4-x[2]])+'\n')
for i in range(3):
    r.start(str(i),['nice','-n','15',PY,'/opt/incidents/make/f_kerr.py'],dict(SLOT=str(i),SPECTRA=f'{r.d}/s{i}.csv',TF_CONFIG=json.dumps(dict(cluster=dict(worker=['127.0.0.1:%d'%p for p in P]),task=dict(type='worker',index=i)))))
r.wait(75); tk=time.time(); r.killall(); r.save(tk=tk)
