from kit import *
h=hosts('A',['dvorak','janacek','smetana'])
tc=lambda i,n=3:json.dumps({'cluster':{'worker':[f'{x}:21710' for x in ['dvorak','janacek','smetana'][:n]]},'task':{'type':'worker','index':i}})
r=run('A',[(f't{i}',x,['python','/srv/ladeni/uc.py','--kroky','600'],{'TF_CONFIG':tc(i)}) for i,x in enumerate(['dvorak','janacek','smetana'])],timeout=50)
print(r)
