import sys; sys.path.insert(0,"/opt/incidents/make")
from lab import *
mode=sys.argv[1]
N={"kinu":"172.20.5.31","watarase":"172.20.5.32"}
L=Lab("jp_"+mode,N,"/opt/shelf/.venv",pre="mkdir -p /opt/shelf/lib /opt/shelf/src /opt/shelf/spool; cp /opt/incidents/run/librldec.so /opt/shelf/lib; cp /opt/incidents/make/jp/shelf_*.py /opt/shelf/src/")
import subprocess
subprocess.run(["/opt/tfenv/bin/python","-c","""
import numpy as np
r=np.random.default_rng(2)
for i in range(2000):
    s=r.integers(1,60,256,dtype=np.uint8)
    if i==1357 and '%s'=='seg': s[128]=255
    s.tofile('/opt/shelf/spool/%%05d.rl'%%i)
"""%mode])
cl={"worker":[f"{n}:6500" for n in N]}
for i,n in enumerate(N):
    cmd="python src/shelf_ds.py" if mode=="seg" else "python src/shelf_cache.py"
    if mode=="nofile" and i==1: cmd="bash -c 'ulimit -n 256; exec python src/shelf_cache.py'"
    L.start(n,"bash -c 'python src/shelf_ds.py; echo rc=$?'" if mode=="seg" else cmd,cwd="/opt/shelf",env={"TF_CONFIG":json.dumps({"cluster":cl,"task":{"type":"worker","index":i}}),"SHELF_FH":"1"})
L.finish(45)
