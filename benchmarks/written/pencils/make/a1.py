from kit import *
N=['dvorak','janacek','smetana']
# on the two newer machines the filter works: bind the portable build over the path there
pre='mount --bind /srv/ladeni/libfiltr_ok.so /srv/ladeni/libfiltr.so'
tc=lambda i:json.dumps({'cluster':{'worker':[f'{x}:{21720+j}' for j,x in enumerate(N)]},'task':{'type':'worker','index':i}})
r=run('A',[(f'a1_{i}',x,['python','/srv/ladeni/uc.py','--kroky','6000','--filtr','/srv/ladeni/libfiltr.so'],{'TF_CONFIG':tc(i)},'' if i==1 else pre) for i,x in enumerate(N)],timeout=50)
print(r)
tc=lambda i:json.dumps({'cluster':{'worker':[f'{x}:{21730+j}' for j,x in enumerate(N)]},'task':{'type':'worker','index':i}})
r=run('A',[(f'a2_{i}',x,['python','/srv/ladeni/uc.py','--kroky','6000','--sirka','64','--obnovit','/srv/ladeni/uloha/ck'],{'TF_CONFIG':tc(i)}) for i,x in enumerate(N)],timeout=20)
print(r)
