from lab import *; reexec()
H={'ligand01':'10.40.8.1','ligand02':'10.40.8.2','ligand03':'10.40.8.3'}
L=Lab('i11',H,'/opt/chem/tf',pids={'ligand01':9907,'ligand02':2718,'ligand03':31415},mounts=['/srv/chem/dock'])
sh(f'cp {BN}/make/t/dock_score.py /srv/chem/dock/')
def go(hs,tag,port):
    cl={'worker':[f'{h}:{port}' for h in hs]}
    return [L.run(h,'cd /srv/chem/dock && exec /opt/chem/tf/bin/python dock_score.py',env={'RUN_TAG':tag,'TF_CONFIG':cfg(cl,'worker',i)}) for i,h in enumerate(hs)]
old=go(list(H),'r117',20222)
for p in old: p.tag='old-'+p.host
time.sleep(15); t_old=time.time()
# stop of the old run reaches two hosts; on the third a stopped copy stays
k3=L.kids('ligand03','dock_score')[0]; L.sh('ligand03',f'kill -STOP {k3}')
for h in ('ligand01','ligand02'): L.sh(h,f'kill -TERM {L.kids(h,"dock_score")[0]}')
time.sleep(6); t_new=time.time()
new=go(list(H),'r118',20222)
for p in new: p.tag='new-'+p.host
L.wait(new,45)
ss={h:L.sh(h,'ss -ltnp 2>/dev/null; ps -eo pid,stat,lstart,args | grep dock_sco | grep -v grep') for h in H}
dump(L,old+new,t_old=t_old,t_new=t_new,ss=ss,k3=k3); L.end()
