# Nagoya: worker 2's graph asks for GPU:0 on a node without one (a copied script)
from lib import *
H={"kos01":"192.168.71.1","kos04":"192.168.71.4","kos05":"192.168.71.5","kos06":"192.168.71.6"}
isolate(H)
d=f"{ROOT}/work/r18"; sh(f"rm -rf {d}; mkdir -p {d}")
wk="kos04:5556,kos05:5556,kos06:5556"
c=lambda j,i:["{py}",f"{HERE}/tf1_ps.py","--ps","kos01:5556","--workers",wk,"--job",j,"--index",str(i),"--dir",d+"/ck","--steps","700","--tag","kyokuchou","--live","48","--pause","0.03","--gpu_at","2","--scare","120"]
T=[Task("ps0","kos01",c("ps",0),cwd=d)]+[Task("worker0","kos04",c("worker",0),cwd=d)]; time.sleep(12)
T+=[Task(f"worker{i}",f"kos{i+4:02d}",c("worker",i),cwd=d) for i in (1,2)]
print(wait(T,60)); report(T); killall(T); dump(T,d+"/a.jsonl")
