from ren import *
r=R('a2','2026-04-21 16:20:33','Europe/Berlin','/home/jo/empfehlung','/home/jo/empfehlung/.venv',[(r'^\d\d\.\d\d\. \d\d:\d\d:\d\d','%d.%m. %H:%M:%S')],{},{'regal9':0})
d=r.d; r.pido={k:2100 for k in d['pid']}
L=[]
def sy(t,m): L.append((t,'system',m))
for k in d['pid']: sy(d['st'][k]+.001,f'{k} started (pid={r.pid(k)})')
for t,k,o,l in r.lines(): L.append((t,k,l))
c=d['ex']['chief.1'][0]
sy(c,f'chief.1 stopped (rc={d["ex"]["chief.1"][1]})')
for k in d['pid']:
    if k!='chief.1':
        sy(c+.001,f'sending SIGTERM to {k} (pid {r.pid(k)})'); 
for k in d['pid']:
    if k!='chief.1': sy(max(c+.01,d['ex'][k][0]),f'{k} stopped (rc={d["ex"][k][1]})')
L.sort(key=lambda x:x[0])
w=max(len(x) for x in list(d['pid'])+['system'])
o=''.join(f"{r.dt(t).strftime('%H:%M:%S')} {k:<{w}} | {m}\n" for t,k,m in L)
open('/srv/runs/runs/a2.txt','w').write(o)
pf='chief: python recsys.py\nworker: python server.py\nps: MEMCAP_MB=1800 python server.py\n'
env='# honcho -e .env start -c chief=1,worker=2,ps=2\nTF_NUM_INTRAOP_THREADS=1\nOMP_NUM_THREADS=1\nGRPC_FAIL_FAST=use_caller\nPORT=5000\n'
fr='''jo@regal9:~/empfehlung$ free -m
               total        used        free      shared  buff/cache   available
Mem:           24105        7411        9218         412        7476       16106
Swap:           8191           3        8188
jo@regal9:~/empfehlung$ sudo dmesg -T | grep -ci -e oom -e killed
0
jo@regal9:~/empfehlung$ nproc; uptime
16
 %s up 41 days,  6:02,  3 users,  load average: 1.12, 2.04, 1.71
'''%r.dt(c+300).strftime('%H:%M:%S')
pack('honcho-20260421.tgz',[('empfehlung/honcho.out',o),('empfehlung/Procfile',pf),('empfehlung/.env',env),('empfehlung/speicher.txt',fr)],r.t(c)+500,dict(cause='resource.host-alloc-failed',culprit_node=['ps.1','ps:0','regal9'],notes="ps:0 (honcho's ps.1), capped by RLIMIT_AS, cannot allocate the 20000x40000 float matrix (3.2 GB): 'OOM when allocating tensor ... /job:ps/replica:0/task:0 ... by allocator'; the host has 16 GB available and no OOM kill, and honcho then stops the rest."))
