# Lima: run killed by a power cut after two epochs, restarted, restored, finished
import json, signal
from lib import *
H={"moche":"10.44.7.11","chimu":"10.44.7.12","recuay":"10.44.7.14"}
isolate(H)
d=f"{ROOT}/work/r02"; sh(f"rm -rf {d}; mkdir -p {d}")
W=[f"{h}:2231" for h in H]
def go(until=None, skew=0):
    T=[]
    for i,h in reversed(list(enumerate(H))):
        T.insert(0,Task(f"worker{i}",h,["{py}",f"{HERE}/mwms_fit.py","--epochs","6","--steps","30","--verbose","1" if i==0 else "2","--dir",d+"/salida"],{"TF_CONFIG":json.dumps({"cluster":{"worker":W},"task":{"type":"worker","index":i}})},cwd=d,py=PY15))
        if i==2: time.sleep(skew)
    print(wait(T,90,until)); killall(T); report(T); return T
dump(go(lambda T: "epoch 2 done" in T[0].text()),d+"/a.jsonl")
dump(go(skew=6),d+"/b.jsonl")
