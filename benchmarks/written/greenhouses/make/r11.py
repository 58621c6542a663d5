from lib import *
N={'brest-c1':'10.11.0.21','brest-c2':'10.11.0.22','brest-c3':'10.11.0.23','brest-c4':'10.11.0.24'}
L=Lab('i11','',{'/travail/houle':B+'/code/i11','/travail/env':'/opt/tfenv','/travail/journaux':'NODE/j'},N)
cg='/sys/fs/cgroup/cpu/bi11'; os.makedirs(cg,exist_ok=True); L.cgs.append(cg)
open(cg+'/cpu.cfs_period_us','w').write('100000')
W=[f'{n}:7700' for n in N]
ps=[L.start(n,n,'/travail/env/bin/python /travail/houle/apprentissage.py',{'JOURNAL_CSV':f'/travail/journaux/rang{i}.csv','TF_CONFIG':json.dumps({'cluster':{'worker':W},'task':{'type':'worker','index':i}})},cg=[cg] if i==1 else []) for i,n in enumerate(N)]
time.sleep(3); open(cg+'/cpu.cfs_quota_us','w').write('22000')
L.wait(ps,100)
L.extra['stat']=open(cg+'/cpu.stat').read(); L.extra['q']=open(cg+'/cpu.cfs_quota_us').read()
for p in ps:
    if p.rc is None: L.sig(p,2); p.to=1
L.wait(ps,6); L.close()
