import sys; sys.path.insert(0,"/srv/runs/make")
from lab import *
L=Lab('a2',['regal9'])
cl={'chief':['127.0.0.1:5000'],'worker':['127.0.0.1:5100','127.0.0.1:5101'],'ps':['127.0.0.1:5200','127.0.0.1:5201']}
E=lambda t,i,**k:dict({'TF_CONFIG':json.dumps({'cluster':cl,'task':{'type':t,'index':i}}),'TZ':'Europe/Berlin','GRPC_FAIL_FAST':'use_caller'},**k)
for i in(0,1): L.start(f'ps.{i+1}','regal9',f'{PY} {BASE}/make/a2/server.py',E('ps',i,MEMCAP_MB='1800'))
for i in(0,1): L.start(f'worker.{i+1}','regal9',f'{PY} {BASE}/make/a2/server.py',E('worker',i))
L.start('chief.1','regal9',f'{PY} {BASE}/make/a2/recsys.py',E('chief',0))
L.wait_all(78,['chief.1'])
for k in L.procs:
    if k not in L.ex: L.kill(k,15)
time.sleep(3); L.finish()
