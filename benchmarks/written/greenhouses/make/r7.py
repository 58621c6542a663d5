from lib import *
N={'lab-a5000':'192.168.0.31','lab-3090ti':'192.168.0.35'}
L=Lab('i7','',{'/home/jhkim/grasp':B+'/code/i7','/home/jhkim/.venvs/tf':'/opt/tfenv'},N)
W=[f'{ip}:12345' for ip in N.values()]
ps=[]
for i,n in enumerate(N):
    ps.append(L.start(n,n,'/home/jhkim/.venvs/tf/bin/python train_grasp.py',{'CACHE_MB':'400' if i==0 else '8','TF_CONFIG':json.dumps({'cluster':{'worker':W},'task':{'type':'worker','index':i}})},cwd='/home/jhkim/grasp'))
time.sleep(40)
for i,p in enumerate(ps):
    for j in range(2 if i else 1):
        L.extra[f'pyspy{i}.{j}']=[time.time(),subprocess.run(['/opt/tfenv/bin/py-spy','dump','--pid',str(p.pid)],capture_output=True,text=True)]
        q=L.extra[f'pyspy{i}.{j}']; q[1]=q[1].stdout+q[1].stderr; time.sleep(3)
    L.extra[f'wchan{i}']=subprocess.run(f'for t in /proc/{p.pid}/task/*; do echo $(basename $t) $(cat $t/comm) $(cut -d" " -f3 < $t/stat) $(cat $t/wchan); done',shell=True,capture_output=True,text=True).stdout
time.sleep(4)
L.sig(ps[0],2); L.wait([ps[0]],8); L.sig(ps[1],2); L.wait(ps,5)
L.close()
