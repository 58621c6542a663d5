# Wroclaw: widawa's list of frames is shorter; it leaves the loop, the others wait in the next all-reduce, all removed by hand
import json, signal
from lib import *
H={"olawa":"10.60.1.4","bystrzyca":"10.60.1.5","widawa":"10.60.1.6"}
isolate(H)
d=f"{ROOT}/work/r14"; sh(f"rm -rf {d}; mkdir -p {d}")
W=[f"{h}:3301" for h in H]
T=[Task(f"node{i}",h,["{py}",f"{HERE}/mwms_loop.py","--steps","900","--dir",d+"/ck","--uneven","3304","--uneven_at","2","--every","100"],{"TF_CONFIG":json.dumps({"cluster":{"worker":W},"task":{"type":"worker","index":i}})},cwd=d) for i,h in enumerate(H)]
print(wait(T,110)); killall(T,signal.SIGTERM); report(T); dump(T,d+"/a.jsonl")
