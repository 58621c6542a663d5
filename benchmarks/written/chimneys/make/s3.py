from specs import *
R=f"--razredi {D}/razredi.txt"
P=[23201,23202,23203]
json.dump(dict(tasks=[dict(name="d",at=0,cmd=f"{PY} {A}/dobavitelj.py --vrata 23209 --svezenj 32",cwd=D)]+[dict(name=f"w{i}",at=1+i*.5,env={"TF_CONFIG":tfc(P,i)},cwd=D,cmd=f"{PY} {A}/uci_tok.py --dobavitelj 127.0.0.1:23209 --nacrt drobna,drobna,endoskop --koraki 400") for i in range(3)],limit=45),open("raw/grpc.json","w"))
def ps(name,ports,args,events,limit):
    cl={"chief":[f"127.0.0.1:{ports[0]}"],"ps":[f"127.0.0.1:{p}" for p in ports[1:3]],"worker":[f"127.0.0.1:{p}" for p in ports[3:]]}
    ts=[dict(name=f"{ty[0]}{i}",at=(6 if ty=="chief" else 0),env={"TF_CONFIG":json.dumps({"cluster":cl,"task":{"type":ty,"index":i}})},cwd=D,cmd=f"{PY} {A}/uci_ps.py {args}") for ty in cl for i in range(len(cl[ty]))]
    json.dump(dict(tasks=ts,events=events,limit=limit),open(f"raw/{name}.json","w"))
ps("psdead",[23211,23212,23213,23214,23215],"--koraki 100000",[dict(at=32,task="p1",sig="SIGKILL")],52)
ps("place",[23221,23222,23223,23224,23225],"--koraki 4000 --naprava /job:worker/replica:0/task:1/device:GPU:0",[],40)
