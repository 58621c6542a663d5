from jobs import *; from gen import gen
gen('run/t.py','prueba')
ps={f'w{i}':launch('t',f'w{i}','run/t.py',['--data','"data/ok/*"','--epochs','2'],tfconfig=cfg([21001,21002],i)) for i in range(2)}
print(waitall(ps,50))
