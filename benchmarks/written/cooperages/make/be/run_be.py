import sys; sys.path.insert(0,"/opt/incidents/make")
from lab import *
mode=sys.argv[1]
N={"blauwband":"192.168.7.21","schalie":"192.168.7.22"}
if mode=="ok": N={"kraskop":"192.168.7.20","blauwband":"192.168.7.21","schalie":"192.168.7.22"}
L=Lab("be_"+mode,N,"/home/duif/venv",pre="mkdir -p /home/duif/code; cp /opt/incidents/make/be/train_oog.py /home/duif/code/; mkdir -p /home/duif/uit")
port=5005
peers=",".join(f"{n}:{port}" for n in N)
if mode=="port":
    L.start("schalie","python3 -c 'import socket,time;s=socket.socket();s.setsockopt(1,2,1);s.bind((\"0.0.0.0\",5005));s.listen();time.sleep(100)'",tag="squat")
    time.sleep(1)
if mode=="disk": L.x("schalie","mkdir -p /home/duif/uit/pc1; mount -t tmpfs -o size=16m tmpfs /home/duif/uit/pc1")
for i,n in enumerate(N):
    L.start(n,f"python /home/duif/code/train_oog.py --peers {peers} --ik {i} --uit /home/duif/uit --epochs {6 if mode=='ok' else 30} --stappen {40 if mode=='ok' else 12}",env={"OOG_BREED":"128","HOME":"/home/duif"},cwd="/home/duif/code")
if mode=="port":
    time.sleep(20); L.x("schalie",f"ss -ltnp > {L.out}/schalie.ss")
L.finish(45 if mode!="port" else 12)
if mode=="disk": sh(f"ls -la /home/duif/uit/pc0 > {L.out}/ls0",check=False); 
