import sys, os, json, signal, time, subprocess, shutil, socket
sys.path.insert(0, "/opt/incidents/make")
from runner import run
PY="/opt/tfenv/bin/python"; M="/opt/incidents/make/"; D="/opt/incidents/data"
base=28000+(os.getpid()%200)*20
FPL="[%%(asctime)s] (%(job)s-%(idx)d) %%(levelname)s: %%(message)s"
PL={"start":"start procesu","server":"serwer gRPC dziala: %s","teacher":"wczytano graf nauczyciela, importuje","step":"krok %d (lokalnie %d) strata %.5f","done":"koniec zadania"}
MXW={"start":"arranque","server":"servidor arriba %s","step":"paso global %d local %d perdida %.5f","done":"terminado","teacher":""}
def tf1(name, W, extra={}, per={}, nw=2, nps=1, fmt=FPL, acts=[], limit=50, skip=(), pre=None):
    global base; base+=20
    cl={"ps":[f"127.0.0.1:{base+i}" for i in range(nps)],"worker":[f"127.0.0.1:{base+10+i}" for i in range(nw)]}
    T=[]
    for j,n in (("ps",nps),("worker",nw)):
        for i in range(n):
            c=dict(cluster=cl,fmt=fmt,datefmt="%d.%m.%Y %H:%M:%S",hyper={"partia":32,"lr":.01},batch=32,last=3000,ckpt=f"/opt/incidents/ck/{base}",sleep=.05); c.update(extra); c.update(per.get(f"{j}{i}",{}))
            T.append(dict(id=f"{j}{i}",cmd=[PY,"-u",M+"tfps.py",j,str(i)],env=dict(CONF=json.dumps(c),WORDS=json.dumps(W)),delay=.2))
    if pre: pre(cl)
    run(name,T,acts,limit)
def kill(k,s): return lambda P: os.kill(P[k].pid,s)
def r4(): tf1("r4",MXW,{"native":M+"libnixtamal.so"},{"worker0":{"native":None},"worker2":{"sleep":.07}},nw=3,fmt="%%(asctime)s.%%(msecs)03d | %%(levelname)-8s | tortilla.%(job)s%(idx)d - %%(message)s",limit=58)
def r7():
    S=[]
    def pre(cl):
        h,p=cl["worker"][1].split(":"); s=socket.socket(); s.bind(("127.0.0.1",int(p))); s.listen(5); S.append(s)
        s=socket.socket(socket.AF_INET6); s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY,1); s.bind(("::",int(p))); s.listen(5); S.append(s)
    tf1("r7",PL,nw=3,nps=1,pre=pre,limit=40)
def r8(): tf1("r8",PL,{"teacher":D+"/nauczyciel.pb"},nw=2,nps=1,limit=22)
def r9(): tf1("r9",PL,nw=2,nps=2,acts=[("worker0","krok 6[0-9][0-9] ",kill("ps1",9))],limit=58)
def r5():
    global base; base+=20
    os.makedirs(D+"/c",exist_ok=True)
    for r in range(3):
        for k in range(4): shutil.copy(f"{D}/a/osa-{r}-{k:03d}.rec",f"{D}/c/maiz-{r}{k:02d}.tfrecord")
    f=D+"/c/maiz-202.tfrecord"; b=bytearray(open(f,"rb").read()); o=len(b)*2//3
    for i in range(64): b[o+i]^=0x5a
    open(f,"wb").write(b)
    c=dict(dport=base,molino1=base+1,molino2=base+2,glob=D+"/c/maiz-*.tfrecord")
    W={"start":"arranque","listo":"listo","files":"archivos","step":"paso","done":"terminado"}
    T=[dict(id=r,cmd=[PY,"-u",M+"ds.py",r],env=dict(CONF=json.dumps(c),WORDS=json.dumps(W)),delay=d) for r,d in (("despacho",4),("molino1",.5),("molino2",3),("comal",0))]
    run("r5",T,[],58)
for w in sys.argv[1:]:
    try: globals()[w]()
    except Exception as e: print(w,"EXC",repr(e))
