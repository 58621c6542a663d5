import re,os,datetime as dt,tarfile,zipfile,shutil,random,json,io,sys,yaml
B="/opt/incidents"; S=B+"/set"
def load(n,h):
    r=[]
    for l in open(f"{B}/raw/{n}/{h}.raw",encoding="utf8",errors="replace"):
        t,_,s=l.rstrip("\n").partition("\t"); r.append((float(t),s))
    return r
def rc(rows): 
    for t,s in rows[::-1]:
        if s.startswith("@@rc="): return int(s[5:])
    return None
def conv(rows,delta,subs=()):
    """shift epochs inside TF lines by delta seconds; apply regex subs"""
    o=[]
    for t,s in rows:
        if s.startswith("@@rc="): continue
        s=re.sub(r"\b(1795\d{6})\.(\d{6})\b",lambda m:"%d.%s"%(int(m[1])+delta,m[2]),s)
        for a,b in subs: s=re.sub(a,b,s)
        o.append((t+delta,s))
    return o
def std(py="/opt/venv/lib/python3.11/site-packages",code="/srv/app",main=None,make=None):
    r=[(r"/opt/tfenv/lib/python3\.11/site-packages",py),(r"/opt/incidents/tfk",py),(r"/opt/tfenv/bin/python",py.split("/lib/")[0]+"/bin/python"),(r"/root/\.pyenv/versions/3\.11\.7",py.split("/lib/")[0])]
    for a,b in (make or {}).items(): r.append((re.escape("/opt/incidents/make/"+a),b))
    r.append((r"/opt/incidents/make",code)); return r
def F(t,f,off=0): return dt.datetime.fromtimestamp(t+off*3600,dt.timezone.utc).strftime(f)
def w(d,p,lines):
    p=os.path.join(d,p); os.makedirs(os.path.dirname(p),exist_ok=True)
    open(p,"w",encoding="utf8").write("\n".join(lines)+"\n" if not isinstance(lines,str) else lines)
def fresh(n): 
    d=f"{B}/t/{n}"; shutil.rmtree(d,ignore_errors=True); os.makedirs(d); return d
def pack(d,name,ext,cause,culprit,also,notes):
    f=f"{S}/{name}{ext}"
    if os.path.exists(f): os.remove(f)
    if ext==".zip":
        with zipfile.ZipFile(f,"w",zipfile.ZIP_DEFLATED) as z:
            for r,_,fs in os.walk(d):
                for x in sorted(fs): z.write(os.path.join(r,x),os.path.relpath(os.path.join(r,x),d))
    else:
        m={".tar.gz":"w:gz",".tgz":"w:gz",".tar.xz":"w:xz",".tar.bz2":"w:bz2",".tar":"w"}[ext]
        with tarfile.open(f,m) as t:
            for x in sorted(os.listdir(d)): t.add(os.path.join(d,x),arcname=x,filter=lambda i:(setattr(i,"uname","ops"),setattr(i,"gname","ops"),i)[2])
    yaml.safe_dump(dict(archive=name+ext,cause=cause,culprit_node=culprit,also_acceptable=also,notes=notes),open(f"{S}/{name}.truth.yaml","w"),sort_keys=False,allow_unicode=True)
    txt=""
    for r,_,fs in os.walk(d):
        for x in fs:
            txt+=x+"\n"+os.path.relpath(r,d)+"\n"+open(os.path.join(r,x),errors="replace").read()
    print(name,cause,"lines",txt.count("\n"),"culprit ok" if not culprit or all(c in txt for c in (culprit if isinstance(culprit,list) else [culprit])) else "CULPRIT MISSING","LEAK" if re.search(r"/opt/incidents|/tfenv|BK/",txt) else "")
R=random.Random(77)
def syslog(host,t0,t1,off,extra=(),fmt="%b %d %H:%M:%S",rate=9,kind="ubuntu",ip="10.0.0.1"):
    """ordinary system noise between t0 and t1"""
    rows=[];t=t0;up=R.uniform(2e5,9e6)
    N=[lambda:f"systemd[1]: Starting sysstat-collect.service - system activity accounting tool...",lambda:"systemd[1]: sysstat-collect.service: Deactivated successfully.",lambda:"systemd[1]: Finished sysstat-collect.service - system activity accounting tool.",
       lambda:f"CRON[{R.randint(3000,90000)}]: (root) CMD (   cd / && run-parts --report /etc/cron.hourly)",lambda:f"CRON[{R.randint(3000,90000)}]: (root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)",
       lambda:f"sshd[{R.randint(3000,90000)}]: Accepted publickey for ops from {ip.rsplit('.',1)[0]}.{R.randint(200,250)} port {R.randint(30000,60000)} ssh2: ED25519 SHA256:{''.join(R.choice('abcdefghijkLMNOPQRSTU0123456789+') for _ in range(43))}",
       lambda:f"systemd-logind[812]: New session {R.randint(100,9999)} of user ops.",lambda:f"systemd[1]: session-{R.randint(100,9999)}.scope: Deactivated successfully.",
       lambda:f"chronyd[701]: Selected source {ip.rsplit('.',1)[0]}.1",lambda:f"kernel: [{up+t-t0:.6f}] audit: type=1400 audit({t:.3f}:{R.randint(50,900)}): apparmor=\"STATUS\" operation=\"profile_replace\" profile=\"unconfined\" name=\"snap.lxd.lxc\" pid={R.randint(2000,90000)} comm=\"apparmor_parser\"",
       lambda:f"systemd-resolved[640]: Using degraded feature set UDP instead of UDP+EDNS0 for DNS server {ip.rsplit('.',1)[0]}.2.",lambda:"systemd[1]: Starting fwupd-refresh.service - Refresh fwupd metadata and update motd...",lambda:f"snmpd[933]: Connection from UDP: [{ip.rsplit('.',1)[0]}.9]:{R.randint(30000,60000)}->[{ip}]:161",
       lambda:f"dbus-daemon[690]: [system] Successfully activated service 'org.freedesktop.nm_dispatcher'",lambda:f"node_exporter[1120]: ts={F(t,'%Y-%m-%dT%H:%M:%S.000Z')} caller=collector.go:169 level=error msg=\"collector failed\" name=nfsd duration_seconds=0.00012 err=\"failed to retrieve nfsd stats\""]
    while t<t1: rows.append((t,R.choice(N)())); t+=R.expovariate(1/rate)
    rows+=[(a,b.replace("@UP",f"{up+a-t0:.6f}")) for a,b in extra]; rows.sort(key=lambda x:x[0])
    return [f"{F(a,fmt,off)} {host} {b}" for a,b in rows]
