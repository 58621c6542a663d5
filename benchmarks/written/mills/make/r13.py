# Wroclaw: sleza's input function blocks in open() of a FIFO nobody writes to; the others wait; all removed by hand
import json, signal
from lib import *
H={"olawa":"10.60.1.4","bystrzyca":"10.60.1.5","widawa":"10.60.1.6","sleza":"10.60.1.7"}
isolate(H)
d=f"{ROOT}/work/r13"; sh(f"rm -rf {d}; mkdir -p {d}; mkfifo {d}/vol.fifo")
W=[f"{h}:3300" for h in H]
T=[Task(f"node{i}",h,["{py}",f"{HERE}/mwms_loop.py","--steps","3000","--dir",d+"/ck","--fifo",d+"/vol.fifo","--fifo_at","3","--fifo_step","330","--warn","900"],{"TF_CONFIG":json.dumps({"cluster":{"worker":W},"task":{"type":"worker","index":i}})},cwd=d) for i,h in enumerate(H)]
print(wait(T,85)); [t.sig(signal.SIGUSR1) for t in T]; time.sleep(3); print(wait(T,40)); killall(T,signal.SIGTERM); report(T); dump(T,d+"/a.jsonl")
