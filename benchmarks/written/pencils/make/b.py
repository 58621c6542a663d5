from kit import *
import numpy as np
N=['tri-worker-0','tri-worker-1','tri-worker-2']
hosts('B',[f'{x}.tri' for x in N])
rng=np.random.default_rng(5)
d=f'{B}/B/root/mnt/amandons'; shutil.rmtree(d,ignore_errors=True); os.makedirs(d)
for i in range(29):
    a=rng.normal(size=(400 if i!=26 else 248,33)).astype('f'); a[:,32]=(a[:,0]+a[:,3]*.5>0); np.save(f'{d}/lot-{i:04d}.npy',a)
def tc(i,base): return json.dumps({'cluster':{'worker':[f'{x}.tri:{base+j}' for j,x in enumerate(N)]},'task':{'type':'worker','index':i}})
what=sys.argv[1]
if what=='b1':
    r=run('B',[(f'b1_{i}',N[i],['python','-u','/opt/app/tri.py'],{'TF_CONFIG':tc(i,21810),'TRI':json.dumps({'pas':4000,'lot':8})}) for i in (0,1)],timeout=25)
if what=='b2':
    cg='/sys/fs/cgroup/pids/ap_b2'; os.makedirs(cg,exist_ok=True); open(cg+'/pids.max','w').write(sys.argv[2])
    pre=f'echo $$ > {cg}/cgroup.procs'
    r=run('B',[(f'b2_{i}',N[i],['python','-u','/opt/app/tri.py'],{'TF_CONFIG':tc(i,21820),'TRI':json.dumps({'pas':4000,'lot':8,'fils':48})},pre if i==2 else '') for i in (0,1,2)],timeout=45)
    time.sleep(.5); os.rmdir(cg)
if what=='b3':
    r=run('B',[(f'b3_{i}',N[i],['python','-u','/opt/app/tri.py'],{'TF_CONFIG':tc(i,21830),'TRI':json.dumps({'pas':40000,'lot':8,'tous':4})}) for i in (0,1,2)],timeout=55)
print(r)
