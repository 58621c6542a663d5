from lab import *; reexec()
H={'naranja':'192.168.88.21','limon':'192.168.88.22','pomelo':'192.168.88.23'}
L=Lab('i04',H,'/opt/py311',pids={'naranja':1877,'limon':1904,'pomelo':2466},mounts=['/srv/fruta/lotes'])
mk='''
import os,sys
os.environ['TF_CPP_MIN_LOG_LEVEL']='3'
import tensorflow as tf, numpy as np
r=np.random.default_rng(3)
F=tf.train.Feature
for h in sys.argv[1:]:
    os.makedirs(f'/srv/fruta/lotes/{h}')
    for k in range(14):
        with tf.io.TFRecordWriter(f'/srv/fruta/lotes/{h}/lote-2026-{40+k//7:02d}-{k%7+1}.tfrecord') as w:
            for i in range(220): w.write(tf.train.Example(features=tf.train.Features(feature={'img':F(bytes_list=tf.train.BytesList(value=[r.integers(0,255,768,dtype='u1').tobytes()])),'cal':F(int64_list=tf.train.Int64List(value=[int(r.integers(0,5))]))})).SerializeToString())
'''
subprocess.run(['/opt/py311/bin/python','-c',mk]+list(H),stderr=subprocess.DEVNULL)
p='/srv/fruta/lotes/limon/lote-2026-41-2.tfrecord'; b=bytearray(open(p,'rb').read()); b[91000:91512]=bytes(512); open(p,'wb').write(b)
sh(f'cp {BN}/make/t/entrenar.py /srv/fruta/')
cl={'worker':[f'{ip}:9900' for ip in H.values()]}
ps=[L.run(h,'cd /srv/fruta && exec /opt/py311/bin/python entrenar.py',env={'TF_CONFIG':cfg(cl,'worker',i)}) for i,h in enumerate(H)]
L.wait(ps,80); L.wait(ps,1); dump(L,ps,ls=subprocess.run('ls -l --time-style=long-iso /srv/fruta/lotes/*',shell=True,capture_output=True,text=True).stdout); L.end()
