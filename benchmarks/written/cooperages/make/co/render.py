import sys; sys.path.insert(0,"/opt/incidents/make")
from rend import *
import math
r=random.Random(5)
iso=lambda t: d(t,-5).isoformat(timespec="milliseconds")
def kl(C,r=r): return "".join(f"{d(t).strftime('%Y-%m-%dT%H:%M:%S')}.{int(t%1*1e9):09d}Z {x}\n" for t,x in C)
IP=[(r"10\.42\.0\.17",r"10.42.1.17"),(r"10\.42\.0\.22","10.42.2.22"),(r"10\.42\.0\.27","10.42.3.27"),(r'\\u0001([\d.]+)\\u0002',"\\1")]
def prep(L): return [(t,x.replace("\\u0001","\x01").replace("\\u0002","\x02")) for t,x in L]
W=["tostado-worker-%d"%i for i in range(3)]
SVC=".tostado-hs.cafe.svc.cluster.local"
# --- dns
ru="co_dns"; F0=ep("2026-10-21 22:47:31")
L={w:prep(load(ru,w)) for w in W}; rs=min(l[0][0] for l in L.values()); tm=TM([(rs,F0)])
S=stage("huila-204")
for w in W: put(S,f"logs/{w}.log",kl(cook(L[w],tm,iso,subs=IP)))
put(S,"get-all.txt","""$ kubectl -n cafe get pods -o wide
NAME               READY   STATUS             RESTARTS      AGE   IP           NODE             NOMINATED NODE   READINESS GATES
tostado-worker-0   1/1     Running            3 (44s ago)   9m    10.42.1.17   neiva-trillo-1   <none>           <none>
tostado-worker-1   1/1     Running            3 (44s ago)   9m    10.42.2.22   neiva-trillo-2   <none>           <none>
tostado-worker-2   0/1     Running            3 (40s ago)   9m    10.42.3.27   pitalito-mesa    <none>           <none>
etiquetado-0       1/1     Running            0             41d   10.42.2.9    neiva-trillo-2   <none>           <none>
$ kubectl -n cafe get svc
NAME         TYPE        CLUSTER-IP     EXTERNAL-IP   PORT(S)    AGE
tostado-hs   ClusterIP   None           <none>        8470/TCP   41d
etiquetado   ClusterIP   10.43.77.140   <none>        8080/TCP   41d
$ kubectl -n cafe get endpoints tostado-hs
NAME         ENDPOINTS                         AGE
tostado-hs   10.42.1.17:8470,10.42.2.22:8470   41d
$ kubectl -n kube-system get pods
NAME                                      READY   STATUS      RESTARTS       AGE
coredns-7b98449c4-z5k6p                   1/1     Running     2 (6d4h ago)   41d
helm-install-traefik-crd-9x2vn            0/1     Completed   0              41d
local-path-provisioner-595dcfc56f-l4qvt   1/1     Running     5 (6d4h ago)   41d
metrics-server-cdccc87586-v8n7s           1/1     Running     2 (6d4h ago)   41d
""")
put(S,"eventos.txt","""LAST SEEN   TYPE      REASON      OBJECT                 MESSAGE
9m          Normal    Scheduled   pod/tostado-worker-0   Successfully assigned cafe/tostado-worker-0 to neiva-trillo-1
9m          Normal    Scheduled   pod/tostado-worker-1   Successfully assigned cafe/tostado-worker-1 to neiva-trillo-2
9m          Normal    Scheduled   pod/tostado-worker-2   Successfully assigned cafe/tostado-worker-2 to pitalito-mesa
8m57s       Normal    Pulled      pod/tostado-worker-0   Container image "registro.trilla.example/tostado:0.9.4" already present on machine
8m51s       Normal    Pulled      pod/tostado-worker-2   Container image "registro.trilla.example/tostado:0.9.4" already present on machine
12s         Warning   Unhealthy   pod/tostado-worker-2   Readiness probe failed: Get "http://10.42.3.27:8471/listo": dial tcp 10.42.3.27:8471: connect: connection refused
44s         Warning   BackOff     pod/tostado-worker-0   Back-off restarting failed container tostado in pod tostado-worker-0_cafe(5f0e1f6a-2f5c-4f2f-8d6a-6b1f2b1d7a10)
40s         Warning   BackOff     pod/tostado-worker-2   Back-off restarting failed container tostado in pod tostado-worker-2_cafe(c2c0b7b1-0b1e-4c43-9a43-2a6d8a9e1f55)
3h2m        Warning   FailedToUpdateEndpointSlices   service/etiquetado   Error updating Endpoint Slices for Service cafe/etiquetado: failed to update etiquetado-q7h2k EndpointSlice for Service cafe/etiquetado: Operation cannot be fulfilled on endpointslices.discovery.k8s.io "etiquetado-q7h2k": the object has been modified; please apply your changes to the latest version and try again
""")
put(S,"LEEME.md","Buenas. Los tres pods se caen a los pocos segundos y vuelven. Yo creo que es el worker-0,\nporque el 2 dice `Connection refused` contra el 0. Ayer corría con dos workers sin problema;\nel nodo de Pitalito es nuevo. — Yesid\n")
pack(S,"huila-204.tar.gz")
write_truth("huila-204.tar.gz","network.dns",["tostado-worker-2","worker:2","pitalito-mesa"],[],"The name of tostado-worker-2 does not resolve (getaddrinfo: Temporary failure; the pod is not ready and so not in the headless service), the collective aborts on worker-0 and worker-1. worker-2's 'Connection refused' towards worker-0 is an after-effect.")
# --- index
ru="co_index"; F0=ep("2026-11-04 15:12:05")
L={w:prep(load(ru,w)) for w in W}; rs=min(l[0][0] for l in L.values()); tm=TM([(rs,F0)])
S=stage("huila-219")
for w in W: put(S,f"{w}.txt",kl(cook(L[w],tm,iso,subs=IP)))
put(S,"describe-parcial.txt","""Name:             tostado-worker-1
Namespace:        cafe
Node:             neiva-trillo-2/10.11.0.42
Start Time:       Wed, 04 Nov 2026 10:11:58 -0500
Labels:           app=tostado
                  rol=worker
Status:           Running
IP:               10.42.2.22
Containers:
  tostado:
    Image:         registro.trilla.example/tostado:0.9.6
    Port:          8470/TCP
    Command:
      python
      -u
      /srv/app/tostado.py
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Exit Code:    1
      Started:      Wed, 04 Nov 2026 10:12:05 -0500
      Finished:     Wed, 04 Nov 2026 10:12:11 -0500
    Ready:          False
    Restart Count:  5
    Limits:
      memory:  6Gi
    Requests:
      cpu:      1
      memory:   4Gi
    Environment:
      POD_NAME:  tostado-worker-1 (v1:metadata.name)
    Mounts:
      /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-4h9wx (ro)
Events:
  Type     Reason   Age                   From     Message
  ----     ------   ----                  ----     -------
  Warning  BackOff  88s (x12 over 4m41s)  kubelet  Back-off restarting failed container tostado in pod tostado-worker-1_cafe(0d2c9f14-4a1e-4a36-b1a7-8f4f2d4b9c21)
""")
put(S,"chat.txt","[10:18] Yesid: el worker-1 no para de reiniciarse, mira el describe\n[10:19] Luz Dary: dice 'It has likely restarted', será la memoria del neiva-trillo-2?\n[10:21] Yesid: 6Gi, no debería\n[10:22] Yesid: el 2 se queda ahí callado, ese está bien\n[10:30] Luz Dary: los yaml ahora son uno por pod (ya no StatefulSet), los copié del de ayer\n")
pack(S,"huila-219.zip")
write_truth("huila-219.zip","config.task-index",["tostado-worker-2","worker:2"],["config.cluster-mismatch"],"Pod tostado-worker-2 starts with rank 1 in TF_CONFIG (copied manifest), so two processes register as task 1 and the service reports another incarnation ('likely restarted'). The restarts and the memory guess about worker-1 are red herrings.")
# --- oom (hard)
ru="co_oom"; w2=W[:2]
L={w:prep(load(ru,w)) for w in w2}; rs=min(l[0][0] for l in L.values())
r1=min(first(l,'"paso"') for l in L.values()); rk=last(L[W[1]],'"paso"')
F0=ep("2026-11-16 23:02:44"); ex=2600; dt=3.1; nr=348
A=F0+(r1-rs); B=A+ex*dt; K=B+nr*dt
tm=TM([(rs,F0),(r1-.01,A),(r1,B),(rk,K)])
def P(i): q=random.Random(i); return round(0.9+1.0*math.exp(-i/1500)+q.gauss(0,.08),5)
S=stage("huila-233")
for w in w2:
    o=[]; done=False
    for t,x in cook(L[w],tm,iso,subs=IP):
        m=re.search(r'"ev": "paso", "n": (\d+), "perdida": ([\d.]+)',x)
        if m and not done:
            done=True
            for i in range(0,ex,2):
                tt=A+i*dt+r.gauss(0,.15); o.append((tt,f'{{"ts": "{iso(tt)}", "ev": "paso", "n": {i}, "perdida": {P(i)}}}'))
        if m: n=int(m.group(1))+ex; x=x.replace(m.group(0),f'"ev": "paso", "n": {n}, "perdida": {P(n)}')
        o.append((t,x))
    put(S,f"{w}{'.previous' if w.endswith('1') else ''}.log",kl(o))
c="time,tostado-worker-0,tostado-worker-1,etiquetado-0\n"; t=F0-300
while t<K+1200:
    on=t>F0; f=lambda v: "" if v is None else "%.0f"%v
    a=612e6+r.gauss(0,4e6) if on and t<K+21 else None
    b=None if not on else (min(5.366e9, 640e6+(t-F0)/(K-F0)*4.75e9)+r.gauss(0,3e6) if t<K else (118e6+r.gauss(0,1e6) if t>K+95 else None))
    c+=f"{d(t,-5).strftime('%Y-%m-%d %H:%M:%S')},{f(a)},{f(b)},{f(1.93e9+r.gauss(0,9e6))}\n"; t+=60
put(S,"Memoria pods-data-2026-11-17 08_12_55.csv",c)
put(S,"tostado.yaml","""apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: tostado-worker
  namespace: cafe
spec:
  serviceName: tostado-hs
  replicas: 2
  podManagementPolicy: Parallel
  template:
    metadata:
      labels: {app: tostado, rol: worker}
    spec:
      nodeSelector: {trilla.example/uso: entreno}
      containers:
      - name: tostado
        image: registro.trilla.example/tostado:0.9.8
        command: ["/srv/app/arranque.sh"]   # arma TF_CONFIG con el ordinal
        env:
        - {name: TOSTADO_PASOS, value: "20000"}
        resources:
          requests: {cpu: "1", memory: 2Gi}
          limits: {memory: 5Gi}
""")
put(S,"correo.txt",f"De: Yesid\nPara: soporte\nFecha: mar, 17 nov 2026 08:20\n\nSe cayó de noche, a eso de las {d(K,-5).strftime('%H:%M')}. No alcancé a sacar el describe, ya los borré y los volví a lanzar.\nEl 0 dice que al 1 se le acabaron los latidos, o sea red. El enlace de Pitalito se fue a las\n20:50 pero ese nodo no participa. El reinicio del 1 se quedó esperando. Adjunto el csv del tablero.\n")
pack(S,"huila-233.tar.bz2")
write_truth("huila-233.tar.bz2","resource.host-oom-killed",["tostado-worker-1","worker:1"],["process.killed-by-signal"],"Hard: no describe and no events. worker-1's log stops in mid-run without any error, its memory in the dashboard CSV climbs linearly to the 5Gi limit of the manifest and drops; worker-0 only notices missing heartbeats. The network remark is a wrong guess.")
