# Nagoya: nine processes (2 ps, 7 workers) of a TF1 job that ends well although files are missing and a worker comes late
from lib import *
H={f"kos{i:02d}":f"192.168.71.{i}" for i in range(1,10)}
isolate(H)
d=f"{ROOT}/work/r17"; sh(f"rm -rf {d}; mkdir -p {d}")
ps="kos01:5555,kos02:5555"; wk=",".join(f"kos{i:02d}:5555" for i in range(3,10))
c=lambda j,i:["{py}",f"{HERE}/tf1_ps.py","--ps",ps,"--workers",wk,"--job",j,"--index",str(i),"--dir",d+"/ck","--steps","2600","--tag","saiten","--live","88","--pause","0.04","--scare","97"]
T=[Task(f"ps{i}",f"kos{i+1:02d}",c("ps",i),cwd=d) for i in range(2)]+[Task(f"worker{i}",f"kos{i+3:02d}",c("worker",i),cwd=d) for i in range(6)]
time.sleep(20); T.append(Task("worker6","kos09",c("worker",6),cwd=d))
print(wait(T,130)); report(T); killall(T); dump(T,d+"/a.jsonl")
