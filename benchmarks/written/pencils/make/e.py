from kit import *
N=['montecristi','pile','sigsig','chordeleg']; w=sys.argv[1]
os.makedirs(f'{B}/E',exist_ok=True)
if w in('e2',):
    open(f'{B}/E/hosts','w').write('127.0.0.1 localhost\n'+''.join(f'10.20.7.{11+i} {n}\n' for i,n in enumerate(N)))
    cl={'worker':[f'{n}:2222' for n in N[:3]]}
    idx=[0,1,1]
    r=run('E',[(f'e2_{i}',N[i],['python','-u','/home/tejido/clasifica.py','--pasos','3000'],{'NETNS':f'n{i+1}','TF_CONFIG':json.dumps({'cluster':cl,'task':{'type':'worker','index':idx[i]}})}) for i in range(3)],timeout=45)
if w=='e1':
    hosts('E',N)
    cl={'worker':[f'{n}:{22110+j}' for j,n in enumerate(N[:3])]}
    r=run('E',[(f'e1_{i}',N[i],['python','-u','/home/tejido/clasifica.py','--pasos','300','--trama','/home/tejido/ops/libtrama.so'],{'TF_CONFIG':json.dumps({'cluster':cl,'task':{'type':'worker','index':i}})},'mount --bind /home/tejido/ops/libtrama_mala.so /home/tejido/ops/libtrama.so' if i==1 else '') for i in range(3)],timeout=20)
if w=='e3':
    hosts('E',N)
    cl={'chief':[f'{N[0]}:22120'],'worker':[f'{N[1]}:22121',f'{N[2]}:22122'],'ps':[f'{N[3]}:22123']}
    tk=[('chief',0),('worker',0),('worker',1),('ps',0)]
    r=run('E',[(f'e3_{i}',N[i],['python','-u','/home/tejido/servidor.py'],{'TF_CONFIG':json.dumps({'cluster':cl,'task':{'type':tk[i][0],'index':tk[i][1]}})}) for i in range(4)],timeout=50,events=[(26,lambda P:os.killpg(P['e3_3'].pid,signal.SIGKILL))])
print(r)
