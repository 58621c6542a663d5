import sys; sys.path.insert(0,"/opt/incidents/make")
from lab import *
mode=sys.argv[1]
N={"lyd04":"10.9.0.104","lyd07":"10.9.0.107"} if mode!="thread" and mode!="timelim" else {"lyd04":"10.9.0.104","lyd09":"10.9.0.109"} if mode=="timelim" else {"lyd02":"10.9.0.102","lyd05":"10.9.0.105"}
L=Lab("dk_"+mode,N,"/srv/conda/hoer",domain="hpc.hoer.example",pre="mkdir -p /srv/hoer/rir /srv/hoer/out /srv/hoer/src; cp /opt/incidents/make/dk/hoer.py /srv/hoer/src/")
import subprocess
subprocess.run(["/opt/tfenv/bin/python","-c","""
import numpy as np
r=np.random.default_rng(1)
for i in range(12):
    n=320
    if %r=='uneven' and i==11: n=256
    np.save('/srv/hoer/rir/room%%03d.npy'%%i, r.normal(0,1,(n,64)).astype('float32'))
"""%mode])
for i,n in enumerate(N):
    e={"SLURM_PROCID":str(i),"SLURM_NTASKS":str(len(N)),"HOER_NODES":",".join(N),"HOME":"/home/mfj"}
    cmd="python src/hoer.py"
    if mode=="timelim": e["HOER_EPOCHS"]="60"; e["HOER_FOLD"]="4"
    if mode=="uneven": e["HOER_EPOCHS"]="3"; e["HOER_TIMEOUT"]="8"
    if mode=="thread" and i==1:
        sh("mkdir -p /sys/fs/cgroup/pids/as_t; echo 60 > /sys/fs/cgroup/pids/as_t/pids.max")
        cmd="bash -c 'echo $$ > /sys/fs/cgroup/pids/as_t/cgroup.procs; exec python src/hoer.py'"
    if mode=="nofile" and i==1: cmd="bash -c 'ulimit -n 40; exec python src/hoer.py'"
    L.start(n,cmd,env=e,cwd="/srv/hoer")
if mode=="timelim":
    L.seen("lyd04","ep 3 step 440",40)
    for n in N: os.kill(L.rpid(n),15)
L.finish(45 if mode!="thread" else 30)
sh("rmdir /sys/fs/cgroup/pids/as_t",check=False)
