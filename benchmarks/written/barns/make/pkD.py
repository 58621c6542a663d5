from pk import *
d=load('D'); ho={'disp':'barn-gw','dwa':'barn-db1','dwb':'barn-db2','tr0':'barn-gpu1','tr1':'barn-gpu2'}
subs=[('ipv4:127.0.0.40','ipv4:172.20.0.40'),('127.0.0.40:21300','dispatcher.barn-gw:5050'),('127.0.0.41:21301','barn-db1:5051'),('127.0.0.42:21302','barn-db2:5051'),('localhost:21300','dispatcher.barn-gw:5050'),('/opt/incidents/make/','/workspace/'),('/opt/incidents/run/D/data','/mirror/herd2026'),('/opt/tfenv','/opt/venv'),('/root/.pyenv/versions/3.11.7','/usr/local')]
P=post(d,'2026-02-17T09:31:44-06:00',-6,subs)
lo=[]
r=R(11)
for p in d['procs']:
    for t,k,l in p['lines']:
        l=P.line(l,0,tids(-p['pid']+1)); l=re.sub(r'"ts": (\d+)\.',lambda m:'"ts": %d.'%(int(m[1])+int(P.shift)),l)
        lo.append((int((t+P.shift)*1e9)+r.randint(0,999),{'host':ho[p['name']],'compose_service':{'disp':'dispatcher','dwa':'dataworker','dwb':'dataworker','tr0':'trainer','tr1':'trainer'}[p['name']],'stream':'std'+k},l))
t0=d['procs'][0]['t0']+P.shift
for _ in range(420):
    h=r.choice(list(ho.values())); t=t0+r.uniform(-1800,60)
    lo.append((int(t*1e9),{'host':h,'compose_service':'promtail','stream':'stderr'},r.choice(['level=warn ts=%s caller=client.go:419 component=client msg="error sending batch, will retry" status=429 tenant= error="server returned HTTP status 429 Too Many Requests"','level=info ts=%s caller=tailer.go:147 component=tailer msg="tail routine: started"','level=error ts=%s caller=filetarget.go:340 msg="failed to tail file, stat failed" error="stat /var/lib/docker/containers/3b: no such file or directory"'])%dt.datetime.utcfromtimestamp(t).strftime('%Y-%m-%dT%H:%M:%S.%fZ')))
for k in range(160):
    h=r.choice(['barn-db1','barn-db2']); t=t0-1500+k*8
    lo.append((int(t*1e9),{'host':h,'compose_service':'mirror-sync','stream':'stdout'},r.choice(['rsync: shard-%02d.tfrecord up to date'%r.randint(0,3),'sleeping 300s','receiving incremental file list'])))
lo.append((int((t0-1702)*1e9),{'host':'barn-db2','compose_service':'mirror-sync','stream':'stderr'},'rsync error: timeout in data send/receive (code 30) at io.c(204) [receiver=3.2.7] (partial file kept: --inplace)'))
lo.append((int((t0-1690)*1e9),{'host':'barn-db2','compose_service':'mirror-sync','stream':'stdout'},'retry 2/3 ok (--size-only)'))
lo.sort(key=lambda x:x[0])
import glob
md=lambda m:[f'{hashlib.md5(open(f,"rb").read()).hexdigest()}  /mirror/herd2026/{os.path.basename(f)}' for f in sorted(glob.glob(f'/opt/incidents/run/D/mir_{m}/*'))]
files={'loki-export.jsonl':[json.dumps({'timestamp':str(a),'labels':b,'line':c}) for a,b,c in lo],
 'hashes/barn-db1.md5':md('a'),'hashes/barn-db2.md5':md('b'),
 'compose.yaml':'''# trimmed
services:
  dispatcher: {image: herd/tf:2.21, command: "python /workspace/mh_dispatch.py 5050", deploy: {placement: {constraints: ["node.hostname==barn-gw"]}}}
  dataworker: {image: herd/tf:2.21, command: "python /workspace/mh_dworker.py dispatcher.barn-gw:5050 $HOST:5051", volumes: ["/mirror:/mirror:ro"], deploy: {mode: global}}
  trainer: {image: herd/tf:2.21, command: "python /workspace/mh_train.py", environment: {DISPATCHER: "grpc://dispatcher.barn-gw:5050", SHARDS: "/mirror/herd2026/shard-*.tfrecord"}}
''','NOTE.md':'Both trainers blow up within seconds, different step each time. Is the tf.data service dropping packets? promtail 429s all morning too, so the network *is* busy. Hashes of both mirrors attached b/c Dale asked.\n\n- exported via logcli, `{stack="herd-yield"}`, 10:05 CST\n'}
mk('herd-yield-17feb','.tar.xz',files,'data.corrupt-record','barn-db2',[],"DataLossError 'corrupted record at ...' reaches both trainers from data worker barn-db2:5051 only; shard-02 on barn-db2's mirror has another md5 than on barn-db1 (interrupted rsync --inplace, then --size-only). promtail 429 messages are noise; the trainers are victims.")
