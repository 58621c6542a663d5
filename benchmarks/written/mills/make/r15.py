# Wroclaw: one task is SIGKILLed; only the victims' files come back
import json
from lib import *
H={"olawa":"10.60.1.4","bystrzyca":"10.60.1.5","widawa":"10.60.1.6","dobra":"10.60.1.9"}
isolate(H)
d=f"{ROOT}/work/r15"; sh(f"rm -rf {d}; mkdir -p {d}")
W=[f"{h}:3302" for h in H]
T=[Task(f"node{i}",h,["{py}",f"{HERE}/mwms_loop.py","--steps","3000","--dir",d+"/ck","--exit_at","3","--exit_step","437","--warn","1100","--every","100"],{"TF_CONFIG":json.dumps({"cluster":{"worker":W},"task":{"type":"worker","index":i}})},cwd=d) for i,h in enumerate(H)]
print(wait(T,80)); killall(T); report(T); dump(T,d+"/a.jsonl")
