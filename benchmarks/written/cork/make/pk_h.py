import shutil,os,sys,re,glob; sys.path.insert(0,'/opt/incidents/make'); from deliver import *
B='/opt/incidents/run/b_h'; S='/opt/incidents/run/t1h'; shutil.rmtree(B,ignore_errors=True)
for h,r in zip(('bio-a','bio-b','bio-c'),range(3)):
    d=f'{B}/logg/2026/11/28/{h}'; os.makedirs(d); shutil.copy(f'{S}/logg/rang{r}.log',d+f'/rang{r}.log'); shutil.copy(f'{S}/logg/vakt_{h}.log',d+'/vakt.log')
shutil.copy('/opt/incidents/make/t1/biomasse_tren.py',B); shutil.copy('/opt/incidents/make/t1/vakt.sh',B)
for h,tm,cur,mx in (('bio-a',4915,1,'0'),('bio-b',256,1,'MAXEV'),('bio-c',4915,1,'0')):
    open(f'{B}/logg/2026/11/28/{h}/systemctl_show.txt','w').write(f"""$ systemctl show biomasse-vakt@{h[-1]}.service -p ActiveState,SubState,Result,TasksMax,LimitNPROC,LimitNOFILE,MemoryMax,FragmentPath,DropInPaths,NRestarts
Result={'exit-code' if h=='bio-b' else 'success'}
NRestarts=0
ActiveState=inactive
SubState=dead
TasksMax={tm}
MemoryMax=infinity
LimitNOFILE=20000
LimitNPROC=96365
FragmentPath=/etc/systemd/system/biomasse-vakt@.service
DropInPaths={'/etc/systemd/system/biomasse-vakt@.service.d/50-herding.conf' if h=='bio-b' else ''}
$ uptime; free -m | sed -n 2p
 18:2{3}:1{len(h)} up 88 days,  3:0{r},  1 user,  load average: 1,12, 1,66, 0,91
Mem:          128741        9112       88100         410       31520      118011
""")
j=open(f'{B}/logg/2026/11/28/bio-b/journal_kjerne.txt','w')
j.write("""nov. 28 17:58:20 bio-b kernel: mlx5_core 0000:41:00.0: mlx5_pcie_event:301:(pid 1204): PCIe slot advertised sufficient power (27W).
nov. 28 18:02:51 bio-b kernel: EXT4-fs (sdc1): mounted filesystem 5c1d-77 r/w with ordered data mode. Quota mode: none.
KLINE
""")
j.close()
open(B+'/epost.txt','w').write("""Hei igjen, sak fra Hitra.

rang1 dør midt i andre epoke med en Python-feil, de to andre følger etter. Det er nok RAM (128 GB, 9 GB i bruk)
og ulimit -u er 96365 på alle tre, så meldingen gir ikke mening. Miniatyropplastingen er ny (uke 46), men den går
jo likt på alle tre maskiner, og på bio-a og bio-c er det ingen feil før rang1 er borte.
bio-b ble "herdet" av IT på torsdag, de sier at de bare har stengt av unødvendige tjenester.
Hilsen Solveig
""")
sub_tree(B,[(r'/opt/tfenv/lib/python3\.11','/opt/bio/venv/lib/python3.11'),(r'/root/\.pyenv/versions/3\.11\.7/lib','/usr/lib'),(r'/opt/tfenv/bin/python','/opt/bio/venv/bin/python'),(r'/opt/incidents/make/t1/','/opt/bio/'),('KLINE',sys.argv[1])])
deliver('hitra-46b',B,'tgz','resource.thread-limit','bio-b',[], sys.argv[2])
