import sys; sys.path.insert(0,"/opt/incidents/make")
from lab import *
mode=sys.argv[1]
if mode=="corrupt": N={"stave-brora":"10.61.4.11","stave-wick":"10.61.4.12"}
else: N={"stave-tain":"10.61.4.14","stave-dornoch":"10.61.4.15"}
L=Lab("sc_"+mode,N,"/opt/staves/venv",domain="cooper.example",pre="mkdir -p /srv/staves/runs; cp -r /opt/incidents/run/staves /srv/staves/tfr; mkdir -p /opt/staves/src; cp /opt/incidents/make/sc/fit_staves.py /opt/staves/src/")
if mode=="corrupt":
    f="/srv/staves/tfr/planer-017-of-024.tfr"; b=bytearray(open(f,"rb").read()); o=len(b)//2+313
    for k in range(64): b[o+k]=0
    open(f,"wb").write(b)
cl={"worker":[f"{n}:2222" for n in N]}
for i,n in enumerate(N):
    e={"TF_CONFIG":json.dumps({"cluster":cl,"task":{"type":"worker","index":i}}),"STAVES_NAP":"0.005","STAVES_STEPS":"3000"}
    if mode=="eio" and i==1: e.update(LD_PRELOAD="/opt/incidents/run/shim.so",BADFILE="planer-015",BADOFF="163840",BADAFTER="/srv/staves/runs/bad")
    L.start(n,"python -X faulthandler /opt/staves/src/fit_staves.py",env=e)
if mode=="eio":
    L.seen(list(N)[0],"step   330",45); open("/srv/staves/runs/bad","w")
L.finish(45)
