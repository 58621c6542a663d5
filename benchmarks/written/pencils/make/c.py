from kit import *
N=['grafite01','grafite02','grafite03','grafite04']
hosts('C',N)
what=sys.argv[1]; base={'c1':21900,'c2':21910,'c3':21920,'c0':21930}[what]
n=3 if what!='c2' else 4
def go(args,timeout,events=(),names=None):
    M=names or N[:n]
    return run('C',[(f'{what}_{i}',M[i],['python','-u','/home/lapis/treino/lapis.py','--porto',str(base)]+args,{'SLURMD_NODENAME':M[i],'SLURM_PROCID':str(i),'SLURM_NTASKS':str(len(M)),'NOS':','.join(M),'ESC':'6' if what=='c3' else '14'}) for i in range(len(M))],timeout=timeout,venv='/home/lapis/tf221',events=events)
if what=='c1': r=go(['--aumento','aumento_rot','--passos','4000'],20)
if what=='c2': r=go(['--passos','40000'],55,[(20,lambda P:os.killpg(P['c2_2'].pid,signal.SIGSTOP))])
if what=='c0': r=go(['--passos','1400'],45)
if what=='c3':
    ev=[]
    t=14.0
    while t<44:
        ev+=[(t,lambda P:os.killpg(P['c3_1'].pid,signal.SIGSTOP)),(t+.22,lambda P:os.killpg(P['c3_1'].pid,signal.SIGCONT))]
        t+=.32
    r=go(['--passos','1300'],56,ev)
print(r)

