from jobs import *; os.system('rm -rf /tmp/ck_nonchief_* run/c7 run/c8'); from gen import gen
D=['--data','"data/ok/*"','--spe','75']
F='[epoch=%d iter=%d] perte=%.4f t=%.0f ms'
gen('run/gousses.py','vanille',STEPFMT=F,TMO='60')
P=[21071,21072,21073]
ps={f'w{i}':launch('c7',f'w{i}','run/gousses.py',D+['--epochs','40','--ckpt','run/c7/ck'],tfconfig=cfg(P,i)) for i in range(3)}
until('c7','w2','iter=170]'); ps['w2'].terminate(); print('c7 term %.3f'%time.time()); time.sleep(3); ps['w2'].kill(); print('c7 kill %.3f'%time.time())
print('c7',waitall(ps,25))
os.system('rm -rf /tmp/ck_nonchief_*')
P=[21081,21082,21083]
ps={}
for i in (1,2,0):
    ps[f'w{i}']=launch('c8',f'w{i}','run/gousses.py',D+['--epochs','4','--ckpt','run/c8/ck','--every','1'],tfconfig=cfg(P,i))
    time.sleep(4 if i==2 else 0.5)
print('c8',waitall(ps,40))
