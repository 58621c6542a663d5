from pk import *
d=load('L'); H=['cn102','cn103','cn110']; J=502117
subs=[(rf'ipv4:127\.0\.0\.{11+k}:2211{k}',f'ipv4:10.12.9.{[102,103,110][k]}:12345') for k in range(3)]+[(rf'127\.0\.0\.{11+k}:2211{k}',f'{H[k]}:12345') for k in range(3)]+[('/opt/incidents/make/','/lustre/voie/src/'),('/opt/incidents/run/E','/lustre/voie/donnees/2026T2'),('/opt/tfenv','/softs/tf/2.21'),('/root/.pyenv/versions/3.11.7','/softs/python/3.11')]
P=post(d,'2026-08-03T11:44:51+02:00',2,subs); files={}; r=R(9)
def fx(l): return re.sub(r'^(\d\d/\d\d) (\d\d:\d\d:\d\d),',lambda m:P.dt(dt.datetime.strptime('2026/11/28 '+m[2]+'+0000','%Y/%m/%d %H:%M:%S%z').timestamp()).strftime('%d/%m %H:%M:%S')+',',l)
f=lambda t:P.dt(t).strftime('%Y-%m-%dT%H:%M:%S')
for i,p in enumerate(d['procs']):
    files[f'voie-{J}-{i}.log']=[P.line(fx(l),0,tids([0,4400,120003][i])) for t,k,l in sorted(p['lines'],key=lambda x:x[0])]
s,e=min(p['t0'] for p in d['procs']),max(p['end'] for p in d['procs'])
files['sacct.txt']=['$ sacct -j %d -o JobID,JobName%%14,Partition,NNodes,State,ExitCode,Start,End,MaxRSS,NodeList%%20'%J,'JobID               JobName  Partition   NNodes      State ExitCode               Start                 End     MaxRSS             NodeList','------------ -------------- ---------- -------- ---------- -------- ------------------- ------------------- ---------- --------------------',f'{J}         voie-2026T2     calcul        3  COMPLETED      0:0 {f(s-8)} {f(e+3)}              cn[102-103,110]',f'{J}.batch           batch                   1  COMPLETED      0:0 {f(s-8)} {f(e+3)}     21104K                cn102',f'{J}.extern         extern                   3  COMPLETED      0:0 {f(s-8)} {f(e+3)}          0      cn[102-103,110]',f'{J}.0              python                   3  COMPLETED      0:0 {f(s)} {f(e+1)}    611840K      cn[102-103,110]']
sl=[]
for h in H:
    for k in range(90): sl.append((s-4000+r.uniform(0,4200),h,r.choice([f'debug:  credential for job {r.randint(490000,502116)} revoked','launch task StepId=%d.0 request from UID:20417 GID:2040 HOST:10.12.9.1 PORT:%d'%(J if r.random()<.03 else r.randint(490000,502116),r.randint(30000,60000)),'error: *** JOB %d ON %s CANCELLED AT %s DUE TO TIME LIMIT ***'%(r.randint(490000,502000),h,f(s-3000)) if r.random()<.15 else 'debug:  Finished wait for all processes','[%d.extern] done with step'%r.randint(490000,502000)])))
sl.sort(); files['slurmd-extraits.log']=[f'[{f(t)}.{r.randint(0,999):03d}] {h}: {x}' for t,h,x in sl if t<s+200]
files['ls_reprise.txt']=['$ ls -l /lustre/voie/src/reprise','total 96']+[f'-rw-r--r-- 1 mleroux voie {r.choice([328,341])} août   3 11:{45+k//300:02d} ckpt-{k}.{x}' for k in range(49,400,50) for x in ('data-00000-of-00001','index')]
files['message.txt']='Bonjour, le travail 502117 sort avec des lignes E0000 dans le journal du rang 0 (UNAVAILABLE, heartbeat). Est-ce que cn103 est tombé ? On voudrait savoir avant de relancer la série complète.\nMerci, M. Leroux\n'
mk('voie-502117','.tar.gz',files,'none',None,[],"Healthy: all 400 steps, the last checkpoint and 'apprentissage termine' on all three ranks, sacct COMPLETED 0:0. The E0000 heartbeat/Connection refused lines in rank 0 come after the end, because ranks 1 and 2 had already exited; TIME LIMIT lines in slurmd belong to other jobs.",top=f'job{J}')
