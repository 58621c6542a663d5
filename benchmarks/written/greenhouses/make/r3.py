from lib import *
N={'nmd-sp-04':'10.120.8.24','nmd-sp-07':'10.120.8.27','nmd-sp-09':'10.120.8.29'}
L=Lab('i3','',{'/local/app':B+'/code/i3','/usr/local/venv':'/opt/tfenv'} if 0 else {'/local/app':B+'/code/i3','/opt/venv':'/opt/tfenv'},N)
W=[f'{ip}:25017' for ip in N.values()]
# stale worker of the former allocation on nmd-sp-09
old=L.start('stale','nmd-sp-09','/opt/venv/bin/python -c "import tensorflow as tf,time; s=tf.distribute.Server({\'worker\':[\'10.120.8.29:25017\']},\'worker\',0); time.sleep(900)"')
time.sleep(5)
def go(i,k):
    return L.start(f'w{i}#{k}',list(N)[i],'/opt/venv/bin/python /local/app/treino_fraude.py',{'TF_CONFIG':json.dumps({'cluster':{'worker':W},'task':{'type':'worker','index':i}})},cwd='/local/app')
w0=go(0,0); w1=go(1,0); w2=go(2,0); ps=[w0,w1,w2]
for k in (1,2):
    L.wait([w2],40); time.sleep(4); w2=go(2,k); ps.append(w2)
L.wait([w2],30)
L.extra['ss']=subprocess.run(['ip','netns','exec',L.ns['nmd-sp-09'],'ss','-ltnp'],capture_output=True,text=True).stdout
L.extra['sse']=subprocess.run(['ip','netns','exec',L.ns['nmd-sp-09'],'ss','-tn'],capture_output=True,text=True).stdout
time.sleep(25)
L.sig(w0,15); L.sig(w1,15); L.wait([w0,w1],10); L.sig(old,9)
L.close()
