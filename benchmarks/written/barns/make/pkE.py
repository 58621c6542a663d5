from pk import *
d=load('E'); H=['cn021','cn022','cn024','cn037']; J=481920
subs=[(rf'ipv4:127\.0\.0\.{11+k}:2141{k}',f'ipv4:10.12.8.{[21,22,24,37][k]}:12345') for k in range(4)]+[(rf'127\.0\.0\.{11+k}:2141{k}',f'{H[k]}:12345') for k in range(4)]+[('/opt/incidents/make/','/lustre/voie/src/'),('/opt/incidents/run/E','/lustre/voie/donnees/2026T1'),('/opt/tfenv','/softs/tf/2.21'),('/root/.pyenv/versions/3.11.7','/softs/python/3.11')]
P=post(d,'2026-05-28T03:17:02+02:00',2,subs); ev=[]
def fx(l):
    return re.sub(r'^(\d\d/\d\d) (\d\d:\d\d:\d\d),',lambda m:P.dt(dt.datetime.strptime('2026/'+'11/28 '+m[2]+'+0000','%Y/%m/%d %H:%M:%S%z').timestamp()).strftime('%d/%m %H:%M:%S')+',',l)
for i,p in enumerate(d['procs']):
    for t,k,l in p['lines']: ev.append((t,f'{i}: '+P.line(fx(l),0,tids([0,30111,811,90012][i]))))
ev.sort(key=lambda x:x[0])
e=max(p['end'] for p in d['procs']); f=lambda t:P.dt(t).strftime('%Y-%m-%dT%H:%M:%S')
out=[x for _,x in ev]
pos=max(i for i,x in enumerate(out) if x.startswith('3: '))+1
out.insert(pos,f'srun: error: cn037: task 3: Exited with exit code 1')
out+=[f'srun: error: cn021: task 0: Exited with exit code 1',f'srun: error: cn022: task 1: Exited with exit code 1',f'srun: error: cn024: task 2: Exited with exit code 1']
out=['== Prologue voie : %s =='%f(d['procs'][0]['t0']-9),'== noeuds : cn[021-022,024,037] ==','(lmod) module purge ; module load tf/2.21 python/3.11']+out+[f'== Epilogue voie : {f(e+4)} code=1 ==']
files={f'slurm-{J}.out':out,
f'scontrol_{J}.txt':f'''JobId={J} JobName=voie-2026T1
   UserId=mleroux(20417) GroupId=voie(2040) MCS_label=N/A
   Priority=10420 Nice=0 Account=infra QOS=normal
   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)
   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0
   RunTime=00:00:{int(e-d['procs'][0]['t0'])+11:02d} TimeLimit=12:00:00 TimeMin=N/A
   SubmitTime={f(d['procs'][0]['t0']-3620)} EligibleTime={f(d['procs'][0]['t0']-3620)}
   StartTime={f(d['procs'][0]['t0']-9)} EndTime={f(e+4)} Deadline=N/A
   Partition=calcul AllocNode:Sid=frontal2:118233
   NodeList=cn[021-022,024,037]
   BatchHost=cn021
   NumNodes=4 NumCPUs=128 NumTasks=4 CPUs/Task=32 ReqB:S:C:T=0:0:*:*
   Command=/lustre/voie/src/lance.sbatch
   WorkDir=/lustre/voie/src
   StdOut=/lustre/voie/src/slurm-{J}.out
''',
'lance.sbatch':'''#!/bin/bash
#SBATCH -J voie-2026T1 -N 4 --ntasks-per-node=1 -t 12:00:00 -p calcul --propagate=NONE
module purge; module load tf/2.21 python/3.11
export DONNEES=/lustre/voie/donnees/2026T1 CYCLE=300   # un fichier par rame, on les lit tous de front
srun -l --kill-on-bad-exit=0 bash -c 'export TF_CONFIG=$(tfconfig-slurm 12345); exec python voie_train.py'
'''}
r=R(3)
for i,h in enumerate(H):
    fd=(256,256) if i==3 else (65536,65536)
    files[f'noeuds/{h}.txt']=[f'--- {h} --- {P.dt(e+2000):%A %d %B %Y %H:%M:%S}','# cat /proc/$(pidof slurmd)/limits','Limit                     Soft Limit           Hard Limit           Units     ','Max cpu time              unlimited            unlimited            seconds   ','Max stack size            unlimited            unlimited            bytes     ','Max core file size        0                    unlimited            bytes     ','Max processes             1030120              1030120              processes ',f'Max open files            {fd[0]:<20} {fd[1]:<20} files     ','Max locked memory         unlimited            unlimited            bytes     ','# uptime',f' {P.dt(e+2000):%H:%M:%S} up {[121,121,98,1][i]} days,  {r.randint(1,20)}:{r.randint(10,59)},  0 users,  load average: 0.{r.randint(10,99)}, 1.{r.randint(10,99)}, 2.{r.randint(10,99)}','# lfs df -h /lustre | tail -1','filesystem_summary:       812.4T      701.9T      110.5T  87% /lustre','# dmesg -T | tail -40']+[f'[{P.dt(e-r.randint(0,300000)):%a %b %d %H:%M:%S %Y}] '+r.choice(['Lustre: lustre-OST0011-osc-ffff9a: Connection restored to 10.12.250.17@o2ib (at 10.12.250.17@o2ib)','mce: [Hardware Error]: Machine check events logged','perf: interrupt took too long (3140 > 3138), lowering kernel.perf_event_max_sample_rate to 63000','EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x1a0 offset:0x40 grain:32 syndrome:0x0)','Lustre: 5121:0:(client.c:2295:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply']) for _ in range(40)]
mk('voie-481920','.tar.bz2',files,'resource.fd-limit','cn037',[],"Rank 3 on cn037 fails first with ResourceExhaustedError 'rame-0244.bin; Too many open files'; slurmd on cn037 (reinstalled yesterday) has Max open files 256 against 65536 elsewhere while 300 files are interleaved. Socket closed / Connection refused on the rest are consequences; Lustre reconnects and correctable EDAC are noise.")
