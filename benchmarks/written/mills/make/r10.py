# Seoul: worker-3 never gets a node; the other three wait and are deleted
import json, signal
from lib import *
J="inkfill-7f3"
H={f"{J}-worker-{i}":f"10.233.64.{30+i}" for i in range(4)}
isolate(H)
d=f"{ROOT}/work/r10"; sh(f"rm -rf {d}; mkdir -p {d}")
W=[f"{h}:2222" for h in H]
T=[Task(f"worker-{i}",h,["{py}",f"{HERE}/mwms_loop.py","--steps","500","--dir",d+"/ck","--name","inkfill","--fmt","%(asctime)s %(levelname).1s %(name)s] %(message)s"],{"TF_CONFIG":json.dumps({"cluster":{"worker":W},"task":{"type":"worker","index":i}})},cwd=d) for i,h in enumerate(H) if i<3]
print(wait(T,150)); killall(T,signal.SIGTERM); report(T); dump(T,d+"/a.jsonl")
