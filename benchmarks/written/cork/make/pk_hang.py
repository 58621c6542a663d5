import shutil,os,sys,re,glob,json; sys.path.insert(0,'/opt/incidents/make'); from deliver import *
B='/opt/incidents/run/b_g'; S='/opt/incidents/run/t4h'; shutil.rmtree(B,ignore_errors=True); os.makedirs(B)
# one merged stream, as the log search exports it
rows=[]
for f in glob.glob(S+'/log/*.json'): rows+=[json.loads(l) for l in open(f)]
rows.sort(key=lambda r:(r['@timestamp'],r['seq']))
with open(B+'/export-opensearch.jsonl','w') as o:
    for i,r in enumerate(rows): o.write(json.dumps({"_index":"majani-2026.11.28","_id":f"{i:06x}","_source":r},ensure_ascii=False)+'\n')
for n in('mkufunzi-0','mkufunzi-1','mkufunzi-2'): shutil.copy(f'{S}/proc_{n}.txt',B+f'/proc-{n}.txt')
lk=open(S+'/locks').read(); ino=lk.strip().split('\n')[-1].split()[0]
rel=[l for l in lk.split('\n') if f':{ino} ' in l]
open(B+'/node-shamba-node-2.txt','w').write(f"""# on shamba-node-2 (runs mkufunzi-1 and kuweka-lebo-7d9), 20:25 EAT
$ stat -c '%i %n' /var/lib/majani/kache1/kache.lock
{ino} /var/lib/majani/kache1/kache.lock
$ grep {ino} /proc/locks
"""+'\n'.join(rel)+f"""
$ ps -o pid,etime,args -p {rel[0].split('WRITE ')[1].split()[0]},{rel[-1].split('WRITE ')[1].split()[0]}
    PID     ELAPSED COMMAND
  {rel[-1].split('WRITE ')[1].split()[0]}       01:15 python -u chai.py trainer
  {rel[0].split('WRITE ')[1].split()[0]}       00:46 /usr/bin/kuweka-lebo --kache /kache --shika-lock
"""+"""$ dmesg -T | tail -3
[Sat Nov 28 06:10:02 2026] IPVS: rr: TCP 10.96.0.10:53 - no destination available
[Sat Nov 28 06:10:02 2026] IPVS: rr: UDP 10.96.0.10:53 - no destination available
[Sat Nov 28 11:47:39 2026] eth0: renamed from tmp8ad21
$ uptime
 load average: 0.21, 0.80, 1.02
""".replace('20:xx','20:2x'))
open(B+'/kubectl.txt','w').write("""$ kubectl -n majani-prod get pods -o wide
NAME                          READY   STATUS    RESTARTS      AGE     IP           NODE
mkufunzi-0                    1/1     Running   0             78s     10.60.0.14   shamba-node-1
mkufunzi-1                    1/1     Running   0             77s     10.60.1.9    shamba-node-2
mkufunzi-2                    1/1     Running   0             75s     10.60.2.22   shamba-node-3
kuweka-lebo-7d9c5f6b8-lq2vd   1/1     Running   0             46s     10.60.1.40   shamba-node-2
coredns-5d78c9869d-2dz8x      1/1     Running   2 (11h ago)   40d     10.60.0.3    shamba-node-1
$ kubectl -n majani-prod top pods
NAME                          CPU(cores)   MEMORY(bytes)
mkufunzi-0                    4m           561Mi
mkufunzi-1                    3m           560Mi
mkufunzi-2                    3m           559Mi
kuweka-lebo-7d9c5f6b8-lq2vd   1m           14Mi
""")
open(B+'/ujumbe.txt','w').write("""Training majani hangs, no error at all. All three pods Running, CPU ~0, last step the same on all (see export).
We sent SIGUSR1 to all trainers for stacks and afterwards deleted the pods (SIGTERM).
coredns restarted twice this morning, suspect network? Ping between nodes is fine.
kuweka-lebo (labelling) was opened by Otieno a bit before on his screen, it only reads the cache.
""")
shutil.copy('/opt/incidents/make/t4/chai.py',B)
sub_tree(B,[(r'/opt/tfenv/lib/python3\.11','/usr/local/lib/python3.11'),(r'/root/\.pyenv/versions/3\.11\.7/lib','/usr/local/lib'),(r'/opt/tfenv/bin/python','/usr/local/bin/python'),(r'/opt/incidents/make/t4/','/app/'),(r'/opt/incidents/run/t4h/kache(\d)',r'/var/lib/majani/kache\1'),(r'/opt/incidents/run/t4h/log/[^ ]*','/dev/termination-log')])
deliver('kericho-kimya-3',B,'tar.gz','sync.hang','mkufunzi-1',[], "All three trainers stop at the same step without an error. The stacks show mkufunzi-0 and -2 inside the training step (waiting for the all-reduce) while mkufunzi-1 waits in Q.get and its filler thread jaza in fcntl.flock on kache.lock, which the labelling pod on the same node holds. coredns restarts are a false lead; the Terminated end is the deletion of the pods.")
