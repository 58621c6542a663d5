import sys,json,signal,time
from lab import *
def tfc(n,i,base=20010,job='worker'): return json.dumps({'cluster':{'worker':[f'127.0.0.{11+k}:{base+k}' for k in range(n)]},'task':{'type':'worker','index':i}})
mode=sys.argv[1]
ps=[]
if mode=='mismatch':
    ps=[P(f'w{i}',[PY,'tr1.py'],{'TF_CONFIG':tfc(3,i),'VOCAB':'64' if i!=2 else '48'}) for i in range(3)]
    waitall(ps,60)
if mode=='dup':
    ps=[P(f'w{i}',[PY,'tr1.py'],{'TF_CONFIG':tfc(3,[0,1,1][i])}) for i in range(2)]
    time.sleep(1)
    tc=json.loads(tfc(3,1)); tc['cluster']['worker'][1]='127.0.0.13:20012'
    ps.append(P('w2',[PY,'tr1.py'],{'TF_CONFIG':json.dumps(tc)}))
    waitall(ps,90)
if mode=='stop':
    ps=[P(f'w{i}',[PY,'tr1.py'],{'TF_CONFIG':tfc(3,i)}) for i in range(3)]
    while not ps[2].has('step 30/'): time.sleep(.1)
    ps[2].sig(signal.SIGSTOP); waitall(ps,100)
cleanup(ps); save(f'../run/proto_{mode}.json',ps)
for p in ps:
    print('=====',p.name)
    for l in p.lines[:12]+p.lines[-25:]: print(l[2][:300])
