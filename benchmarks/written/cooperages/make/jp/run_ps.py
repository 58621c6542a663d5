import sys; sys.path.insert(0,"/opt/incidents/make")
from lab import *
N={"akagi":"172.20.3.10","haruna":"172.20.3.11","myogi":"172.20.3.12","asama":"172.20.3.13"}
L=Lab("jp_ps",N,"/opt/jihanki/.venv",pre="mkdir -p /opt/jihanki/src; cp /opt/incidents/make/jp/train_jihanki.py /opt/jihanki/src/")
cl={"chief":["akagi:7100"],"ps":["haruna:7100"],"worker":["myogi:7100","asama:7100"]}
T=[("haruna","ps",0),("myogi","worker",0),("asama","worker",1),("akagi","chief",0)]
for n,t,i in T: L.start(n,"python src/train_jihanki.py",cwd="/opt/jihanki",env={"TF_CONFIG":json.dumps({"cluster":cl,"task":{"type":t,"index":i}}),"HOME":"/home/ops"})
L.seen("akagi","round 150",45); os.kill(L.rpid("haruna"),9)
L.finish(30)
