from kit import *
w=sys.argv[1]
N=['poro-1','poro-2','poro-3','arkisto1','arkisto2','arkisto1.poro.example','arkisto2.poro.example']
os.makedirs(f'{B}/F',exist_ok=True)
open(f'{B}/F/hosts','w').write('127.0.0.1 localhost\n'+''.join(f'127.0.0.{11+i} {n}\n' for i,n in enumerate(N[:3]))+'127.0.0.21 arkisto1.poro.example arkisto1\n127.0.0.22 arkisto2.poro.example arkisto2\n')
def tc(n,base): return [json.dumps({'cluster':{'worker':[f'{N[j]}:{base+j}' for j in range(n)]},'task':{'type':'worker','index':i}}) for i in range(n)]
srv=lambda swap,p:[(f'{w}_ark1','arkisto1',['python','-u','/srv/poro/palvelin.py','arkisto1',str(p),'0'],{}),(f'{w}_ark2','arkisto2',['python','-u','/srv/poro/palvelin.py','arkisto2',str(p+1),str(swap)],{})]
if w=='f1':
    t=tc(2,22210); p=22220
    r=run('F',srv(20,p)+[(f'f1_{i}',N[i],['python','-u','/srv/poro/jaljet.py'],{'TF_CONFIG':t[i],'ARKISTO':f'https://arkisto{i+1}.poro.example:{p+i}','PALAT':'200'}) for i in (0,1)],timeout=45)
if w=='f2':
    t=tc(3,22230); p=22240
    r=run('F',srv(0,p)+[(f'f2_{i}',N[i],['python','-u','-X','faulthandler','/srv/poro/jaljet.py'],{'TF_CONFIG':t[i],'ARKISTO':f'https://arkisto{1 if i<2 else 2}.poro.example:{p+(0 if i<2 else 1)}','PALAT':'200','PITKA':'74'}) for i in (0,1,2)],timeout=45)
if w=='f3':
    J='poro-1:22250'
    r=run('F',[('f3_jakaja','poro-1',['python','-u','/srv/poro/ts.py','jakaja'],{'JAKAJA':J}),('f3_l1','poro-2',['python','-u','/srv/poro/ts.py','laukka'],{'JAKAJA':J,'OMA':'poro-2:22251'}),('f3_l2','poro-3',['python','-u','/srv/poro/ts.py','laukka'],{'JAKAJA':J,'OMA':'poro-3:22252'}),('f3_koul','poro-1',['python','-u','/srv/poro/ts.py','kouluttaja'],{'JAKAJA':J,'TF_CPP_MAX_VLOG_LEVEL':'0'})],timeout=50)
print(r)
