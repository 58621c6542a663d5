import shutil,os,sys; sys.path.insert(0,'/opt/incidents/make'); from deliver import *
B='/opt/incidents/run/b_u'; shutil.rmtree(B,ignore_errors=True); os.makedirs(B+'/2026-11-28/trening_k3')
shutil.copytree('/opt/incidents/run/t1u/logg',B+'/2026-11-28/trening_k3',dirs_exist_ok=True)
shutil.copy('/opt/incidents/make/t1/vakt.sh',B)
shutil.copy('/opt/incidents/make/t1/biomasse_tren.py',B)
open(B+'/LES_MEG.txt','w').write("""Hei,

kjøringen trening_k3 stoppet i kveld på laksen og torsken (feil fra TF, "Socket closed"). sildra ser grei ut.
Jeg mistenker svitsjen i driftsbygget igjen, vi hadde to korte brudd på fiberen til flåten tidligere i uka
(se drift.txt), men nettfolka sier at alt er grønt. Samme kode gikk fint fredag med dataene fra uke 46.

Maskiner: laksen 172.18.40.11, torsken 172.18.40.12, sildra 172.18.40.13 (alle CPU, Debian).
Loggene ligger per rang, vakt_* er fra vaktskriptet. Klokka er norsk tid.

Mvh Ingrid, Ytre Sula Havbruk
""")
open(B+'/drift.txt','w').write("""# driftsdagbok flåte/landbase (utdrag)
24.11.2026 03.12  fiber flåte-B nede 40 s, kom opp av seg selv
25.11.2026 14.40  fôrautomat 7 restartet
26.11.2026 21.05  fiber flåte-B nede 2 min, vind 24 m/s
27.11.2026 09.30  merd 5: kamera 2 ute av drift, byttet 28.11 kl 11. Kun kamera 1 i mellomtiden
28.11.2026 12.15  nye bilder for uke 47 synket til alle tre maskiner (rsync ok, 0 feil)
28.11.2026 16.00  merd 3: avlusing, ingen bilder 16-17
""")
for h,up in (('laksen','41 dager'),('torsken','41 dager'),('sildra','12 dager')):
    open(B+f'/vert_{h}.txt','w').write(f"""$ hostname; uptime -p; free -m; df -h /mnt/data | tail -1; dmesg -T | tail -3
{h}
up {up}
               total        used        free      shared  buff/cache   available
Mem:           64218       {9120+len(h)*311}       21877         112       34010       54012
Swap:           2047           0        2047
/dev/md0        3,6T  1,9T  1,6T  55% /mnt/data
[ma. nov. 23 02:00:01 2026] md: data-check of RAID array md0
[ma. nov. 23 06:12:44 2026] md: md0: data-check done.
[to. nov. 26 11:31:20 2026] perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500
""")
sub_tree(B,[(r'/opt/tfenv/lib/python3\.11','/opt/bio/venv/lib/python3.11'),(r'/opt/tfenv/bin/python','/opt/bio/venv/bin/python'),(r'/opt/incidents/make/t1/','/opt/bio/')])
deliver('ytre-sula-0311',B,'tar.gz','data.uneven-shards','sildra',[], "Rank 2 on sildra has only 1744 images (109 steps an epoch) against 2240 (140 steps) elsewhere, so it ran through its three epochs first and exited normally with rc=0; the others were still in epoch 3 (about step 47) and died of Socket closed in CollectiveReduceV2. The fibre breaks in drift.txt are a false lead; the missing camera of pen 5 explains the small shard.")
