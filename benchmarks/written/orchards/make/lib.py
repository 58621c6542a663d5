import re,os,datetime as D,random,shutil,subprocess,tarfile,io
M='/opt/incidents/make/'; SET='/opt/incidents/set/'; B='/opt/incidents/make/build/'
UTC=D.timezone.utc
def T(s): return D.datetime.strptime(s,'%Y-%m-%d %H:%M:%S').replace(tzinfo=UTC).timestamp()
def t0(w): return float(open(M+'out/%s/t0'%w).read())
class W:
    """time map: real run -> story; local offset (h) only for wall-clock texts, epochs stay UTC"""
    def __init__(s,w,start,scale=1.0,off=0): s.s0=t0(w); s.d0=T(start)-off*3600; s.k=scale; s.off=off; s.w=w
    def f(s,t): return s.d0+(t-s.s0)*s.k
    def iso(s,m):
        t=D.datetime.strptime(m[1]+' '+m[3],'%Y-%m-%d %H:%M:%S').replace(tzinfo=UTC).timestamp(); fr=m[4] or ''
        if fr: t+=float('0.'+fr[1:])
        d=D.datetime.fromtimestamp(s.f(t)+s.off*3600,UTC); o=d.strftime('%Y-%m-%d'+m[2]+'%H:%M:%S')
        return o+(fr[0]+('%06d'%d.microsecond)[:len(fr)-1] if fr else '')
    def es(s,m):
        t=D.datetime.strptime('2026/'+m[0],'%Y/%d/%m %H:%M:%S').replace(tzinfo=UTC).timestamp()
        return D.datetime.fromtimestamp(s.f(t)+s.off*3600,UTC).strftime('%d/%m %H:%M:%S')
    def line(s,l):
        l=re.sub(r'\b1[78]\d{8}\.\d{6}\b',lambda m:'%.6f'%s.f(float(m[0])),l)
        l=re.sub(r'\b(2026-\d\d-\d\d)([ T])(\d\d:\d\d:\d\d)([.,]\d{1,6})?',s.iso,l)
        return re.sub(r'\b\d\d/\d\d \d\d:\d\d:\d\d',s.es,l)
    def read(s,host,subs={},cut=None,drop=()):
        """-> list of lines (warped, scrubbed); ts-prefixed logs give (epoch,line) tuples"""
        out=[]; last=None
        for l in open(M+'out/%s/%s.log'%(s.w,host),errors='replace'):
            m=re.match(r'(\d{10}\.\d{6})\t(.*\n?)',l,re.S); ts=None
            if m: ts=s.f(float(m[1])); l=m[2]
            if l.startswith('./lab.sh') or re.match(r'rc=\d+$',l.strip()): continue
            if any(d in l for d in drop): continue
            l=s.line(l)
            for a,b in subs.items(): l=l.replace(a,b)
            l=re.sub(r'^bash: line 1:\s+\d+ ','',l) if 'bash: line 1' in l else l
            out.append((ts,l) if m else l)
        return out[:cut] if cut else out
def put(inc,path,text):
    p=B+inc+'/'+path; os.makedirs(os.path.dirname(p),exist_ok=True)
    open(p,'w').write(text if isinstance(text,str) else ''.join(text))
def fresh(inc): shutil.rmtree(B+inc,ignore_errors=True); os.makedirs(B+inc)
def sh(c,inc): subprocess.run(c,shell=True,check=True,cwd=B+inc)
def truth(name,arch,cause,culprit,acc,notes):
    import json
    open(SET+name+'.truth.yaml','w').write('archive: %s\ncause: %s\nculprit_node: %s\nalso_acceptable: %s\nnotes: %s\n'%(arch,cause,json.dumps(culprit,ensure_ascii=False),json.dumps(acc),json.dumps(notes,ensure_ascii=False)))
def F(t,fmt,off=0): return D.datetime.fromtimestamp(t+off*3600,UTC).strftime(fmt)
