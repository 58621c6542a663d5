# Nairobi: two jobs; the PS job's checkpoints go stale (NFS server replaced), the tf.data service job ends well
import json
from lib import *
H={"laikipia":"10.90.3.61","amboseli-1":"10.90.3.62","amboseli-2":"10.90.3.63","naivasha":"10.90.3.64"}
isolate(H)
d=f"{ROOT}/work/r09"; sh(f"rm -rf {d}; mkdir -p {d}/mnt-ivory/rumble {d}/shards; cp {ROOT}/work/r07/shards/*-0[0-3].tfrecord {d}/shards")
C={"ps":["amboseli-1:4410"],"worker":["amboseli-2:4410"],"chief":["laikipia:4410"]}
mk=lambda typ,i,h:Task(f"rumble-{typ}{i}",h,["{py}",f"{HERE}/ps_coord.py","--steps","4000","--dir",d+"/mnt-ivory/rumble","--pause","0.1"],{"TF_CONFIG":json.dumps({"cluster":C,"task":{"type":typ,"index":i}}),"GRPC_FAIL_FAST":"use_caller","LD_PRELOAD":f"{HERE}/libestale.so","ESTALE_PATH":"mnt-ivory","ESTALE_AFTER":"26"},cwd=d)
c=lambda *x:["{py}",f"{HERE}/svc.py",*x]
T=[mk("ps",0,"amboseli-1"),mk("worker",0,"amboseli-2"),mk("chief",0,"laikipia")]
S=[Task("gunshot-dispatcher","naivasha",c("dispatcher","--port","7300","--dir",d+"/disp"),cwd=d)]; time.sleep(4)
S.append(Task("gunshot-feeder0","naivasha",c("feeder","--disp","naivasha:7300","--host","naivasha","--port","7301"),cwd=d))
tr=Task("gunshot-trainer","amboseli-2",c("trainer","--disp","naivasha:7300","--glob",d+"/shards/*.tfrecord","--steps","420","--dir",d+"/ck"),cwd=d); time.sleep(1)
print(wait([tr,T[2]],70)); report(T+S+[tr]); killall(T+S); dump(T+S+[tr],d+"/a.jsonl")
