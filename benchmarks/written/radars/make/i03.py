from lab import *; reexec()
H={'histo-a':'10.61.7.101','histo-b':'10.61.7.102','histo-c':'10.61.7.103','histo-d':'10.61.7.104'}
L=Lab('i03',H,'/home/pathol/miniconda3/envs/slides',domain='.path.klinikum.lan',pids={'histo-a':30112,'histo-b':8844,'histo-c':22190,'histo-d':5107},mounts=['/home/pathol/slides'])
sh(f'cp {BN}/make/t/fit_slides.py /home/pathol/slides/')
cl={'worker':[f'{h}.path.klinikum.lan:12345' for h in H]}
ps=[L.run(h,'cd /home/pathol/slides && python fit_slides.py',env={'TF_CONFIG':cfg(cl,'worker',i),'PATH':'/home/pathol/miniconda3/envs/slides/bin:/usr/bin:/bin'}) for i,h in enumerate(H)]
time.sleep(28); t=time.time()
k=L.kids('histo-c','fit_slides')[0]; L.sh('histo-c',f'kill -STOP {k}')
time.sleep(38)
pss={h:L.sh(h,'date; uptime; ps -eo user,pid,ppid,stat,lstart,time,wchan:20,args | grep -v -e "ps -eo" -e sleep -e nsenter') for h in H}
dump(L,ps,t=t,ps=pss,k=k); L.end()
