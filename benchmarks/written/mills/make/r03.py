# Lima: the recursive C flood fill overflows a tf.data thread's stack on one worker; afterwards a reproduction below gdb
import json
from lib import *
H={"moche":"10.44.7.11","chimu":"10.44.7.12","wari":"10.44.7.13"}
isolate(H)
d=f"{ROOT}/work/r03"; sh(f"rm -rf {d}; mkdir -p {d}")
W=[f"{h}:2230" for h in H]
sh("dmesg -C 2>/dev/null") if False else None
T=[Task(f"worker{i}",h,["{py}",f"{HERE}/mwms_fit.py","--epochs","6","--dir",d+"/salida","--module","contornos"],{"TF_CONFIG":json.dumps({"cluster":{"worker":W},"task":{"type":"worker","index":i}})},cwd=d,py=PY15) for i,h in enumerate(H)]
print(wait(T,60)); killall(T); report(T); dump(T,d+"/a.jsonl")
open(d+"/dmesg","w").write(sh("dmesg | grep -i segfault | tail -1"))
open(d+"/uno.py","w").write(f"import os,sys,json\nos.environ['TF_CONFIG']=json.dumps(dict(cluster=dict(worker=['localhost:1']),task=dict(type='worker',index=1)))\nsys.path.insert(0,'{HERE}')\nimport numpy as np, threading, contornos\nprint('foto 4000x3000, lote 44', flush=True)\nt=threading.Thread(target=contornos.contour,args=(np.zeros((24,24,1)),701)); t.start(); t.join()\n")
g=Task("gdb","chimu",["gdb","-q","-batch","-ex","set pagination off","-ex","set debuginfod enabled off","-ex","run","-ex","bt 9","-ex","bt -7","--args",PY15,d+"/uno.py"],cwd=d)
print(wait([g],60)); killall([g]); dump([g],d+"/g.jsonl")
