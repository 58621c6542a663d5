import shutil,os,sys,re,glob; sys.path.insert(0,'/opt/incidents/make'); from deliver import *
B='/opt/incidents/run/b_ck'; S='/opt/incidents/run/t2c'; shutil.rmtree(B,ignore_errors=True); os.makedirs(B)
shutil.copytree(S+'/registos1',B+'/registos',dirs_exist_ok=True); shutil.copytree(S+'/registos',B+'/registos',dirs_exist_ok=True)
shutil.copy(S+'/make1.out',B+'/saida_primeira.txt'); shutil.copy(S+'/make2.out',B+'/saida_retoma.txt'); shutil.copy(S+'/ls2',B+'/ls_pontos.txt'); shutil.copy(S+'/sha2',B+'/sha256.txt'); shutil.copy(S+'/cluster.json',B); shutil.copy(S+'/Makefile',B)
open(B+'/LEIAME','w').write("""Retoma do treino depois da falha de luz de sábado (a UPS da sala do montado foi-se abaixo, as outras quatro máquinas ficaram ligadas).
Primeiro treino: chegou ao fim das 46 voltas às 17:18 (o make acaba com Error 143 porque parei os servidores à mão). Depois veio a falha de luz, e às 18:28 o make treino outra vez, para mais voltas -> isto.
Os pontos estão no disco local do montado (/home/rolhas/treino/pontos, ext4 em RAID1). Corri fsck: "clean".
Atenção: o coruche tem o relógio acertado à mão, não liguem.
Rui
""")
import datetime
run2=os.path.basename(glob.glob(S+'/registos/*')[0]); D=4231; new=(datetime.datetime.strptime(run2,'%Y%m%d-%H%M')+datetime.timedelta(seconds=D)).strftime('%Y%m%d-%H%M')
os.rename(f'{B}/registos/{run2}',f'{B}/registos/{new}')
hms=lambda m:(datetime.datetime.strptime(m[0],'%H:%M:%S')+datetime.timedelta(seconds=D)).strftime('%H:%M:%S')
def fn(p,t):
    if new in p or 'retoma' in p:
        sk=187 if 'coruche' in p else 0
        t=re.sub(r'00:00:(17958\d{5})\.',lambda m:f'00:00:{int(m[1])+D+sk}.',t)
        t=t.replace(run2,new); t=re.sub(r'(?m)^\d\d:\d\d:\d\d',hms,t); t=re.sub(r'(?<=Nov 28 )\d\d:\d\d:\d\d',hms,t)
    if 'ls_pontos' in p:
        lines=t.split('\n'); good=[l for l in lines if '400.data-00001' in l][0].split()[6]
        t='\n'.join(re.sub(r'\d\d:\d\d:\d\d\.\d+',good[:-4]+'7731',l) if '400.data-00002' in l else l for l in lines)
    return t
sub_tree(B,[(r'/opt/tfenv/lib/python3\.11','/home/rolhas/amb/lib/python3.11'),(r'/opt/incidents/run/t2c','/home/rolhas/treino'),(r'/opt/tfenv/bin/','/home/rolhas/amb/bin/'),(r'\+0000','+0000')],fn=fn)
deliver('sorraia-retoma',B,'tar.gz','checkpoint.corrupt','montado',[], sys.argv[1] if len(sys.argv)>1 else "TODO")
