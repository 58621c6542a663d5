from lib import *
N={'oat-ctl':'10.33.0.10','oat-n1':'10.33.0.21','oat-n2':'10.33.0.22','oat-d1':'10.33.0.31'}
L=Lab('i12','',{'/mf/code':B+'/code/i12','/mf/env':'/opt/tfenv','/mnt/ckpt':'NODE/ck','/mnt/tfds':'NODE/tfds'},N)
py='/mf/env/bin/python /mf/code/train_step.py '
d=L.start('disp','oat-ctl',py+'dispatcher'); 
w=[]
tr=[]
for i,n in enumerate(('oat-n1','oat-n2')):
    tr.append(L.start(n,n,py+'train oat-ctl:5050',{'TF_CONFIG':json.dumps({'cluster':{'worker':['oat-n1:6001','oat-n2:6001']},'task':{'type':'worker','index':i}})})); time.sleep(1)
time.sleep(9)
w.append(L.start('oat-d1','oat-d1',py+'dataworker oat-ctl:5050'))
L.wait(tr,80); time.sleep(1)
for p in w+[d]: L.sig(p,15); time.sleep(.5)
L.wait(w+[d],6); L.close()
