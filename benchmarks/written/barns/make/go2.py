import sys,json,signal,time,os,random,struct,glob
from lab import *
X='/opt/incidents/run/'
def tfc(n,i,base): return json.dumps({'cluster':{'worker':[f'127.0.0.{11+k}:{base+k}' for k in range(n)]},'task':{'type':'worker','index':i}})
def until(p,x,t=60):
    e=time.time()+t
    while time.time()<e and not p.has(x) and p.p.poll() is None: time.sleep(.05)
def A():
    d=X+'A/';os.makedirs(d,exist_ok=True)
    alle=['art%02d'%k for k in range(40)]
    open(d+'ny.txt','w').write('\n'.join(alle)); open(d+'gml.txt','w').write('\n'.join(alle[:37]))
    ps=[P(f'w{i}',[PY,'trenarme.py'],{'TF_CONFIG':tfc(4,i,21010),'ARTSLISTE':d+('gml.txt' if i==2 else 'ny.txt')}) for i in range(4)]
    waitall(ps,80); return ps,{}
def B():
    ps=[P(f'w{i}',[PY,'hakei_train.py'],{'TF_CONFIG':tfc(4,i,21110),'ROTATE_AT':'900' if i==1 else '0','STEPS':'600'}) for i in range(4)]
    until(ps[1],'キャッシュ入替'); time.sleep(12)
    t=time.time()
    for p in ps: os.kill(p.p.pid,signal.SIGUSR1); time.sleep(.4)
    time.sleep(5)
    for p in ps: os.kill(p.p.pid,signal.SIGUSR1); time.sleep(.4)
    time.sleep(1); 
    for p in ps: p.sig(signal.SIGINT)
    time.sleep(2); return ps,{'usr1':t}
def C():
    cl={'chief':['127.0.0.10:21209'],'ps':[f'127.0.0.{20+k}:{21210+k}' for k in range(2)],'worker':[f'127.0.0.{30+k}:{21220+k}' for k in range(2)]}
    ps=[P(f'{t}{i}',[PY,'roteiriza.py'],{'TF_CONFIG':json.dumps({'cluster':cl,'task':{'type':t,'index':i}})}) for t,i in [('ps',0),('ps',1),('worker',0),('worker',1),('chief',0)]]
    until(ps[4],'bloco 120 '); ps[1].sig(signal.SIGKILL); k=time.time(); ps[1].p.wait(); ps[1].end=k
    waitall([ps[4]],40); time.sleep(3); return ps,{'kill':k}
def D():
    os.makedirs(X+'D',exist_ok=True)
    code='''
import tensorflow as tf,random
for k in range(4):
    w=tf.io.TFRecordWriter('%sD/shard-%%02d.tfrecord'%%k)
    for _ in range(400): w.write(tf.train.Example(features=tf.train.Features(feature={'milk':tf.train.Feature(float_list=tf.train.FloatList(value=[random.random() for _ in range(16)])),'y':tf.train.Feature(float_list=tf.train.FloatList(value=[random.random()]))})).SerializeToString())
'''%X
    subprocess.run([PY,'-c',code],stderr=subprocess.DEVNULL)
    # each data worker sees its own mirror through a mount namespace
    for m in 'ab':
        os.makedirs(X+'D/mir_'+m,exist_ok=True)
        for f in glob.glob(X+'D/shard*'): 
            b=bytearray(open(f,'rb').read())
            if m=='b' and 'shard-02' in f:
                o=len(b)*6//10; b[o:o+4096]=b'\0'*4096
            open(X+'D/mir_%s/'%m+os.path.basename(f),'wb').write(b)
    os.makedirs(X+'D/data',exist_ok=True)
    def dw(n,port,m): return P(n,['unshare','-m','sh','-c',f'mount --bind {X}D/mir_{m} {X}D/data && exec {PY} mh_dworker.py 127.0.0.40:21300 127.0.0.{41 if m=="a" else 42}:{port}'])
    ps=[P('disp',[PY,'mh_dispatch.py','21300'])]; until(ps[0],'dispatcher up')
    ps+=[dw('dwa',21301,'a'),dw('dwb',21302,'b')]; until(ps[2],'registered'); until(ps[1],'registered')
    ps+=[P(f'tr{i}',['unshare','-m','sh','-c',f'mount --bind {X}D/mir_a {X}D/data && exec {PY} mh_train.py'],{'RANK':str(i),'DISPATCHER':'grpc://127.0.0.40:21300','SHARDS':X+'D/data/shard-*.tfrecord'}) for i in range(2)]
    waitall(ps[3:],100); t=time.time(); time.sleep(2)
    for p in ps[:3]: p.sig(signal.SIGTERM)
    time.sleep(2); return ps,{'end':t}
def E():
    os.makedirs(X+'E',exist_ok=True); r=random.Random(5)
    for k in range(300): open(X+'E/rame-%04d.bin'%k,'wb').write(struct.pack('<320f',*[r.gauss(0,1) for _ in range(320)]))
    import resource
    ps=[P(f'w{i}',[PY,'voie_train.py'],{'TF_CONFIG':tfc(4,i,21410),'SLURM_PROCID':str(i),'DONNEES':X+'E','CYCLE':'300'},pre=(lambda:resource.setrlimit(resource.RLIMIT_NOFILE,(256,256))) if i==3 else None) for i in range(4)]
    waitall(ps,60); return ps,{}
def F():
    ps=[P(f'w{i}',[PY,'guss.py'],dict({'TF_CONFIG':tfc(3,i,21510),'PAR':'4'},**({'LD_PRELOAD':os.getcwd()+'/nothr.so','MAXTHR':os.environ.get('MT','70')} if i==1 else {}))) for i in range(3)]
    waitall(ps,60); return ps,{}
def G():
    ps=[P(f'w{i}',[PY,'herdseq.py'],{'TF_CONFIG':tfc(4,[0,1,2,2][i],21610)}) for i in (0,1,2)]
    time.sleep(1.2)
    tc=json.loads(tfc(4,2,21610)); tc['cluster']['worker'][2]='127.0.0.14:21613'   # other machine binds its own port
    os.environ['x']='1'
    ps.append(P('w3',[PY,'herdseq.py'],{'TF_CONFIG':json.dumps(tc)}))
    waitall(ps,75); return ps,{}
def H():
    d=X+'H/';os.makedirs(d+'good',exist_ok=True)
    p=P('save',[PY,'herdseq.py'],{'TF_CONFIG':tfc(1,0,21690),'STEPS':'3','SAVE':d+'good'}); waitall([p],40)
    f=glob.glob(d+'good/*'); print(f)
    open(d+'good/checkpoint','w').write('model_checkpoint_path: "warm-1"\nall_model_checkpoint_paths: "warm-1"\n')
    os.makedirs(d+'bad',exist_ok=True)
    for q in glob.glob(d+'good/*'):
        b=open(q,'rb').read()
        if '.data-' in q: b=b[:32768]
        open(d+'bad/'+os.path.basename(q),'wb').write(b)
    os.makedirs(d+'warm',exist_ok=True)
    ps=[P(f'w{i}',['unshare','-m','sh','-c',f'mount --bind {d}{"bad" if i==1 else "good"} {d}warm && exec {PY} herdseq.py'],{'TF_CONFIG':tfc(3,i,21710),'RESTORE':d+'warm'}) for i in range(3)]
    waitall(ps,60); return ps,{}
def I():
    ps=[]
    for i in range(4):
        tc=json.loads(tfc(4,i,21810))
        if i==2: tc['cluster']['worker'][0]='trk-m1.halle2.example:21810'
        ps.append(P(f'w{i}',[PY,'herdseq.py' if 0 else 'gleis.py'],{'TF_CONFIG':json.dumps(tc)}))
    waitall([ps[2]],50); time.sleep(12); t=time.time()
    for p in ps: p.sig(signal.SIGTERM) if p.p.poll() is None else 0
    time.sleep(1); return ps,{'end':t}
def J():
    ps=[P(f'w{i}',[PY,'hakei_train.py'],{'TF_CONFIG':tfc(4,i,21910),'SHOWT':'1','READ_MS':'26' if i==2 else '1','STEPS':'180'}) for i in range(4)]
    waitall(ps,75); t=time.time()
    for p in ps: p.sig(signal.SIGTERM) if p.p.poll() is None else 0
    time.sleep(1); return ps,{'end':t}
def K():
    os.makedirs(X+'K',exist_ok=True)
    for i in range(3): open(X+f'K/aufnahmen_{i}.csv','w').write('aufnahme;hoehe\n'+'\n'.join('RX%d%05d;%d'%(i,k,1048608 if (i==2 and k==731) else 32) for k in range(2000))+'\n')
    ps=[P(f'w{i}',[PY,'guss2.py'],dict({'TF_CONFIG':tfc(3,i,22010),'ENTZERR':os.getcwd()+'/libentzerr.so','AUFNAHMEN':X+f'K/aufnahmen_{i}.csv'})) for i in range(3)]
    waitall(ps,60); return ps,{}
def L():
    os.makedirs(X+'L',exist_ok=True)
    for i in range(3): os.makedirs(X+f'L/tmp_{i}',exist_ok=True)
    ps=[P(f'w{i}',[PY,'voie_train.py'],{'TF_CONFIG':tfc(3,i,22110),'SLURM_PROCID':str(i),'DONNEES':X+'E','CYCLE':'16','CKPT':X+'L','PAS':'400'}) for i in range(3)]
    waitall(ps,90); return ps,{}
for m in sys.argv[1:]:
    print('##',m); ps=[]
    ps,kw=globals()[m](); cleanup(ps); save(X+m+'.json',ps,**kw)
