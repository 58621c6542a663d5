# Valkeakoski: a pids cgroup (TasksMax) too small for one worker's threads
import json
from lib import *
H={"pm4-kela":"172.22.40.21","pm4-puristin":"172.22.40.22","pm4-viira":"172.22.40.24"}
isolate(H)
d=f"{ROOT}/work/r05"; sh(f"rm -rf {d}; mkdir -p {d}")
W=[f"{h}:5002" for h in H]
P=[Task(f"worker{i}",h,["{py}",f"{HERE}/mwms_loop.py","--steps","150","--dir",d+"/ck0","--name","rata","--warn","400","--fmt","%(levelname)s %(name)s: %(message)s"],{"TF_CONFIG":json.dumps({"cluster":{"worker":W},"task":{"type":"worker","index":i}})},cwd=d) for i,h in enumerate(H)]
print(wait(P,60)); report(P); dump(P,d+"/pre.jsonl")
cg="/sys/fs/cgroup/pids/rata-oppi"; sh(f"mkdir -p {cg}; echo 27 > {cg}/pids.max")
T=[Task(f"worker{i}",h,["{py}",f"{HERE}/mwms_loop.py","--steps","400","--dir",d+"/ck","--name","rata","--warn","60","--fmt","%(levelname)s %(name)s: %(message)s"],{"TF_CONFIG":json.dumps({"cluster":{"worker":W},"task":{"type":"worker","index":i}})},cwd=d) for i,h in enumerate(H)]
open(f"{cg}/cgroup.procs","w").write(str(T[1].pid)); print(wait(T,45)); report(T); killall(T); dump(T,d+"/a.jsonl")
open(d+"/dmesg","w").write(sh("dmesg | grep -i 'fork rejected' | tail -2"+f"; cat {cg}/pids.events {cg}/pids.max")); sh(f"rmdir {cg}")
