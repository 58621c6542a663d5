from pack import *
import sys
REP=[]
def dc(S,hosts,ts=False):
    w=max(len(h) for h in hosts)+2; L=[]
    for h in hosts:
        for t,l in S.timed(f'{h}.log'):
            L.append((t,f'{(h+"-1").ljust(w)}  | '+(datetime.datetime.fromtimestamp(t-S.tz,UTC).strftime('%Y-%m-%dT%H:%M:%S.')+f'{int((t%1)*1e6):06d}{S.R.randint(100,999)}Z ' if ts else '')+l))
    L.sort(key=lambda x:x[0]); return L
HS=['sava-01','sava-02','sava-03']
COMPOSE='''# antalaha - grappe de trois boitiers, reseau swarm "vanille" (overlay)
x-base: &base
  image: registre.vanille.mg/tri/entrainement:%s
  networks: [vanille]
  volumes: ["/mnt/vanille:/mnt/vanille"]
  restart: "no"
services:
  sava-01:
    <<: *base
    hostname: sava-01
    command: /opt/venv/bin/python entrainement.py
    environment:
      TF_CONFIG: '{"cluster":{"worker":["sava-01:24500","sava-02:24500","sava-03:24500"]},"task":{"type":"worker","index":0}}'
  sava-02:
    <<: *base
    hostname: sava-02
    command: /opt/venv/bin/python entrainement.py
    environment:
      TF_CONFIG: '{"cluster":{"worker":["sava-01:24500","sava-02:24500","sava-03:24500"]},"task":{"type":"worker","index":1}}'
%s  sava-03:
    <<: *base
    hostname: sava-03
    command: /opt/venv/bin/python entrainement.py
    environment:
      TF_CONFIG: '{"cluster":{"worker":["sava-01:24500","sava-02:24500","sava-03:24500"]},"task":{"type":"worker","index":2}}'
networks:
  vanille:
    external: true
'''
def keras():
    S=Set('antalaha-tri-07','mg_keras','2026-05-19 08:14:02',tz=3)
    L=dc(S,HS); te=L[-1][0]
    S.write('compose.log','\n'.join(l for _,l in L)+'\nsava-02-1 exited with code 1\nsava-01-1 exited with code 1\nsava-03-1 exited with code 1')
    S.write('docker-compose.yml',COMPOSE%('2026.05',''))
    S.write('requirements.txt.diff','''--- a/requirements.txt
+++ b/requirements.txt
@@ -1,5 +1,4 @@
-tensorflow-cpu==2.15.1
+tensorflow-cpu==2.21.0
-tf-keras==2.15.1
-numpy==1.26.4
+numpy==2.4.6
 pillow
''')
    S.write('entrainement.py',open(A+'/make/mg/entrainement_fit.py.txt').read())
    S.write('LISEZMOI.txt','''Bonjour,
meme code que l'annee passee (campagne 2025), nouvelle image avec tensorflow 2.21. Ca casse au premier pas sur les trois boitiers.
Hery dit que les lots ne sont pas egaux: on voit shape=(11, 48) et sur sava-03 (10, 48) alors que le lot fait 32. Donc un probleme de
donnees? Chez moi sur le portable, sans strategie, fit tourne.
Rivo, cooperative d'Antalaha
''')
    S.pack('zip -q {o}.zip *',dict(cause='framework.bug',node=None,also=['config.strategy-misuse','user.code-error'],notes="After the upgrade to TF 2.21 / Keras 3, Model.fit does not support MultiWorkerMirroredStrategy: all three ranks fail alike with 'Attempt to convert a value (PerReplica...)'. Unequal batch shapes 11/11/10 come from rebatching and are a red herring; a hard one because it can be called a framework limitation or a misuse."))
def dns():
    S=Set('antalaha-tri-12','mg_dns','2026-06-25 21:03:30',tz=3)
    L=dc(S,HS,ts=True)
    S.write('logs.txt','\n'.join(l for _,l in L))
    S.write('docker-compose.yml',(COMPOSE%('2026.06','')).replace('  sava-03:\n    <<: *base\n','  sava-03:\n    <<: *base\n    networks: [tri]\n').replace('    external: true\n','    external: true\n  tri:\n    external: true\n'))
    S.write('ps.txt','''NAME                IMAGE                                            COMMAND                  SERVICE   CREATED          STATUS          PORTS
antalaha-sava-01-1  registre.vanille.mg/tri/entrainement:2026.06     "/opt/venv/bin/pytho…"   sava-01   47 minutes ago   Up 47 minutes
antalaha-sava-02-1  registre.vanille.mg/tri/entrainement:2026.06     "/opt/venv/bin/pytho…"   sava-02   47 minutes ago   Up 47 minutes
antalaha-sava-03-1  registre.vanille.mg/tri/entrainement:2026.06     "/opt/venv/bin/pytho…"   sava-03   47 minutes ago   Up 47 minutes
''')
    S.write('mot.txt','''Les trois conteneurs sont "Up", mais aucun pas d'entrainement. J'ai deja redemarre sava-01 deux fois (coupure de courant dimanche,
peut-etre la carte SD?). docker compose logs -t > logs.txt
essais.txt = ce que Hery a tape pendant que c'etait bloque.
Rivo
''')
    S.write('essais.txt','''hery@antalaha:~/tri$ for i in 1 2 3; do echo "== $i"; docker compose exec sava-0$i sh -c 'hostname; df -h /mnt/vanille | tail -1; nproc; cat /proc/loadavg'; done
== 1
sava-01
192.168.4.2:/export/vanille  916G  411G  459G  48% /mnt/vanille
4
0.08 0.21 0.33 1/512 71
== 2
sava-02
192.168.4.2:/export/vanille  916G  411G  459G  48% /mnt/vanille
4
0.11 0.19 0.30 1/498 64
== 3
sava-03
192.168.4.2:/export/vanille  916G  411G  459G  48% /mnt/vanille
4
0.05 0.17 0.29 1/501 66
hery@antalaha:~/tri$ for i in 1 2 3; do echo "== $i"; docker compose exec -T sava-0$i /opt/venv/bin/python -c "import socket; print(socket.gethostbyname('sava-01'))"; done
== 1
172.22.0.4
== 2
172.22.0.4
== 3
Traceback (most recent call last):
  File "<string>", line 1, in <module>
socket.gaierror: [Errno -3] Temporary failure in name resolution
hery@antalaha:~/tri$ docker network ls
NETWORK ID     NAME              DRIVER    SCOPE
9c1f6d0e23ab   bridge            bridge    local
2b7de9914a50   docker_gwbridge   bridge    local
d4a8f3c0971e   host              host      local
u1k0v2m8tq5x   ingress           overlay   swarm
7a30c2be16f4   none              null      local
m9w3z7rj4hcd   tri               overlay   swarm
x0p5n8ya2lge   vanille           overlay   swarm
''')
    S.pack('zip -q {o}.zip *',dict(cause='network.dns',node=['sava-03','worker:2'],notes="sava-03 was put on another overlay network (tri) and cannot resolve sava-01, so it never registers with the coordination service and the others wait forever without an error. Power cut and SD card are red herrings.",also=['network.unreachable-peer']))
def hang():
    S=Set('antalaha-tri-19','mg_hang','2026-08-08 23:41:15',tz=3)
    for h in HS:
        S.write(f'{h}/sortie.log',S.log(f'{h}.log'))
        S.write(f'{h}/pyspy.txt',S.shift(open(f'{A}/runs/mg_hang/logs/spy-{h}.txt').read()))
        la={'sava-01':'0.31, 0.40, 1.02','sava-02':'0.12, 0.28, 0.95','sava-03':'2.41, 1.90, 1.66'}[h]
        S.write(f'{h}/uptime.txt',f' 02:2{S.R.randint(0,9)}:1{S.R.randint(0,9)} up {S.R.randint(2,40)} days,  3:11,  1 user,  load average: {la}')
    S.write('lecture.py',open(A+'/make/mg/lecture.py').read())
    S.write('message.txt','''Bloque depuis presque trois heures, pas de message d'erreur du tout. sava-03 a de la charge (c'est la sauvegarde restic de la nuit),
je pense qu'il est trop lent et que les autres l'attendent. py-spy dump fait sur les trois avant de tuer.
CONTROLE=1 est mis seulement sur sava-02 (poste du controle qualite).
''')
    S.pack('tar czf {o}.tar.gz *',dict(cause='sync.hang',node=['sava-02','worker:1'],notes="Two numpy_function threads on sava-02 deadlock on verrou / verrou_stat taken in opposite order (py-spy shows both waiting); its input stops and all three ranks hang without error. The busy sava-03 (restic) is a red herring.",also=[]))
def ckpt():
    S=Set('antalaha-tri-23','mg_ckpt','2026-09-02 06:20:47',tz=3)
    # docker json-file logs of each machine
    for h in HS:
        cid='%064x'%S.R.getrandbits(256); o=''
        for t,l in S.timed(f'{h}.log'):
            err=bool(re.match(r'[IWEF]\d{4} |WARNING|Traceback|  File|\w+Error|INFO:|    |tensorflow\.|To enable',l))
            o+=json.dumps({'log':l+'\n','stream':'stderr' if err else 'stdout','time':datetime.datetime.fromtimestamp(t-S.tz,UTC).strftime('%Y-%m-%dT%H:%M:%S.')+f'{int((t%1)*1e6):06d}{S.R.randint(100,999)}Z'},ensure_ascii=False,separators=(',',':'))+'\n'
        S.write(f'{h}/{cid}/{cid}-json.log',o)
    ls=subprocess.run("ls -l "+A+"/runs/mg_ckpt/sauv | grep -E 'ckpt|checkpoint'",shell=True,capture_output=True,text=True).stdout.splitlines()
    S.write('ls_sauvegarde.txt','root@sava-01:/mnt/vanille/sauvegarde# ls -l\n'+'\n'.join(re.sub(r'Nov 27 \d\d:\d\d','Sep  2 02:5%d'%min(9,i),l) for i,l in enumerate(ls)))
    S.write('note.txt','''Coupure JIRAMA a 02h58 (batterie de l'onduleur morte), les trois boitiers se sont eteints net. Relance ce matin a 6h20 avec la reprise.
Ca ne reprend pas. Je soupconne sava-03 qui a fait un fsck au demarrage (1 inode orphelin, "clean" apres).
Rivo
''')
    S.pack('tar cf - * | bzip2 > {o}.tar.bz2',dict(cause='checkpoint.corrupt',node=['sava-01','worker:0'],notes="After a power cut the newest checkpoint of rank 0 is truncated (8192 bytes in the listing); restoring on sava-01 fails and the other two lose their leader. The fsck on sava-03 is a red herring."))
if __name__=='__main__':
    for f in sys.argv[1:]: globals()[f]()
