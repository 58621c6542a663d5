import sys; sys.path.insert(0,'/srv/runs/make')
from lab import *
H=['lundi','kria','spoi','jadrakan']
L=Lab('a1',{'lundi':'10.41.7.21','kria':'10.41.7.22','spoi':'10.41.7.23','jadrakan':'10.41.7.24'})
for i,h in enumerate(H):
    L.start(h,h,f'{PY} {BASE}/make/a1/skjalfti.py',{'TF_CONFIG':json.dumps({'cluster':{'worker':[f'{x}:2222' for x in H]},'task':{'type':'worker','index':i}})}); time.sleep(.3)
L.wait_line('lundi','skref   380',70)
L.kill('spoi',9)
L.wait_all(85)
L.finish()
