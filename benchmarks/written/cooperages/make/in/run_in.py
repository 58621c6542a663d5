import sys; sys.path.insert(0,"/opt/incidents/make")
from lab import *
mode=sys.argv[1]
N={"kanchi-w0":"172.28.0.4","kanchi-w1":"172.28.0.5"}
if mode=="tf1": N={"kanchi-ps":"172.28.0.3","kanchi-w0":"172.28.0.4","kanchi-w1":"172.28.0.5"}
L=Lab("in_"+mode,N,"/usr/local/weave",pre="mkdir -p /srv/loom /srv/weave/ckpt; mkdir -p /opt/weave216; mount --bind /opt/incidents/tf219 /opt/weave216; cp /opt/incidents/make/in/*.py /srv/loom/;"+("cp /opt/incidents/run/libmotif.so /srv/loom/" if mode=="abort" else ""))

cl={"worker":[f"{n}:9333" for n in N]}
if mode=="tf1":
    for n,j,i in (("kanchi-ps","ps",0),("kanchi-w0","worker",0),("kanchi-w1","worker",1)):
        L.start(n,f"python weave_train.py --ps_hosts kanchi-ps:2222 --worker_hosts kanchi-w0:2222,kanchi-w1:2222 --job_name {j} --task_index {i} --ckpt /srv/weave/ckpt",cwd="/srv/loom")
    L.seen("kanchi-w0","global_step 4",40); time.sleep(8); os.kill(L.rpid("kanchi-ps"),15)
    L.finish(15)
else:
    for i,n in enumerate(N):
        e={"TF_CONFIG":json.dumps({"cluster":cl,"task":{"type":"worker","index":i}})}
        cmd="python loom_ar.py"
        if mode=="skew" and i==1: cmd="/opt/weave216/bin/python loom_ar.py"
        if mode=="mismatch" and i==1: e["LOOM_CLASSES"]="14"
        if mode=="abort" and i==0: e["LOOM_SPAN"]="516"
        L.start(n,f"bash -c '{cmd}; echo exit code $?'",env=e,cwd="/srv/loom")
    L.finish(45)
