import shutil,os,sys,re,glob,json; sys.path.insert(0,'/opt/incidents/make'); from deliver import *
B='/opt/incidents/run/b_o'; S='/opt/incidents/run/t4o'; shutil.rmtree(B,ignore_errors=True); os.makedirs(B)
rows=[]
for f in glob.glob(S+'/log/*.json'):
    for l in open(f):
        r=json.loads(l); rows.append((r['@timestamp'],r['seq'],r['kubernetes']['pod'],r['kubernetes']['container'],r['stream'],r['log']))
by={}
for r in sorted(rows): by.setdefault(r[2],[]).append(r)
import datetime
def eat(t): return (datetime.datetime.fromisoformat(t[:-1])+datetime.timedelta(hours=3)).isoformat(timespec='milliseconds')+'+03:00'
with open(B+'/kubectl-logs.txt','w') as o:
    for p,rs in by.items():
        for r in rs:
            if r[4]=='sidecar': continue
            o.write(f"[pod/{p}/{r[3]}] {eat(r[0])} {r[5]}\n")
open(B+'/describe.txt','w').write("""Name:             mkufunzi-0
Namespace:        majani-prod
Node:             shamba-node-4/10.20.4.4
Status:           Succeeded
IP:               10.244.4.9
Containers:
  trainer:
    Image:          registry.majani.local/gredi:2.21-4
    State:          Terminated
      Reason:       Completed
      Exit Code:    0
    Ready:          False
    Restart Count:  0
    Limits:
      cpu:     4
      memory:  6Gi
Events:
  Type     Reason     Age    From               Message
  ----     ------     ----   ----               -------
  Normal   Scheduled  3m     default-scheduler  Successfully assigned majani-prod/mkufunzi-0 to shamba-node-4
  Warning  FailedMount  3m   kubelet            MountVolume.SetUp failed for volume "kube-api-access-x7r2k" : failed to sync configmap cache: timed out waiting for the condition
  Normal   Pulled     3m     kubelet            Container image "registry.majani.local/gredi:2.21-4" already present on machine
  Normal   Started    3m     kubelet            Started container trainer

Name:             gredi-dispatcher-0
Status:           Running
  Restart Count:  0
Events:
  Warning  Unhealthy  3m   kubelet            Readiness probe failed: dial tcp 10.244.1.30:5050: connect: connection refused
  Normal   Started    3m   kubelet            Started container data

Name:             gredi-data-7c5d8f9b44-zk8lm
Status:           Running
Events:
  Normal   SuccessfulRescale  2m   horizontal-pod-autoscaler  New size: 3; reason: cpu resource utilization above target
""")
open(B+'/swali.txt','w').write("""Habari, is this run OK? I see "connection refused" warnings and "Failed" lines at the beginning and cannot judge if the grades can be used.
Scaled from 2 to 3 data pods in the middle. After the trainer was done I removed the deployment (SIGTERM), so the data pods end there.
Wanjiru
""")
shutil.copy('/opt/incidents/make/t4/chai.py',B)
sub_tree(B,[(r'/opt/tfenv/lib/python3\.11','/usr/local/lib/python3.11'),(r'/opt/tfenv/bin/python','/usr/local/bin/python'),(r'/opt/incidents/make/t4/','/app/'),(r'/opt/incidents/run/shamba','/shamba')])
deliver('kericho-gredi-115',B,'zip','none',None,[], "A healthy run: trainer and a data worker started before the dispatcher and retried until it was there, a third data worker joined later, 800 steps done, weights saved, exit code 0. The connection refused, readiness probe and FailedMount warnings at the start are ordinary noise.")
