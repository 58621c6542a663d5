# Valkeakoski: two jobs on the same boxes; "vika" restores a 7-class checkpoint into a 9-class head, "kosteus" ends well
import shutil
from lib import *
H={"pm4-kela":"172.22.40.21","pm4-puristin":"172.22.40.22","pm4-viira":"172.22.40.24"}
isolate(H)
d=f"{ROOT}/work/r06"; sh(f"rm -rf {d}; mkdir -p {d}")
def job(tag, port, cl, steps, dr, live, pause=0.0):
    ps=f"pm4-kela:{port}"; wk=f"pm4-puristin:{port},pm4-viira:{port}"
    c=lambda j,i:["{py}",f"{HERE}/tf1_ps.py","--ps",ps,"--workers",wk,"--job",j,"--index",str(i),"--dir",dr,"--classes",str(cl),"--steps",str(steps),"--tag",tag,"--live",str(live),"--pause",str(pause)]
    p=[Task(f"{tag}@ps0","pm4-kela",c("ps",0),cwd=d),Task(f"{tag}@worker0","pm4-puristin",c("worker",0),cwd=d)]; time.sleep(12); return p+[Task(f"{tag}@worker1","pm4-viira",c("worker",1),cwd=d)]
P=job("vika",6010,7,700,d+"/vika",20,0.01); print(wait(P,40)); report(P); killall(P); dump(P,d+"/pre.jsonl")
A=job("vika",6010,9,400,d+"/vika",55); B=job("kosteus",6020,5,1200,d+"/kosteus",52,0.02)
print(wait(A+B,70)); report(A+B); killall(A+B); dump(A+B,d+"/a.jsonl")
