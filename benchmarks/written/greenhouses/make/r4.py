from lib import *
N={'air-wk-01':'10.9.40.11','tfps-0':'10.9.40.31','tfps-1':'10.9.40.32','tfw-0':'10.9.40.41','tfw-1':'10.9.40.42'}
L=Lab('i4','',{'/opt/recsys':B+'/code/i4','/opt/venvs/tf221':'/opt/tfenv','/dados/modelos':B+'/run/i4_dados'},N)
C={'chief':['air-wk-01:40100'],'ps':['tfps-0:40100','tfps-1:40100'],'worker':['tfw-0:40100','tfw-1:40100']}
def go(id,n,t,i,args=''):
    return L.start(id,n,'/opt/venvs/tf221/bin/python /opt/recsys/treinar_recomendador.py '+args,{'TF_CONFIG':json.dumps({'cluster':C,'task':{'type':t,'index':i}})})
def servers(k): 
    r=[go(f'ps0#{k}','tfps-0','ps',0),go(f'ps1#{k}','tfps-1','ps',1),go(f'w0#{k}','tfw-0','worker',0),go(f'w1#{k}','tfw-1','worker',1)]; time.sleep(6); return r
S=servers(0)
c=go('chief#0','air-wk-01','chief',0,'--dim 24'); L.wait([c],60)
for p in S: L.sig(p,15)
L.wait(S,5)
for k in (1,2):
    S=servers(k); c=go(f'chief#{k}','air-wk-01','chief',0,'--dim 32 --passos 2000 --retomar /dados/modelos/ofertas --saida /dados/modelos/ofertas_v2'); L.wait([c],60)
    time.sleep(2)
    for p in S: L.sig(p,15)
    L.wait(S,5)
L.close()
