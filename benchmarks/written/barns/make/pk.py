import os,sys,json,re,random,shutil,subprocess,hashlib,datetime as dt
import yaml
from lab import Post
SET='/opt/incidents/set/'; W='/opt/incidents/run/pk/'
def load(m): return json.load(open(f'/opt/incidents/run/{m}.json'))
def mk(name,ext,files,cause,culprit,also,notes,top=None):
    d=W+name; shutil.rmtree(d,ignore_errors=True); os.makedirs(d)
    for f,t in files.items():
        p=os.path.join(d,top or '',f); os.makedirs(os.path.dirname(p),exist_ok=True)
        open(p,'w').write(t if isinstance(t,str) else '\n'.join(t)+'\n')
    a=SET+name+ext
    if os.path.exists(a): os.remove(a)
    ent=sorted(os.listdir(d))
    if ext=='.zip': subprocess.check_call(['zip','-qr',a]+ent,cwd=d)
    else: subprocess.check_call(['tar','-c'+{'.tar.gz':'z','.tgz':'z','.tar.xz':'J','.tar.bz2':'j','.tar':''}[ext]+'f',a]+ent,cwd=d)
    yaml.safe_dump(dict(archive=name+ext,cause=cause,culprit_node=culprit,also_acceptable=also,notes=notes),open(SET+name+'.truth.yaml','w'),sort_keys=False,allow_unicode=True,width=120)
    tot=sum(open(os.path.join(r,f)).read().count('\n') for r,_,fs in os.walk(d) for f in fs); print(name,cause,culprit,tot,'lines')
def epoch(s): return dt.datetime.fromisoformat(s).timestamp()
def tids(delta):   # shift glog thread ids of a host
    return [(re.compile(r'^([IWEF]0000 00:00:\d+\.\d{6}) +(\d+) '),lambda m:f'{m[1]} {int(m[2])+delta:7d} ')]
def post(d,when,tz,subs):
    t0=d['procs'][0]['t0']; return Post(int(epoch(when)-t0),subs,tz)
R=random.Random
def kern(r,n,t0,t1,texts):
    out=[]
    ts=sorted(r.uniform(t0,t1) for _ in range(n))
    for t in ts: out.append((t,r.choice(texts)()))
    return out
