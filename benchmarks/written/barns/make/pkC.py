from pk import *
d=load('C'); nm={'chief0':'rota-chief-0','ps0':'rota-ps-0','ps1':'rota-ps-1','worker0':'rota-worker-0','worker1':'rota-worker-1'}
ip={'10:21209':'10.128.4.17','20:21210':'10.128.4.18','21:21211':'10.128.7.55','30:21220':'10.128.5.9','31:21221':'10.128.5.10'}
hn={'10:21209':'rota-chief-0','20:21210':'rota-ps-0','21:21211':'rota-ps-1','30:21220':'rota-worker-0','31:21221':'rota-worker-1'}
subs=[(rf'ipv4:127\.0\.0\.{k}',f'ipv4:{v}:2222') for k,v in ip.items()]+[(rf'127\.0\.0\.{k}',f'{v}.rota-hs.ml-logistica.svc:2222') for k,v in hn.items()]+[('/opt/incidents/make/','/app/'),('/opt/tfenv/lib/python3.11/site-packages','/usr/local/lib/python3.11/site-packages'),('/opt/tfenv','/usr/local'),('/root/.pyenv/versions/3.11.7','/usr/local')]
P=post(d,'2026-04-22T14:03:11+00:00',0,subs); files={}
for p in d['procs']:
    n=nm[p['name']]; out=[]
    if p['end'] is None: p['end']=d['kill']+9
    for t,k,l in sorted(p['lines'],key=lambda x:x[0]):
        x=P.dt(t); l=P.line(l,0,[(r'on host vm ',f'on host {n} ')]+tids(-p['pid']+7))
        out.append(f'{x:%Y-%m-%dT%H:%M:%S}.{x.microsecond:06d}{(p["pid"]*7)%1000:03d}Z {l}')
    files[f'logs/{n}.log']=out
k=P.dt(d['kill'])
def Z(s): return (k+dt.timedelta(seconds=s)).strftime('%Y-%m-%dT%H:%M:%SZ')
nodes={'rota-chief-0':'ip-10-20-4-11','rota-ps-0':'ip-10-20-4-11','rota-ps-1':'ip-10-20-7-83','rota-worker-0':'ip-10-20-5-40','rota-worker-1':'ip-10-20-5-40'}
st={'rota-chief-0':('0/1','Error',),'rota-ps-0':('1/1','Running'),'rota-ps-1':('0/1','Error'),'rota-worker-0':('1/1','Running'),'rota-worker-1':('1/1','Running')}
files['pods.txt']=['$ kubectl -n ml-logistica get pods -o wide','NAME             READY   STATUS    RESTARTS   AGE     IP            NODE                                       NOMINATED NODE   READINESS GATES']+[f'{a:16} {st[a][0]:7} {st[a][1]:9} 0          4m12s   {ip[[q for q in hn if hn[q]==a][0]]:13} {nodes[a]}.sa-east-1.compute.internal   <none>           <none>' for a in sorted(nodes)]
def desc(a,state):
    return f'''Name:             {a}
Namespace:        ml-logistica
Service Account:  treino
Node:             {nodes[a]}.sa-east-1.compute.internal/{nodes[a][3:].replace('-','.')}
Start Time:       {(k-dt.timedelta(seconds=31)).strftime('%a, %d %b %Y %H:%M:%S +0000')}
Labels:           app=rota
                  papel={a.split('-')[1]}
Status:           {'Failed' if 'Terminated' in state else 'Running'}
IP:               {ip[[q for q in hn if hn[q]==a][0]]}
Containers:
  tf:
    Image:         registry.interno/rota-treino:2.21-r14
    Port:          2222/TCP
    Command:
      python
      /app/roteiriza.py
{state}
    Limits:
      cpu:     4
      memory:  12Gi
    Requests:
      cpu:     2
      memory:  8Gi
    Environment:
      TF_CONFIG:  <set to the key 'tf_config' of config map '{a}'>
Restart Policy:    Never
QoS Class:         Burstable
Events:            <none>
'''
import datetime as dt
f=lambda s:(k+dt.timedelta(seconds=s)).strftime('%a, %d %b %Y %H:%M:%S +0000')
files['describe/rota-ps-1.txt']=desc('rota-ps-1',f'''    State:          Terminated
      Reason:       Error
      Exit Code:    137
      Started:      {f(-18)}
      Finished:     {f(0)}
    Ready:          False
    Restart Count:  0''')
files['describe/rota-chief-0.txt']=desc('rota-chief-0',f'''    State:          Terminated
      Reason:       Error
      Exit Code:    1
      Started:      {f(-18)}
      Finished:     {f(2)}
    Ready:          False
    Restart Count:  0''')
files['describe/rota-worker-0.txt']=desc('rota-worker-0',f'''    State:          Running
      Started:      {f(-18)}
    Ready:          True
    Restart Count:  0''')
files['top.txt']=['# coletado pelo cron de 10 s (kubectl top pods)',f'{Z(-9)} rota-chief-0   812m 611Mi',f'{Z(-9)} rota-ps-0      120m 402Mi',f'{Z(-9)} rota-ps-1      133m 398Mi',f'{Z(-9)} rota-worker-0  402m 455Mi',f'{Z(-9)} rota-worker-1  377m 449Mi',f'{Z(1)} rota-chief-0   790m 630Mi',f'{Z(1)} rota-ps-0      118m 405Mi',f'{Z(1)} rota-worker-0  399m 457Mi',f'{Z(1)} rota-worker-1  381m 450Mi']
files['eventos.txt']=['LAST SEEN   TYPE      REASON             OBJECT                          MESSAGE']+[f'{3+i}m{(i*17)%60:02d}s       {a}' for i,a in enumerate(['Normal    Scheduled          pod/etl-cep-29133-x8kqp           Successfully assigned ml-logistica/etl-cep-29133-x8kqp to ip-10-20-5-40.sa-east-1.compute.internal','Warning   Unhealthy          pod/painel-7c6d9f4b8-2kq5m      Readiness probe failed: Get "http://10.128.5.71:8080/saude": context deadline exceeded','Warning   FailedGetResourceMetric  horizontalpodautoscaler/painel  failed to get cpu utilization: did not receive metrics for targeted pods','Normal    Completed          job/etl-cep-29133               Job completed','Warning   BackOff            pod/rastreio-0                  Back-off restarting failed container app in pod rastreio-0'])]
mk('rota-2204-c','.tgz',files,'ps.unavailable','rota-ps-1',['process.killed-by-signal'],"rota-ps-1 ended with exit code 137 (not OOMKilled, 398Mi of 12Gi in use), its log just stops; from then on chief and workers get Connection refused to 10.128.7.55:2222 (job:ps task:1). Who sent the SIGKILL is not in the collection. Events of other pods are noise.",top='coleta-rota')
