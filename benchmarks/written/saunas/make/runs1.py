import sys, os, json, signal, time, subprocess, shutil, glob
sys.path.insert(0, "/opt/incidents/make")
from runner import run
PY="/opt/tfenv/bin/python"; CORE="/opt/incidents/make/core.py"; D="/opt/incidents/data"
base=20000+ (os.getpid()%300)*20
def tasks(n, fmt, words, conf, per={}, tfc=None, pre={}):
    global base; base+=20
    addr=[f"127.0.0.1:{base+i}" for i in range(n)]
    L=[]
    for r in range(n):
        c=dict(dim=16,hidden=32,batch=16,lr=.01,epochs=1,data=D+"/a",ckpt=f"/opt/incidents/ck/{base}")
        c.update(conf); c.update(per.get(r,{}))
        t={"cluster":{"worker":addr},"task":{"type":"worker","index":r}}
        if tfc: t=tfc(r,t)
        L.append(dict(id=f"worker{r}",cmd=[PY,"-u",CORE],env=dict(TF_CONFIG=json.dumps(t),FMT=fmt,WORDS=json.dumps(words),CONF=json.dumps(c)),pre=pre.get(r)))
    return L
FI={"start":"ajo käynnistyy","joined":"klusteri koossa","step":"askel valmis","epoch_end":"kierros päättyi","saved":"tarkistuspiste tallennettu","shards":"osat avattu","done":"ajo valmis","loss":"havio","epoch":"kierros","restore":"haetaan tarkistuspiste","restored":"tila palautettu"}
MX={"start":"arranque","joined":"cluster completo","step":"paso","epoch_end":"fin de época","saved":"punto guardado","shards":"fragmentos abiertos","done":"terminado","loss":"perdida","epoch":"epoca","restore":"buscando punto previo","restored":"estado recuperado","fingerprint":"huella de pesos"}
VN={"start":"khởi động","joined":"đủ máy","step":"bước","epoch_end":"hết lượt","saved":"đã lưu điểm kiểm","shards":"mở tệp","done":"xong"}
TR={"start":"eğitim başlıyor","joined":"küme hazır","step":"adım","epoch_end":"devir bitti","saved":"kayıt alındı","shards":"parçalar açıldı","done":"bitti","loss":"kayıp","epoch":"devir"}
KE={"start":"training boots","joined":"all spindles joined","saved":"checkpoint kept","shards":"bales opened","done":"run complete"}
def kill(k,s): return lambda P: os.kill(P[k].pid,s)
which=sys.argv[1:]
def r1():
    run("r1",tasks(3,"json",FI,{"every":40}),[("worker1",'"step": 131,',kill("worker1",signal.SIGKILL))],50)
def r2(): run("r2",tasks(3,"json",FI,{"every":50,"data":D+"/u","sleep":.04}),[],58)
def r3(): run("r3",tasks(3,"json",FI,{"every":40,"epochs":1,"sleep":.05}),[],58)
def r6():
    # first make older checkpoint for worker 2
    t=tasks(3,"loguru",MX,{"every":60,"restore":True,"fp":10,"sleep":.05,"data":D+"/a"})
    ck=json.loads(t[0]["env"]["CONF"])["ckpt"]
    if os.path.exists("/opt/incidents/ck/mxpre"):
        shutil.copytree("/opt/incidents/ck/mxpre",ck)
    run("r6",t,[],58)
def r6pre():
    t=tasks(3,"loguru",MX,{"every":20,"fp":10,"sleep":.01,"data":D+"/s","keep":9,"ckpt":"/opt/incidents/ck/mxpre"}, {2:{}})
    run("r6pre",t,[],40)
    p="/opt/incidents/ck/mxpre/r2/checkpoint"
    s=open(p).read().splitlines(); 
    ch=[l for l in s if "ckpt-1\"" in l][0].split('"')[1]
    open(p,"w").write(f'model_checkpoint_path: "{ch}"\nall_model_checkpoint_paths: "{ch}"\n')
def r10():
    subprocess.run("mkdir -p /opt/incidents/mnt; mount -t tmpfs -o size=3m tmpfs /opt/incidents/mnt",shell=True)
    try: run("r10",tasks(3,"logfmt",VN,{"every":20,"hidden":9000,"sleep":.03,"keep":20,"lr":.0001},{1:{"ckpt":"/opt/incidents/mnt/ck"}}),[],55)
    finally: subprocess.run("umount /opt/incidents/mnt",shell=True)
def r11():
    cg="/sys/fs/cgroup/pids/bcvn"; os.makedirs(cg,exist_ok=True)
    open(cg+"/pids.max","w").write("17")
    def pre(): open(cg+"/cgroup.procs","w").write(str(os.getpid()))
    run("r11",tasks(2,"logfmt",VN,{"every":40},pre={1:pre}),[],40)
    time.sleep(.5); os.rmdir(cg)
def r12(): run("r12",tasks(3,"logfmt",VN,{"every":60,"sleep":.02},{2:{"decode_ms":170}}),[],55)
def r13():
    snap=[]
    def stop(P):
        os.kill(P["worker2"].pid,signal.SIGSTOP)
    run("r13",tasks(3,"plain",TR,{"every":40}),[("worker2",'kayıp.*step=97|adım.*step=97',stop)],58)
def r14():
    cg="/sys/fs/cgroup/memory/bctr"; os.makedirs(cg,exist_ok=True)
    open(cg+"/memory.limit_in_bytes","w").write(str(1100<<20))
    def pre(): open(cg+"/cgroup.procs","w").write(str(os.getpid()))
    run("r14",tasks(3,"plain",TR,{"every":40},{1:{"augment":1200}},pre={1:pre}),[],50)
    print(open(cg+"/memory.max_usage_in_bytes").read()); time.sleep(.5); os.rmdir(cg)
def r15(): run("r15",tasks(3,"plain",KE,{"every":40,"coll_timeout":30},{1:{"hidden":48}}),[],55)
def r16pre(): run("r16pre",tasks(3,"plain",KE,{"every":20,"sleep":.02,"ckpt":"/opt/incidents/ck/kepre","hidden":600},{}),[],58)
def r16():
    t=tasks(3,"plain",KE,{"every":40,"restore":True,"ckpt":"/opt/incidents/ck/ke16","hidden":600})
    shutil.rmtree("/opt/incidents/ck/ke16",ignore_errors=True)
    shutil.copytree("/opt/incidents/ck/kepre","/opt/incidents/ck/ke16")
    for p in glob.glob("/opt/incidents/ck/ke16/*/checkpoint"):
        s=open(p).read().replace("kepre","ke16"); open(p,"w").write(s)
    f=sorted(glob.glob("/opt/incidents/ck/ke16/r0/*.data-*"))[-1]
    f=sorted(glob.glob("/opt/incidents/ck/ke16/r0/*.data-*"),key=os.path.getmtime)[-1]
    n=os.path.getsize(f); print(f,n); os.truncate(f,20480)
    run("r16",t,[],40)
for w in which:
    try: globals()[w]()
    except Exception as e: print(w,"EXC",repr(e))
