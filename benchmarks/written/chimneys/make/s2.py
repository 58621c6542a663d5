from specs import *
R=f"--razredi {D}/razredi.txt"; L=f"--podatki {D}/letnik25 {R}"; LIB="--knjiznica /opt/incidents/make/lib/libsaje.so."
mw("uneven",[23101,23102,23103],f"--podatki {D}/popis {R} --epohe 6 --koraki 100000")
mw("fd",[23111,23112,23113],f"--podatki {D}/drobno {R} --koraki 300",pre={1:"ulimit -n 64"},limit=50)
mw("stack",[23121,23122],f"--podatki {D}/letnik26 {R} --koraki 600 {LIB}6",limit=50)
mw("glibc",[23131,23132,23133],f"--podatki {D}/letnik25 {R} --koraki 600",per={0:LIB+"6",1:LIB+"7",2:LIB+"6"},limit=50)
mw("stop",[23141,23142,23143],f"{L} --koraki 3000",events=[dict(at=24,task="w1",sig="SIGSTOP"),dict(at=46,task="w1",sig="!ps -o pid,ppid,user,stat,wchan:20,etimes,time,rss,nlwp,cmd -p {pid}"),dict(at=47,task="w1",sig="SIGCONT")],limit=57)
mw("alloc",[23151,23152,23153],f"{L} --koraki 200",pre={2:"ulimit -v 3600000"},limit=50)
CG="mkdir -p /sys/fs/cgroup/pids/az_t; echo %d > /sys/fs/cgroup/pids/az_t/pids.max; echo $$ > /sys/fs/cgroup/pids/az_t/cgroup.procs"
mw("thread",[23161,23162,23163],f"{L} --koraki 200",pre={1:CG%34},limit=50)
mw("ok1",[23171,23172,23173],f"{L} --koraki 420 --izhod /opt/incidents/make/izh1",limit=58)
CM="mkdir -p /sys/fs/cgroup/memory/az_m; echo %dM > /sys/fs/cgroup/memory/az_m/memory.limit_in_bytes; echo $$ > /sys/fs/cgroup/memory/az_m/cgroup.procs"
mw("oom",[23181,23182,23183],f"{L} --koraki 3000",events=[dict(at=33,task="w2",sig="SIGKILL")],limit=57)
import os
def lo(name,i):
    c=json.dumps({"cluster":{"worker":["localhost:2222","localhost:2223"]},"task":{"type":"worker","index":i}})
    return dict(name=f"w{i}",at=i,env={"TF_CONFIG":c},cwd=D,cmd=f"unshare -n bash -c 'ip link set lo up; exec {PY} {A}/uci.py {L} --koraki 2000'")
json.dump(dict(tasks=[lo("lh",0),lo("lh",1)],events=[dict(at=50,task="w0",sig="SIGINT"),dict(at=52,task="w1",sig="SIGINT")],limit=57),open("raw/lh.json","w"))
