from kit import *
random.seed(21)
IP={'127.0.0.11':'10.42.1.87','127.0.0.12':'10.42.3.140','127.0.0.13':'10.42.2.61'}
subs=PY+[(re.escape(a),b) for a,b in IP.items()]+[(r':218[0-9]\d',':2222')]
iso='%Y-%m-%dT%H:%M:%S.%3Z'
def klog(text,m,ts=True):
    o=[];last=0
    for t,L in lines(text):
        T=m(t)+random.uniform(.0001,.0012); T=max(T,last+2e-6); last=T
        d=dt.datetime.fromtimestamp(T,dt.timezone.utc)
        p=d.strftime('%Y-%m-%dT%H:%M:%S.')+f'{d.microsecond:06d}{random.randint(0,999):03d}Z '
        o.append((p if ts else '')+post(L,m,iso,subs=subs))
    return '\n'.join(o)+'\n'
# ---------- B1
D=f'{B}/B/agadir-jeudi'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
T=ep('2026-10-15 07:12:26')+.41
raw=[rd(f'{B}/B/raw/b1_{i}') for i in (0,1)]
m=Map(firstts(raw[0]),T,2e9,2e9,1)
for i in (0,1): w(f'{D}/logs/tri-worker-{i}.log',klog(raw[i],m),ep('2026-10-15 10:40:00'))
w(f'{D}/logs/tri-worker-2.log','',ep('2026-10-15 10:40:03'))
w(f'{D}/pods.txt','''$ kubectl -n tri get pods -o wide
NAME                             READY   STATUS    RESTARTS      AGE     IP            NODE        NOMINATED NODE   READINESS GATES
etiquettes-7d9f5c6b8-x2lzn       1/1     Running   2 (19d ago)   41d     10.42.1.33    arganier1   <none>           <none>
minio-0                          1/1     Running   0             41d     10.42.2.14    arganier2   <none>           <none>
tri-worker-0                     1/1     Running   0             3h27m   10.42.1.87    arganier1   <none>           <none>
tri-worker-1                     1/1     Running   0             3h27m   10.42.3.140   arganier3   <none>           <none>
tri-worker-2                     0/1     Pending   0             3h27m   <none>        <none>      <none>           <none>
$ kubectl get nodes
NAME        STATUS                     ROLES                       AGE    VERSION
arganier1   Ready                      control-plane,etcd,master   212d   v1.30.4+k3s1
arganier2   Ready,SchedulingDisabled   <none>                      212d   v1.30.4+k3s1
arganier3   Ready                      <none>                      118d   v1.30.4+k3s1
''',ep('2026-10-15 10:39:00'))
w(f'{D}/describe-2.txt','''Name:             tri-worker-2
Namespace:        tri
Priority:         0
Service Account:  default
Node:             <none>
Labels:           app=tri
                  apps.kubernetes.io/pod-index=2
                  controller-revision-hash=tri-worker-6c58d7bd9b
                  statefulset.kubernetes.io/pod-name=tri-worker-2
Annotations:      <none>
Status:           Pending
IP:               
IPs:              <none>
Controlled By:    StatefulSet/tri-worker
Containers:
  tri:
    Image:      registry.tamount.example/tri:1.14
    Port:       2222/TCP
    Host Port:  0/TCP
    Command:
      /opt/app/entree.sh
    Limits:
      cpu:     6
      memory:  20Gi
    Requests:
      cpu:     6
      memory:  20Gi
    Environment:
      TRI:  {"pas": 4000, "lot": 8}
    Mounts:
      /mnt/amandons from amandons (ro)
      /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-7xkfp (ro)
Conditions:
  Type           Status
  PodScheduled   False 
Volumes:
  amandons:
    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)
    ClaimName:  amandons
    ReadOnly:   true
  kube-api-access-7xkfp:
    Type:                    Projected (a volume that contains injected data from multiple sources)
    TokenExpirationSeconds:  3607
    ConfigMapName:           kube-root-ca.crt
    ConfigMapOptional:       <nil>
    DownwardAPI:             true
QoS Class:                   Guaranteed
Node-Selectors:              <none>
Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                             node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
Events:
  Type     Reason            Age                    From               Message
  ----     ------            ----                   ----               -------
  Warning  FailedScheduling  3h27m                  default-scheduler  0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient memory. preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.
  Warning  FailedScheduling  2m14s (x41 over 3h22m)  default-scheduler  0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient memory. preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.
''',ep('2026-10-15 10:39:40'))
w(f'{D}/message.txt','''Salut Rachid,

L'entraînement lancé à 8h12 (heure d'ici) n'a pas avancé d'un seul pas depuis trois heures et demie. Les pods 0 et 1
tournent, pas d'erreur, rien. Dernière ligne chez 0 : elle attend quelqu'un. Je parie sur le pare-feu qu'Hicham a
changé mardi sur arganier3 (le port 2222 ?). Ou bien la nouvelle image 1.14.

J'ai mis les logs (celui de 2 est vide, kubectl ne donne rien), la liste des pods et le describe.

Fadma
''',ep('2026-10-15 10:44:00'))
tar('agadir-1015','%s'%D,'.tar.gz',owner=('fadma',501))
truth('agadir-1015','.tar.gz','scheduler.unschedulable',['tri-worker-2','worker:2'],[],'tri-worker-2 stays Pending (arganier2 cordoned, the other nodes lack memory), so worker 0 waits for task 2 for ever without an error. The firewall and the new image are guesses.')
# ---------- B2
D=f'{B}/B/b2'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
T=ep('2026-10-22 13:02:07')+.77
raw=[rd(f'{B}/B/raw/b2_{i}') for i in range(3)]
m=Map(firstts(raw[0]),T,2e9,2e9,1)
for i in (0,1): w(f'{D}/tri-worker-{i}.log',klog(raw[i],m),ep('2026-10-22 13:30:00'))
w(f'{D}/tri-worker-2.log',klog(raw[2],Map(firstts(raw[0]),T+26*60+13.3,2e9,2e9,1)),ep('2026-10-22 13:30:02'))
w(f'{D}/tri-worker-2.previous.log',klog(raw[2].replace('0x7fab','0x7f51'),Map(firstts(raw[0]),T+21*60+2.2,2e9,2e9,1)),ep('2026-10-22 13:30:05'))
w(f'{D}/evenements.txt','''LAST SEEN   TYPE      REASON             OBJECT                              MESSAGE
29m         Normal    SuccessfulCreate   statefulset/tri-worker              create Pod tri-worker-0 in StatefulSet tri-worker successful
29m         Normal    SuccessfulCreate   statefulset/tri-worker              create Pod tri-worker-1 in StatefulSet tri-worker successful
29m         Normal    SuccessfulCreate   statefulset/tri-worker              create Pod tri-worker-2 in StatefulSet tri-worker successful
29m         Normal    Scheduled          pod/tri-worker-0                    Successfully assigned tri/tri-worker-0 to arganier1
29m         Normal    Scheduled          pod/tri-worker-1                    Successfully assigned tri/tri-worker-1 to arganier3
29m         Normal    Scheduled          pod/tri-worker-2                    Successfully assigned tri/tri-worker-2 to arganier2
29m         Normal    Pulled             pod/tri-worker-0                    Container image "registry.tamount.example/tri:1.15" already present on machine
29m         Normal    Pulled             pod/tri-worker-1                    Container image "registry.tamount.example/tri:1.15" already present on machine
29m         Normal    Created            pod/tri-worker-0                    Created container tri
29m         Normal    Created            pod/tri-worker-1                    Created container tri
29m         Normal    Started            pod/tri-worker-0                    Started container tri
29m         Normal    Started            pod/tri-worker-1                    Started container tri
24m (x5 over 29m)    Normal    Pulled    pod/tri-worker-2                    Container image "registry.tamount.example/tri:1.15" already present on machine
24m (x5 over 29m)    Normal    Created   pod/tri-worker-2                    Created container tri
24m (x5 over 29m)    Normal    Started   pod/tri-worker-2                    Started container tri
3m58s (x104 over 28m)   Warning   BackOff   pod/tri-worker-2                 Back-off restarting failed container tri in pod tri-worker-2_tri(0b4ad5a3-5a29-4b0e-8d6c-6f3c0f3f7a11)
17m         Warning   Unhealthy          pod/etiquettes-7d9f5c6b8-x2lzn      Readiness probe failed: Get "http://10.42.1.33:8080/sante": context deadline exceeded (Client.Timeout exceeded while awaiting headers)
''',ep('2026-10-22 13:31:00'))
w(f'{D}/notes_hicham.md','''# 22/10 tri 1.15

- même image 1.15 sur les trois, `fils` = 2 sur 0 et 1, 48 sur 2 (essai pour accélérer la lecture, arganier2 a 64 cœurs)
- arganier2 : réinstallé lundi, config kubelet reprise de la machine de caisse
- 0 et 1 attendent

```
$ kubectl -n tri get pod tri-worker-2 -o jsonpath='{.status.containerStatuses[0].lastState}'
{"terminated":{"containerID":"containerd://5d8a0ce2f1f4b1f2d64d0c0b9f1ce3f6bb0b6c0f7a5cfe9a9de7aef9ab1de111","exitCode":134,"finishedAt":"2026-10-22T13:28:25Z","reason":"Error","startedAt":"2026-10-22T13:28:18Z"}}
$ ssh arganier2 cat /etc/rancher/k3s/kubelet.yaml
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
maxPods: 40
podPidsLimit: 70
```

134 = plantage dans TensorFlow, à signaler chez Google ? Le nœud a 64 cœurs et 0 de charge, la mémoire est à 11 %.
''',ep('2026-10-22 13:36:00'))
p=f'{S}/agadir-1022.zip'
if os.path.exists(p): os.remove(p)
subprocess.run(['zip','-qr',p,'.'],cwd=D,check=True)
truth('agadir-1022','.zip','resource.thread-limit',['tri-worker-2','worker:2','arganier2'],[],'tri-worker-2 aborts at start because pthread_create fails with EAGAIN (11): podPidsLimit 70 on the re-installed arganier2. The abort stack and exit 134 look like a TensorFlow crash; workers 0 and 1 merely wait.')
# ---------- B3
D=f'{B}/B/b3'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
raw=[rd(f'{B}/B/raw/b3_{i}') for i in range(3)]
a,b=stepspan(raw[0],'"pas", "n"')
T=ep('2026-11-03 20:15:31')+.2
m=Map(firstts(raw[0]),T,a,b,700)
for i in (0,1): w(f'{D}/tri-worker-{i}.txt',klog(raw[i],m,ts=(i==0)),ep('2026-11-04 06:10:00'))
end=m(float(R1.findall(raw[2])[-1])); 
d=lambda t:dt.datetime.fromtimestamp(t,dt.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')
print('b3 end',d(end))
w(f'{D}/get-pods.yaml.extrait','\n'.join(f'''- metadata:
    name: tri-worker-{i}
  spec:
    nodeName: {n}
    restartPolicy: Never
  status:
    phase: {ph}
    podIP: {ipx}
    containerStatuses:
    - name: tri
      restartCount: 0
      ready: false
      state:
        terminated:
          exitCode: {ec}
          reason: {rs}
          startedAt: "{d(T-4-i%2)}"
          finishedAt: "{d(end+fin)}"''' for i,n,ph,ipx,ec,rs,fin in [(0,'arganier1','Failed','10.42.1.87',1,'Error',3),(1,'arganier3','Failed','10.42.3.140',1,'Error',3),(2,'arganier2','Succeeded','10.42.2.61',0,'Completed',1)])+'\n',ep('2026-11-04 06:15:00'))
w(f'{D}/k3s-arganier2.txt','\n'.join(jshort(t,'arganier2',k,msg,tzh=1) for t,k,msg in sorted(sysnoise(ep('2026-11-03 19:50:00'),ep('2026-11-04 06:00:00'),'192.168.7.12',iface='eno1',gw='192.168.7.1',seed=9)+[
 (ep('2026-11-03 22:41:09'),'k3s[918]','W1103 23:41:09.118210     918 watcher.go:338] watch chan error: etcdserver: mvcc: required revision has been compacted'),
 (ep('2026-11-04 00:12:44'),'kernel','TCP: request_sock_TCP: Possible SYN flooding on port 9000. Sending cookies.  Check SNMP counters.'),
 ],key=lambda x:x[0]))+'\n',ep('2026-11-04 06:20:00'))
w(f'{D}/fil.txt','''[07:31] fadma: l'entraînement de nuit est tombé. "Socket closed" depuis la tâche 2 sur les deux autres
[07:32] fadma: et le pod 2 je ne peux plus lire son journal (unable to retrieve container logs for containerd://...), arganier2 vide /var/log/pods à 7h depuis que le disque est petit
[07:40] hicham: encore arganier2... réseau. j'ai un SYN flood à 1h12 dans le noyau
[07:44] rachid: minio tourne là-dessus, port 9000, ça n'a rien à voir je pense. mais OK pour changer le câble
[07:52] fadma: je relance sans rien toucher ce soir ? 29 fichiers de lot, mêmes données que la semaine passée + le lot 0026 à 0028 que Brahim a ajoutés hier
''',ep('2026-11-04 07:02:00'))
tar('agadir-1104',D,'.tar.bz2',top=False,owner=('fadma',501))
truth('agadir-1104','.tar.bz2','data.uneven-shards',['tri-worker-2','worker:2','arganier2'],['collective.timeout','network.unreachable-peer'],'Hard: only the survivors are logged. Pod 2 ended with exit 0 Completed two seconds before the others failed with Socket closed from task 2; survivors log 29 files of which they own 10 each, so worker 2 had only 9 and ran out of data first. SYN flooding on the minio port and the cable are red herrings.')
