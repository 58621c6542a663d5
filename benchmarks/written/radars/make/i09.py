from lab import *; reexec()
H={'dispatcher':'172.20.0.2','feeder-1':'172.20.0.3','trainer-0':'172.20.0.5','trainer-1':'172.20.0.6'}
L=Lab('i09',H,'/opt/venv',pids={h:1 for h in H},net=16,mounts=['/srv/clips','/srv/app'])
sh(f'cp {BN}/make/t/feeder.py {BN}/make/t/trainer.py /srv/app/')
mk='''
import os
import tensorflow as tf
for k in range(360):
    with tf.io.TFRecordWriter(f'/srv/clips/clip_{k:04d}.rec') as w:
        for i in range(30 + (0 if k else 0)): w.write(os.urandom(512))
'''
subprocess.run(['/opt/venv/bin/python','-c',mk],stderr=subprocess.DEVNULL)
cl={'worker':['trainer-0:2222','trainer-1:2222']}; py='exec /opt/venv/bin/python '
ps=[L.run('dispatcher','cd /srv/app; '+py+'feeder.py dispatcher')]; time.sleep(3)
ps.append(L.run('feeder-1','cd /srv/app; ulimit -n 256; '+py+'feeder.py worker'))
time.sleep(3)
for i in (0,1): ps.append(L.run(f'trainer-{i}','cd /srv/app; '+py+'trainer.py',env={'CYCLE':'300','TF_CONFIG':cfg(cl,'worker',i)}))
L.wait(ps[2:],38); [L.sh(f'trainer-{i}','kill -INT 2') for i in (0,1)]; L.wait(ps[2:],8); lim={h:L.sh(h,'grep -H files /proc/[0-9]*/limits; ls /proc/[0-9]*/fd | wc -l') for h in H}
dump(L,ps,lim=lim); L.end()
