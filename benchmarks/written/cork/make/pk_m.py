import shutil,os,sys,re; sys.path.insert(0,'/opt/incidents/make'); from deliver import *
import datetime
B='/opt/incidents/run/b_m'; R='/opt/incidents/run'; shutil.rmtree(B,ignore_errors=True); os.makedirs(B+'/logi'); 
shutil.copy(R+'/t3m/orkiestra.log',B+'/logi/orkiestra-0412.log'); shutil.copy(R+'/t3prev/orkiestra.log',B+'/logi/orkiestra-0411.log')
os.makedirs(B+'/etc-organy'); 
for n,f in (('pryncypal','rejestry.txt'),('flet','rejestry.txt'),('gedakt','rejestry_gedakt.txt')):
    os.makedirs(f'{B}/etc-organy/{n}'); shutil.copy(f'{R}/t3m/{f}',f'{B}/etc-organy/{n}/rejestry.txt')
shutil.copy('/opt/incidents/make/t3/intonacja.py',B)
D=-3*86400-5*3600-1234
def shift(p,t):
    d=D-(86400-3600*2 if '0411' in p else 0)
    t=re.sub(r'(?m)^(2026-11-28T\d\d:\d\d:\d\d)\.(\d{3})',lambda m:(datetime.datetime.fromisoformat(m[1])+datetime.timedelta(seconds=d)).isoformat()+'.'+m[2],t)
    return re.sub(r'00:00:(17958\d{5})\.',lambda m:f'00:00:{int(m[1])+d}.',t)
open(B+'/opis.txt','w').write("""zlecenie 0412, trzy maszyny: pryncypal (192.168.60.4) flet (.5) gedakt (.6)
0411 (wczoraj) przeszło, 0412 nie rusza w ogóle. Bez zmian w kodzie. Przełącznik zrestartowany - bez różnicy.
Na gedakcie Tomek dopisywał wczoraj wieczorem coś do katalogu nowego instrumentu (Kamień Pom.), ale mówi że to tylko pliki tekstowe.
Firewall wyłączony wszędzie. ping ok. "The tasks have crashed" - ale nic nie ma w dmesg, pamięci było 50 GB wolnej.
""")
sub_tree(B,[(r'/opt/tfenv/lib/python3\.11','/usr/local/lib/python3.11'),(r'/opt/incidents/make/t3/','/praca/'),(r'/opt/incidents/run/t3(m|prev)/plan.json','/praca/plan.json'),(r'/opt/incidents/run/t3(m|prev)/rejestry(_gedakt)?.txt','/etc/organy/rejestry.txt')],fn=shift)
deliver('oliwa-zlec0412',B,'zip','collective.mismatch','gedakt',['data.shape-mismatch'], "gedakt's own rejestry.txt has 22 entries against 20 on the others, so its rejestr_embedding is [22,16] and the broadcast of the initial value fails with Shape mismatch in the collective instance 100; gedakt exits at once, the other two hang until the missing heartbeats and then call task 2 crashed. Yesterday's run 0411 with 20 entries everywhere passed.")
