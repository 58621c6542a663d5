from ren import *
random.seed(1)
d=json.load(open(BASE+'/runs/a1.json')); kt=d['ex']['spoi'][0]-d['t0']
w=D.datetime(2026,2,11,3,20,1)-D.timedelta(seconds=int(kt))
r=R('a1',w.isoformat(),'Atlantic/Reykjavik','/home/skjalfti/thjalfun','/opt/conda/envs/tf',[(r'^\d\d:\d\d:\d\d(?= [IWE] \[)','%H:%M:%S')],{'lundi':0,'kria':1,'jadrakan':-2},{'lundi':-9100,'kria':183300,'spoi':40120,'jadrakan':77000})
out=[];err=[]
for t,k,o,l in r.lines(): (out if o=='o' else err).append(f'{k}\t{l}\n')
jl='Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n'
H=['lundi','kria','spoi','jadrakan']
for k in sorted(H,key=lambda k:d['ex'][k][0]):
    rc=d['ex'][k][1]; n=sum(len(x[3])+1 for x in r.lines(k,'o'))
    jl+=f"{H.index(k)+1}\t{k}\t{r.t(d['st'][k]):.3f}\t{d['ex'][k][0]-d['st'][k]:10.3f}\t0\t{n}\t{137 if rc==-9 else rc}\t0\tkeyra_verk {k} {H.index(k)}\n"
def syslog(h,seed,extra):
    random.seed(seed); L=[]
    t=r.t(d['t0'])-5400
    while t<r.t(d['t0'])+240:
        t+=random.expovariate(1/140)
        L.append((t,random.choice(['systemd[1]: Starting sysstat-collect.service - system activity accounting tool...','systemd[1]: sysstat-collect.service: Deactivated successfully.','chronyd[871]: Selected source 193.4.58.71','systemd[1]: Started session-%d.scope - Session %d of User skjalfti.'%((random.randint(300,900),)*2),'smartd[902]: Device: /dev/sdb [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from %d to %d'%(random.randint(60,66),random.randint(60,66)),'sshd[%d]: Connection closed by 10.41.7.2 port %d [preauth]'%(random.randint(4e4,9e4),random.randint(3e4,6e4)),'snmpd[933]: Connection from UDP: [10.41.7.3]:%d->[0.0.0.0]:161'%random.randint(3e4,6e4)])))
    m=int(r.t(d['t0'])-5400)//600*600
    for q in range(m,int(r.t(d['t0']))+240,600):
        L.append((q+1.2,f'CRON[{random.randint(5e4,9e4)}]: (root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)'))
    L+=extra(m); L.sort(); pc=[47000+seed*3111]
    def rn(x):
        def f(m): pc[0]+=random.randint(3,90); return '%s[%d]:'%(m[1],pc[0])
        return re.sub(r'^(CRON|sshd|losa-vel)\[\d+\]:',f,x)
    L=[(t,rn(x)) for t,x in L]
    return ''.join(D.datetime.fromtimestamp(t,D.timezone.utc).strftime('%b %e %H:%M:%S ')+f'{h} {x}\n' for t,x in L if t<r.t(d['t0'])+240)
k0=r.t(d['t0']+kt)
def es(m):
    return [(q+1.3+ (k0%1)*.3,f'CRON[{61000+(q-m)//12}]: (root) CMD (/usr/local/sbin/losa-vel.sh --eldri-en 20 --notandi skjalfti)') for q in range(int(k0)//3600*3600-3600+1200,int(k0)+60,3600)]+[(k0+.4,'losa-vel[61803]: 1 ferli felld')]
def ej(m):
    t=k0-4100
    return [(t,'kernel: [883012.411870] seiscomp-scautopick invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0'),(t+.2,'kernel: [883012.602031] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/system.slice/seiscomp.service,task_memcg=/system.slice/seiscomp.service,task=scautopick,pid=4127,uid=991'),(t+.2,'kernel: [883012.602077] Memory cgroup out of memory: Killed process 4127 (scautopick) total-vm:9120332kB, anon-rss:4100120kB, file-rss:1204kB, shmem-rss:0kB, UID:991 pgtables:8420kB oom_score_adj:0'),(t+1,'systemd[1]: seiscomp.service: Failed with result \'oom-kill\'.')]
pre='skjalfti-20260211/'
pack('skjalfti-20260211.tar.gz',[(pre+'ut.tsv',''.join(out)),(pre+'villur.tsv',''.join(err)),(pre+'joblog.tsv',jl),
 (pre+'keyra.sh','#!/bin/bash\n# parallel 20221122\nsource env.bash\nparallel --line-buffer --tagstring {1} --joblog joblog.tsv \\\n  -S 1/lundi,1/kria,1/spoi,1/jadrakan --env keyra_verk --link \\\n  keyra_verk {1} {2} ::: lundi kria spoi jadrakan ::: 0 1 2 3 >ut.tsv 2>villur.tsv\n'),
 (pre+'syslog/spoi',syslog('spoi',4,es)),(pre+'syslog/jadrakan',syslog('jadrakan',5,ej)),(pre+'syslog/kria',syslog('kria',6,lambda m:[]))],k0+3600*5,
 dict(cause='process.killed-by-signal',culprit_node='spoi',notes="spoi (task 2) ended without a word: joblog Exitval 137, its syslog has no OOM but the hourly cron losa-vel.sh at the same second ('1 ferli felld'); the others saw 'Connection reset by peer' from task:2. The OOM kill on jadrakan is another service an hour earlier."))
