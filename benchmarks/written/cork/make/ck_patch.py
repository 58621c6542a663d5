import re
s=open('/opt/incidents/make/pk_ck.py').read()
s=s.replace("sub_tree(B,","""import datetime
run2=os.path.basename(glob.glob(S+'/registos/*')[0]); D=4231; new=(datetime.datetime.strptime(run2,'%Y%m%d-%H%M')+datetime.timedelta(seconds=D)).strftime('%Y%m%d-%H%M')
os.rename(f'{B}/registos/{run2}',f'{B}/registos/{new}')
hms=lambda m:(datetime.datetime.strptime(m[0],'%H:%M:%S')+datetime.timedelta(seconds=D)).strftime('%H:%M:%S')
def fn(p,t):
    if new in p or 'retoma' in p:
        sk=187 if 'coruche' in p else 0
        t=re.sub(r'00:00:(17958\\d{5})\\.',lambda m:f'00:00:{int(m[1])+D+sk}.',t)
        t=t.replace(run2,new); t=re.sub(r'(?m)^\\d\\d:\\d\\d:\\d\\d',hms,t); t=re.sub(r'(?<=Nov 28 )\\d\\d:\\d\\d:\\d\\d',hms,t)
    if 'ls_pontos' in p:
        lines=t.split('\\n'); good=[l for l in lines if '400.data-00001' in l][0].split()[6]
        t='\\n'.join(re.sub(r'\\d\\d:\\d\\d:\\d\\d\\.\\d+',good[:-4]+'7731',l) if '400.data-00002' in l else l for l in lines)
    return t
sub_tree(B,""",1).replace("r'\\+0000','+0000')])","r'\\+0000','+0000')],fn=fn)").replace("['montado'],[],","'montado',[],")
s=s.replace("Primeiro treino: correu até eu o parar (make interrompido, Error 143).","Primeiro treino: chegou ao fim das 46 voltas às 17:18 (o make acaba com Error 143 porque parei os servidores à mão).").replace("e a seguir o make treino outra vez -> isto.","e às 18:28 o make treino outra vez, para mais voltas -> isto.")
open('/opt/incidents/make/pk_ck.py','w').write(s)
