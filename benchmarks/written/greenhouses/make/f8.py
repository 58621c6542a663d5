from f import *
r=load('i8'); PP=r['procs']; t0=PP[0]['t0']
c=Clk(t0,'2026-11-27T10:22:48',1)
d=fresh('i8'); rnd=random.Random(8)
ses='session_2026-11-27_08-02-11_447210_1'
hexa=lambda n:''.join(rnd.choice('0123456789abcdef') for _ in range(n))
wid=[hexa(56) for _ in PP]; node=[hexa(56) for _ in PP]
drv=[]
for i,p in enumerate(PP):
    ip=p['node'][3:].replace('-','.')
    for ext in ('out','err'):
        w(d,f'{p["node"]}/{ses}/logs/worker-{wid[i]}-0b000000-{p["pid"]}.{ext}',f':job_id:0b000000\n:actor_name:RayTrainWorker\n'+''.join(c.fix(x)+'\n' for t,s,x in p['log'] if s==ext))
    for t,s,x in p['log']:
        if not x.strip(): continue
        drv.append((c.m(t)+rnd.random()*.4*0,f'(RayTrainWorker pid={p["pid"]}, ip={ip}) {c.fix(x)}' if i else f'(RayTrainWorker pid={p["pid"]}) {c.fix(x)}'))
    L=[];b=c.m(t0)-1500
    for k in range(320):
        b+=rnd.expovariate(1/5.)
        z=D.datetime.fromtimestamp(b,c.tz).strftime('%Y-%m-%d %H:%M:%S,%f')[:-3]
        L.append((b,f'[{z} {rnd.choice("IIIIW")} 188 188] (raylet) '+rnd.choice(['node_manager.cc:622: Sending local GC request to raylet.','object_store.cc:51: Object store current usage %d / 9.1 GB.'%rnd.randint(1,4),'local_object_manager.cc:490: Restored %d MiB, %d objects, read throughput %d MiB/s'%(rnd.randint(10,400),rnd.randint(1,20),rnd.randint(80,700)),'worker_pool.cc:501: Started worker process with pid %d, the token is %d'%(rnd.randint(1000,60000),k),'memory_monitor.cc:89: MemoryMonitor running. Usage 71%, threshold 95%.','worker_pool.cc:1107: Number of alive worker processes: %d'%rnd.randint(3,12)])))
    z=c.f(p['t1'],'%Y-%m-%d %H:%M:%S,%f')[:-3]
    L.append((c.m(p['t1']),f'[{z} I 188 188] (raylet) node_manager.cc:1586: NodeManager::DisconnectClient, disconnect_type=3, has creation task exception = false'))
    L.append((c.m(p['t1'])+.001,f'[{z} I 188 188] (raylet) node_manager.cc:1686: Driver (pid={p["pid"]}) is disconnected. worker_id = {wid[i]}' if 0 else f'[{z} W 188 188] (raylet) node_manager.cc:1639: Worker: {wid[i]} pid={p["pid"]} exited, exit detail: The worker is killed by actor termination: ray.kill'))
    L.sort(); w(d,f'{p["node"]}/{ses}/logs/raylet.out','\n'.join(x for _,x in L)+'\n')
drv.sort(key=lambda q:q[0])
bad=PP[1]
# ray dedup
out=[];last={}
for t,x in drv:
    k=re.sub(r'^\(.*?\) ','',x); k=re.sub(r'\d','#',k)
    out.append(x)
e=c.f(bad['t1'],'%Y-%m-%d %H:%M:%S,%f')[:-3]
head=f'''2026-11-27 10:22:31,004	INFO job_manager.py:531 -- Runtime env is setting up.
2026-11-27 10:22:33,912	INFO worker.py:1554 -- Using address 10.2.6.14:6379 set in the environment variable RAY_ADDRESS
2026-11-27 10:22:33,917	INFO worker.py:1694 -- Connecting to existing Ray cluster at address: 10.2.6.14:6379...
2026-11-27 10:22:33,931	INFO worker.py:1879 -- Connected to Ray cluster. View the dashboard at 10.2.6.14:8265 
>>> szkody: start treningu, 3 workery, eksperyment sz-{hexa(5)}
(TensorflowTrainer pid=30100) Started distributed worker processes: 
'''+''.join(f'(TensorflowTrainer pid=30100) - (node_id={node[i]}, ip={p["node"][3:].replace("-",".")}, pid={p["pid"]}) world_rank={i}, local_rank=0, node_rank={i}\n' for i,p in enumerate(PP))
w(d,'driver-raysubmit_'+'Kq3xW9tYz1LmN7ab.log',head+'\n'.join(out)+f'\n>>> szkody: trening przerwany ({e}), sprzątam\n')
w(d,'opis_zgloszenia.txt','Zgłoszenie PZU-ML/2210\nTrening klasyfikatora szkód pada po około 120 krokach (wczoraj kończył się normalnie; w nocy dograno nowe zdjęcia od rzeczoznawców).\nW logu drivera mieszają się trzy workery, nie wiemy co było pierwsze, po minucie ciszy ubiłam całość ręcznie (SIGTERM, potem ray.kill). Proszę o pomoc. K. Wiśniewska\n')
arc='wola-2210.tar.gz'; pack(d,arc,'zgloszenie-2210')
truth('wola-2210',arc,'data.shape-mismatch',['ip-10-2-6-71','worker:1','10.2.6.71'],[],'Worker 1 on 10.2.6.71 meets an image of shape [64,48,3] in its own shard and fails with "Cannot batch tensors with different shapes in component 0"; the other two print nothing and stop at krok 124, waiting in the all-reduce, until everything is stopped a minute later (their SIGTERM lines are a false lead).')
