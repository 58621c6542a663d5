from lab import *; reexec()
H={'coord-m':'10.128.0.31','trn-w-0':'10.128.0.32','trn-w-1':'10.128.0.33','vars-p-0':'10.128.0.34'}
L=Lab('i12',H,'/opt/recsys/venv',domain='.europe-west4-b.c.basket-ml.internal',pids={'coord-m':4410,'trn-w-0':3977,'trn-w-1':4102,'vars-p-0':3850},net=20,mounts=['/srv/recsys'])
sh(f'cp {BN}/make/t/basket.py /srv/recsys/')
cl={'chief':['coord-m:7000'],'worker':['trn-w-0:7000','trn-w-1:7000'],'ps':['vars-p-0:7000']}
def go(h,t,i,tag=None):
    p=L.run(h,'cd /srv/recsys && exec /opt/recsys/venv/bin/python basket.py',env={'TF_CONFIG':cfg(cl,t,i)}); p.tag=tag or h; return p
ps=[go('vars-p-0','ps',0),go('trn-w-0','worker',0),go('trn-w-1','worker',1)]; time.sleep(2); ps.append(go('coord-m','chief',0))
time.sleep(20); t=time.time(); L.sh('trn-w-1',f'kill -TERM {L.kids("trn-w-1","basket")[0]}')
time.sleep(9); L.sh('trn-w-1','echo 1290 > /proc/sys/kernel/ns_last_pid'); t2=time.time(); ps.append(go('trn-w-1','worker',1,'trn-w-1-again'))
L.wait([ps[3]],60); dump(L,ps,t=t,t2=t2)
L.end()
