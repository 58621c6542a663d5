from rlib import *
import json,csv,io,yaml,uuid
random.seed(31)
def tsub(x,dd):
    def g(m): return (D.datetime.strptime(m[1],'%Y-%m-%dT%H:%M:%S')+D.timedelta(seconds=round(dd))).strftime('%Y-%m-%dT%H:%M:%S')+m[2]
    return re.sub(r'(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{9})',g,x)
def setnode(o,v):
    p=SET+o.n+'.truth.yaml'; y=yaml.safe_load(open(p)); y['culprit_node']=v; yaml.safe_dump(y,open(p,'w'),sort_keys=False,allow_unicode=True,width=200)
# ---- e : journalctl -o export
d=load('e'); st=min(d['st'].values()); delta=ep(2026,4,9,4,30,1)-st; ns=['wft-01','wft-02','wrp-01']
subs=[('127.0.0.1:2485%d'%(i+1),n+'.mill.lan:6200') for i,n in enumerate(ns)]+[('/opt/incidents/make/e_loom.py','/opt/loom/loom_fit.py'),('/opt/tfenv/','/opt/loom/py/')]
po={'wft-01':210,'wft-02':88113,'wrp-01':-4000}; F=Fix(delta,{'wft-02':63.2,'wrp-01':-1.7},po,subs); o=Out('loom-fit-journals')
boot={n:uuid.UUID(int=random.getrandbits(128)).hex for n in ns}; mid={n:uuid.UUID(int=random.getrandbits(128)).hex for n in ns}
for n in ns:
    ev=[]; pid=d['pid'][n]+po[n]; U='loom-fit.service'
    def E(t,msg,ident,p,prio=6,unit=U,tr='stdout'): ev.append((t,msg,ident,p,prio,unit,tr))
    sd=lambda t,m,prio=6,x=U:E(t,m,'systemd',1,prio,'init.scope','journal')
    for h in range(9): 
        t=st-h*600-random.random()*50; E(t,random.choice(['pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)','(root) CMD (/usr/lib/sa/sa1 1 1)']),'CRON' ,1000+h*37,6,'cron.service','syslog')
    if n=='wft-01':
        E(st-2711,'Memory cgroup out of memory: Killed process 7731 (node) total-vm:2211844kB, anon-rss:1047120kB, file-rss:0kB, shmem-rss:0kB, UID:993 pgtables:2604kB oom_score_adj:0','kernel',None,3,None,'kernel')
        sd(st-2710.9,"patternweb.service: A process of this unit has been killed by the OOM killer."); sd(st-2710.4,"patternweb.service: Failed with result 'oom-kill'.",4)
    if n=='wft-02':
        sd(st-49822,'Reloading.'); E(st-49822.6,'ansible-ansible.legacy.copy Invoked with src=/root/.ansible/tmp/ansible-tmp-1775660000.1-22-9/source dest=/etc/systemd/system/loom-fit.service.d/50-baseline.conf owner=root group=root mode=0644 _original_basename=50-baseline.conf.j2','python3',31877,6,'session-114.scope','syslog')
    sd(d['st'][n]-.05,'Started loom-fit.service - Loom defect model, nightly fit.')
    for r in d['rec']:
        if r[1]==n and r[3]: E(r[0],F.line(n,r[3]),'loom-fit',pid)
    x=d['ex'][n]
    if n=='wft-02':
        tF=[r[0] for r in d['rec'] if r[1]==n and 'F0000' in r[3]][0]
        E(tF-.0005,'cgroup: fork rejected by pids controller in /system.slice/loom-fit.service','kernel',None,6,None,'kernel')
        sd(x[0]+.02,'loom-fit.service: Main process exited, code=killed, status=6/ABRT',5); sd(x[0]+.03,"loom-fit.service: Failed with result 'signal'.",4)
    else: sd(x[0]+.02,'loom-fit.service: Main process exited, code=exited, status=1/FAILURE',5); sd(x[0]+.03,"loom-fit.service: Failed with result 'exit-code'.",4)
    sd(x[0]+.05,'loom-fit.service: Consumed %.3fs CPU time.'%random.uniform(4,6))
    ev.sort(key=lambda q:q[0]); L=[]; mono=random.randrange(10**11,10**12); sq=random.randrange(10**5,10**6)
    for t,m,i,p,pr,u,tr in ev:
        us=int(F.t(t,n)*1e6); sq+=random.choice([1,1,1,2]); mo=mono+int((t-st)*1e6)
        L+=[f'__CURSOR=s={mid[n][::-1]};i={sq:x};b={boot[n]};m={mo:x};t={us:x};x={random.getrandbits(60):x}',f'__REALTIME_TIMESTAMP={us}',f'__MONOTONIC_TIMESTAMP={mo}',f'_BOOT_ID={boot[n]}',f'_TRANSPORT={tr}',f'PRIORITY={pr}',f'SYSLOG_IDENTIFIER={i}',f'_HOSTNAME={n}']
        if p: L+=[f'_PID={p}']
        if u: L+=[f'_SYSTEMD_UNIT={u}']
        L+=['MESSAGE='+m,'']
    o.w(f'{n}.export',L)
o.w('units.txt','\n'.join(f'''### {n}
# /etc/systemd/system/loom-fit.service
[Unit]
Description=Loom defect model, nightly fit
After=network-online.target

[Service]
User=loom
EnvironmentFile=/etc/loom/{n}.env
ExecStart=/opt/loom/py/bin/python /opt/loom/loom_fit.py
Nice=15
Restart=no
'''+('''
# /etc/systemd/system/loom-fit.service.d/50-baseline.conf
# Managed by Ansible
[Service]
NoNewPrivileges=yes
ProtectHome=yes
TasksMax=95
''' if n=='wft-02' else '') for n in ns))
o.pack('tar.gz','resource.thread-limit',['wft-02','worker:1'],['process.abort-check'] if 0 else [],"On wft-02 (worker 1) pthread_create fails with 11 (EAGAIN), env.cc CHECK aborts the process; kernel: fork rejected by pids controller in loom-fit.service, a drop-in of the day before set TasksMax=95. The others report task 1's heartbeat timeout.")
# ---- f : HTCondor
d=load('f'); st=min(d['st'].values()); delta=ep(2026,8,12,19,6,51)-st; hs=['opt-kerr','opt-raman','opt-stark']; C='31907'
subs=[('127.0.0.1:2486%d'%(i+1),'134.61.30.%d:9222'%(21+i)) for i in range(3)]+[('/opt/incidents/make/f_kerr.py','/var/lib/condor/execute/dir_%s/kerr_fit.py'%0),('/opt/tfenv/','/cvmfs/optik.phys/tf-2.21/')]+[('/opt/incidents/runs/f/s%d.csv'%i,'spektren/teil_%d.csv'%i) for i in range(3)]
po={'0':71233,'1':2340,'2':118900}; F=Fix(delta,{'1':.6},po,subs); o=Out('kerr_fit_%s'%C)
for i in range(3):
    n=str(i)
    for k,kk in(('o','out'),('e','err')): o.w(f'kerr.{i}.{kk}',[F.line(n,r[3]).replace('dir_0/',f'dir_{d["pid"][n]+po[n]-9}/') for r in d['rec'] if r[1]==n and r[2]==k])
T=lambda t:f(t+delta,'%Y-%m-%d %H:%M:%S',2)
L=[]; ad=lambda i:f'<134.61.30.{21+i}:9618?addrs=134.61.30.{21+i}-9618&alias={hs[i]}.optik.phys&noUDP&sock=startd_{1811+i*77}_ab{i}4>'
L+=[f'000 ({C}.000.000) {T(st-212)} Job submitted from host: <134.61.30.9:9618?addrs=134.61.30.9-9618&alias=opt-sub.optik.phys&noUDP&sock=schedd_2204_9c1e>','...']
for i in range(3): L+=[f'014 ({C}.000.{i:03d}) {T(st-1+i*.2)} Node {i} executing on host: {ad(i)}','...']
L+=[f'001 ({C}.000.000) {T(st)} Job executing on host: MPI_job','...']
for i in range(3): L+=[f'006 ({C}.000.{i:03d}) {T(st+8)} Image size of job updated: {random.randrange(2700000,2900000)}','\t548  -  MemoryUsage of job (MB)','\t560448  -  ResidentSetSize of job (KB)','...']
for i in (2,0,1):
    n=str(i); t,rc=d['ex'][n]
    L+=[f'015 ({C}.000.{i:03d}) {T(t+.5)} Node {i} terminated.',f'\t(1) Normal termination (return value {rc})','\t\tUsr 0 00:00:%02d, Sys 0 00:00:02  -  Run Remote Usage'%random.randrange(7,11),'\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Local Usage','\t%d  -  Run Bytes Sent By Node'%random.randrange(3000,9000),'\t%d  -  Run Bytes Received By Node'%random.randrange(160000,190000),'...']
L+=[f'005 ({C}.000.000) {T(d["ex"]["1"][0]+1)} Job terminated.','\t(1) Normal termination (return value 1)','\t\tUsr 0 00:00:27, Sys 0 00:00:06  -  Total Remote Usage','\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Total Local Usage','...']
o.w('kerr.log',L)
o.w('kerr.sub','''universe                = parallel
executable              = start_node.sh
arguments               = $(Node)
machine_count           = 3
request_cpus            = 1
request_memory          = 4 GB
should_transfer_files   = yes
when_to_transfer_output = on_exit
transfer_input_files    = kerr_fit.py, spektren
output                  = kerr.$(Node).out
error                   = kerr.$(Node).err
log                     = kerr.log
+ParallelShutdownPolicy = "WAIT_FOR_ALL"
queue
''')
o.pack('zip','data.uneven-shards',['2','worker:2','node 2','opt-stark'],[],"Node 2 (opt-stark) reads 3640 spectra where the others read 4200, ends regularly after 364 steps with return value 0; the others still wait for step 365 and get Socket closed from task 2 and then the lost leader. No error line on the node itself.")
# ---- g : salt
d=load('g'); st=min(d['st'].values()); delta=ep(2025,12,5,8,15,20)-st; ns=['quai-est','quai-nord','quai-sud']
delta=round(delta)
subs=[('127.0.0.1:24879','quai-nord.port.example:7700')]+[('127.0.0.1:2487%d'%(i+1),n+'.port.example:7700') for i,n in enumerate(ns)]+[('/opt/incidents/make/g_quai.py','/srv/grues/apprend.py'),('/opt/tfenv/','/srv/grues/venv/')]
F=Fix(delta,{'quai-nord':3,'quai-sud':-152},{'quai-est':1200,'quai-nord':55410,'quai-sud':7781},subs); o=Out('grues-salt-20251205')
def salt(cmd,d_): 
    L=[f"[root@capitainerie ~]# salt 'quai-*' cmd.run '{cmd}'"]
    for n,ls in d_: L+=[n+':']+['    '+l if l else '' for l in ls]
    return L
cl=[n+'.port.example:7700' for n in ns]
A=salt('cat /var/log/grues/apprend.log',[(n,[tsub(F.line(n,r[3]),F.delta+F.off.get(n,0)) for r in d['rec'] if r[1]==n]) for n in ('quai-sud','quai-est','quai-nord')])
o.w('01-journaux.txt',A)
B=salt('date; uptime',[(n,[f(F.t(d['tk']+300,n),'ven. 05 déc. %Y %H:%M:%S CET',1),' '+f(F.t(d['tk']+300,n),'%H:%M:%S',1)+(' up 13:07,' if n=='quai-sud' else f' up {random.randrange(3,90)} days,  {random.randrange(1,9)}:22,')+f'  0 users,  load average: 0,{random.randrange(10,60)}, 0,{random.randrange(10,60)}, 0,{random.randrange(10,60)}']) for n in ('quai-nord','quai-est','quai-sud')])
B+=salt('systemctl show grues -p MainPID,ExecMainStatus,ExecMainCode,Result',[(n,['MainPID=0','ExecMainCode='+('1' if d['ex'][n][1]==1 else '2'),'ExecMainStatus='+('1' if d['ex'][n][1]==1 else '9'),'Result='+('exit-code' if d['ex'][n][1]==1 else 'timeout')]) for n in ('quai-est','quai-sud','quai-nord')])
B+=salt('ping -c1 -W1 quai-est.port.example | tail -2',[(n,['1 packets transmitted, 1 received, 0% packet loss, time 0ms','rtt min/avg/max/mdev = 0.%d/0.214/0.214/0.000 ms'%214]) for n in ('quai-est','quai-nord','quai-sud')])
B+=salt('df -h / /dev/shm | tail -n +2',[(n,['/dev/vda2        40G   %dG   %dG  %d%% /'%(x,40-x,x*100//40),'tmpfs           7.8G     0  7.8G   0% /dev/shm']) for n,x in (('quai-sud',37),('quai-est',12),('quai-nord',14))])
o.w('02-etat.txt',B)
o.w('03-roster.txt',["[root@capitainerie ~]# salt 'quai-*' grains.item ip4_interfaces:ens3 grues_rang"]+sum([[n+':','    ----------','    grues_rang:','        %d'%i,'    ip4_interfaces:ens3:','        - 10.44.0.%d'%x] for n,i,x in (('quai-nord',1,12),('quai-sud',1,13),('quai-est',0,11))],[])+["[root@capitainerie ~]# salt-run pillar.show_pillar | grep -A4 membres","    membres:"]+['        - '+c for c in cl])
o.w('courriel.txt','''Objet : apprentissage grues, plus rien depuis ce matin

Salut, quai-sud a été réinstallé hier soir (image clonée de quai-nord, comme convenu). Au redémarrage
de 9h15 l'apprentissage s'arrête sur est et nord, et sud reste bloqué sans rien dire jusqu'à ce que je
l'arrête (systemctl stop, il a fini en SIGKILL). nord jure que c'est sa tâche qui aurait redémarré alors qu'il n'a
pas bougé. Pièces jointes.
Yannick
''')
o.pack('tgz','config.task-index','quai-sud',['config.cluster-mismatch'],"quai-sud (cloned from quai-nord) starts as worker 1 like quai-nord, nobody is worker 2: both logs print index 1, the grains show grues_rang 1 twice; the leader sees task 1 connect with a different incarnation. quai-sud itself prints no error and hangs.")
# ---- h : CSV
d=load('h'); st=min(d['st'].values()); delta=ep(2026,9,30,22,48,3)-st; ns=['arctic','sooty']
subs=[('127.0.0.1:24881','ip-172-31-40-118.eu-north-1.compute.internal:2300'),('127.0.0.1:24882','ip-172-31-44-7.eu-north-1.compute.internal:2300'),('/opt/incidents/make/h_tern.py','/app/tern/fit.py'),('/opt/incidents/runs/h/','/mnt/efs/tern/r118/'),('/opt/tfenv/','/usr/local/'),('tern.h_tern','tern.fit')]
F=Fix(delta,{},{n:-d['pid'][n]+8 for n in ns},subs); o=Out('tern-batch-r118')
jid='5f0c2c1e-8f0b-4a6e-9d42-7e1b1a4c9d33'; sn={'arctic':'tern-fit/default/'+uuid.UUID(int=random.getrandbits(128)).hex,'sooty':'tern-fit/default/'+uuid.UUID(int=random.getrandbits(128)).hex}
b=io.StringIO(); w=csv.writer(b,quoting=csv.QUOTE_ALL); w.writerow(['@timestamp','@logStream','@message'])
for r in reversed(d['rec']): w.writerow([f(F.t(r[0],r[1]),'%Y-%m-%d %H:%M:%S.')+'%03d'%(F.t(r[0],r[1])*1000%1000),sn[r[1]],F.line(r[1],r[3])])
o.w('logs-insights-results (3).csv',b.getvalue())
ms=lambda t:int((t+delta)*1000)
o.w('describe-jobs.json',json.dumps({'jobs':[{'jobName':'tern-r118','jobId':jid+f'#{i}','jobQueue':'arn:aws:batch:eu-north-1:402199300117:job-queue/birds-spot','status':'SUCCEEDED','attempts':([{'container':{'containerInstanceArn':'arn:aws:ecs:eu-north-1:402199300117:container-instance/birds/0a4e','logStreamName':'tern-fit/default/'+uuid.UUID(int=random.getrandbits(128)).hex},'startedAt':ms(st-1500),'stoppedAt':ms(st-1320),'statusReason':'Host EC2 (instance i-0b3d91ce0f2a77e15) terminated.'}] if i==1 else [{'container':{'exitCode':143,'logStreamName':'tern-fit/default/'+uuid.UUID(int=random.getrandbits(128)).hex},'startedAt':ms(st-1501),'stoppedAt':ms(st-1311),'statusReason':'Essential container in task exited'}])+[{'container':{'exitCode':d['ex'][n][1],'logStreamName':sn[n]},'startedAt':ms(d['st'][n]-1),'stoppedAt':ms(d['ex'][n][0]+1),'statusReason':'Essential container in task exited'}],'statusReason':'Essential container in task exited','createdAt':ms(st-1700),'retryStrategy':{'attempts':3,'evaluateOnExit':[{'onStatusReason':'Host EC2*','action':'RETRY'}]},'startedAt':ms(d['st'][n]-1),'stoppedAt':ms(d['ex'][n][0]+1),'nodeProperties' if 0 else 'nodeDetails':{'nodeIndex':i,'isMainNode':i==0},'timeout':{'attemptDurationSeconds':7200}} for i,n in enumerate(ns)]},indent=4)+'\n')
o.pack('tar.gz','none',None,[],"The job ended well: all ten epochs on both nodes, 'training finished', exit code 0, status SUCCEEDED; the missing vocab file was there at the retry, the spot loss of the first attempt was retried by Batch.")
for p in sorted(os.listdir(SET)):
    if p.endswith('.yaml'):
        y=yaml.safe_load(open(SET+p)); assert os.path.exists(SET+y['archive']); ids=open('rules/causes.yaml').read(); assert y['cause']=='none' or '\n  '+y['cause']+':' in ids; print(p,y['cause'],y['culprit_node'],y['also_acceptable'])
