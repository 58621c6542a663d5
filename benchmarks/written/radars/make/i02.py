from lab import *; reexec()
H={'adrank-chief-0':'10.244.3.17','adrank-worker-0':'10.244.5.40','adrank-worker-1':'10.244.6.8','adrank-ps-0':'10.244.3.18','adrank-ps-1':'10.244.9.131'}
D='.adrank.ads-ml.svc.cluster.local'
L=Lab('i02',H,'/opt/venv',domain=D,pids={h:6 for h in H},net=16,mounts=['/srv/app'])
sh(f'cp {BN}/make/t/adrank_main.py /srv/app/')
cl={'chief':['adrank-chief-0'+D+':5000'],'worker':[f'adrank-worker-{i}{D}:5000' for i in (0,1)],'ps':[f'adrank-ps-{i}{D}:5000' for i in (0,1)]}
ps=[]
for h in list(H)[::-1]:
    _,t,i=h.split('-'); ps.append(L.run(h,'cd /srv/app && exec /opt/venv/bin/python adrank_main.py --epochs=400',env={'TF_CONFIG':cfg(cl,t,int(i))}))
time.sleep(32); t=time.time()
for k in L.kids('adrank-ps-1','adrank_main'): L.sh('adrank-ps-1',f'kill -9 {k}')
L.wait([ps[-1]],45); rc=[p.poll() for p in ps]; dump(L,ps,t=t); L.end()
