import os,shutil,subprocess,datetime as D,random,re
from rig import load,Fix
SET='/opt/incidents/set/'
def ep(*a): return D.datetime(*a,tzinfo=D.timezone.utc).timestamp()
def f(t,fmt,tz=0): return (D.datetime.fromtimestamp(t,D.timezone.utc)+D.timedelta(hours=tz)).strftime(fmt)
class Out:
    def __init__(s,name): s.n=name; s.b='/opt/incidents/runs/pack_'+name; shutil.rmtree(s.b,ignore_errors=True); os.makedirs(s.b)
    def w(s,p,x):
        q=s.b+'/'+p; os.makedirs(os.path.dirname(q),exist_ok=True)
        if not isinstance(x,str): x='\n'.join(x)+'\n'
        open(q,'w').write(x)
    def pack(s,kind,cause,node,also,notes):
        import yaml
        fn=s.n+'.'+kind; p=SET+fn
        if os.path.exists(p): os.unlink(p)
        if kind=='zip': subprocess.check_call(['zip','-qr',p,'.'],cwd=s.b)
        elif kind in('tar.gz','tgz'): subprocess.check_call('tar --owner=0 --group=0 -czf %s *'%p,shell=True,cwd=s.b)
        elif kind=='tar.zst': subprocess.check_call('tar --owner=0 --group=0 -c * | zstd -q -o %s'%p,shell=True,cwd=s.b)
        yaml.safe_dump(dict(archive=fn,cause=cause,culprit_node=node,also_acceptable=also,notes=notes),open(SET+s.n+'.truth.yaml','w'),sort_keys=False,allow_unicode=True,width=200)
        t=subprocess.check_output('find . -type f | wc -l; cat $(find . -type f) | wc -l',shell=True,cwd=s.b,text=True).split(); print(fn,t)
