from f import *
r=load('i12'); PP={p['id']:p for p in r['procs']}; t0=PP['disp']['t0']
c=Clk(t0,'2026-11-20T11:04:53',-6)
d=fresh('i12'); rnd=random.Random(12)
run='1842'; con=[]
def C(t,x): con.append((c.m(t),c.f(t,'%Y-%m-%d %H:%M:%S.%f')[:-3]+' '+x))
C(t0-8,'Workflow starting (run-id 1842), see it in the UI at http://metaflow.oat.internal/OatFlow/1842')
C(t0-7,'[1842/start/20411 (pid 5120)] Task is starting.'); C(t0-4.5,'[1842/start/20411 (pid 5120)] 4812 plots, 3 seasons'); C(t0-4.4,"[1842/start/20411 (pid 5120)] /mf/env/lib/python3.11/site-packages/requests/__init__.py:113: RequestsDependencyWarning: urllib3 (2.8.0) or chardet (None)/charset_normalizer (3.5.3) doesn't match a supported version!"); C(t0-3,'[1842/start/20411 (pid 5120)] Task finished successfully.')
ids={'disp':'20412','oat-n1':'20413','oat-n2':'20413-node-1','oat-d1':'20414'}
step={'disp':'tfdata','oat-n1':'train','oat-n2':'train','oat-d1':'tfdata'}
for k,p in PP.items():
    tag=f'[1842/{step[k]}/{ids[k]} (pid {p["pid"]})]'
    C(p['t0'],tag+' Task is starting.')
    for st in('out','err'):
        u=lambda:'%08x-%04x-4%03x-9%03x-%012x'%(rnd.getrandbits(32),rnd.getrandbits(16),rnd.getrandbits(12),rnd.getrandbits(12),rnd.getrandbits(48))
        L=''
        for t,s,x in p['log']:
            if s==st: L+=f"[MFLOG|0|{D.datetime.fromtimestamp(c.m(t),D.timezone.utc).strftime('%Y-%m-%dT%H:%M:%S.%f')}Z|task|{u()}]{c.fix(x)}\n"
        w(d,f'datastore/OatFlow/1842/{step[k]}/{ids[k]}/0.task_std{st}.log',L)
    for t,s,x in p['log']: C(t,tag+' '+c.fix(x))
    if step[k]=='train': C(p['t1'],tag+' Task finished successfully.')
    else: C(p['t1'],tag+' sidecar stopped by parent (SIGTERM).')
    w(d,f'datastore/OatFlow/1842/{step[k]}/{ids[k]}/0.attempt.json',json.dumps({'time':c.m(p['t0'])})); 
    if step[k]=='train': w(d,f'datastore/OatFlow/1842/{step[k]}/{ids[k]}/0.DONE.lock','')
e=max(p['t1'] for p in PP.values())
C(e+3,'[1842/join/20415 (pid 5711)] Task is starting.'); C(e+5,'[1842/join/20415 (pid 5711)] final loss ok, weights 2 files identical (sha256 match)'); C(e+6,'[1842/join/20415 (pid 5711)] Task finished successfully.'); C(e+7,'[1842/end/20416 (pid 5733)] Task is starting.'); C(e+9,'[1842/end/20416 (pid 5733)] Task finished successfully.'); C(e+9.2,'Done! See the run in the UI at http://metaflow.oat.internal/OatFlow/1842')
con.sort(key=lambda q:q[0])
w(d,'console.log','Metaflow 2.12.30 executing OatFlow for user:rtremblay\nValidating your flow...\n    The graph looks good!\nRunning pylint...\n    Pylint is happy!\n'+'\n'.join(x for _,x in con)+'\n')
w(d,'README','Routine bundle: auditors want the logs of one run per quarter. Run 1842, four machines (oat-ctl, oat-n1, oat-n2, oat-d1). R. Tremblay, Saskatoon\n')
arc='saskatoon-1842.tgz'; pack(d,arc,'1842')
truth('saskatoon-1842',arc,'none',None,[],'Healthy run: all 6 epochs and the final weights on both workers, both train tasks finish, the join step succeeds. Noise: waiting for a late tf.data worker at the start, a NOT_FOUND fallback on the data worker, and the SIGTERM that the flow sends to its dispatcher and data worker at the end.')
