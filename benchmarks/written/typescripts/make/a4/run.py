import sys; sys.path.insert(0,"/srv/runs/make")
from lab import *
H={'jatoba':'172.22.4.10','ipe-amarelo':'172.22.4.31','ipe-roxo':'172.22.4.32','cedro':'172.22.4.50'}
L=Lab('a4',H)
import os
W='/srv/runs/runs/a4/wd'; os.makedirs(W); sh(f'mount -t tmpfs -o size=1m tmpfs {W}')
Z={'TZ':'America/Manaus'}
L.start('jatoba','jatoba',f'{PY} {BASE}/make/a4/disp.py {W}/tfdata 5050',Z)
for h in('ipe-amarelo','ipe-roxo'): L.start(h,h,f'{PY} {BASE}/make/a4/dworker.py jatoba:5050 {h}:5051',Z)
L.start('cedro','cedro',f'{PY} {BASE}/make/a4/train_ndvi.py grpc://jatoba:5050',Z)
L.wait_line('cedro','época 9',60)
print(sh(f'df {W}; ls -laR {W}').stdout)
sh(f'dd if=/dev/zero of={W}/traces.bin bs=4k count=10000',False)
tf=time.time()
L.wait_all(76,['cedro'])
df=sh(f'df -h {W}; df -i {W}; ls -la {W} {W}/tfdata {W}/tfdata/tf_data_dispatcher_journal',False).stdout
for k in L.procs:
    if k not in L.ex: L.kill(k,15)
time.sleep(2); L.finish({'df':df,'tfull':tf}); sh(f'umount {W}',False); print(df)
