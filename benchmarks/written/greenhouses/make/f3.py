from f import *
r=load('i3'); P={p['id']:p for p in r['procs']}; t0=P['stale']['t0']+5
c=Clk(t0,'2026-11-30T22:15:04',-3,[(26,26),(45.5,1266)])
d=fresh('i3')
A={'w0':'5f1c07aa-2b7e-9c41-0d5e-8a1f6a6f0b11','w1':'c2d9e5b0-7714-53a8-b0c9-1e7b4f8d2a60','w2':'91ab33f4-06de-4e2f-a1f7-d55c1809ce73'}
for k,a in A.items():
    o=e=''
    for id in sorted(i for i in P if i.startswith(k+'#')):
        for t,s,x in P[id]['log']:
            if s=='out': o+=c.fix(x)+'\n'
            else: e+=c.fix(x)+'\n'
    w(d,f'alloc/{a}/alloc/logs/treino.stdout.0',o); w(d,f'alloc/{a}/alloc/logs/treino.stderr.0',e)
ev=lambda t:c.f(t,'%Y-%m-%dT%H:%M:%S-03:00')
def status(k,a,node,rows,st,desc):
    return f'''ID                  = {a}
Eval ID             = 2c0f9a1b-44b1-7d0a-5be2-0f3f7c6d1e90
Name                = antifraude-pix.treino[{k[1]}]
Node ID             = {dict(w0="7a11c0de",w1="b2f0e4d1",w2="e09c7f35")[k]}
Node Name           = {node}
Job ID              = antifraude-pix
Job Version         = 14
Client Status       = {st}
Client Description  = {desc}
Desired Status      = stop
Desired Description = alloc not needed due to job update
Created             = {ev(t0-2)}
Modified            = {ev(t0+47)}

Allocation Addresses:
Label  Dynamic  Address
*grpc  no       {dict(w0="10.120.8.24",w1="10.120.8.27",w2="10.120.8.29")[k]}:25017

Task "treino" is "dead"
Task Resources:
CPU        Memory           Disk     Addresses
0/4000 MHz  0 B/12 GiB      300 MiB  

Task Events:
Started At     = {ev(t0)}
Finished At    = {ev(rows[0][0])}
Total Restarts = {2 if k=="w2" else 0}
Last Restart   = {ev(P["w2#2"]["t0"]) if k=="w2" else "N/A"}

Recent Events:
Time                       Type             Description
'''+''.join(f'{ev(t):25}  {a_:15}  {b_}\n' for t,a_,b_ in rows)
p2=[P[f'w2#{i}'] for i in range(3)]
rows2=[(p2[2]['t1']+.3,'Not Restarting','Exceeded allowed attempts 2 in interval 30m0s and mode is "fail"'),(p2[2]['t1'],'Terminated','Exit Code: 1'),(p2[2]['t0'],'Started','Task started by client'),(p2[1]['t1']+.1,'Restarting','Task restarting in 15.8s'),(p2[1]['t1'],'Terminated','Exit Code: 1'),(p2[1]['t0'],'Started','Task started by client'),(p2[0]['t1']+.1,'Restarting','Task restarting in 16.4s'),(p2[0]['t1'],'Terminated','Exit Code: 1'),(p2[0]['t0'],'Started','Task started by client'),(t0-1.2,'Task Setup','Building Task Directory'),(t0-1.6,'Received','Task received by client')]
w(d,'nomad-alloc-status-91ab33f4.txt',status('w2',A['w2'],'nmd-sp-09',rows2,'failed','Failed tasks'))
for k,n in (('w0','nmd-sp-04'),('w1','nmd-sp-07')):
    p=P[k+'#0']
    w(d,f'nomad-alloc-status-{A[k][:8]}.txt',status(k,A[k],n,[(p['t1'],'Killed','Task successfully killed'),(p['t1'],'Terminated','Exit Code: 137, Signal: 9'),(p['t1']-5,'Killing','Sent interrupt. Waiting 5s before force killing'),(p['t0'],'Started','Task started by client'),(t0-1.3,'Task Setup','Building Task Directory'),(t0-1.7,'Received','Task received by client')],'complete','All tasks have completed'))
rnd=random.Random(5)
for n in ('nmd-sp-04','nmd-sp-07','nmd-sp-09'):
    L=[]
    base=c.m(t0)
    for k in range(330):
        t=base-1500+k*rnd.uniform(8.5,9.2)
        L.append((t,rnd.choice(['[DEBUG] http: request complete: method=GET path=/v1/agent/health?type=client duration="%dµs"'%rnd.randint(200,900),'[INFO]  client.gc: garbage collection skipped because no terminal allocations: reason="number of allocations (%d) is over the limit (50)"'%rnd.randint(51,58),'[DEBUG] client: updated allocations: index=%d total=%d pulled=0 filtered=%d'%(884000+k,52,52),'[DEBUG] client: allocation updates: added=0 removed=0 updated=0 ignored=52','[WARN]  client.driver_mgr.docker: failed to reattach to docker logger process: driver=docker error="failed to reattach to docker logger process: Reattachment process not found"' if k%97==0 else '[DEBUG] http: request complete: method=GET path=/v1/metrics?format=prometheus duration="%.3fms"'%rnd.uniform(2,9)])))
    def ad(t,x): L.append((c.m(t),x))
    k={'nmd-sp-04':'w0','nmd-sp-07':'w1','nmd-sp-09':'w2'}[n]; a=A[k]
    tr='client.alloc_runner.task_runner'
    ad(t0-1.6,f'[INFO]  {tr}: Task event: alloc_id={a} task=treino type=Received msg="Task received by client" failed=false')
    for p in [P[i] for i in sorted(P) if i.startswith(k)]:
        ad(p['t0'],f'[INFO]  {tr}: Task event: alloc_id={a} task=treino type=Started msg="Task started by client" failed=false')
        ad(p['t1'],f'[INFO]  {tr}: Task event: alloc_id={a} task=treino type=Terminated msg="Exit Code: {1 if k=="w2" else 137}" failed=false')
    if k=='w2':
        L.append((base-1391,'[INFO]  client.driver_mgr.raw_exec: sending signal to task: driver=raw_exec task_name=treino signal=SIGTERM'))
        L.append((base-1386,'[WARN]  client.driver_mgr.raw_exec: executor: error killing task, child may have been left behind: driver=raw_exec alloc_id=0d7be3f1-9f0a-8c0d-7c11-5b2e60aa91f0 task_name=treino pid=6572 error="context deadline exceeded"'))
        L.append((base-1386+.02,'[INFO]  client.gc: marking allocation for GC: alloc_id=0d7be3f1-9f0a-8c0d-7c11-5b2e60aa91f0'))
        ad(p['t1']+.3,f'[INFO]  {tr}: not restarting task: alloc_id={a} task=treino reason="Exceeded allowed attempts 2 in interval 30m0s and mode is \\"fail\\""')
    L.sort(); 
    w(d,f'agente/{n}.nomad.log',''.join(D.datetime.fromtimestamp(t,c.tz).strftime('%Y-%m-%dT%H:%M:%S.%f')[:-3]+f'-0300 {x}\n' for t,x in L))
w(d,'anotacoes/nmd-sp-09.txt','[suporte@nmd-sp-09 ~]$ date\nseg 30 nov 2026 22:44:51 -03\n[suporte@nmd-sp-09 ~]$ sudo ss -ltnp | grep -v 127.0.0\n'+r['extra']['ss']+'LISTEN 0      128          0.0.0.0:22         0.0.0.0:*    users:(("sshd",pid=1188,fd=3))\nLISTEN 0      4096               *:4646             *:*    users:(("nomad",pid=1502,fd=9))\n[suporte@nmd-sp-09 ~]$ ps -o pid,ppid,lstart,cmd -p 6572\n    PID    PPID                  STARTED CMD\n   6572       1 Mon Nov 30 16:02:37 2026 /opt/venv/bin/python /local/app/treino_fraude.py\n')
w(d,'job/antifraude-pix.nomad.hcl','''job "antifraude-pix" {
  datacenters = ["sp1"]
  type        = "batch"
  group "treino" {
    count = 3
    constraint { distinct_hosts = true }
    network { port "grpc" { static = 25017 } }
    restart { attempts = 2  interval = "30m"  delay = "15s"  mode = "fail" }
    task "treino" {
      driver = "raw_exec"
      config { command = "/opt/venv/bin/python"  args = ["/local/app/treino_fraude.py"] }
      template { destination = "secrets/tf.env"  env = true  data = "TF_CONFIG={{ key \\"antifraude/tf_config\\" }}" }
      resources { cpu = 4000  memory = 12288 }
    }
  }
}
''')
w(d,'LEIAME.txt','Pessoal, o treino do PIX ficou ~20 min parado em "Waiting for 1/3 tasks to connect" e eu parei o job.\nO nó 04 (líder) parece travado. Rede entre 04 e 09 ok (ping ok, nc -z 10.120.8.29 25017 conecta).\nhorários em -03. — Thaís, plantão MLOps\n')
arc='paulista-14.zip'; pack(d,arc,'coleta')
truth('paulista-14',arc,'network.port-in-use',['nmd-sp-09','worker:2','10.120.8.29','91ab33f4'],[],'worker 2 on nmd-sp-09 cannot bind 25017 (Failed to add port to server / Could not start gRPC server) because pid 6572, an orphan of the former allocation, still listens there; restarts exhausted. worker 0 just waits for 1/3 tasks; that nc connects to 10.120.8.29:25017 is a false lead (it is the orphan that answers).')
