from kit import *
N=['dvorak','janacek','smetana']
h=hosts('A',N)
tc=lambda i:json.dumps({'cluster':{'worker':[f'{x}:{21710+j}' for j,x in enumerate(N)]},'task':{'type':'worker','index':i}})
r=run('A',[(f'h{i}',x,['python','/srv/ladeni/uc.py','--kroky','2000','--po','10'],{'TF_CONFIG':tc(i)}) for i,x in enumerate(N)],timeout=55)
print(r)
