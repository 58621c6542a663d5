from lib import *
N={'runner-kv-03':'10.200.14.3','runner-kv-05':'10.200.14.5','runner-kv-06':'10.200.14.6'}
L=Lab('i10','',{'/builds/aero/smoke':B+'/code/i10','/opt/tf':'/opt/tfenv'},N)
H=','.join(f'{ip}:24500' for ip in N.values())
ps=[]
for n,i in zip(N,(0,1,1)):
    ps.append(L.start(n,n,f'/opt/tf/bin/python ci/smoke_train.py --hosts {H} --index {i}'.replace('ci/',''),cwd='/builds/aero/smoke')); time.sleep(1.3)
L.wait(ps,45)
for p in ps:
    if p.rc is None: L.sig(p,15); p.to=True
L.extra['to']=[getattr(p,'to',False) for p in ps]
L.wait(ps,5); L.close()
