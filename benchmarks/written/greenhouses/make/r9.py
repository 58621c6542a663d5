from lib import *
N={f'ege-gpu{i}':f'10.77.3.{40+i}' for i in (1,2,3,4)}
L=Lab('i9','',{'/app':B+'/code/i9','/opt/venv':'/opt/tfenv','/veri':'NODE/veri'},N)
gen='''
import sys,os,numpy as np,tensorflow as tf
for k,d in enumerate(sys.argv[1:]):
    os.makedirs(d+'/tfrecord')
    for j in range(8):
        r=np.random.default_rng(k*100+j)
        with tf.io.TFRecordWriter(f'{d}/tfrecord/tiklama-{k+1}-{j:05d}.tfrecord') as w:
            for _ in range(1500):
                x=r.random(32)
                w.write(tf.train.Example(features=tf.train.Features(feature={'x':tf.train.Feature(float_list=tf.train.FloatList(value=x)),'y':tf.train.Feature(float_list=tf.train.FloatList(value=[x.sum()/16]))})).SerializeToString())
'''
ds=[f'{L.dir}/nodes/{n}/veri' for n in N]
subprocess.run(['/opt/tfenv/bin/python','-c',gen]+ds,stderr=subprocess.DEVNULL)
f=f'{ds[2]}/tfrecord/tiklama-3-00004.tfrecord'; b=bytearray(open(f,'rb').read()); o=len(b)//3
b[o:o+4096]=bytes(4096); open(f,'wb').write(b)
W=[f'{n}:5678' for n in N]
ps=[L.start(n,n,'/opt/venv/bin/python /app/oneri_egit.py',{'TF_CPP_MIN_LOG_LEVEL':'0','TF_CONFIG':json.dumps({'cluster':{'worker':W},'task':{'type':'worker','index':i}})}) for i,n in enumerate(N)]
L.wait(ps,75)
L.extra['sum']=subprocess.run(f'md5sum {ds[2]}/tfrecord/*; ls -l {ds[2]}/tfrecord',shell=True,capture_output=True,text=True).stdout
for p in ps:
    if p.rc is None: L.sig(p,15)
L.wait(ps,5); L.close()
