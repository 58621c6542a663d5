# Valkeakoski: pm4-kuivain's frames vanish after some minutes (ARP entries point nowhere): silent loss, no RST
import json, threading
from lib import *
H={"pm4-kela":"172.22.40.21","pm4-puristin":"172.22.40.22","pm4-kuivain":"172.22.40.23","pm4-viira":"172.22.40.24"}
isolate(H)
d=f"{ROOT}/work/r04"; sh(f"rm -rf {d}; mkdir -p {d}")
W=[f"{h}:5001" for h in H]
T=[Task(f"worker{i}",h,["{py}",f"{HERE}/mwms_loop.py","--steps","100000","--dir",d+"/ck","--name","rata","--pause","0.01","--every","40","--fmt","%(asctime)s %(name)s[%(process)d]: %(levelname)s %(message)s"],{"TF_CONFIG":json.dumps({"cluster":{"worker":W},"task":{"type":"worker","index":i}})},cwd=d) for i,h in enumerate(H)]
print(wait(T,60,lambda T:"step 240 " in T[0].text()))
t0=time.time()
for h,ip in H.items():
    if h!="pm4-kuivain":
        sh(f"ip -n {h} neigh replace 172.22.40.23 lladdr 02:00:00:00:00:99 dev eth0 nud permanent; ip -n pm4-kuivain neigh replace {ip} lladdr 02:00:00:00:00:99 dev eth0 nud permanent")
print(wait(T,100), time.time()-t0)
ss=sh("for h in pm4-kela pm4-kuivain; do echo == $h; ip netns exec $h ss -tnoi | head -30; done"); open(d+"/ss","w").write(f"{t0}\n"+ss)
report(T); killall(T); dump(T,d+"/a.jsonl")
