from f import *
r=load('i5'); PP=r['procs']; t0=PP[0]['t0']
c=Clk(t0,'2026-12-02T14:07:31',-8)
r['extra']['lim']=178; r['extra']['dm']=['kernel: [1839274.740451] cgroup: fork rejected by pids controller in /user.slice/user-48113.slice']
d=fresh('i5'); rnd=random.Random(7)
rows=[]
for i,p in enumerate(PP):
    for t,s,x in p['log']: rows.append((c.m(t),i,s,c.fix(x)))
rows.sort(key=lambda q:q[0])
bad=PP[2]; sig=-bad['rc'] if bad['rc']<0 else None
ts=lambda t:'%.6f'%c.m(t)
w(d,'flux-f8QzL3hNcd.out',''.join(f'{i}: {x}\n' for _,i,s,x in rows if s=='out'))
tail=''
end=max(p['t1'] for p in PP)
tail+=f'{bad["t1"]and c.f(bad["t1"],"%b %d %H:%M:%S.%f")} broker.err[2]: shell.err: task 2 (host tioga22): '+({6:'Aborted',11:'Segmentation fault'}.get(sig,f'exit {bad["rc"]}'))+'\n'
w(d,'flux-f8QzL3hNcd.err',''.join(f'{i}: {x}\n' for _,i,s,x in rows if s=='err')+f'flux-shell[2]: FATAL: doom: rank 2 on host tioga22 failed and exit-timeout=30s has expired\n'.replace('FATAL: doom: rank 2 on host tioga22 failed','ERROR: doom: rank 2 on host tioga22 failed'))
ev=[(t0-1.2,'submit userid=48113 urgency=16 flags=0 version=1'),(t0-1.1,'validate'),(t0-1.0,'depend'),(t0-.99,'priority priority=16'),(t0-.9,'alloc annotations={"sched":{"resource_summary":"rank[18-19,22-23]/core[0-3]"}}'),(t0-.5,'start'),(bad['t1'],f'exception type="exec" severity=0 note="task 2: {"Aborted" if sig==6 else "failed"}: shell rank 2 (on tioga22)"' if 0 else 'shell.task-exit localid=0 rank=2 state="Exited" pid=%d wait_status=%d signaled=%d exitcode=%d'%(bad['pid'],sig or 256,sig or 0,128+sig if sig else 1)),(bad['t1']+30,'exception type="exec" severity=0 userid=48113 note="rank 2 on host tioga22 failed and exit-timeout=30s has expired"'),(bad['t1']+31,'finish status=%d'%((128+sig)*256 if sig else 256)),(bad['t1']+31.2,'release ranks="all" final=true'),(bad['t1']+31.3,'free'),(bad['t1']+31.31,'clean')]
w(d,'eventlog.txt',''.join(f'{ts(t)} {x}\n' for t,x in ev))
w(d,'R.json',json.dumps({"version":1,"execution":{"R_lite":[{"rank":"18-19,22-23","children":{"core":"0-3"}}],"nodelist":["tioga[18-19,22-23]"],"properties":{"pbatch":"18-23"},"starttime":c.m(t0-.9),"expiration":c.m(t0)+7200}})+'\n')
w(d,'jobspec.json',json.dumps({"resources":[{"type":"node","count":4,"with":[{"type":"slot","count":1,"with":[{"type":"core","count":4}],"label":"task"}]}],"tasks":[{"command":["./reanal.py"],"slot":"task","count":{"per_slot":1}}],"attributes":{"system":{"duration":7200.0,"cwd":"/g/reanal/src","job":{"name":"reanal-tiles"},"shell":{"options":{"output":{"stdout":{"type":"file","path":"flux-{{id}}.out","label":True}},"exit-timeout":"30s"}}}},"version":1},indent=1)+'\n')
hp={0:0,1:0.9,2:41.2,3:-.4}
for i,p in enumerate(PP):
    n=p['node'];L=[];b=c.m(t0)-3000
    for _ in range(260):
        b+=rnd.expovariate(1/11.)
        L.append((b,rnd.choice(['systemd-logind[1460]: New session %d of user root.'%rnd.randint(100,999),'kernel: LNet: %d:0:(o2iblnd_cb.c:3401:kiblnd_check_conns()) Timed out tx for 10.1.%d.%d@o2ib: 0 seconds'%(rnd.randint(4000,9000),rnd.randint(1,4),rnd.randint(1,250)) if rnd.random()<.05 else 'flux[2210]: sched-fluxion-resource.debug[0]: match: %d'%rnd.randint(1,99),'ntpd[1377]: Soliciting pool server 192.168.64.1','kernel: EDAC MC0: 1 CE on mc#0csrow#2channel#1 (csrow:2 channel:1 page:0x%x offset:0x0 grain:64 syndrome:0x0)'%rnd.randint(1<<18,1<<22) if n=='tioga19' and rnd.random()<.2 else 'slurmrestd-shim[3001]: idle'])))
    if i==2:
        for q in r['extra'].get('dm',[]): L.append((c.m(bad['t1'])-.4,q))
    L.sort()
    w(d,f'syslog/{n}.log',''.join(D.datetime.fromtimestamp(t+hp[i],c.tz).strftime('%b %e %H:%M:%S')+f' {n} {x}\n' for t,x in L))
lim=r['extra']['lim']
w(d,'postmortem/pids.txt',f'''$ flux exec -r 18-19,22-23 sh -c 'hostname; cat /sys/fs/cgroup/pids/user.slice/user-48113.slice/pids.max'
tioga18
4096
tioga19
4096
tioga22
{lim}
tioga23
4096
''')
w(d,'note.md','Job f8QzL3hNcd, 4 nodes, died during warm-up, right after the validation stream should have come on. Same script ran on tioga[10-13] yesterday.\nRanks 0, 1 and 3 all report something about rank 2 / Socket closed. tioga19 has been logging correctable ECC for a week, could that be it?\n  -- D. Okafor, ocean reanalysis\n')
arc='tioga-f8QzL3hNcd.tar.bz2'; pack(d,arc,'f8QzL3hNcd')
truth('tioga-f8QzL3hNcd',arc,'resource.thread-limit',['tioga22','rank 2','worker:2'],[],f"Rank 2 on tioga22 cannot create threads (pids cgroup limit {lim} there, 4096 elsewhere; kernel: fork rejected by pids controller) and aborts; the others then see connection errors to task 2. Correctable ECC lines on tioga19 are a false lead; tioga22's syslog clock is 41 s ahead.")
