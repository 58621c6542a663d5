from f import *
import html
r=load('i11'); PP=r['procs']; t0=PP[0]['t0']
c=Clk(t0,'2026-12-04T16:02:10',1)
d=fresh('i11'); rnd=random.Random(11)
for i,p in enumerate(PP):
    w(d,f'pieces_jointes/{2210+i}_{p["node"]}_sortie.txt',''.join(f'[{c.f(t,"%d/%m/%Y %H:%M:%S")}] {c.fix(x)}\n' for t,s,x in p['log']))
    w(d,f'pieces_jointes/{2220+i}_rang{i}.csv',open(f'{B}/run/i11/nodes/{p["node"]}/j/rang{i}.csv').read())
q=r['extra']['q'].strip(); st=dict(x.split() for x in r['extra']['stat'].splitlines())
w(d,'pieces_jointes/2231_etat_brest-c2.txt',f'''root@brest-c2:~# uptime
 16:02:31 up 48 days,  2:11,  1 user,  load average: 0,31, 0,22, 0,18
root@brest-c2:~# P=$(pgrep -f apprentissage.py); cat /proc/$P/cgroup | grep cpu
4:cpu:/system.slice/sauvegarde-nuit.slice
root@brest-c2:~# cd /sys/fs/cgroup/cpu/system.slice/sauvegarde-nuit.slice; head cpu.cfs_quota_us cpu.cfs_period_us cpu.stat
==> cpu.cfs_quota_us <==
{q}

==> cpu.cfs_period_us <==
100000

==> cpu.stat <==
nr_periods {st["nr_periods"]}
nr_throttled {st["nr_throttled"]}
throttled_time {st["throttled_time"]}
''')
for k in (1,3,4):
    w(d,f'pieces_jointes/224{k}_etat_brest-c{k}.txt',f'''root@brest-c{k}:~# uptime
 16:02:3{k} up {40+k} days,  4:5{k},  1 user,  load average: 0,{40+k}, 0,33, 0,29
root@brest-c{k}:~# cat /proc/$(pgrep -f apprentissage.py)/cgroup | grep cpu
4:cpu:/user.slice/houle.scope
root@brest-c{k}:~# cd /sys/fs/cgroup/cpu/user.slice/houle.scope; head cpu.cfs_quota_us cpu.cfs_period_us cpu.stat
==> cpu.cfs_quota_us <==
-1

==> cpu.cfs_period_us <==
100000

==> cpu.stat <==
nr_periods 0
nr_throttled 0
throttled_time 0
''')
w(d,'pieces_jointes/2232_ping.txt',''.join(f'brest-c1 -> brest-c{k} : {rnd.randint(18,20)} paquets reçus / 20, rtt moy {rnd.uniform(.1,.3):.3f} ms\n' for k in (2,3,4))+'brest-c1 -> brest-c4 : 19 paquets reçus / 20, perte 5%\n')
msgs=[('2026-12-04 16:31:02','H. Le Goff','L\'apprentissage de la houle est environ deux à trois fois plus lent que la semaine dernière. Aucune erreur. Les 4 rangs avancent au même pas. Le temps d\'attente et d\'échange est énorme sur toutes les machines (voir sorties) : le réseau ?'),('2026-12-04 16:52:40','Support N1','Bonjour, merci de joindre les sorties des quatre machines et les CSV. Avez-vous changé la version de TensorFlow ?'),('2026-12-04 17:20:11','H. Le Goff','Non, même environnement. Sorties et CSV jointes (2210 à 2223). Un paquet perdu vers c4 au ping (2232).'),('2026-12-04 17:41:55','Réseau','Rien à signaler côté commutateurs, compteurs d\'erreurs à zéro. La perte ping vers c4 est due à l\'ARP.'),('2026-12-04 18:03:17','Support N1','Relevés de l\'état des quatre machines joints (2231, 2241, 2243, 2244). Charge faible partout, donc pas un problème de CPU. Escalade N2.')]
x='<?xml version="1.0" encoding="ISO-8859-1"?>\n<glpi_export version="10.0.15">\n <ticket id="48817" priorite="4" status="attente" entite="Previmer &gt; Calcul">\n  <titre>Apprentissage houle tr\u00e8s lent depuis le 04/12</titre>\n  <suivis>\n'
for t,a,m in msgs: x+=f'   <suivi date="{t}" auteur="{html.escape(a)}"><contenu>{html.escape("<p>"+m+"</p>")}</contenu></suivi>\n'
x+='  </suivis>\n  <documents>\n'+''.join(f'   <document id="{f.split("_")[0]}" fichier="pieces_jointes/{f}"/>\n' for f in sorted(os.listdir(d+'/pieces_jointes')))+'  </documents>\n </ticket>\n</glpi_export>\n'
w(d,'ticket_48817.xml',x,'latin-1')
arc='brest-48817.tar'; pack(d,arc,'export_glpi_48817')
truth('brest-48817',arc,'sync.straggler',['brest-c2','worker:1','rang 1'],[],'No error, all ranks advance together but slowly: on brest-c2 (rank 1) the making of a batch (lot, t_lot_ms) takes two to three times longer on average than on the other ranks, because its process sits in a backup slice with a 22% CPU quota and is throttled in every period; all the others only wait (entrée+attente, calcul+échange). The network, the lost ping to c4 and the coordination-service error of the ranks that leave after rank 0 at the end are false leads.')
