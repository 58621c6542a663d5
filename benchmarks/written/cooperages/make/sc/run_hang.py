# SIGSTOP of worker 1; py-spy dumps of all
import sys; sys.path.insert(0,"/opt/incidents/make")
from lab import *
N={"stave-brora":"10.61.4.11","stave-wick":"10.61.4.12","stave-alness":"10.61.4.13"}
L=Lab("sc_hang",N,"/opt/staves/venv",domain="cooper.example",pre="mkdir -p /srv/staves/runs; cp -r /opt/incidents/run/staves /srv/staves/tfr; mkdir -p /opt/staves/src; cp /opt/incidents/make/sc/fit_staves.py /opt/staves/src/")
cl={"worker":[f"{n}:2222" for n in N]}
for i,n in enumerate(N):
    L.start(n,"python /opt/staves/src/fit_staves.py",env={"TF_CONFIG":json.dumps({"cluster":cl,"task":{"type":"worker","index":i}}),"STAVES_NAP":"0.01","STAVES_STEPS":"3000"})
L.seen("stave-brora","step   420",40)
os.kill(L.rpid("stave-wick"),signal.SIGSTOP); print("STOP",time.time(),L.rpid("stave-wick")); open(L.out+"/stop.t","w").write(str(time.time()))
time.sleep(6)
for n in N:
    sh(f"ps -o pid,stat,wchan:22,pcpu,etime,nlwp,args -p {L.rpid(n)} > {L.out}/{n}.ps; /opt/tfenv/bin/py-spy dump --nonblocking --pid {L.rpid(n)} > {L.out}/{n}.spy 2>&1; cat /proc/{L.rpid(n)}/status > {L.out}/{n}.status",check=False)
    L.x(n,f"ss -tnp > {L.out}/{n}.ss",check=False)
L.finish(1)
