from pack import *
import sys
def z(t): return datetime.datetime.fromtimestamp(t,UTC).strftime('%Y-%m-%dT%H:%M:%SZ')
def hd(t): return datetime.datetime.fromtimestamp(t,UTC).strftime('%a, %d %b %Y %H:%M:%S +0400')
def describe(S,pod,node,ip,role,state,start,extra_events='',status='Running',reason='',cont='trainer',req='cpu:                2\n      memory:             4Gi',args='',restarts=0,last=''):
    return f'''Name:             {pod}
Namespace:        saqr
Priority:         0
Service Account:  default
Node:             {node}
Start Time:       {hd(start)}
Labels:           app=saqr-train
                  role={role}
                  run={pod.rsplit('-',2)[0]}
Annotations:      cni.projectcalico.org/podIP: {ip}/32
Status:           {status}
{reason}IP:               {ip}
IPs:
  IP:           {ip}
Containers:
  {cont}:
    Container ID:  containerd://{S.R.getrandbits(256):064x}
    Image:         harbor.saqr.om/ml/tf-cpu-train:2.21-3
    Image ID:      harbor.saqr.om/ml/tf-cpu-train@sha256:{S.R.getrandbits(256):064x}
    Port:          2222/TCP
    Host Port:     0/TCP
    Command:
      /opt/tf/bin/python
      -u
      trainer.py
{args}{state}    Ready:          {'True' if 'Running' in state.split(chr(10))[0] else 'False'}
    Restart Count:  {restarts}
    Requests:
      {req}
    Environment:
      TF_CONFIG:  <set to the key 'tf_config' of config map '{pod}'>  Optional: false
    Mounts:
      /mnt/falcon from falcon (rw)
      /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-{''.join(S.R.choices('bcdfghjklmnpqrstvwxz2456789',k=5))} (ro)
Volumes:
  falcon:
    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)
    ClaimName:  falcon-rwx
    ReadOnly:   false
QoS Class:                   Burstable
Node-Selectors:              <none>
Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                             node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
Events:{extra_events or '                      <none>'}
'''
REP=[(':22220',':2222')]
def run_state(t): return f'    State:          Running\n      Started:      {hd(t)}\n'
def term(t0,t1,code,reason='Error'): return f'    State:          Terminated\n      Reason:       {reason}\n      Exit Code:    {code}\n      Started:      {hd(t0)}\n      Finished:     {hd(t1)}\n'
def ill():
    S=Set('saqr-117','om_ill','2026-09-15 16:05:10',tz=4,rep=REP)
    P=['chief-0','ps-0','ps-1','worker-0','worker-1']; N=dict(zip(P,['sohar-n3','sohar-n1','sohar-n2','sohar-n4','sohar-n9']))
    te=S.at('exit saqr-wing-worker-1')+S.d+S.tz; st=S.t0+S.d+S.tz-3
    o=''
    for p in P: S.write(f'logs/saqr-wing-{p}.log',S.log(f'saqr-wing-{p}.log'))
    for i,p in enumerate(P):
        state=term(st+2,te,132) if p=='worker-1' else run_state(st+2)
        o+=describe(S,'saqr-wing-'+p,N[p]+f'/10.60.1.{20+int(N[p][-1])}',f'10.244.{i+1}.{S.R.randint(5,200)}',p.split('-')[0],state,st,args='      --native=/srv/train/libwingbeat.so\n',status='Failed' if p=='worker-1' else 'Running',extra_events=f'''
  Type    Reason     Age   From               Message
  ----    ------     ----  ----               -------
  Normal  Scheduled  21m   default-scheduler  Successfully assigned saqr/saqr-wing-{p} to {N[p]}
  Normal  Pulled     21m   kubelet            Container image "harbor.saqr.om/ml/tf-cpu-train:2.21-3" already present on machine
  Normal  Created    21m   kubelet            Created container trainer
  Normal  Started    21m   kubelet            Started container trainer''')+'\n\n'
    S.write('describe-pods.txt',o)
    S.write('get-pods-wide.txt',f'''$ kubectl -n saqr get pods -o wide
NAME                  READY   STATUS    RESTARTS   AGE   IP             NODE       NOMINATED NODE   READINESS GATES
saqr-wing-chief-0     1/1     Running   0          21m   10.244.1.40    sohar-n3   <none>           <none>
saqr-wing-ps-0        1/1     Running   0          21m   10.244.2.118   sohar-n1   <none>           <none>
saqr-wing-ps-1        1/1     Running   0          21m   10.244.3.77    sohar-n2   <none>           <none>
saqr-wing-worker-0    1/1     Running   0          21m   10.244.4.12    sohar-n4   <none>           <none>
saqr-wing-worker-1    0/1     Error     0          21m   10.244.5.161   sohar-n9   <none>           <none>
$ kubectl get nodes -L node.kubernetes.io/instance-type,feature.node.kubernetes.io/cpu-model.id,feature.node.kubernetes.io/cpu-cpuid.AVX512F
NAME       STATUS   ROLES           AGE    VERSION   INSTANCE-TYPE   CPU-MODEL.ID   CPU-CPUID.AVX512F
sohar-cp   Ready    control-plane   611d   v1.30.4                   85             true
sohar-n1   Ready    <none>          611d   v1.30.4                   106            true
sohar-n2   Ready    <none>          611d   v1.30.4                   106            true
sohar-n3   Ready    <none>          611d   v1.30.4                   106            true
sohar-n4   Ready    <none>          402d   v1.30.4                   106            true
sohar-n9   Ready    <none>          9d     v1.30.4                   71                           
''')
    S.write('README','''Build of the new wingbeat filter (Khalid, on sohar-n4):
   gcc -O3 -march=native -shared -fPIC -o libwingbeat.so wingbeat.c -lm
Run was started with it for the first time on Tuesday. On my laptop and yesterday with 1 worker all OK.
Chief never gets to step 1. I think ParameterServerStrategy does not see worker-1 because Calico, we had that in spring.
- Maryam
''')
    # the node has no AVX512 but log line of cpu features must not claim otherwise
    t=open(S.dir+'/logs/saqr-wing-worker-1.log').read().replace('AVX2 AVX512F AVX512_VNNI AVX512_BF16 FMA','AVX2 FMA'); S.write('logs/saqr-wing-worker-1.log',t)
    S.pack('tar czf {o}.tgz --transform "s,^,saqr-wing/," *',dict(cause='env.illegal-instruction',node=['saqr-wing-worker-1','worker:1','sohar-n9'],notes="libwingbeat.so was built -march=native on an AVX512 machine; the new node sohar-n9 has no AVX512, so worker-1 dies of SIGILL (exit 132) in the filter before serving. The chief only waits; the Calico guess is wrong."))
def ver():
    S=Set('falcon-fe-rollout','om_ver','2026-11-16 09:30:44',tz=4,rep=REP)
    for p in ['chief-0','ps-0','ps-1','worker-0','worker-1']:
        f=f'saqr-fe-{p}.log'
        S.write(p+'.txt','\n'.join(datetime.datetime.fromtimestamp(t-S.tz,UTC).strftime('%Y-%m-%dT%H:%M:%S.')+f'{int((t%1)*1e6):06d}{S.R.randint(0,999):03d}Z {l}' for t,l in S.timed(f)))
    S.write('notes.txt','''kubectl -n saqr logs --timestamps POD > POD.txt  (all five)

The frontend was exported again on Nov 10 by the biology group in Al Ain (they have their own docker image with tf-nightly), fe_v5 instead of fe_v4.
ls -la /mnt/falcon/fe_v5
total 44
drwxr-xr-x 4 2001 2001  4096 Nov 10 13:11 .
drwxr-xr-x 6 root root  4096 Nov 16 08:58 ..
drwxr-xr-x 2 2001 2001  4096 Nov 10 13:11 assets
-rw-r--r-- 1 2001 2001    56 Nov 10 13:11 fingerprint.pb
-rw-r--r-- 1 2001 2001 11872 Nov 10 13:11 saved_model.pb
drwxr-xr-x 2 2001 2001  4096 Nov 10 13:11 variables
Owner is uid 2001, we run as 1000. Permission problem? But all are r--.
''')
    S.pack('zip -q {o}.zip *',dict(cause='serialization.version',node=None,notes="Chief and both workers die alike while loading the SavedModel fe_v5, exported with tf-nightly: an op of its graph is not registered in TensorFlow 2.21 (and an attribute is unknown). File ownership (uid 2001) is a red herring.",also=['env.version-skew']))
def evict():
    S=Set('saqr-1042','om_evict','2026-08-22 03:40:19',tz=4,rep=REP)
    P=['chief-0','ps-0','ps-1','worker-0','worker-1']; N=dict(zip(P,['sohar-n1','sohar-n1','sohar-n2','sohar-n3','sohar-n4']))
    tk=S.at('signal 15')+S.d+S.tz; st=S.t0+S.d+S.tz-2
    for p in P:
        if p=='ps-1': continue
        S.write(f'pod-logs/saqr-phase-{p}.log',S.log(f'saqr-phase-{p}.log'))
    S.write('pod-logs/saqr-phase-ps-1.log','Error from server: Get "https://10.60.1.22:10250/containerLogs/saqr/saqr-phase-ps-1/trainer": pods "saqr-phase-ps-1" not found\n' if 0 else 'unable to retrieve container logs for containerd://'+f'{S.R.getrandbits(256):064x}')
    ev=lambda ago,ty,re_,ob,ms:f'{ago:<11} {ty:<9} {re_:<24} {ob:<36} {ms}'
    S.write('events.txt','\n'.join([f'LAST SEEN   TYPE      REASON                   OBJECT                               MESSAGE',
     ev('44m','Normal','Scheduled','pod/saqr-phase-ps-1','Successfully assigned saqr/saqr-phase-ps-1 to sohar-n2'),
     ev('44m','Normal','Started','pod/saqr-phase-ps-1','Started container trainer'),
     ev('44m','Normal','Started','pod/saqr-phase-chief-0','Started container trainer'),
     ev('44m','Normal','Started','pod/saqr-phase-worker-0','Started container trainer'),
     ev('44m','Normal','Started','pod/saqr-phase-worker-1','Started container trainer'),
     ev('51m','Warning','FailedMount','pod/nightly-video-29786880-x8kqz','MountVolume.SetUp failed for volume "nest-cams" : mount failed: exit status 32'),
     ev('43m','Warning','Evicted','pod/saqr-phase-ps-1','The node was low on resource: ephemeral-storage. Threshold quantity: 10722467Ki, available: 9918216Ki. Container trainer was using 88Ki, request is 0, has larger consumption of ephemeral-storage. '),
     ev('43m','Normal','Killing','pod/saqr-phase-ps-1','Stopping container trainer'),
     ev('43m','Warning','Evicted','pod/nest-transcode-7f9c6d7b5-4mvtd','The node was low on resource: ephemeral-storage. Threshold quantity: 10722467Ki, available: 9918216Ki. Container ffmpeg was using 61877132Ki, request is 0, has larger consumption of ephemeral-storage. '),
     ev('38m','Warning','Unhealthy','pod/harbor-mirror-0','Readiness probe failed: Get "http://10.244.1.9:8080/healthz": context deadline exceeded')]))
    S.write('pods.txt',f'''NAME                             READY   STATUS    RESTARTS   AGE
harbor-mirror-0                  1/1     Running   3          121d
nest-transcode-7f9c6d7b5-4mvtd   0/1     Error     0          6d2h
nest-transcode-7f9c6d7b5-q2lrx   1/1     Running   0          42m
saqr-phase-chief-0               0/1     Error     0          44m
saqr-phase-ps-0                  1/1     Running   0          44m
saqr-phase-ps-1                  0/1     Evicted   0          44m
saqr-phase-worker-0              1/1     Running   0          44m
saqr-phase-worker-1              1/1     Running   0          44m
''')
    S.write('mail.txt','''Salam,
the phase model died at night again, chief says Unavailable. Worker pods are still Running so it is not them.
Could be the readiness thing on harbor-mirror? It came at nearly the same time. Collected with our saqr-collect.sh, the
log of ps-1 could not be fetched.
Maryam Al-Balushi / falcon hospital
''')
    S.pack('tar cjf {o}.tar.bz2 *',dict(cause='scheduler.evicted',node=['saqr-phase-ps-1','ps:1','sohar-n2'],notes="ps-1 was evicted from sohar-n2 for ephemeral-storage pressure (a transcoding pod filled the disk); chief then fails with UnavailableError. harbor-mirror probe and FailedMount of a cron pod are noise.",also=[]))
def ok():
    S=Set('saqr-98-features','om_ok','2026-07-30 19:12:25',tz=4,rep=REP)
    for p in ['chief-0','ps-0','ps-1','worker-0','worker-1']: S.write(f'saqr-fe-{p}.log',S.log(f'saqr-fe-{p}.log'))
    S.write('pods.txt',"""NAME                READY   STATUS      RESTARTS   AGE
saqr-fe-chief-0     0/1     Completed   0          3h11m
saqr-fe-ps-0        1/1     Running     0          3h11m
saqr-fe-ps-1        1/1     Running     0          3h11m
saqr-fe-worker-0    1/1     Running     0          3h11m
saqr-fe-worker-1    1/1     Running     0          3h11m
""")
    S.write('q.txt',"""Maryam -> ml-help
First time with the parameter server set-up on our cluster. Workers and ps hang since 3 hours (see pods.txt, still Running) and they print
'Ignoring error status ... UNIMPLEMENTED: Releasing a multi-device component handle'. Is TF broken on sohar-n3/n4? I do not dare to delete
them.
""")
    S.pack('tar czf {o}.tar.gz *',dict(cause='none',node=None,notes="Healthy parameter-server run: the chief completes 600 steps and saves; ps and worker processes keep serving by design (server.join never returns). The UNIMPLEMENTED message is harmless."))
def ps():
    S=Set('saqr-1190','om_ps','2026-10-12 22:17:48',tz=4,rep=REP)
    for p in ['chief-0','worker-0','worker-1']: S.write(f'{p}.log',S.log(f'saqr-long-{p}.log'))
    S.write('README.md','''Chief and both workers of the long run (40k steps), from Loki. For the ps pods Loki only has nothing: promtail does not
run on the two storage nodes where the ps pods go, and the pods were gone when I looked (ttlSecondsAfterFinished 600).
No events kept after 1 h. Khalid had a look at node exporter and saw nothing special, but there was an update of
containerd on "some nodes" that evening.
- Maryam
''')
    S.pack('tar czf {o}.tar.gz *',dict(cause='ps.unavailable',node=['saqr-long-ps-0','ps:0'],notes="Only survivors' logs: chief and workers lose /job:ps/task:0 (Socket closed, then connection refused). Why ps-0 died cannot be told; the containerd update is only hearsay.",also=['network.unreachable-peer']))
for f in sys.argv[1:]: globals()[f]()
