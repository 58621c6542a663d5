from f import *
r=load('i6'); PP={p['id']:p for p in r['procs']}; t0=PP['chief.0']['t0']
c=Clk(t0,'2026-12-01T12:31:40',1,[(10,10),(PP['ps.1']['t1']-t0-2,2210)])
d=fresh('i6'); rnd=random.Random(6)
SK={'nodo11.uv-astro':-38.5,'nodo17.uv-astro':3.1}
roles=['chief.0','ps.0','ps.1','worker.0','worker.1']
for i,k in enumerate(roles):
    p=PP[k]; o=e=''; sk=SK.get(p['node'],0)
    for t,s,x in p['log']:
        if s=='out': o+=c.fix(x,sk)+'\n'
        else: e+=c.fix(x,sk)+'\n'
    w(d,f'salida/fotoz.{k}.out',o); w(d,f'salida/fotoz.{k}.err',e)
s=lambda t:c.f(t,'%Y-%m-%d %H:%M:%S')
ip={k:{'chief.0':3,'ps.0':8,'ps.1':11,'worker.0':12,'worker.1':17}[k] for k in roles}
L='';J=71884
ex=PP['ps.1']['t1']; mem=r['extra']['mem']
L+=''.join(f'000 ({J}.{i:03d}.000) {s(t0-40)} Job submitted from host: <10.60.1.1:9618?addrs=10.60.1.1-9618&alias=portal.uv-astro&noUDP&sock=schedd_2211_9c1a>\n    DAG Node: {k.replace(".","_")}\n...\n' for i,k in enumerate(roles))
for i,k in enumerate(roles):
    L+=f'040 ({J}.{i:03d}.000) {s(t0-9)} Started transferring input files\n\tTransferring to host: <10.60.1.{ip[k]}:9618?addrs=10.60.1.{ip[k]}-9618&alias=nodo{ip[k]:02d}.uv-astro&noUDP&sock=slot1_1_{1200+i}_ab>\n...\n040 ({J}.{i:03d}.000) {s(t0-8)} Finished transferring input files\n...\n001 ({J}.{i:03d}.000) {s(PP[k]["t0"])} Job executing on host: <10.60.1.{ip[k]}:9618?addrs=10.60.1.{ip[k]}-9618&alias=nodo{ip[k]:02d}.uv-astro&noUDP&sock=startd_1733_5b02>\n\tSlotName: slot1_1@nodo{ip[k]:02d}.uv-astro\n...\n'
for t,m in mem[6::4]:
    for i,k in enumerate(roles):
        v=m>>20 if k=='ps.1' else rnd.randint(280,340)
        if t<ex: L+=f'006 ({J}.{i:03d}.000) {s(t+rnd.random())} Image size of job updated: {v*1024+rnd.randint(2000000,2900000)}\n\t{v}  -  MemoryUsage of job (MB)\n\t{v*1024+rnd.randint(0,1023)}  -  ResidentSetSize of job (KB)\n...\n'
L+=f'012 ({J}.002.000) {s(ex+1)} Job was held.\n\tError from slot1_1@nodo11.uv-astro: Job has gone over cgroup memory limit of 560 megabytes. Last measured usage: 559 megabytes.  Consider resubmitting with a higher request_memory.\n\tCode 34 Subcode 102\n...\n'
L+=f'005 ({J}.000.000) {s(PP["chief.0"]["t1"])} Job terminated.\n\t(1) Normal termination (return value 1)\n\t\tUsr 0 00:31:02, Sys 0 00:01:18  -  Run Remote Usage\n\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Local Usage\n...\n'
for i,k in enumerate(roles):
    if k in('ps.0','worker.0','worker.1'): L+=f'009 ({J}.{i:03d}.000) {s(PP[k]["t1"]+2)} Job was aborted.\n\tvia condor_rm (by user mvidal)\n...\n'
w(d,'fotoz.log',L)
w(d,'fotoz.sub','''universe       = vanilla
executable     = lanza.sh
arguments      = $(rol)
environment    = "FOTOZ_ROL=$(rol) FOTOZ_CLUSTER=/home/mvidal/fotoz/cluster.json"
requirements   = (Machine == "$(maq).uv-astro")
request_cpus   = 2
request_memory = 560M
log            = fotoz.log
output         = salida/fotoz.$(rol).out
error          = salida/fotoz.$(rol).err
queue rol, maq from reparto.txt
''')
w(d,'reparto.txt',''.join(f'{k}, nodo{ip[k]:02d}\n' for k in roles))
dm=r['extra']['dmesg'].replace('/bi6_htcondor','/htcondor/condor_var_lib_condor_execute_slot1_1@nodo11.uv-astro').replace('uid=0','uid=10412').replace('UID:0','UID:10412').replace(']     0  12378',']  10412  12378').replace('[  12378]     0','[  12378] 10412')
dm=[x for x in dm.splitlines() if float(re.match(r'\[ *([\d.]+)',x)[1])>14368.0]
K=c.m(ex)-38.5
ker='\n'.join(re.sub(r'^\[ *([\d.]+)\]',lambda q:D.datetime.fromtimestamp(K+float(q[1])-14368.6257,c.tz).strftime('%b %e %H:%M:%S')+' nodo11 kernel: [%13.6f]'%(float(q[1])+2210044.1),x) for x in dm)
pre=''
b=K-5200
for _ in range(330):
    b+=rnd.expovariate(1/15.)
    if b>K: break
    pre+=D.datetime.fromtimestamp(b,c.tz).strftime('%b %e %H:%M:%S')+' nodo11 '+rnd.choice(['condor_startd[1733]: slot1: State change: claiming protocol successful','systemd[1]: Starting Cleanup of Temporary Directories...','sssd_be[901]: Backend is online','automount[1201]: expiring path /datos/pau','kernel: [%13.6f] perf: interrupt took too long (%d > %d), lowering kernel.perf_event_max_sample_rate to %d'%(b-K+2224412.7,3140,3133,63000),'sshd[%d]: Accepted publickey for root from 10.60.1.1 port %d ssh2: ED25519 SHA256:kq9…'%(rnd.randint(2000,60000),rnd.randint(30000,60000)),'munged[871]: Purged %d credentials from replay hash'%rnd.randint(1,9)])+'\n'
w(d,'nodo11/messages',pre+ker+'\n')
sl=''
b=c.m(t0)-12-38.5
def q(t,x): return D.datetime.fromtimestamp(t,c.tz).strftime('%m/%d/%y %H:%M:%S')+f' (pid:12290) {x}\n'
sl+=q(b,'******************************************************')+q(b,'** condor_starter (CONDOR_STARTER) STARTING UP')+q(b,'** $CondorVersion: 23.10.1 2024-10-03 BuildID: 757310 PackageID: 23.10.1-1 $')+q(b+1,'Communicating with shadow <10.60.1.1:9618?addrs=10.60.1.1-9618&noUDP&sock=shadow_2211_9c1a_3308>')+q(b+2,'Submitting machine is "portal.uv-astro"')+q(b+5,f'Job {J}.2 set to execute immediately')+q(b+6,'Starting a VANILLA universe job with ID: 71884.2')+q(b+6,'Create_Process succeeded, pid=12378')+q(K+.4,'Process exited, pid=12378, signal=9')+q(K+.5,'Job was held due to OOM event: Job has gone over cgroup memory limit of 560 megabytes. Last measured usage: 559 megabytes.  Consider resubmitting with a higher request_memory.')+q(K+1,'Got SIGQUIT.  Performing fast shutdown.')+q(K+2,'**** condor_starter (condor_STARTER) pid 12290 EXITING WITH STATUS 0')
w(d,'nodo11/StarterLog.slot1_1',sl)
w(d,'correo.txt','De: Mar Vidal\nPara: soporte@uv-astro\nAsunto: fotoz se cae otra vez\n\nEl chief dice que no puede conectar con 10.60.1.11 (Connection refused). ¿Habéis tocado el cortafuegos del nodo 11?\nLa semana pasada con 2000 pasos terminó bien. Los worker y el ps.0 no dicen nada, los he quitado yo con condor_rm.\n')
arc='paterna-71884.tgz'; pack(d,arc,'fotoz_71884')
truth('paterna-71884',arc,'resource.host-oom-killed',['nodo11.uv-astro','nodo11','ps.1','10.60.1.11'],[],'ps task 1 on nodo11 grows (the chief places more and more table copies on it) until the kernel kills pid 12378 in its 560 MB memory cgroup; HTCondor holds the job with code 34/102. The chief only sees Connection refused from 10.60.1.11 (firewall suspicion is a false lead); nodo11 clock is 38 s behind.')
