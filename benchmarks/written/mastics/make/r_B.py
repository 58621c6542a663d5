from jobs import *
C='/opt/incidents/make/run/cl%d.json'
def cl(k,base):
    json.dump({'ps':['127.0.0.1:%d'%base],'worker':['127.0.0.1:%d'%(base+1),'127.0.0.1:%d'%(base+2)]},open(C%k,'w'))
    return dict(CLUSTER_JSON=C%k,DAKRY_LIB='/opt/incidents/make/lib/libdakry.so',CKPT='/opt/incidents/make/run/b%d/model'%k,TRAYS='/opt/incidents/make/data/trays_a.npy')
S='masticha.py'
os.makedirs('run/b4',exist_ok=True)
e=cl(4,21040)
ps={n:launch('b4',n,S,env=dict(e,JOB=n[:-1],IDX=n[-1])) for n in ['ps0','worker0','worker1']}
until('b4','worker1','local 250'); ps['ps0'].kill(); print('b4 kill %.3f'%time.time())
print(waitall(ps,14))
e=cl(5,21050)
ps={n:launch('b5',n,S,env=dict(e,JOB=n[:-1],IDX=n[-1],NAP='0.02',TRAYS='/opt/incidents/make/data/trays_%s.npy'%('b' if n=='worker1' else 'a'))) for n in ['ps0','worker0','worker1']}
t=time.time()
while time.time()-t<45 and ps['worker1'].poll() is None: time.sleep(.3)
print('b5',ps['worker1'].poll(),time.time()); time.sleep(6); print(waitall(ps,1))
e=cl(6,21060)
open('/sys/fs/cgroup/pids/aw/pids.max','w').write('26')
ps={n:launch('b6',n,S,env=dict(e,JOB=n[:-1],IDX=n[-1],LAST='300',INTER='8'),pre='echo $$ > /sys/fs/cgroup/pids/aw/cgroup.procs;' if n=='worker1' else '') for n in ['ps0','worker0','worker1']}
t=time.time()
while time.time()-t<30 and ps['worker1'].poll() is None: time.sleep(.3)
print('b6',ps['worker1'].poll(),time.time()); time.sleep(4); print(waitall(ps,1))
