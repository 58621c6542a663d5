from kit import *
N=['dvorak','martinu','suk']
hosts('A',N)
tc=lambda i:json.dumps({'cluster':{'worker':[f'{x}:{21740+j}' for j,x in enumerate(N)]},'task':{'type':'worker','index':i}})
def st(P): os.killpg(P['a3_1'].pid,signal.SIGSTOP)
def co(P): os.killpg(P['a3_1'].pid,signal.SIGCONT)
r=run('A',[(f'a3_{i}',x,['python','/srv/ladeni/uc.py','--kroky','2600','--davka','24','--sirka','40','--ulozit','/srv/ladeni/basove'],{'TF_CONFIG':tc(i)}) for i,x in enumerate(N)],timeout=55,events=[(17,st),(17.9,co)])
print(r)
