"""Nairobi: Nomad allocation directories, logcli JSON lines, Grafana CSV from r07, r08, r09."""
import csv, io, shutil, random
from lib import *
P=[("/opt/incidents/make/svc.py","/local/app/svc.py"),("/opt/incidents/make/ps_coord.py","/local/app/rumble.py"),("/opt/tfenv","/opt/tf"),("/root/.pyenv/versions/3.11.7","/usr/local"),("/opt/incidents/work/r07/shards","/alloc/data/shards"),("/opt/incidents/work/r07","/alloc/data"),
   ("/opt/incidents/work/r08","/alloc/data"),("/opt/incidents/work/r09/mnt-ivory","/mnt/ivory"),("/opt/incidents/work/r09","/alloc/data")]
out=f"{ROOT}/work/out"
def L(t,c): return [(x[0],x[1],ren(c.line(x[2]),P)) for x in sorted(t.lines,key=lambda x:x[0])]

# --- 07: nomad alloc dirs; Nomad restarts the trainer in place, so all attempts share the files
T=load(f"{ROOT}/work/r07/a.jsonl"); base=days_to(2026,11,4,23,11,T[0].start); f=f"{out}/gunshots-w44"; shutil.rmtree(f,ignore_errors=True)
off={"tsavo-1":0,"tsavo-2":7,"mara-1":-22,"mara-2":96}; al={"dispatcher":"3f0c9d12","feeder0":"b71be6a0","feeder1":"9e44d07c","trainer":"d2a85e31"}
for n,a in al.items():
    ts=[t for t in T if t.id.split(".")[0]==n]; 
    for st in ("stdout","stderr"):
        rows=[]
        for k,t in enumerate(ts): rows+=[l for x,s,l in L(t,Clock(base+off[t.host]+k*17)) if s==st]
        put(f,f"alloc/{a}/alloc/logs/{n.rstrip('01')}.{st}.0","\n".join(rows)) if rows else put(f,f"alloc/{a}/alloc/logs/{n.rstrip('01')}.{st}.0","")
tr=[t for t in T if t.id.startswith("trainer")]; c=Clock(base+7)
ev=[]
for k,t in enumerate(tr):
    q=lambda s:c.utc(s+k*17).strftime("%Y-%m-%dT%H:%M:%SZ")
    ev+=[f"{q(t.start)}  Started           Task started by client",f'{q(t.end)}  Terminated        Exit Code: 1, Exit Message: "Docker container exited with non-zero exit code: 1"',f"{q(t.end+.2)}  "+("Restarting        Task restarting in 16.58s" if k<2 else 'Not Restarting    Exceeded allowed attempts 2 in interval 30m0s and mode is "fail"')]
put(f,"alloc-status-d2a85e31.txt",f"""ID                  = d2a85e31-77c0-4b6e-9b0b-31ce0d0f2a64
Eval ID             = 5a6b19e0
Name                = gunshots.train[0]
Node ID             = 0e8d7712
Node Name           = tsavo-2
Job ID              = gunshots
Client Status       = failed
Client Description  = Failed tasks

Task "trainer" is "dead"
Task Resources:
CPU        Memory           Disk     Addresses
0/900 MHz  0 B/2.0 GiB      300 MiB  

Recent Events:
Time                  Type              Description
"""+"\n".join(reversed(ev)))
put(f,"job-status.txt","""ID            = gunshots
Type          = batch
Status        = dead

Allocations
ID        Node ID   Task Group  Version  Desired  Status    Created    Modified
d2a85e31  0e8d7712  train       11       run      failed    18m4s ago  16m51s ago
9e44d07c  77aa31f9  feed        11       run      running   18m4s ago  18m1s ago
b71be6a0  c1f20d5b  feed        11       run      running   18m4s ago  18m0s ago
3f0c9d12  41b09c2e  disp        11       run      running   18m9s ago  18m6s ago
a00d13c7  0e8d7712  train       10       stop     failed    1d2h ago   1d1h ago
""")
put(f,"old/a00d13c7-trainer.stderr.0","""Traceback (most recent call last):
  File "/local/app/svc.py", line 9, in <module>
    import tensorflow as tf
ModuleNotFoundError: No module named 'tensorflow'
""")
put(f,"postmortem-DRAFT.md","# gunshots week 44\n\n- v10 died yesterday because the image was built without TF (fixed in v11)\n- v11: three tries, three deaths. Wanjiru thinks mara-2 has bad RAM because its name is in the first traceback; but the second try names mara-1?\n- uploads from the Mara solar station were interrupted on the 2nd (generator), rsync --append resumed\n")
pack(f,"nyeri.tar.gz","gz")
truth("nyeri","nyeri.tar.gz","data.corrupt-record",None,[],"DataLossError 'corrupted record at ...' through the tf.data service in all three attempts, from either feeder: a shard is bad, not a node. v10's ModuleNotFoundError is an older version's failure; 'mara-2 has bad RAM' is wrong.")

# --- 08: logcli output, newest first; only the coordinator's and the workers' streams
T=load(f"{ROOT}/work/r08/a.jsonl"); base=days_to(2026,7,21,2,30,T[0].start); f=f"{out}/loki"; shutil.rmtree(f,ignore_errors=True); os.makedirs(f)
off={"nakuru":0,"meru-1":-35,"meru-2":12,"samburu-1":0,"samburu-2":0}; rows=[]
for t in T:
    if t.id.startswith("ps"): continue
    c=Clock(base+off[t.host])
    for x,s,l in L(t,c): rows.append((x,json.dumps({"labels":{"job":"rumble","task":{"chief0":"coordinator","worker0":"worker-0","worker1":"worker-1"}[t.id],"node":t.host,"stream":s},"line":l,"timestamp":c.utc(x).strftime("%Y-%m-%dT%H:%M:%S.%f")+"%03dZ"%random.randint(0,999)})))
rows.sort(key=lambda r:-r[0])
put(f,"rumble-0721.jsonl","\n".join(r for _,r in rows))
put(f,"query.fish","""# fish
set -x LOKI_ADDR http://loki.internal:3100
logcli query '{job="rumble"} !~ "healthz"' --from="2026-07-21T02:00:00Z" --to="2026-07-21T03:00:00Z" --limit 5000 -o jsonl > rumble-0721.jsonl
# promtail on samburu-* is down since the upgrade of Friday, so no lines of ps from there :(
""")
pack(f,"kisumu-21.zip","zipflat")
truth("kisumu-21","kisumu-21.zip","ps.unavailable",["ps:1","samburu-2","10.90.3.32:4400","/job:ps/replica:0/task:1"],["network.unreachable-peer","process.killed-by-signal"],"Only the coordinator and the workers were collected: ps task 1 (10.90.3.32:4400, samburu-2) refuses connections after step 500; why it went cannot be told.")

# --- 09: two jobs in one Grafana CSV
T=load(f"{ROOT}/work/r09/a.jsonl"); base=days_to(2026,8,13,20,40,T[0].start); f=f"{out}/g"; shutil.rmtree(f,ignore_errors=True); os.makedirs(f)
off={"laikipia":0,"amboseli-1":4,"amboseli-2":-77,"naivasha":31}; rows=[]
for t in T:
    c=Clock(base+off[t.host],3); j,task=t.id.split("-",1)
    for x,s,l in L(t,c): rows.append((x,c.local(x),l,dict(job=j,task=task,node=t.host,stream=s)))
ch=[t for t in T if t.id=="rumble-chief0"][0]
for h,dtm,m in (("laikipia",-14,"nfs: server ivory-nas not responding, still trying"),("laikipia",-9,"nfs: server ivory-nas OK"),("amboseli-1",-13,"nfs: server ivory-nas not responding, still trying"),("amboseli-1",-9,"nfs: server ivory-nas OK"),("naivasha",-300,"Memory cgroup out of memory: Killed process 2217 (promtail) total-vm:1419312kB, anon-rss:127884kB, file-rss:2048kB, shmem-rss:0kB, UID:0 pgtables:540kB oom_score_adj:0"),("naivasha",-298,"promtail.service: Failed with result 'oom-kill'.")):
    c=Clock(base+off[h],3); rows.append((ch.end+dtm,c.local(ch.end+dtm),m,dict(job="systemd-journal",node=h,transport="kernel" if "promtail.service" not in m else "journal")))
rows.sort(key=lambda r:-r[0]); o=io.StringIO(); w=csv.writer(o,quoting=csv.QUOTE_ALL); w.writerow(["Time","Line","labels"])
for _,d,l,lab in rows: w.writerow([d.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3],l,json.dumps(lab)])
put(f,"Logs-data-2026-08-13 23_58_02.csv",o.getvalue())
put(f,"oncall.txt","Thu 13 Aug, late. both jobs share amboseli-2, so if one died it must be that box?\nOtieno swapped the head of ivory-nas around 23:40 EAT (planned, \"nobody will notice\").\ngunshot job looks done, please check. promtail got OOM killed on naivasha, restarted by systemd.\n")
pack(f,"eldoret.tgz","flat")
truth("eldoret","eldoret.tgz","storage.network-fs",["ivory-nas","laikipia","chief:0"],[],"Job rumble: saving the checkpoint below /mnt/ivory fails with 'Stale file handle' after the NFS server was swapped. Job gunshot finished. promtail's OOM on naivasha and 'must be amboseli-2' are red herrings.")
