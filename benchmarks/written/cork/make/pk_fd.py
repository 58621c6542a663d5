import shutil,os,sys,re,glob,json; sys.path.insert(0,'/opt/incidents/make'); from deliver import *
B='/opt/incidents/run/b_f'; S='/opt/incidents/run/t4g'; shutil.rmtree(B,ignore_errors=True); os.makedirs(B+'/pods')
for f in glob.glob(S+'/log/*.json'): shutil.copy(f,B+'/pods/'+os.path.basename(f)[:-5]+'.ndjson')
shutil.copy('/opt/incidents/make/t4/chai.py',B)
open(B+'/get-pods.txt','w').write("""$ kubectl -n majani-prod get pods -o wide
NAME                         READY   STATUS      RESTARTS   AGE   IP            NODE            NOMINATED NODE   READINESS GATES
gredi-dispatcher-0           1/1     Running     0          72s   10.244.1.17   shamba-node-1   <none>           <none>
gredi-data-6f8c9d7b5-2xk9p   1/1     Running     0          72s   10.244.2.31   shamba-node-2   <none>           <none>
gredi-data-6f8c9d7b5-w7tqz   0/1     Error       0          68s   10.244.3.8    shamba-node-3   <none>           <none>
mkufunzi-0                   1/1     Running     0          64s   10.244.4.5    shamba-node-4   <none>           <none>
mkufunzi-1                   1/1     Running     0          46s   10.244.4.6    shamba-node-4   <none>           <none>
$ kubectl get nodes
NAME            STATUS   ROLES           AGE    VERSION
shamba-node-1   Ready    control-plane   311d   v1.29.6
shamba-node-2   Ready    <none>          311d   v1.29.6
shamba-node-3   Ready    <none>          2d     v1.29.6
shamba-node-4   Ready    <none>          311d   v1.29.6
$ kubectl -n majani-prod get events --sort-by=.lastTimestamp | tail -6
72s         Normal    Scheduled                pod/gredi-data-6f8c9d7b5-w7tqz   Successfully assigned majani-prod/gredi-data-6f8c9d7b5-w7tqz to shamba-node-3
71s         Normal    Pulled                   pod/gredi-data-6f8c9d7b5-w7tqz   Container image "registry.majani.local/gredi:2.21-4" already present on machine
70s         Warning   Unhealthy                pod/gredi-dispatcher-0           Readiness probe failed: dial tcp 10.244.1.17:5050: connect: connection refused
64s         Normal    Started                  pod/mkufunzi-0                   Started container trainer
46s         Normal    Started                  pod/mkufunzi-1                   Started container trainer
29s         Warning   BackOff                  pod/chanjo-report-28614-x8r2d    Back-off restarting failed container report in pod chanjo-report-28614-x8r2d
""")
open(B+'/README.txt','w').write("""Grading run of Saturday evening (EAT, logs are UTC). One data pod dies with exit code 134 each time we start the second trainer;
the other pod (same image, same deployment) keeps going and does all the work alone, so we deleted everything after a minute.
New node shamba-node-3 was added on Thursday with containerd 1.7 from the distribution, image is the same.
Files are on the read-only share /shamba (240 files), all md5 ok. We thought of the random number hardware of the new node (AMD),
rngtest says it is fine. Readiness probe of the dispatcher failed once - is that important? Memory of the pod was 700 MB of 6 GB.
Asante, Wanjiru (Majani Grading, Kericho)
""")
sub_tree(B,[(r'/opt/tfenv/lib/python3\.11','/usr/local/lib/python3.11'),(r'/opt/tfenv/bin/python','/usr/local/bin/python'),(r'/opt/incidents/make/t4/','/app/'),(r'/opt/incidents/run/shamba','/shamba')])
deliver('kericho-gredi-112',B,'tar.gz','resource.fd-limit','gredi-data-6f8c9d7b5-w7tqz',['process.abort-check'], sys.argv[1] if len(sys.argv)>1 else 'TODO')
