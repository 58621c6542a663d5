import sys; sys.path.insert(0,"/srv/runs/make")
from lab import *
N=['trainer-1','trainer-2','trainer-3','trainer-4']
L=Lab('a11',{h:f'172.30.0.{2+i}' for i,h in enumerate(N)})
import os
for i,h in enumerate(N):
    os.makedirs(f'{L.dir}/d{i}')
    sh(f"""{PY} -c "
import tensorflow as tf,numpy as np
for k in range({9 if i==2 else 12}):
    with tf.io.TFRecordWriter('{L.dir}/d{i}/wk%02d.tfrecord'%k) as w:
        for _ in range(32*45+{7*i}): w.write(np.random.rand(30).astype('f4').tobytes())
" """)
L.t0=time.time()
for i,h in enumerate(N):
    L.start(h,h,f'{PY} {BASE}/make/a11/voorraad.py',{'DATA':f'{L.dir}/d{i}','TF_CONFIG':json.dumps({'cluster':{'worker':[f'{x}:2222' for x in N]},'task':{'type':'worker','index':i}}),'TZ':'UTC','TF_CPP_MIN_LOG_LEVEL':'0'})
ok=L.wait_all(80); tt=None
if not ok:
    tt=time.time()
    for k in L.procs:
        if k not in L.ex: L.kill(k,15)
    time.sleep(3)
L.finish({'term':tt,'ls':sh(f'cd {L.dir}; ls -l d*').stdout})
