from exp import *
@case
def e06():
    d=load('i06'); S=Sh(datetime(2026,11,21,1,31,44).timestamp()-d['t'],0); o=Out('lm_small_21nov','tar.gz',top='')
    ev=sorted([(t,p['host'],l) for p in d['procs'] for t,l in p['lines'] if not l.startswith('EXIT')],key=lambda e:e[0])
    for p in d['procs']: o.w(f'lauf/{p["host"]}.log.gz','\n'.join(S(l) for _,l in p['lines'] if not l.startswith('EXIT'))+'\n')
    o.w('lauf/make.out','''make -j3 -k r2n07 r2n08 r3n01
ssh r2n07 'cd ~/lm && TF_CONFIG=$(./cfg 0) python lm_small.py' 2>&1 | gzip > lauf/r2n07.log.gz; exit ${PIPESTATUS[0]}
ssh r2n08 'cd ~/lm && TF_CONFIG=$(./cfg 1) python lm_small.py' 2>&1 | gzip > lauf/r2n08.log.gz; exit ${PIPESTATUS[0]}
ssh r3n01 'cd ~/lm && TF_CONFIG=$(./cfg 2) python lm_small.py' 2>&1 | gzip > lauf/r3n01.log.gz; exit ${PIPESTATUS[0]}
make: *** [Makefile:14: r3n01] Error 1
make: *** [Makefile:14: r2n07] Error 1
make: *** [Makefile:14: r2n08] Error 1
make: Target 'alle' not remade because of errors.
''')
    o.w('Makefile','''SHELL = /bin/bash
KNOTEN = r2n07 r2n08 r3n01
.PHONY: alle $(KNOTEN)
alle: $(KNOTEN)

r2n07: RANG=0
r2n08: RANG=1
r3n01: RANG=2

# KEEP=3 Sicherungen je Rang
export KEEP = 3

$(KNOTEN):
\tssh $@ 'cd ~/lm && TF_CONFIG=$$(./cfg $(RANG)) python lm_small.py' 2>&1 | gzip > lauf/$@.log.gz; exit $${PIPESTATUS[0]}
''')
    x=''
    for h,t in d['df'].items():
        t=re.sub(r'Filesystem +Inodes.*\n.*\n','',t)
        t=re.sub(r'(root root +\d+ )(Nov \d\d \d\d:\d\d)',lambda m:m.group(1).replace('root root','lmteam lm')+(datetime.strptime('2026 '+m.group(2),'%Y %b %d %H:%M')+timedelta(seconds=S.d)).strftime('%b %d %H:%M'),t)
        t=re.sub(r'lmteam lm( +\d+ \w+ +\d+ [\d:]+ (?:core|jansen))',r'jansen qc\1',t)
        x+=''.join(f'{h}: {l}\n' for l in t.splitlines())
    o.w('platte_danach.txt','# pdsh -w r2n[07,08],r3n01 "df -h /mnt/scratch; ls -lR /mnt/scratch" | dshbak -f?? -> roh\n'.replace(' | dshbak -f?? -> roh','')+x)
    o.pack('resource.disk-full',['r3n01','worker:2'],[],'On r3n01 saving ckpt-300 fails with ResourceExhaustedError (No space left on device) since /mnt/scratch is 100 % full of jansen\'s core files; the other ranks see Socket closed / unhealthy task:2.',d['t']+S.d+4000)

@case
def e09():
    d=load('i09'); S=Sh(datetime(2026,11,14,18,42,30).timestamp()-d['procs'][0]['lines'][0][0],0); o=Out('clips_v4_feeder','zip',top='clips_v4')
    R=random.Random(3)
    nm={'dispatcher':'dispatcher','feeder-1':'feeder-1','trainer-0':'trainer-0','trainer-1':'trainer-1'}
    ev=sorted([(t,p['host'],S(l)) for p in d['procs'] for t,l in p['lines']],key=lambda e:e[0])
    end=ev[-1][0]; fe=P(d,'feeder-1')['lines'][-1][0]
    ev+=[(P(d,f'trainer-{i}')['lines'][-1][0]+.6,f'trainer-{i}',None) for i in (0,1)]; ev.sort(key=lambda e:e[0])
    x=[f'{h:<10}  | {U(t+S.d).strftime("%Y-%m-%dT%H:%M:%S.%f")}{R.randrange(100,999)}Z {l}' if l is not None else f'{h} exited with code 1' for t,h,l in ev]
    o.w('compose.log','\n'.join(x)+'\n')
    o.w('docker-compose.yml','''name: clips
x-app: &app
  init: true
  image: clips/tfds:2.21
  volumes: ["./app:/srv/app", "/pool/clips:/srv/clips:ro"]
services:
  dispatcher:
    <<: *app
    command: python feeder.py dispatcher
  feeder-1:
    <<: *app
    command: python feeder.py worker
    ulimits:
      nofile: {soft: 256, hard: 256}
  trainer-0:
    <<: *app
    command: python trainer.py
    environment: {CYCLE: "300", TF_CONFIG: '{"cluster": {"worker": ["trainer-0:2222", "trainer-1:2222"]}, "task": {"type": "worker", "index": 0}}'}
  trainer-1:
    <<: *app
    command: python trainer.py
    environment: {CYCLE: "300", TF_CONFIG: '{"cluster": {"worker": ["trainer-0:2222", "trainer-1:2222"]}, "task": {"type": "worker", "index": 1}}'}
''')
    up=U(end+S.d)
    o.w('ps.txt','''$ docker compose ps -a --format "table {{.Name}}\\t{{.Service}}\\t{{.Status}}"
NAME                 SERVICE      STATUS
clips-dispatcher-1   dispatcher   Up 22 minutes
clips-feeder-1-1     feeder-1     Up 22 minutes
clips-trainer-0-1    trainer-0    Exited (1) 21 minutes ago
clips-trainer-1-1    trainer-1    Exited (1) 21 minutes ago
$ ls /pool/clips | wc -l
360
$ free -m | head -2
               total        used        free      shared  buff/cache   available
Mem:           24104        3120       18344           2        2639       20583
''')
    o.pack('resource.fd-limit','feeder-1',[],'The tf.data service worker feeder-1 runs with nofile 256 while the pipeline opens up to 300 files at once; its gauge thread dies with Errno 24 and trainer-1 gets RESOURCE_EXHAUSTED ... Too many open files from worker feeder-1:5051; trainer-0 only sees task:1 go.',end+S.d+1320)
if __name__=='__main__':
    for n in (sys.argv[1:] or ['e06','e09']): ALL[n](); print(n,'ok')
