import sys; sys.path.insert(0,"/opt/incidents/make")
from lab import *
mode=sys.argv[1]
N={f"tostado-worker-{i}":f"10.42.{i+1}.{17+5*i}" for i in range(3 if mode!="oom" else 2)}
N={k:v for k,v in N.items()}
SVC="tostado.svc.cluster.local"
L=Lab("co_"+mode,{k:v.replace("10.42.1","10.42.0").replace("10.42.2","10.42.0").replace("10.42.3","10.42.0") for k,v in N.items()},"/usr/local/tostado",domain="tostado-hs.cafe.svc.cluster.local",pre="mkdir -p /srv/app; cp /opt/incidents/make/co/tostado.py /srv/app/")
W=[f"{n}.tostado-hs.cafe.svc.cluster.local:8470" for n in N]
if mode=="dns":
    sh(f"grep -v worker-2 {L.hosts} > /opt/incidents/run/.h; cat /opt/incidents/run/.h > {L.hosts}; rm /opt/incidents/run/.h")
for i,n in enumerate(N):
    idx=i
    if mode=="index" and i==2: idx=1
    e={"TF_CONFIG":json.dumps({"cluster":{"worker":W},"task":{"type":"worker","index":idx}}),"POD_NAME":n,"HOME":"/srv/app"}
    cmd="python -u /srv/app/tostado.py"
    if mode=="oom" and i==1:
        e["TOSTADO_REPLAY"]="3"
        sh("mkdir -p /sys/fs/cgroup/memory/as_oom; echo 1300M > /sys/fs/cgroup/memory/as_oom/memory.limit_in_bytes")
        cmd="bash -c 'echo $$ > /sys/fs/cgroup/memory/as_oom/cgroup.procs; exec python -u /srv/app/tostado.py'"
    if mode=="oom": e["TOSTADO_PASOS"]="2500"
    L.start(n,cmd,env=e,cwd="/srv/app")
L.finish(50)
sh("cat /sys/fs/cgroup/memory/as_oom/memory.max_usage_in_bytes; rmdir /sys/fs/cgroup/memory/as_oom",check=False)
