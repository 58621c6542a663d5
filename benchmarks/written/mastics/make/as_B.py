from asm import *
B=base('/srv/mastiha','/usr/local',)
B=[('/root/.pyenv/versions/3.11.7/lib/python3.11','/usr/local/lib/python3.11'),('/opt/incidents/make/lib/libdakry.so','/srv/mastiha/lib/libdakry.so'),('/opt/incidents/make/run/b4/','/srv/mastiha/'),('/opt/incidents/make/run/b5/','/srv/mastiha/'),('/opt/incidents/make/run/b6/','/srv/mastiha/'),('/opt/incidents/make/','/srv/mastiha/'),('/opt/tfenv','/usr/local')]
N={'ps0':'pyrgi','worker0':'mesta','worker1':'olympoi'}
def P(b): return [('127.0.0.1:%d'%(b+i),'172.19.0.%d:2222'%(i+2)) for i in range(3)]
def pref(L,svc,drop=0):
    return ['%-19s | %s'%('mastiha-%s-1'%svc,l) for l in L]
compose=open(0).read() if 0 else '''services:
  pyrgi:
    image: registry.chios-resin.example/mastiha:1.8
    environment: {JOB: ps, IDX: "0", CLUSTER_JSON: /srv/mastiha/cluster.json}
    restart: "no"
  mesta:
    image: registry.chios-resin.example/mastiha:1.8
    environment: {JOB: worker, IDX: "0", CLUSTER_JSON: /srv/mastiha/cluster.json, TRAYS: /trays/2026a.npy, CKPT: /srv/mastiha/model, DAKRY_LIB: /srv/mastiha/lib/libdakry.so}
    restart: "no"
  olympoi:
    image: registry.chios-resin.example/mastiha:1.8
    environment: {JOB: worker, IDX: "1", CLUSTER_JSON: /srv/mastiha/cluster.json, TRAYS: /trays/%s.npy, CKPT: /srv/mastiha/model, DAKRY_LIB: /srv/mastiha/lib/libdakry.so}
%s    restart: "no"
'''
CJ='{"ps": ["pyrgi:2222"], "worker": ["mesta:2222", "olympoi:2222"]}\n'
def trim(L,te,T,k): return L
# b4
te=1795850013.463; T=ep('2026-11-12 03:41:20',2); r='xios-2231'; shutil.rmtree(ST+r,ignore_errors=True)
import re
def cutkill(L):  # nothing after
    return L
for n in ('worker0','worker1'):
    put(r,'logs_%s.txt'%N[n],pref(lines(R+'b4/%s.log'%n,te,T,25,2,B+P(21040)),N[n]))
put(r,'mail.txt','''Από: Στάθης Μονιούδης
Προς: ml@chios-resin.example
Ημερομηνία: Πεμ, 12 Νοε 2026 08:05:51 +0200
Θέμα: σταμάτησε πάλι τη νύχτα

Καλημέρα,
το βράδυ κόλλησε η εκπαίδευση για τα δάκρυα. Και οι δύο workers λένε
"It seems that global step has not been increased" από νωρίς, άρα μάλλον ο optimizer
δεν γράφει σωστά το βήμα; Μετά δεν τυπώνουν τίποτα άλλο.
Έκανα docker compose down πριν κρατήσω τα υπόλοιπα, συγγνώμη. Στέλνω ό,τι είχα ανοιχτό στο τερματικό.
Σ.
''')
put(r,'docker-compose.yml',compose%('2026a',''))
put(r,'cluster.json',CJ)
pack(r,'xios-2231.tar.bz2','tar.bz2')
truth(r,r+'.tar.bz2','ps.unavailable',['ps:0','pyrgi'],['process.killed-by-signal'],'Both workers lose the connection to /job:ps/task:0 (connection reset) at the same moment and then wait forever for a new session; the log of the ps was not collected, so why it went is unknown. The global-step warnings are harmless.')
# b5
te=err_t('b5','worker1','free(): double'); te=1795850044.6; T=ep('2026-11-14 11:26:44',2); r='xios-2240'; shutil.rmtree(ST+r,ignore_errors=True)
al=[]
for n in N:
    L=[]
    for l in lines(R+'b5/%s.log'%n,te,T,15,2,B+P(21050)):
        m=re.search(r'\b(\d{10}\.\d{6})\b',l)
        if m and float(m.group(1))>T+6: break   # harness tail
        L.append(l)
    al.append(pref(L,N[n]))
# interleave in chunks
rnd=random.Random(4); out=[]
idx=[0,0,0]
while any(i<len(a) for i,a in zip(idx,al)):
    # proportional interleave
    j=min((k for k in range(3) if idx[k]<len(al[k])),key=lambda k:idx[k]/len(al[k]))
    n=rnd.randint(1,4); out+=al[j][idx[j]:idx[j]+n]; idx[j]+=n
out.append('mastiha-olympoi-1 exited with code 139\n'.replace('139','134'))
put(r,'compose_logs.txt',out)
put(r,'docker-compose.yml',compose%('2026b',''))
put(r,'ps_a.txt','''NAME                IMAGE                                       COMMAND                  SERVICE   CREATED          STATUS                        PORTS
mastiha-mesta-1     registry.chios-resin.example/mastiha:1.8   "python masticha.py"     mesta     12 minutes ago   Up 12 minutes
mastiha-olympoi-1   registry.chios-resin.example/mastiha:1.8   "python masticha.py"     olympoi   12 minutes ago   Exited (134) 2 minutes ago
mastiha-pyrgi-1     registry.chios-resin.example/mastiha:1.8   "python masticha.py"     pyrgi     12 minutes ago   Up 12 minutes
''')
put(r,'σημείωση.txt','Το olympoi πέφτει κάθε φορά που παίρνει τους δίσκους της νέας ζυγαριάς (2026b). Το mesta συνεχίζει κανονικά.\nΜνήμη; το docker stats έδειχνε 900MiB / 15.5GiB.\n')
pack(r,'xios-2240.tgz','tgz')
truth(r,r+'.tgz','process.abort-check',['worker:1','olympoi'],['user.code-error'],'glibc detects a double free in the ctypes library libdakry.so called in equalise() on worker 1 (olympoi), exit 134. Rendezvous ABORTED Cleanup warnings on all tasks and the global-step warnings are harmless; memory is plentiful.')
# b6
te=1795850072.3; T=ep('2026-11-19 17:02:09',2); r='xios-2256'; shutil.rmtree(ST+r,ignore_errors=True)
for n in N:
    L=[]
    for l in lines(R+'b6/%s.log'%n,te,T,1 if n=='worker1' else 1,2,B+P(21060)):
        m=re.search(r'\b(\d{10}\.\d{6})\b',l)
        if m and float(m.group(1))>T+5.3: break
        L.append(l)
    put(r,'%s.log'%N[n],L)
put(r,'docker-compose.yml',compose%('2026a','    pids_limit: 26\n' if 0 else ''))
put(r,'history.txt','''  812  docker compose pull
  813  docker compose up -d
  814  docker compose ps
  815  docker compose logs olympoi | tail -50
  816  docker compose restart olympoi
  817  docker stats --no-stream
  818  docker compose logs --no-log-prefix olympoi > olympoi.log
  819  docker compose logs --no-log-prefix mesta > mesta.log
  820  docker compose logs --no-log-prefix pyrgi > pyrgi.log
  821  ulimit -n
  822  history | tail -11 > history.txt
''')
put(r,'stats.txt','''CONTAINER ID   NAME                CPU %     MEM USAGE / LIMIT     MEM %     NET I/O           BLOCK I/O     PIDS
7c0f5d6a21be   mastiha-mesta-1     41.20%    612.4MiB / 15.5GiB    3.86%     21.3MB / 18.9MB   0B / 1.2MB    63
e91b04c77d12   mastiha-pyrgi-1     18.77%    428.9MiB / 15.5GiB    2.70%     18.8MB / 21.2MB   0B / 0B       44
''')
put(r,'για_Αντώνη.txt','Αντώνη, το olympoi δεν σηκώνεται καν. Νομίζω το image είναι χαλασμένο (core από gRPC;). Στο ίδιο μηχάνημα τρέχει και ο αποστακτήρας με το docker-defaults του Μιχάλη. Δες εσύ.\n')
pack(r,'xios-2256.tar.xz','tar.xz')
truth(r,r+'.tar.xz','resource.thread-limit',['worker:1','olympoi'],[],'Worker 1 (olympoi) aborts while its gRPC server starts because pthread_create() returns 11 (EAGAIN): thread/pids limit. The idea of a broken image is wrong; mesta goes on alone.')
