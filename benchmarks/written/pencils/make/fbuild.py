from kit import *
random.seed(61)
IP={'127.0.0.11':'172.28.3.11','127.0.0.12':'172.28.3.12','127.0.0.13':'172.28.3.13','127.0.0.21':'172.28.3.21','127.0.0.22':'172.28.3.22'}
subs=PY+[(re.escape(a),b) for a,b in IP.items()]+[(r'(?<![\d.]):222[0-46]\d(?!\d)',lambda x:':443' if x[0][3:5] in('22','24') and 0 else ':'+x[0][1:])]
def isof(d): return d.strftime('%Y-%m-%dT%H:%M:%S.')+f'{d.microsecond//1000:03d}+02:00'
def sub2(t): 
    t=re.sub(r'(arkisto\d\.poro\.example):222[24]\d',r'\1:8443',t); return re.sub(r'(poro-\d):222[35]?\d+',r'\1:2222',t) if 0 else re.sub(r'(poro-\d|172\.28\.3\.1\d):222(1|3)\d',r'\1:2222',t)
P=lambda t,m,tz=2: sub2(post(t,m,isof,subs=PY+[(re.escape(a),b) for a,b in IP.items()],tzh=tz))
what=sys.argv[1]
if what=='f1':
    D=f'{B}/F/f1'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
    raw={n:rd(f'{B}/F/raw/f1_{n}') for n in ['ark1','ark2','0','1']}
    a,b=stepspan(raw['0'],'"askel"'); K=420
    t0=firstts(raw['0']); err=float(re.search(r'\[error\] @@([\d.]+)',raw['ark2'])[1])
    T=ep('2026-11-01 00:00:41')+.472-((err-t0)+(b-a)*(K-1)); m=Map(t0,T,a,b,K)
    ev=[]
    for n,host,unit in [('0','poro-1','jaljet'),('1','poro-2','jaljet')]:
        for j,(t,L) in enumerate(lines(raw[n])): ev.append((m(t)+j*1e-6,host,unit,P(L,m)))
    cl={'ark1':'172.28.3.11','ark2':'172.28.3.12'}
    for n,host in [('ark1','arkisto1'),('ark2','arkisto2')]:
        for j,(t,L) in enumerate(lines(raw[n])): 
            if not R1.search(L): continue
            L=re.sub(r'^127\.0\.0\.1 ',cl[n]+' ',L); L=re.sub(r'(\] @@[\d.]+@@) 127\.0\.0\.1',r'\1 '+cl[n],L)
            ev.append((m(t),host,'palvelin',P(L,m)))
    t=T-1800
    while t<m(err)+5400:
        h=random.choice(['poro-1','poro-2','arkisto1','arkisto2','karsina'])
        ev.append((t,h,'node_exporter' if random.random()<.25 else 'systemd',random.choice(['Started session-%d.scope - Session %d of User seuranta.'%((random.randint(300,900),)*2) ,'logrotate.service: Deactivated successfully.','Finished logrotate.service - Rotate log files.']) if 1 else ''))
        if ev[-1][2]=='node_exporter': ev[-1]=(t,h,'node_exporter','ts=%s caller=collector.go:169 level=error msg="collector failed" name=systemd duration_seconds=0.0%d err="couldn\'t get units: dial unix /run/dbus/system_bus_socket: connect: permission denied"'%(fmt(t,'%Y-%m-%dT%H:%M:%S.%3Z'),random.randint(10001,90000)))
        t+=random.expovariate(1/210)
    ev.sort(key=lambda x:-x[0])
    o=[]
    for t,h,u,L in ev:
        d=dt.datetime.fromtimestamp(t+7200,dt.timezone.utc)
        o.append(json.dumps({'labels':{'job':u,'kone':h,'paikka':'inari'},'line':L,'timestamp':d.strftime('%Y-%m-%dT%H:%M:%S.')+f'{d.microsecond:06d}{random.randint(0,999):03d}+02:00'},ensure_ascii=False))
    w(f'{D}/logcli-1101.jsonl','\n'.join(o)+'\n',m(err)+40000)
    w(f'{D}/viesti.txt','''Huomenta. Yön ajo kaatui kahdelta, juuri kun kello... eiku talviaikaan siirryttiin jo viikko sitten. Niilan mielestä
poro-1:n "Socket closed" on se Utsjoen radiolinkki taas. Vein logcli:llä kaiken minkä sain (uusin ensin):
  logcli query --limit=0 --from=... '{paikka="inari"}' -o jsonl
arkisto1 toimii selaimella hyvin. Voisiko joku katsoa ennen maanantaita?   -Aila
''',m(err)+41000)
    tar('inari-1101',D,'.tar.gz',top=False,owner=('aila',1001))
    truth('inari-1101','.tar.gz','network.tls',['poro-2','worker:1','arkisto2','arkisto2.poro.example'],[],'The certificate of arkisto2 expired at midnight UTC; poro-2 (worker 1), which fetches its pieces there, dies of CERTIFICATE_VERIFY_FAILED certificate has expired, poro-1 (arkisto1) only sees Socket closed. Radio link and the change of time are wrong guesses; node_exporter errors are noise.')
    print(len(o),fmt(T,'%F %T'))
if what=='f2':
    D=f'{B}/F/f2'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
    raw=[rd(f'{B}/F/raw/f2_{i}') for i in range(3)]
    a,b=stepspan(raw[0],'"askel"'); t0=firstts(raw[0]); T=ep('2026-11-18 11:02:19')+.3; m=Map(t0,T,a,b,160)
    ev=[]
    for i in range(3):
        for j,(t,L) in enumerate(lines(raw[i])): ev.append((t,i,j,L))
    ev.sort(key=lambda x:x[:3])
    rc={0:1,1:1,2:-11}
    o='''Running with gitlab-runner 17.5.3 (12030cf4)
  on inari-shell-1 t3_Kp9xQz, system ID: s_5b0e2c1d7f31
Preparing the "shell" executor
Using Shell (bash) executor...
Preparing environment
Running on karsina...
Getting source from Git repository
Fetching changes with git depth set to 20...
Reinitialized existing Git repository in /home/gitlab-runner/builds/t3_Kp9xQz/0/poro/jaljet/.git/
Checking out 7c1e04ab as detached HEAD (ref is kesapannat)...
Skipping Git submodules setup
Executing "step_script" stage of the job script
$ ansible --version | head -1
ansible [core 2.17.6]
$ ansible-playbook -i koneet.ini aja.yml -e haara=kesapannat

PLAY [porot] *******************************************************************

TASK [Gathering Facts] *********************************************************
ok: [poro-1]
ok: [poro-3]
ok: [poro-2]

TASK [koodi paikalleen] ********************************************************
ok: [poro-2]
ok: [poro-1]
changed: [poro-3]

TASK [ulimitit] ****************************************************************
ok: [poro-1] => {"msg": "nofile=20000 stack=8192 nproc=96365"}
ok: [poro-2] => {"msg": "nofile=20000 stack=8192 nproc=96365"}
ok: [poro-3] => {"msg": "nofile=20000 stack=8192 nproc=96365"}

PLAY RECAP *********************************************************************
poro-1                     : ok=3    changed=0    unreachable=0    failed=0    skipped=0    rescued=0    ignored=0   
poro-2                     : ok=3    changed=0    unreachable=0    failed=0    skipped=0    rescued=0    ignored=0   
poro-3                     : ok=3    changed=1    unreachable=0    failed=0    skipped=0    rescued=0    ignored=0   

$ ./yhdessa.sh jaljet.py
'''
    o+='\n'.join(f'poro-{i+1}> '+P(L,m) for t,i,j,L in ev)+'\n'
    o+=open(f'{D}/../f2.tail').read() if os.path.exists(f'{D}/../f2.tail') else ''
    o+='''yhdessa.sh: poro-3: rc=139
yhdessa.sh: poro-2: rc=1
yhdessa.sh: poro-1: rc=1
Cleaning up project directory and file based variables
ERROR: Job failed: exit status 1
'''
    w(f'{D}/job-20417.log',o,m(b)+30)
    pid=re.search(r'port\.cc',raw[2]) and re.search(r'\s(\d+) port\.cc',raw[2])[1]
    e=m(b)+.4
    seg=sys.argv[2] if len(sys.argv)>2 else ''
    ks=sysnoise(ep('2026-11-18 06:00:00'),e+2400,'172.28.3.13',iface='ens18',gw='172.28.3.1',seed=5)
    ks=[x for x in ks if 'smartd' not in x[1]]
    if seg: ks.append((e,'kernel',seg.replace('PID',pid)))
    ks.sort(key=lambda x:x[0])
    w(f'{D}/poro-3.journal',"\n".join(jshort(t,'poro-3',k,x,tzh=2,iso=True,tz='+0200') for t,k,x in ks)+'\n',e+2500)
    w(f'{D}/kommentti.md','''!412 `kesapannat`

> Aila: sama koodi meni läpi talvipannoilla. Nyt otettiin mukaan kesän 2026 yhtenäiset jäljet (panta 118 ei nukkunut, 80 000 pistettä yhdessä palassa).
> Niila: 139 = muisti loppu? poro-3:ssa on vain 16 G. Lisään swapin.
> Aila: ei siellä oom-killeriä näy
> Niila: sitten levy/ssd. poro-3 on se vanha.
''',e+4000)
    p=f'{S}/inari-20417.zip'
    if os.path.exists(p): os.remove(p)
    subprocess.run(['zip','-qr',p,'.'],cwd=D,check=True)
    truth('inari-20417','.zip','process.stack-overflow',['poro-3','worker:2'],['process.segfault'],'On poro-3 the recursive splitting in puu.py (jaa, recursion limit raised to 10**7) recurses 80000 deep for one very long track and overflows the 8 MB C stack: SIGSEGV, faulthandler shows jaa/lambda without end. Peers see the lost task; memory, swap and the old SSD are wrong guesses.')
if what=='f3':
    D=f'{B}/F/f3'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
    raw={n:rd(f'{B}/F/raw/f3_{n}') for n in ['jakaja','l1','l2','koul']}
    a,b=stepspan(raw['koul'],'"erä"'); t0=firstts(raw['jakaja']); T=ep('2026-12-04 15:40:10')+.3; m=Map(t0,T,a,b,int(sys.argv[2]))
    for n,h in [('jakaja','poro-1'),('l1','poro-2'),('l2','poro-3'),('koul','poro-1')]:
        rows=['time,host,role,message']; last=None
        for t,L in lines(raw[n]):
            x=P(L,m); x=re.sub(r'poro-(\d):2225\d',r'poro-\1:5050',x); x=re.sub(r'(172\.28\.3\.1\d):2225\d',r'\1:5050',x)
            d=dt.datetime.fromtimestamp(m(t)+7200,dt.timezone.utc)
            rows.append(f'{d:%Y-%m-%d %H:%M:%S},{h},{n},"'+x.replace('"','""')+'"')
        w(f'{D}/{h}_{n}.csv','\n'.join(rows)+'\n',m(b)+2000)
    print(fmt(T,'%F %T'),fmt(m(b),'%F %T'))
    w(f'{D}/lue.txt',f'''Talvipannat, perjantain ajo (tf.data service: jakaja poro-1, laukat poro-2 ja poro-3, kouluttaja poro-1)

Niila epäilee että datajakelu katkeili:
 - kouluttajassa "Your input ran out of data; interrupting training"
 - joka kierroksen välissä on monta minuuttia ettei mitään tapahdu
 - laukkojen loki loppuu heti alkuun, poro-3 ei kirjoita enää mitään
 - jakaja kuuntelee "grpc://localhost" - eihän poro-2 pääse sinne?

Kelpaako malli (talvi26.keras) vai ajetaanko uudestaan?    Aila
''',m(b)+3000)
    tar('inari-1204',D,'.tar.xz',top=False,owner=('aila',1001))
    truth('inari-1204','.tar.xz','none',None,[],'Healthy: five epochs of 600 batches each, loss falls to 0.04, accuracy 0.99, ends with valmis and exit. The Keras ran-out-of-data warning is the end of a finite dataset in epoch 1, pauses are the hand-over between epochs of the data service, and silent workers are normal; localhost is merely the dispatcher\'s own target string.')
