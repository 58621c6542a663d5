from rlib import *
random.seed(8)
# ---------- a
d=load('a'); st=min(d['st'].values()); delta=ep(2026,3,14,5,11,8)-st; ns=['tannat','malbec','bonarda']
po={'tannat':18220,'malbec':40771,'bonarda':9113}
subs=[('127.0.0.1:24811','tannat.vinhas.intra:4100'),('127.0.0.1:24812','malbec.vinhas.intra:4100'),('127.0.0.1:24813','bonarda.vinhas.intra:4100'),('/opt/incidents/make/a_adega.py','/srv/adega/treino.py'),('/opt/tfenv/','/srv/adega/venv/')]
subs+=[('/opt/incidents/runs/a/'+n,'/scratch/adega/ckpt') for n in ns]
F=Fix(delta,{'malbec':-41.3,'bonarda':7.8},po,subs); o=Out('vinhas-ticket-2281')
rnd={'tannat':'q1hx0v','malbec':'8ezk2m','bonarda':'w_5tcp'}
for n in ns:
    for k,kk in(('o','stdout'),('e','stderr')): o.w(f'{n}/adega-{kk}---supervisor-{rnd[n]}.log',[F.line(n,r[3]) for r in d['rec'] if r[1]==n and r[2]==k])
    T=lambda t:f(F.t(t,n),'%Y-%m-%d %H:%M:%S,',-3)+'%03d'%(t*1000%1000)
    L=[]
    if n=='bonarda':
        L+=[T(st-93000)+" INFO exited: coletor (exit status 0; expected)",T(st-93000+1)+" INFO spawned: 'coletor' with pid 8011",T(st-93000+3)+" INFO success: coletor entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)"]
    L+=[T(st-7202.4)+" INFO waiting for adega to stop",T(st-7201.1)+" WARN stopped: adega (terminated by SIGTERM)" if n!='malbec' else T(st-7201.1)+" INFO stopped: adega (exit status 0)"]
    if n=='malbec': L=[T(st-1260)+" CRIT Supervisor is running as root.  Privileges were not dropped because no user is specified in the config file.  If you intend to run as root, you can set user=root in the config file to avoid this message.",T(st-1259.9)+" INFO RPC interface 'supervisor' initialized",T(st-1259.9)+" CRIT Server 'unix_http_server' running without any HTTP authentication checking",T(st-1259.8)+" INFO supervisord started with pid 1182"]
    L+=[T(d['st'][n])+f" INFO spawned: 'adega' with pid {d['pid'][n]+po[n]}",T(d['st'][n]+1.02)+" INFO success: adega entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)",T(d['ex'][n][0]+.2)+" WARN exited: adega (exit status 1; not expected)"]
    o.w(f'{n}/supervisord.log',L)
    lt=d['ls'][n].replace('-rw-r--r-- 1 0 0','-rw-r--r-- 1 adega adega').replace('Nov 29 01:18','Mar 13 23:%02d'%(57) if n!='malbec' else 'Fev 26 18:40')
    if n!='malbec': lt=lt.replace('Nov 29 01:19','Mar 13 23:58')
    o.w(f'{n}/ls-scratch.txt',f'$ ls -l /scratch/adega/ckpt\n'+lt)
o.w('leia-me.txt','''De: Iolanda
Assunto: treino da adega parado depois da troca do malbec

Ontem à noite paramos para o pessoal da sala fria trocar o disco de sistema do malbec. Voltou às 01:50, subi o
adega de novo nas três com supervisorctl start adega e caiu nas três em segundos. Antes rodava bem com o mesmo código (tag 0.9.4).
Juntei stdout, stderr, supervisord.log e o ls do scratch de cada máquina. O relógio do malbec está atrasado.
''')
o.pack('zip','checkpoint.mismatch',['malbec','worker:1'],[],"malbec (worker 1) restored ckpt-3 of an older model (kernel 24x48 against 24x64) from its own local scratch: ValueError 'Shape mismatch' in ck.restore; the others resumed from their ckpt-2 and then lost task 1 (Socket closed).")
# ---------- b
d=load('b'); st=min(d['st'].values()); delta=ep(2025,10,2,0,33,17)-st; ns=['konipas','brhlik','dlask']
subs=[('127.0.0.1:2482%d'%(i+1),'172.22.8.%d:5510'%(61+i)) for i in range(3)]+[('/opt/incidents/make/b_mraky.py','/home/mraky/src/mraky.py'),('/opt/tfenv/','/home/mraky/.venvs/tf221/')]+[('/opt/incidents/runs/b/'+n,'/data/oblaka') for n in ns]
F=Fix(delta,{'brhlik':2.4,'dlask':-1.1},{'konipas':5120,'brhlik':220140,'dlask':61107},subs); F.fmt=lambda t:f(t,'%H:%M:%S',2)
o=Out('mraky-noc-0210'); L=['make: Vstupuje se do adresáře „/home/mraky/beh“','for p in konipas brhlik dlask; do ssh $p true || exit 1; done']
for n in ns: L.append(f'ssh -o BatchMode=yes {n} "cd /home/mraky && PTAK={n} DATA=/data/oblaka TF_CONFIG=\'$(cat tfc/{n}.json)\' ~/.venvs/tf221/bin/python src/mraky.py" 2>&1 | stdbuf -oL sed "s/^/{n:>7}│ /"')
ev=[(r[0],f'{r[1]:>7}│ '+F.line(r[1],r[3])) for r in d['rec']]
for n in ns: ev.append((d['ex'][n][0]+.05,f'make: *** [Makefile:21: ptak-{n}] Chyba 1'))
L+=[x for _,x in sorted(ev,key=lambda q:q[0])]
L.insert(len(L)-1,'make: *** Čeká se na nedokončené úlohy....') if 0 else None
L+=['make: Cíl „vsichni“ nebyl kvůli chybám znovu sestaven.','make: Opouští se adresář „/home/mraky/beh“','make -j3 -k vsichni 2>&1  4,12s user 2,07s system 14% cpu '+'%d,%02d total'%(max(v[0] for v in d['ex'].values())-st,41)]
o.w('beh/make-vsichni.log',L)
o.w('beh/Makefile','''SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
PTACI := konipas brhlik dlask
PY := ~/.venvs/tf221/bin/python

.PHONY: vsichni kontrola
vsichni: $(addprefix ptak-,$(PTACI))

kontrola:
	for p in $(PTACI); do ssh $$p true || exit 1; done

data-%:
	rsync -a --info=stats1 sklad:/export/oblaka/$*/ $*:/data/oblaka/

# poradi v TF_CONFIG: konipas=0 brhlik=1 dlask=2

tfc/%.json: tfc/sablona.json
	./tfc.py $< $* > $@

ptak-%: tfc/%.json | kontrola
	ssh -o BatchMode=yes $* "cd /home/mraky && PTAK=$* DATA=/data/oblaka TF_CONFIG='$$(cat tfc/$*.json)' $(PY) src/mraky.py" 2>&1 | stdbuf -oL sed "s/^/$*│ /"
''')
for i,n in enumerate(ns):
    o.w(f'beh/tfc/{n}.json','{"cluster": {"worker": ["172.22.8.61:5510", "172.22.8.62:5510", "172.22.8.63:5510"]}, "task": {"type": "worker", "index": %d}}\n'%i)
    x=d['ls'][n].replace(' 0 0 ',' mraky mraky ').replace('Nov 29 01:18','zář 30 21:1%d'%i)
    if n=='dlask': x=re.sub(r'zář 30 21:12( mraky-006)',r'říj  1 16:47\1',x)
    o.w(f'data/{n}.ls','celkem '+x.split(' ',1)[1])
o.pack('tgz','data.dtype',['dlask','worker:2'],['data.corrupt-record'] if 0 else [],"dlask (worker 2) reads mraky-006.tfrecord, rewritten the day before with int64 values: ParseExample 'Data types don't match. Data type: int64 but expected type: float'. The two others see Socket closed from task 2 and then the lost leader.")
# ---------- c
d=load('c'); st=min(d['st'].values()); delta=ep(2026,6,21,13,2,44)-st; ns=['nudi','urchin','polyp']
G=3*3600+17*60
t0=min(v['t'] for v in d['pr'].values())-1
subs=[('127.0.0.1:2483%d'%(i+1),n+'.reef:7070') for i,n in enumerate(ns)]+[('/opt/incidents/make/c_reef.py','/usr/local/reef/fit_tiles.py'),('/opt/tfenv/','/usr/local/reef/env/')]
po={'nudi':1000,'urchin':2412,'polyp':377}
A=Fix(delta,{},po,subs); B=Fix(delta+G,{},po,subs)
def tsub(x,dd):
    def g(m):
        y=D.datetime.strptime(m[1],'%Y-%m-%dT%H:%M:%S')+D.timedelta(seconds=round(dd)); return y.strftime('%Y-%m-%dT%H:%M:%S')+m[2]
    return re.sub(r'(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{9})',g,x)
# keep subsecond part right: whole-second deltas
for q in(A,B): q.delta=round(q.delta)
def tai(t): return '@%016x%08x'%((1<<62)+10+int(t)+27,int(t%1*1e9))
o=Out('reef-stall-sunday')
for n in ns:
    L=[]
    # earlier lines of the same service (previous run)
    for i in range(4): L.append(tai(st+A.delta-8000-i*.31+ (4*.31))+' ev=epoch e=%d loss=%.6f sec=0.6%d'%(8+i,.0009/(i+1),i))
    L.append(tai(st+A.delta-7996)+' runsv: fit_tiles exit 0')
    for r in d['rec']:
        if r[1]!=n: continue
        q=B if r[0]>t0 else A
        L.append(tai(r[0]+q.delta)+' '+tsub(q.line(n,r[3]),q.delta))
    o.w(f'var-log/{n}/fit_tiles/current',L); o.w(f'var-log/{n}/fit_tiles/config','s2000000\nn10\n')
K=[]
def pr(n): return f'maya@{n}:~$ '
for n in ns:
    v=d['pr'][n]; p=d['pid'][n]+po[n]
    K.append(pr(n)+'date -u; sv status fit_tiles'); K.append(f(v['t']+B.delta-4,'%a %b %d %H:%M:%S UTC %Y')); K.append(f'run: fit_tiles: (pid {p}) {int(v["t"]+B.delta-4-(d["st"][n]+A.delta))}s; run: log: (pid 611) 1904233s')
    K.append(pr(n)+f'ps -L -o pid,lwp,stat,wchan:22,comm -p {p}')
    for l in v['ps'].rstrip().split('\n'):
        c=l.split()
        if c[0]=='PID': K.append('    PID     LWP STAT WCHAN                  COMMAND'); continue
        K.append('%7d %7d %-4s %-22s %s'%(int(c[0])+po[n],int(c[1])+po[n],c[2],c[3],c[6]))
    K.append(pr(n)+'ls -l --time-style=long-iso /stage/tiles/e07'); K+=[x.replace(' 0 0 ',' stager reef ').replace('2026-11-29 01:19','2026-06-20 22:14') for x in v['ls'].rstrip().split('\n')]
    if n=='urchin': K=[x.replace('2026-06-20 22:14 tile_2','2026-06-21 09:40 tile_2') for x in K]
    K.append(pr(n)+f'kill -USR1 {p}')
for n in ns: K.append(pr(n)+'sudo sv force-stop fit_tiles'); K.append('kill: run: fit_tiles: (pid %d) %ds, want down, got TERM'%(d['pid'][n]+po[n],d['tk']+B.delta+5-d['st'][n]-A.delta) )
o.w('console-maya.txt',K)
o.pack('tar.zst','sync.hang',['urchin','worker:1'],[],"Training stops for three hours after step 168 without an error; the USR1 stacks show nudi and polyp inside the collective step, urchin inside open() in load_tile, wchan wait_for_partner: e07/tile_2.f32 is a named pipe there (prw-r--r--). The SIGTERM at the end is the operator's.")
# ---------- d
d=load('d'); st=min(d['st'].values()); delta=ep(2026,1,27,21,40,2)-st
al={'ps':'6c0d9be1-53f4-8a0e-4d17-1e0c6d5a7c33','worker':'b19f4e02-1fb7-73c6-9a41-7d0a2be5f6a8','chief':'e87a22d4-0c19-5b3d-2f60-93b1c0ad4e15'}
NID={'ps':'359b1548','worker':'a4517d6c','chief':'0b3510b0'}
nd={'ps':'larch-3','worker':'larch-5','chief':'sorrel-1'}
subs=[('127.0.0.1:24841','10.77.3.13:24120'),('127.0.0.1:24842','10.77.3.15:27733'),('127.0.0.1:24843','10.77.4.1:21908'),('/opt/incidents/make/d_coord.py','/local/app/coord.py'),('/opt/tfenv/','/opt/tf/'),('/root/.pyenv/versions/3.11.7','/usr/local')]
po={n:-d['pid'][n]+{'ps':11,'worker':9,'chief':14}[n] for n in nd}; F=Fix(delta,{'worker':.4},po,subs); o=Out('phylo-nomad-alloc-dump')
for n in nd:
    for k,kk in(('o','stdout'),('e','stderr')):
        L=[F.line(n,r[3]).replace('on host vm','on host '+al[n][:8]) for r in d['rec'] if r[1]==n and r[2]==k]
        o.w(f'alloc/{al[n][:8]}/alloc/logs/{n}.{kk}.0',L)
    T=lambda t:f(t+delta,'%Y-%m-%dT%H:%M:%SZ')
    x=d['ex'][n]; seg=n=='chief'
    evs=[(st-6,'Received','Task received by client'),(st-5.6,'Task Setup','Building Task Directory'),(st-5,'Driver','Downloading image'),(st,'Started','Task started by client')]
    if seg: evs+=[(x[0]+.3,'Terminated','Exit Code: 139, Exit Message: "Docker container exited with non-zero exit code: 139"'),(x[0]+.4,'Not Restarting','Policy allows no restarts')]
    else: evs+=[(x[0]-1,'Killing','Sent interrupt. Waiting 5s before force killing' if 0 else 'Sent interrupt. Waiting 20s before force killing'),(x[0]+.1,'Terminated','Exit Code: 143, Exit Message: "Docker container exited with non-zero exit code: 143"'),(x[0]+.3,'Killed','Task successfully killed')]
    S=[f'ID                  = {al[n]}','Eval ID             = 51e3b0c7',f'Name                = phylo-rank.{n}[0]',f'Node ID             = {NID[n]}',f'Node Name           = {nd[n]}','Job ID              = phylo-rank','Job Version         = 14','Client Status       = '+('failed' if seg else 'complete'),'Client Description  = '+('Failed tasks' if seg else 'All tasks have completed'),'Desired Status      = '+('run' if seg else 'stop'),'Desired Description = '+('<none>' if seg else 'alloc not needed due to job update'),'Created             = 9m12s ago','Modified            = 8m31s ago','','Allocation Addresses:','Label  Dynamic  Address','*grpc  yes      '+{'ps':'10.77.3.13:24120','worker':'10.77.3.15:27733','chief':'10.77.4.1:21908'}[n],'',f'Task "{n}" is "dead"','Task Resources:','CPU         Memory           Disk     Addresses',f'0/2000 MHz  {random.randrange(300,700)} MiB/6.0 GiB  300 MiB  ','','Task Events:','Started At     = '+T(st),'Finished At    = '+T(x[0]),'Total Restarts = 0','Last Restart   = N/A','','Recent Events:','%-21s  %-15s %s'%('Time','Type','Description')]
    S+=['%-21s  %-15s %s'%(T(t),a,b) for t,a,b in reversed(evs)]
    o.w(f'status/{al[n][:8]}.txt',S)
h=118840.2; b=x0=d['ex']['chief'][0]
o.w('nodes/sorrel-1.dmesg',['[%12.6f] docker0: port 3(veth9a1f0c2) entered forwarding state'%(h-5211.3),'[%12.6f] EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x1a3f02 offset:0x4c0 grain:32 syndrome:0x0)'%(h-3002.88),'[%12.6f] TCP: request_sock_TCP: Possible SYN flooding on port 10.77.4.1:8086. Sending cookies.'%(h-870.51),'[%12.6f] docker0: port 5(vethd03b7e9) entered blocking state'%(h-15.31),'[%12.6f] docker0: port 5(vethd03b7e9) entered forwarding state'%(h-15.29),'[%12.6f] python[41977]: segfault at 7ffd0c5f7ff8 ip 00007fa3e40c41d2 sp 00007ffd0c5f7ff0 error 6 in libpython3.11.so.1.0[7fa3e3f1c000+1d9000] likely on CPU 6 (core 6, socket 0)'%h,'[%12.6f] Code: 41 57 41 56 41 55 41 54 55 53 48 81 ec 98 00 00 00 64 48 8b 04 25 28 00 00 00 48 89 84 24 88 00 00 00 31 c0 48 8b 46 10 <48> 89 7c 24 08'%(h+.001),'[%12.6f] docker0: port 5(vethd03b7e9) entered disabled state'%(h+.412)])
o.w('status/job.txt',['ID            = phylo-rank','Name          = phylo-rank','Submit Date   = '+f(st+delta-7,'%Y-%m-%dT%H:%M:%SZ'),'Type          = batch','Priority      = 50','Datacenters   = fenland','Namespace     = biolab','Status        = dead (stopped)','Periodic      = false','Parameterized = false','','Summary','Task Group  Queued  Starting  Running  Failed  Complete  Lost  Unknown','chief       0       0         0        1       0         0     0','ps          0       0         0        0       1         0     0','worker      0       0         0        0       1         0     0','','Allocations','ID        Node ID   Task Group  Version  Desired  Status    Created    Modified']+[f'{al[n][:8]}  {NID[n]}  {n:<10}  14       {"run " if n=="chief" else "stop"}     {"failed  " if n=="chief" else "complete"}  9m12s ago  8m31s ago' for n in nd])
o.pack('tar.gz','process.stack-overflow','chief',['process.segfault'],"The coordinator (task chief on sorrel-1, alloc e87a22d4) recurses through map(score) without bound: faulthandler's hundred frames of score, the kernel's segfault at an address next to sp, exit 139; ps and worker only got the stop of the job.")
import yaml; p=SET+o.n+'.truth.yaml'; y=yaml.safe_load(open(p)); y['culprit_node']=['chief','sorrel-1','e87a22d4']; yaml.safe_dump(y,open(p,'w'),sort_keys=False,width=200)
