"""run.py SPEC.json OUT.jsonl : starts tasks, collects each line with its arrival time; kills everything at the end."""
import json,os,subprocess,sys,threading,time,signal
spec=json.load(open(sys.argv[1])); out=open(sys.argv[2],"w"); lk=threading.Lock(); procs={}; T0=time.time()
def w(task,s,line):
    with lk: out.write(json.dumps([time.time(),task,s,line])+"\n"); out.flush()
def rd(task,s,f):
    for l in iter(f.readline,b""): w(task,s,l.decode("utf-8","replace").rstrip("\n"))
def start(t):
    env={**os.environ,**t.get("env",{}),"PYTHONUNBUFFERED":"1"}; env.pop("TF_CONFIG",None) if "TF_CONFIG" not in t.get("env",{}) else None
    cmd=t["cmd"]
    p=subprocess.Popen(["nice","-n","5","bash","-c",t.get("pre","")+"\nexec "+cmd],stdout=subprocess.PIPE,stderr=subprocess.PIPE,env=env,cwd=t.get("cwd","."),start_new_session=True)
    procs[t["name"]]=p
    ths=[threading.Thread(target=rd,args=(t["name"],s,f),daemon=True) for s,f in(("o",p.stdout),("e",p.stderr))]
    for th in ths: th.start()
    def wt():
        rc=p.wait(); [th.join(3) for th in ths]; w(t["name"],"x",str(rc))
    th=threading.Thread(target=wt,daemon=True); th.start(); t["th"]=th
ev=sorted([(t.get("at",0),"start",t) for t in spec["tasks"]]+[(e["at"],"ev",e) for e in spec.get("events",[])],key=lambda z:z[0])
for at,k,o in ev:
    time.sleep(max(0,T0+at-time.time()))
    if k=="start": start(o)
    else:
        p=procs[o["task"]]; w(o["task"],"s",o["sig"])
        if o["sig"].startswith("!"):
            r=subprocess.run(o["sig"][1:].format(pid=p.pid),shell=True,capture_output=True,text=True,timeout=30); w(o["task"],"c",r.stdout+r.stderr)
        else:
            try: os.killpg(p.pid,getattr(signal,o["sig"]))
            except ProcessLookupError: pass
end=T0+spec.get("limit",55)
for t in spec["tasks"]: t["th"].join(max(0,end-time.time()))
for t in spec["tasks"]:
    if t["th"].is_alive():
        w(t["name"],"s","LIMIT"); os.killpg(procs[t["name"]].pid,signal.SIGKILL)
for t in spec["tasks"]: t["th"].join(5)
