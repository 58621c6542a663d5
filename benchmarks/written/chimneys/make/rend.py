import json,re,os,datetime as D,random,sys,subprocess,shutil
B="/opt/incidents"; SET=B+"/set"
EP=re.compile(r"(?<=0000 00:00:)(\d{10})(?=\.\d{6})"); TS=re.compile(r"2026-11-28 (\d\d:\d\d:\d\d)(?=[,.]\d{3})")
class Run:
    """tasks: {task: (host, ip, port)} ; ports: {realport: task}; start: local (CET) time of the first line"""
    def __init__(s,name,hosts,ports,start,paths=(),skew=None,drop_dup=True,port="2222"):
        ev=[json.loads(l) for l in open(f"{B}/make/raw/{name}.jsonl")]
        t0=ev[0][0]; st=D.datetime.strptime(start,"%Y-%m-%d %H:%M:%S"); s.dt=int((st-D.timedelta(hours=1)-D.datetime(1970,1,1)).total_seconds()-t0)
        s.hosts=hosts; s.skew=skew or {}; s.ev=[]
        for t,k,st_,x in ev:
            d=s.dt+s.skew.get(k,0)
            x=EP.sub(lambda m:str(int(m[1])+d),x)
            x=TS.sub(lambda m:(D.datetime.strptime("2026-11-28 "+m[1],"%Y-%m-%d %H:%M:%S")+D.timedelta(seconds=d+3600)).strftime("%Y-%m-%d %H:%M:%S"),x)
            for rp,kk in ports.items():
                h,ip=hosts[kk][:2]
                x=x.replace(f"ipv4:127.0.0.1:{rp}",f"ipv4:{ip}:{port}").replace(f"grpc://127.0.0.1:{rp}",f"grpc://{h}:{port}").replace(f"127.0.0.1:{rp}",f"{h}:{port}")
            x=x.replace("binary running on x.","binary running on %s."%hosts.get(k,("x",))[0].split(".")[0]).replace(" on host x "," on host %s "%hosts.get(k,("x",))[0].split(".")[0]).replace("/opt/tfenv/lib","/opt/dimnik/env/lib").replace("/opt/tfenv/bin","/opt/dimnik/env/bin").replace("/opt/incidents/make/app/uci_dest.py","/opt/dimnik/uci.py").replace("/opt/incidents/make/app/uci_sh.py","/opt/dimnik/uci.py").replace("/opt/incidents/make/app","/opt/dimnik").replace("/opt/incidents/make/data","/srv/tuljave").replace("/opt/incidents/make/lib","/opt/dimnik/lib")
            for a,b in paths: x=x.replace(a,b)
            if k in hosts: x=x.replace(" na x pid"," na %s pid"%hosts[k][0].split(".")[0]).replace(" na x,"," na %s,"%hosts[k][0].split(".")[0])
            s.ev.append((t+d,k,st_,x))
    def lines(s,k,streams="oe"): return [(t,x) for t,kk,st,x in s.ev if kk==k and st in streams]
    def plain(s,k,streams="oe"): return "\n".join(x for t,x in s.lines(k,streams))+"\n"
    def rc(s,k): 
        r=[(t,x) for t,kk,st,x in s.ev if kk==k and st=="x"]; return (r[0][0],int(r[0][1])) if r else (s.ev[-1][0],None)
    def pid(s,k):
        for t,x in s.lines(k):
            m=re.search(r"pid (\d+)",x)
            if m: return int(m[1])
        for t,x in s.lines(k):
            m=re.match(r"[IWEF]0000 00:00:\d+\.\d+ +(\d+) ",x)
            if m: return int(m[1])
        return 4242
def loc(t): return D.datetime(1970,1,1)+D.timedelta(seconds=t+3600)
def iso(t): return loc(t).strftime("%Y-%m-%dT%H:%M:%S+0100")
def syst(t): return loc(t).strftime("%b %d %H:%M:%S")
def journal(run,k,unit="zakuri",fmt=iso,before=(),after=(),streams="oe"):
    h=run.hosts[k][0].split(".")[0]; p=run.pid(k); L=run.lines(k,streams); out=[]
    t0=L[0][0]
    out+=[(t0-2.3,f"systemd[1]: Started {unit}@ucenje.service - Dimnik ucenje (ucenje).")]
    out+=[(t,f"{unit}[{p}]: {x}") for t,x in L]
    tr,rc=run.rc(k)
    if rc==0: out+=[(tr,f"systemd[1]: {unit}@ucenje.service: Deactivated successfully.")]
    elif rc is not None and rc>0: out+=[(tr,f"systemd[1]: {unit}@ucenje.service: Main process exited, code=exited, status={rc}/FAILURE"),(tr+.01,f"systemd[1]: {unit}@ucenje.service: Failed with result 'exit-code'.")]
    elif rc is not None:
        n={-9:"KILL",-11:"SEGV",-6:"ABRT",-15:"TERM"}[rc]; c="dumped" if rc in(-11,-6) else "killed"
        out+=[(tr,f"systemd[1]: {unit}@ucenje.service: Main process exited, code={c}, status={-rc}/{n}"),(tr+.01,f"systemd[1]: {unit}@ucenje.service: Failed with result '{'core-dump' if c=='dumped' else 'signal'}'.")]
    if rc is not None: out+=[(tr+.02,f"systemd[1]: {unit}@ucenje.service: Consumed {random.uniform(20,80):.3f}s CPU time.")]
    out+=list(before)+list(after); out.sort(key=lambda z:z[0])
    return out,h,fmt
def noise(h,a,b,seed=0,n=None):
    r=random.Random(hash(h)%1000+seed); L=[]
    n=n or int((b-a)/25)+3
    for _ in range(n):
        t=r.uniform(a,b); p=r.randint(600,9000)
        L.append((t,r.choice([f"CRON[{p}]: pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)",f"CRON[{p}]: (root) CMD (test -x /usr/local/sbin/saje-meritve && /usr/local/sbin/saje-meritve --tiho)",f"systemd[1]: Starting sysstat-collect.service - system activity accounting tool...",f"systemd[1]: sysstat-collect.service: Deactivated successfully.",f"chronyd[811]: Selected source 193.2.1.117 (ntp1.arnes.si)",f"sshd[{p}]: Accepted publickey for tine from 10.77.1.23 port {r.randint(40000,60000)} ssh2: ED25519 SHA256:qV0w7cE1xQmHb8rJcK2m",f"systemd-resolved[702]: Using degraded feature set UDP instead of UDP+EDNS0 for DNS server 10.77.0.1.",f"smartd[760]: Device: /dev/sda [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from {r.randint(60,66)} to {r.randint(60,66)}",f"snapd[901]: storehelpers.go:955: cannot refresh: snap has no updates available: \"core22\", \"lxd\"",f"kernel: perf: interrupt took too long ({r.randint(2500,4000)} > {r.randint(2400,2500)}), lowering kernel.perf_event_max_sample_rate to 79000"])))
    return L
def fmtj(j):
    out,h,fmt=j; return "\n".join(f"{fmt(t)} {h} {x}" for t,x in out)+"\n"
def w(name,path,txt):
    p=f"{B}/st/{name}/{path}"; os.makedirs(os.path.dirname(p),exist_ok=True); open(p,"w").write(txt)
def pack(name,kind,truth,inner=None):
    src=f"{B}/st/{name}"; fn={"tar.gz":f"{name}.tar.gz","tgz":f"{name}.tgz","zip":f"{name}.zip","tar.xz":f"{name}.tar.xz","tar.bz2":f"{name}.tar.bz2"}[kind]
    o=f"{SET}/{fn}"
    if os.path.exists(o): os.remove(o)
    if kind=="zip": subprocess.check_call(["zip","-qr",o]+sorted(os.listdir(src)),cwd=src)
    else: subprocess.check_call(["tar",{"tar.gz":"-czf","tgz":"-czf","tar.xz":"-cJf","tar.bz2":"-cjf"}[kind],o,"--owner=tine","--group=tine","-C",src]+sorted(os.listdir(src)))
    q=json.dumps
    open(f"{SET}/{name}.truth.yaml","w").write(f"archive: {fn}\ncause: {truth['cause']}\nculprit_node: {q(truth['node'],ensure_ascii=False) if truth['node'] else 'null'}\nalso_acceptable: {q(truth.get('also',[]))}\nnotes: {q(truth['notes'],ensure_ascii=False)}\n")
    print("packed",fn)
H={"w0":("vrsic.dimnik.lan","10.77.4.11"),"w1":("ljubelj.dimnik.lan","10.77.4.12"),"w2":("predel.dimnik.lan","10.77.4.13")}
H2={"w0":("jezersko.dimnik.lan","10.77.4.14"),"w1":("pavlic.dimnik.lan","10.77.4.15"),"w2":("crnivec.dimnik.lan","10.77.4.16")}
def rest(run): return run
