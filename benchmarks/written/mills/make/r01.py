# Lima: attempt a with a name nobody resolves, attempt b where wari's numpy was upgraded under a tensorflow built for numpy 1
import json, signal
from lib import *
H={"moche":"10.44.7.11","chimu":"10.44.7.12","wari":"10.44.7.13"}
isolate(H)
d=f"{ROOT}/work/r01"; sh(f"mkdir -p {d}")
def go(names, wari_env, limit, first=2):
    W=[f"{h}:2230" for h in names]
    T=[Task(f"worker{i}",h,["{py}",f"{HERE}/mwms_fit.py","--epochs","6","--dir",d+"/salida"],{"TF_CONFIG":json.dumps({"cluster":{"worker":W},"task":{"type":"worker","index":i}}),**(wari_env if h=="wari" else {})},cwd=d,py=PY15) for i,h in enumerate(H)]
    print(wait(T,limit)); killall(T,signal.SIGINT); report(T); return T
dump(go(["moche","chimu","wari.museo.lan"],{},25),d+"/a.jsonl")
dump(go(list(H),{"PYTHONPATH":f"{ROOT}/np2"},40),d+"/b.jsonl")
