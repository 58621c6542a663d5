# Seoul: ends well, with bad frames caught, a late worker and refused connections at the start
import json
from lib import *
J="tonemap-19c"
H={f"{J}-worker-{i}":f"10.233.65.{40+i}" for i in range(3)}
isolate(H)
d=f"{ROOT}/work/r11"; sh(f"rm -rf {d}; mkdir -p {d}")
W=[f"{h}:2222" for h in H]; T=[]
for i in (1,2,0):
    T.append(Task(f"worker-{i}",f"{J}-worker-{i}",["{py}",f"{HERE}/mwms_loop.py","--steps","600","--dir",d+"/ck","--name","tonemap","--warn","700","--every","100","--save","100","--fmt","%(asctime)s %(levelname).1s %(name)s] %(message)s"],{"TF_CONFIG":json.dumps({"cluster":{"worker":W},"task":{"type":"worker","index":i}})},cwd=d))
    if i==2: time.sleep(14)
print(wait(T,90)); report(T); killall(T); dump(T,d+"/a.jsonl")
