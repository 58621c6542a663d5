import os,subprocess,json,time,signal,sys
PY='/opt/tfenv/bin/python'
R='/opt/incidents/make/run'
def launch(run,name,script,args=(),env=None,pre='',tfconfig=None,cwd=None,stdout_sep=False):
    os.makedirs(f'{R}/{run}',exist_ok=True)
    e=dict(os.environ); e.update(PYTHONUNBUFFERED='1',PYTHONPATH='/opt/incidents/make/lib'); e.update(env or {})
    if tfconfig: e['TF_CONFIG']=json.dumps(tfconfig)
    f=open(f'{R}/{run}/{name}.log','w')
    cmd=pre+' exec nice -n 5 '+PY+' '+script+' '+' '.join(args)
    return subprocess.Popen(['bash','-c',cmd],stdout=f,stderr=subprocess.STDOUT,env=e,cwd=cwd or '/opt/incidents/make')
def waitall(ps,t):
    end=time.time()+t
    while time.time()<end and any(p.poll() is None for p in ps.values()): time.sleep(.3)
    rc={}
    for n,p in ps.items():
        if p.poll() is None:
            p.kill(); p.wait(); rc[n]='killed-by-harness %.2f'%time.time()
        else: rc[n]=p.returncode
    return rc
def cfg(ports,i,typ='worker'): return {'cluster':{'worker':['127.0.0.1:%d'%p for p in ports]},'task':{'type':typ,'index':i}}
def grep(run,name,s):
    try: return s in open(f'{R}/{run}/{name}.log',errors='replace').read()
    except FileNotFoundError: return False
def until(run,name,s,t=50):
    end=time.time()+t
    while time.time()<end:
        if grep(run,name,s): return True
        time.sleep(.2)
    return False
