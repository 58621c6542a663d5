import os,tarfile,shutil,random,subprocess,datetime as dt,sys
sys.path.insert(0,'/opt/incidents/make')
from warp import *
R='/opt/incidents/make/run/'; SET='/opt/incidents/set/'; ST='/opt/incidents/make/stage/'
def base(home,venv,py='/usr/lib/python3.11'):
    return [('/root/.pyenv/versions/3.11.7/lib/python3.11',py),('/opt/incidents/make/run/',home+'/'),('/opt/incidents/make/',home+'/'),('/opt/tfenv',venv)]
def put(root,name,text):
    p=ST+root+'/'+name; os.makedirs(os.path.dirname(p),exist_ok=True)
    open(p,'w').write(text if isinstance(text,str) else ''.join(text))
def pack(root,arch,mode):
    os.makedirs(SET,exist_ok=True)
    if mode=='zip': subprocess.check_call(['/opt/tfenv/bin/python','-c','import shutil,sys;shutil.make_archive(sys.argv[1],"zip",sys.argv[2],sys.argv[3])',SET+arch[:-4],ST,root])
    else:
        flag={'tar.gz':'z','tgz':'z','tar.xz':'J','tar.bz2':'j','tar':''}[mode]
        subprocess.check_call(['tar','-c'+flag+'f',SET+arch,'--owner=1000','--group=1000','-C',ST,root])
def truth(name,arch,cause,node,also,notes):
    import json
    open(SET+name+'.truth.yaml','w').write('archive: %s\ncause: %s\nculprit_node: %s\nalso_acceptable: %s\nnotes: %s\n'%(arch,cause,json.dumps(node,ensure_ascii=False) if node else 'null',json.dumps(also),json.dumps(notes,ensure_ascii=False)))
def err_t(run,name,s):
    """real epoch of the last absl line before/at first occurrence of s"""
    import re; t=None
    for l in open(R+run+'/'+name+'.log',errors='replace'):
        m=re.search(r'\b(1795\d{6}\.\d{6})\b',l)
        if m: t=float(m.group(1))
        m=re.match(r'(2026-11-28 \d\d:\d\d:\d\d),(\d{3})',l)
        if m: t=ep(m.group(1),0)+int(m.group(2))/1000
        if s in l: return t
    return t
def stamp(e,tz,f='%Y-%m-%d %H:%M:%S'): return (dt.datetime.fromtimestamp(e,dt.timezone.utc)+dt.timedelta(hours=tz)).strftime(f)
def klog(host,t0,n,tz,rnd,progs,f='%b %d %H:%M:%S'):
    out=[];t=t0
    for i in range(n):
        t+=rnd.expovariate(1/40.); p=rnd.choice(progs); out.append((t,'%s %s %s\n'%(stamp(t,tz,f),host,p.replace('#',str(rnd.randint(800,99999))))))
    return out
