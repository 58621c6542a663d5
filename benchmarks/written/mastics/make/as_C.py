from asm import *
import re,json
B=[('/root/.pyenv/versions/3.11.7/lib/python3.11','/usr/local/lib/python3.11'),('/opt/incidents/make/run/','/app/'),('/opt/incidents/make/','/app/'),('/opt/tfenv','/usr/local'),('data/ok/*','/gousses/2026/*'),('data/dt/*','/gousses/octobre/*'),('part-0','gousse-0'),('run/c7/ck','/ckpt'),('run/c8/ck','/ckpt'),('run/c9/ck','/ckpt'),('/tmp/ck_nonchief_','/tmp/ckpt_')]
def P(p): return [('"127.0.0.1:%d"'%x,'"trieur-%d.trieur.vanille.svc:2222"'%i) for i,x in enumerate(p)]+[("'127.0.0.1:%d'"%x,"'trieur-%d.trieur.vanille.svc:2222'"%i) for i,x in enumerate(p)]+[('grpc://127.0.0.1:%d'%x,'grpc://trieur-%d.trieur.vanille.svc:2222'%i) for i,x in enumerate(p)]+[('127.0.0.1:%d'%x,'10.42.%d.%d:2222'%(i+1,17+5*i)) for i,x in enumerate(p)]
MS=r'(?<=t=)(\d+) (ms)\b'
def fixterm(L,te,T,k):
    def f(m):
        e=ep('2026-11-28 '+m.group(1),0)+float('0.'+m.group(2)); n=mp(e,te,T,k); return stamp(n,0,'%Y-%m-%dT%H:%M:%S')+'.'+m.group(2)+'+00:00'
    return [re.sub(r'2026-11-28T(\d\d:\d\d:\d\d)\.(\d+)\+00:00',f,l) for l in L]
# c7
te=1795850352.095; T=ep('2026-11-05 01:52:31',0); r='sambava-t311'; shutil.rmtree(ST+r,ignore_errors=True)
for i in range(3):
    L=fixterm(lines(R+'c7/w%d.log'%i,te,T,12,0,B+P([21071,21072,21073]),msre=MS),te,T,12)
    if i<2: put(r,'trieur-%d.log'%i,L)
    else:
        t=int((T-900)*1e9); out=[]
        for l in L:
            m=re.search(r'\b(\d{10}\.\d{6})\b',l); m2=re.match(r'(2026-11-\d\d \d\d:\d\d:\d\d),(\d+)',l)
            if m: t=int(float(m.group(1))*1e9)
            elif m2: t=int(ep(m2.group(1),0)*1e9+int(m2.group(2))*1e6)
            else: t+=1300
            out.append(json.dumps({'ts':str(t),'stream':{'namespace':'vanille','pod':'trieur-2','container':'trieur','node':'andapa'},'line':l.rstrip('\n')},ensure_ascii=False)+'\n')
        put(r,'loki_trieur-2.jsonl',out)
put(r,'events.txt','''LAST SEEN   TYPE      REASON                 OBJECT                        MESSAGE
41m         Normal    Completed              job/sauvegarde-nuit-29371500  Job completed
37m         Warning   Unhealthy              pod/etuve-api-6c9f7d5b5-qk2rm Readiness probe failed: HTTP probe failed with statuscode: 503
34m         Warning   EvictionThresholdMet   node/andapa                   Attempting to reclaim ephemeral-storage
34m         Warning   Evicted                pod/trieur-2                  The node was low on resource: ephemeral-storage. Threshold quantity: 9663676416, available: 9182Mi. Container trieur was using 164Ki, request is 0, has larger consumption of ephemeral-storage. 
34m         Normal    Killing                pod/trieur-2                  Stopping container trieur
33m         Normal    NodeHasDiskPressure    node/andapa                   Node andapa status is now: NodeHasDiskPressure
33m         Warning   FailedScheduling       pod/trieur-2                  0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }, 2 node(s) didn't match pod anti-affinity rules. preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.
28m         Normal    NodeHasNoDiskPressure  node/andapa                   Node andapa status is now: NodeHasNoDiskPressure
27m         Normal    Scheduled              pod/trieur-2                  Successfully assigned vanille/trieur-2 to andapa
27m         Normal    Pulled                 pod/trieur-2                  Container image "harbor.lavanila.example/trieur:2.21-3" already present on machine
''')
put(r,'pods.txt','''NAME                         READY   STATUS    RESTARTS      AGE     IP            NODE
etuve-api-6c9f7d5b5-qk2rm    1/1     Running   0             19d     10.42.1.9     antalaha
trieur-0                     0/1     Error     0             52m     10.42.1.17    antalaha
trieur-1                     0/1     Error     0             52m     10.42.2.22    vohemar
trieur-2                     1/1     Running   0             27m     10.42.3.31    andapa
''')
put(r,'message.md','''Salama tompoko,

Le tri des gousses s'est arrêté cette nuit. trieur-2 est pourtant `Running` ce matin, donc ce n'est pas lui :
0 et 1 sont en `Error`. L'api de l'étuve a eu un 503 juste avant, est-ce que c'est lié (même réseau) ?
J'ai pris les logs des deux en erreur, et ceux de trieur-2 dans Loki puisque `kubectl logs -p` ne rend rien.

Haja
''')
pack(r,'sambava-t311.zip','zip')
truth(r,r+'.zip','scheduler.evicted',['trieur-2','worker:2','andapa'],['resource.disk-full'],'The kubelet on node andapa evicted pod trieur-2 (ephemeral-storage pressure): SIGTERM in its log, then gone; trieur-0 and -1 fail as a result. The 503 of another pod is unrelated, and trieur-2 seen Running is the later replacement.')
# c8
te=err_t('c8','w0','finished after'); T=ep('2026-11-17 19:31:40',0); r='sambava-t327'; shutil.rmtree(ST+r,ignore_errors=True)
for i in range(3): put(r,'journaux/trieur-%d.log'%i,lines(R+'c8/w%d.log'%i,te,T,40,0,B+P([21081,21082,21083]),msre=MS))
put(r,'pods.txt','''NAME       READY   STATUS      RESTARTS   AGE   IP            NODE
trieur-0   0/1     Completed   0          25m   10.42.1.17    antalaha
trieur-1   0/1     Completed   0          26m   10.42.2.22    vohemar
trieur-2   0/1     Completed   0          26m   10.42.3.27    andapa
''')
put(r,'message.md','''Salama,

Encore un souci je crois : au début trieur-0 attend trieur-1 et trieur-2 ("stragglers"), il y a des "Local rendezvous",
"will not be optimized", "Memory patch applied", et la perte ne bouge presque pas (1,79 -> 1,78). Les pods ne sont plus Running.
Est-ce que trieur-2 est trop lent ? andapa a encore eu un NodeHasDiskPressure lundi (voir dessous), mais je ne sais pas si ça compte.

    3d   Normal   NodeHasDiskPressure     node/andapa   Node andapa status is now: NodeHasDiskPressure
    3d   Normal   NodeHasNoDiskPressure   node/andapa   Node andapa status is now: NodeHasNoDiskPressure

Haja
'''.replace('3d ','27h'))
pack(r,'sambava-t327.tar.gz','tar.gz')
truth(r,r+'.tar.gz','none',None,[],'A healthy run: all three workers finish 300 steps, save checkpoints and the pods are Completed. Start-up waiting, harmless warnings, a slowly falling loss and an old disk-pressure event made somebody suspicious.')
# c9
te=err_t('c9','w2',"Data types don't match"); T=ep('2026-11-20 06:18:22',0); r='sambava-t330'; shutil.rmtree(ST+r,ignore_errors=True)
for i in range(3):
    L=[l for l in lines(R+'c9/w%d.log'%i,te,T,30,0,B+P([21091,21092,21093]),msre=MS)]
    L=[re.sub(r'restored (\S+)ckpt-\d+',r'no checkpoint, starting fresh',l) for l in L]
    put(r,'trieur-%d.txt'%i,['$ kubectl -n vanille logs trieur-%d\n'%i]+L)
put(r,'describe_trieur-0.txt','''Name:             trieur-0
Namespace:        vanille
Priority:         0
Node:             antalaha/10.8.0.11
Labels:           app=trieur
                  statefulset.kubernetes.io/pod-name=trieur-0
Status:           Failed
IP:               10.42.1.17
Controlled By:    StatefulSet/trieur
Containers:
  trieur:
    Image:          harbor.lavanila.example/trieur:2.21-3
    Port:           2222/TCP
    State:          Terminated
      Reason:       Error
      Exit Code:    1
    Ready:          False
    Restart Count:  0
    Limits:
      cpu:     4
      memory:  8Gi
Events:           <none>
''')
put(r,'message.md','''Salama,

trieur-0 perd la connexion ("Socket closed") après une vingtaine d'itérations, à chaque relance. Le lot d'octobre vient de la nouvelle
balance d'Antalaha (l'étudiant a refait l'export). J'ai déjà changé le CNI en host-gw, pareil.

Haja
''')
pack(r,'sambava-t330.tar.gz','tar.gz')
truth(r,r+'.tar.gz','data.dtype',['trieur-2','worker:2'],[],'A shard read by worker 2 (pod trieur-2) stores the feature grams as int64 where the parser expects float; the others only see Socket closed. The network plugin is innocent.')
