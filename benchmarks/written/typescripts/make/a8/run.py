import sys; sys.path.insert(0,"/srv/runs/make")
from lab import *
N=['ldn-q-alder','ldn-q-birch','ldn-q-hazel','ldn-q-rowan']
L=Lab('a8',{h:f'10.180.33.{40+i}' for i,h in enumerate(N)})
for i,h in enumerate(N):
    L.start(h,h,f'{PY} {BASE}/make/a8/pricer.py',{'REFRESH_S':'26' if i==1 else '3600','TF_CONFIG':json.dumps({'cluster':{'worker':[f'{x}:7700' for x in N]},'task':{'type':'worker','index':i}}),'TZ':'UTC'})
L.wait_line('ldn-q-alder','iter=50',50)
while time.time()-L.t0<66: time.sleep(.2)
for h in N: L.kill(h,10); time.sleep(.3)
tu=time.time()
time.sleep(4)
for h in N: L.kill(h,15)
tk=time.time(); time.sleep(4); L.finish({'usr1':tu,'term':tk})
