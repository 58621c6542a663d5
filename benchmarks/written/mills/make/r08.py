# Nairobi: one of two parameter servers is SIGKILLed by hand; only coordinator and workers are collected
import json, signal
from lib import *
H={"samburu-1":"10.90.3.31","samburu-2":"10.90.3.32","meru-1":"10.90.3.41","meru-2":"10.90.3.42","nakuru":"10.90.3.50"}
isolate(H)
d=f"{ROOT}/work/r08"; sh(f"rm -rf {d}; mkdir -p {d}")
C={"ps":["samburu-1:4400","samburu-2:4400"],"worker":["meru-1:4400","meru-2:4400"],"chief":["nakuru:4400"]}
mk=lambda typ,i,h:Task(f"{typ}{i}",h,["{py}",f"{HERE}/ps_coord.py","--steps","100000","--dir",d+"/ck","--pause","0.15"],{"TF_CONFIG":json.dumps({"cluster":C,"task":{"type":typ,"index":i}}),"GRPC_FAIL_FAST":"use_caller"},cwd=d)
T=[mk("ps",0,"samburu-1"),mk("ps",1,"samburu-2"),mk("worker",0,"meru-1"),mk("worker",1,"meru-2"),mk("chief",0,"nakuru")]
print(wait(T,60,lambda T:"step=500 " in T[4].text())); T[1].sig(signal.SIGKILL); print(wait([T[4]],40))
report(T); killall(T); dump(T,d+"/a.jsonl")
