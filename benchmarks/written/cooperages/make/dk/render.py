import sys; sys.path.insert(0,"/opt/incidents/make")
from rend import *
import math
r=random.Random(6)
D=lambda t:d(t,1)
fmt=lambda t:D(t).strftime("%d/%m %H:%M:%S")
def V(i,s): q=random.Random(i*3+s); return 0.19+0.82*math.exp(-i/1500)+q.gauss(0,.012)
def T(t): return D(t).strftime("%Y-%m-%dT%H:%M:%S")
def hoer(run,nodes,F0,exep,spe,dt,rk,seed,cut=None,skews={}):
    L={n:load(run,n) for n in nodes}; rs=min(l[0][0] for l in L.values())
    if not any("loss" in x for l in L.values() for t,x in l):
        tm=TM([(rs,F0)]); return {n:cook(L[n],tm,fmt,tz=1) for n in nodes},tm
    ex=exep*spe
    r1=min(first(l,"] ep 0 step 4 ") for l in L.values())
    nr=max(int(re.search(r"step (\d+) loss",x).group(1)) for l in L.values() for t,x in l if re.search(r"step \d+ loss",x) and t<=rk)
    A=F0+(r1-rs); B=A+ex*dt; K=B+nr*dt; tm=TM([(rs,F0),(r1-.001,A),(r1,B),(rk,K)])
    R={}
    for k,n in enumerate(nodes):
        o=[]; done=False; last=0
        for t,x in cook(L[n],tm,fmt,tz=1):
            if cut and t>K+cut: break
            m=re.search(r"\] ep (\d+) step (\d+) loss ([\d.]+)",x)
            if m and not done:
                done=True
                for i in range(4,ex+1,4):
                    tt=A+i*dt+r.gauss(0,.03); e=(i-1)//spe
                    o.append((tt,f"[{k} {n} {fmt(tt)}] ep {e} step {i} loss {V(i,seed):.5f}"))
                    if i%spe==0: o.append((tt+.05,f"[{k} {n} {fmt(tt+.05)}] epoch {e}: {spe} steps, mean {V(i-spe//2,seed):.5f}"))
            if m: i=int(m.group(2))+ex; x=x.replace(m.group(0),f"] ep {int(m.group(1))+exep} step {i} loss {V(i,seed):.5f}"); last=i
            m=re.search(r"epoch (\d+): (\d+) steps, mean ([\d.]+)",x)
            if m: x=x.replace(m.group(0),f"epoch {int(m.group(1))+exep}: {m.group(2)} steps, mean {V(max(1,last-int(m.group(2))//2),seed):.5f}")
            o.append((t,x))
        R[n]=o
    return R,tm
def merge(R,lab=True): 
    o=sorted([(t,f"{k}: {x}" if lab else x) for k,n in enumerate(R) for t,x in R[n]],key=lambda a:a[0]); return o
# --- uneven : real run has 120 vs 116 (last epoch exposes). one merged slurm out, srun -l
L4=load("dk_uneven","lyd04"); rk=last(load("dk_uneven","lyd07"),"faerdig")
# in the short set the shortage sums up over the epochs: 3*4 steps
R,tm=hoer("dk_uneven",["lyd04","lyd07"],ep("2026-10-08 16:40:21",1),0,120,5.7,rk,2)
S=stage("hoer-48077")
m=merge(R); te=m[-1][0]
put(S,"slurm-48077.out","".join(x+"\n" for _,x in m)+f"srun: error: lyd04: task 0: Exited with exit code 1\n")
put(S,"sacct.txt","""$ sacct -j 48077 --format=JobID,JobName,Partition,NNodes,State,ExitCode,Elapsed,MaxRSS,NodeList
JobID           JobName  Partition   NNodes      State ExitCode    Elapsed     MaxRSS        NodeList 
------------ ---------- ---------- -------- ---------- -------- ---------- ---------- --------------- 
48077           rir-ae2        cpu        2     FAILED      1:0   %s                 lyd[04,07] 
48077.batch       batch                   1     FAILED      1:0   %s      9180K           lyd04 
48077.extern     extern                   2  COMPLETED      0:0   %s        72K      lyd[04,07] 
48077.0          python                   2     FAILED      1:0   %s    621344K      lyd[04,07] 
"""%((str(dt.timedelta(seconds=int(te-ep("2026-10-08 16:40:21",1)+4))).rjust(8,"0"),)*4))
put(S,"job.sh","""#!/bin/bash
#SBATCH -J rir-ae2
#SBATCH -p cpu -N 2 --ntasks-per-node=1 -c 16
#SBATCH -t 08:00:00
module load conda/2026a
export HOER_NODES=$(scontrol show hostnames $SLURM_JOB_NODELIST | paste -sd,)
export HOER_EPOCHS=3 HOER_DATA=/srv/hoer/rir
srun -l python src/hoer.py
""")
put(S,"til-drift.txt","Hej drift,\n\nlyd07 forsvandt midt i kørslen igen (Socket closed fra task:1). Er der noget galt med dens netkort?\nDen blev jo geninstalleret i september. Der kommer intet i out-filen om fejl fra lyd07.\n\nvh Mette (mfj)\n")
pack(S,"hoer-48077.tar.gz")
write_truth("hoer-48077.tar.gz","data.uneven-shards",["lyd07","worker:1"],[],"Hard: lyd07 did 116 steps per epoch against 120 on lyd04 where its files have fewer frames, finished its epochs first ('faerdig') and left; lyd04 still wanted steps and got Socket closed. No fault of lyd07's network.")
# --- thread
F0=ep("2026-11-02 09:14:50",1)
R,tm=hoer("dk_thread",["lyd02","lyd05"],F0,0,0,0,0,0)
S=stage("hoer-48590")
for k,n in enumerate(R): put(S,f"out/48590-{k}.out","".join(x+"\n" for _,x in R[n]))
te=max(c[-1][0] for c in R.values())
put(S,"out/48590-batch.out",f"conda/2026a indlæst\nlyd02 lyd05\nsrun: error: lyd05: task 1: Aborted\nsrun: Terminating StepId=48590.0\nslurmstepd: error: *** STEP 48590.0 ON lyd02 CANCELLED AT {T(te+2)} ***\nsrun: Job step aborted: Waiting up to 32 seconds for job step to finish.\nsrun: error: lyd02: task 0: Killed\n")
put(S,"sysctl-diff.txt","""mfj@fe1:~$ for n in lyd02 lyd05; do ssh $n 'hostname -s; uname -r; nproc; free -g | sed -n 2p; cat /proc/sys/kernel/threads-max; ulimit -n; ulimit -v'; done
lyd02
6.8.0-49-generic
64
Mem:             251          11         180           0          61         240
2060562
131072
unlimited
lyd05
6.8.0-49-generic
64
Mem:             251           9         190           0          53         242
2060562
131072
unlimited
""")
put(S,"lyd05-journal.txt","".join(f"{D(t).strftime('%b %d %H:%M:%S')} lyd05 {x}\n" for t,x in [(F0-4120,"systemd[1]: Started slurmd.service - Slurm node daemon."),(F0-4118,"slurmd[2210]: slurmd: slurmd version 23.11.4 started"),(F0-1202,"CRON[23011]: (root) CMD (   cd / && run-parts --report /etc/cron.hourly)"),(F0-2,"slurmd[2210]: slurmd: launch task StepId=48590.0 request from UID:20417 GID:20417 HOST:10.9.0.102 PORT:45810"),(first(load("dk_thread","lyd05"),"Check failed")-load("dk_thread","lyd05")[0][0]+F0,"kernel: cgroup: fork rejected by pids controller in /system.slice/slurmstepd.scope/job_48590/step_0/user/task_1"),(te+2,"slurmd[2210]: slurmd: Handling SIGTERM for StepId=48590.0" if False else "systemd-logind[1405]: New session 812 of user mfj."),]))
put(S,"mail.txt","Hej\n\nDet er en F-linje (Check failed) fra TensorFlow på lyd05 lige i starten, så det må være en\nbug i 2.21? På lyd02 venter den bare. I går kørte det samme job fint på lyd01+lyd03.\nKan I nedgradere TF i conda-modulet?\n\nMette\n")
pack(S,"hoer-48590.zip")
write_truth("hoer-48590.zip","resource.thread-limit",["lyd05","worker:1"],["process.abort-check"],"On lyd05 pthread_create failed with 11 (EAGAIN) at the start of the gRPC server, and the journal says that the pids controller rejected a fork. The CHECK is only the way it dies; TF is not at fault and lyd02 only waits.")
# --- time limit
def el(t): v=int(t-ep("2026-11-24 20:00:05",1)); return "%02d:%02d:%02d"%(v//3600,v//60%60,v%60)
l=load("dk_timelim","lyd04"); rk=min(first(load("dk_timelim",n),"SIGTERM caught") for n in ("lyd04","lyd09"))
F0=ep("2026-11-24 20:00:09",1)
exep=17; n0=None
nr=max(int(re.search(r"step (\d+) loss",x).group(1)) for t,x in l if re.search(r"step \d+ loss",x) and t<=rk)
r1=first(l,"] ep 0 step 4 "); rs=l[0][0]
dtx=(ep("2026-11-25 00:00:31",1)-F0-(r1-rs))/(exep*120+nr)
R,tm=hoer("dk_timelim",["lyd04","lyd09"],F0,exep,120,dtx,rk,7,cut=30.5)
# after SIGTERM real pace is far faster than before: thin it out to the slow pace
K=next(t for t,x in R["lyd04"] if "SIGTERM caught" in x)
base=max(int(m.group(1)) for n in R for t,x in R[n] if t<K for m in [re.search(r"step (\d+) loss",x)] if m)
for n in R:
    k=list(R).index(n); keep=[]
    for t,x in R[n]:
        if t>=K and re.match(r" ep \d+ step",x): keep.append((t,f" ep {(base+3)//120} step {base+4} loss {V(base+4,7):.5f}")); continue
        if t<K or not re.search(r"ep \d+ step|epoch \d+:",x): keep.append((t,x))
    i=base+4 if k else base+8; tt=K+(1.1 if k else 1.1+4*dtx)
    while tt<K+30.3:
        e=(i-1)//120
        keep.append((tt,f"[{k} {n} {fmt(tt)}] ep {e} step {i} loss {V(i,7):.5f}"))
        if i%120==0: keep.append((tt+.05,f"[{k} {n} {fmt(tt+.05)}] epoch {e}: 120 steps, mean {V(i-60,7):.5f}"))
        i+=4; tt+=4*dtx
    R[n]=sorted(keep,key=lambda a:a[0])
S=stage("hoer-49112")
m=merge(R,lab=False)
K=next(t for t,x in m if "SIGTERM caught" in x)
m+=[(K-.02,f"slurmstepd: error: *** STEP 49112.0 ON lyd04 CANCELLED AT {T(K)} DUE TO TIME LIMIT ***"),(K-.01,f"slurmstepd: error: *** JOB 49112 ON lyd04 CANCELLED AT {T(K)} DUE TO TIME LIMIT ***"),(K+.3,"srun: Job step aborted: Waiting up to 32 seconds for job step to finish."),(K+31,"srun: error: lyd09: task 1: Killed"),(K+31.1,"srun: error: lyd04: task 0: Killed")]
m.sort(key=lambda a:a[0])
put(S,"slurm-49112.out","".join(x+"\n" for _,x in m))
put(S,"sacct.txt","""JobID|JobName|State|ExitCode|Start|End|Elapsed|Timelimit|NodeList
49112|rir-ae4|TIMEOUT|0:0|2026-11-24T20:00:05|%s|%s|04:00:00|lyd[04,09]
49112.batch|batch|CANCELLED|0:15|2026-11-24T20:00:05|%s|%s||lyd04
49112.extern|extern|COMPLETED|0:0|2026-11-24T20:00:05|%s|%s||lyd[04,09]
49112.0|python|CANCELLED|0:9|2026-11-24T20:00:08|%s|%s||lyd[04,09]
"""%(T(K),el(K),T(K+1),el(K+1),T(K),el(K),T(K+31),el(K+31-3)))
put(S,"note.txt","Killed på begge. Jeg plejer at få det når hukommelsen er brugt, men MaxRSS var under 1 GB.\nHvem har sendt SIGTERM? Fold 1-3 tog knap 4 timer hver, denne havde lidt flere rum.\n")
pack(S,"hoer-49112.tgz")
write_truth("hoer-49112.tgz","scheduler.time-limit",None,[],"Slurm cancelled job 49112 after its 4 h limit: SIGTERM caught by TF's preemption notifier on both, the loop went on and both were killed 30 s later. No memory problem, no node to blame.")
