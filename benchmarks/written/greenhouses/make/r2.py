from lib import *
N={'kns101':'172.21.5.101','kns102':'172.21.5.102','kns107':'172.21.5.107','kns108':'172.21.5.108'}
L=Lab('i2','',{'/kensa/src':B+'/code/i2','/kensa/py311':'/opt/tfenv'},N)
W=[f'{n}:31200' for n in N]
ps=[]
for i,n in enumerate(N):
    ps.append(L.start(f'{n}',n,'/kensa/py311/bin/python /kensa/src/kensa_train.py --steps=20000',{'TF_CONFIG':json.dumps({'cluster':{'worker':W},'task':{'type':'worker','index':i}})})); time.sleep(.3)
time.sleep(55)
for i in (0,2,1,3):
    L.sig(ps[i],signal.SIGUSR2); time.sleep(.8 if i==0 else .1)
L.wait(ps,20); L.close()
