from jobs import *; from gen import gen
D=['--data','"data/ok/*"','--spe','75']
F='[epoch=%d iter=%d] perte=%.4f t=%.0f ms'
gen('run/gousses.py','vanille',STEPFMT=F,TMO='60')
P=[21071,21072,21073]
ps={f'w{i}':launch('c7',f'w{i}','run/gousses.py',D+['--epochs','9','--ckpt','run/c7/ck'],tfconfig=cfg(P,i)) for i in range(3)}
until('c7','w2','iter=170]'); ps['w2'].terminate(); print('c7 term %.3f'%time.time())
print('c7',waitall(ps,25))
# 8 healthy
P=[21081,21082,21083]
ps={}
for i in (1,2,0):
    ps[f'w{i}']=launch('c8',f'w{i}','run/gousses.py',D+['--epochs','4','--ckpt','run/c8/ck','--every','1'],tfconfig=cfg(P,i))
    time.sleep(4 if i==2 else 0.5)
print('c8',waitall(ps,40))
P=[21091,21092,21093]
ps={f'w{i}':launch('c9',f'w{i}','run/gousses.py',['--data','"data/dt/*"','--spe','75','--epochs','2','--ckpt','run/c9/ck'],tfconfig=cfg(P,i)) for i in range(3)}
print('c9',waitall(ps,40))
