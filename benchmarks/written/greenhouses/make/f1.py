from f import *
r=load('i1'); PP=r['procs']; t0=PP[0]['t0']
c=Clk(t0,'2026-11-26T03:38:02',1)
d=fresh('i1'); rnd=random.Random(1)
def tai(e,ns=None):
    s=int(e); return '@%016x%08x'%((1<<62)+10+s,int((e-s)*1e9)+rnd.randint(0,900))
SK={'kas-rek1':0,'kas-rek2':-71.4,'kas-rek3':2.2}
for h in SK:
    rows=[]
    for p in PP:
        if p['node']!=h: continue
        rows.append((c.m(p['t0'])-.02+SK[h],'*** start trein (run, pid %d)'%p['pid']))
        for t,s,x in p['log']: rows.append((c.m(t)+SK[h],c.fix(x,SK[h])))
        if p['rc']==1: rows.append((c.m(p['t1'])+SK[h]+.01,'*** finish: exit 1'))
    rows.sort(key=lambda q:q[0])
    txt=[f'{tai(t)} {x}\n' for t,x in rows]
    k=len(txt)*3//5
    w(d,f'{h}/log/trein/{tai(rows[k][0])}.s',''.join(txt[:k])); w(d,f'{h}/log/trein/current',''.join(txt[k:])); w(d,f'{h}/log/trein/state',''); w(d,f'{h}/log/trein/lock','')
    L=[]; b=c.m(t0)-2400+SK[h]
    for k in range(300):
        b+=rnd.expovariate(1/8.)
        L.append(tai(b)+' '+rnd.choice(['klimaat: sectie %d temp %.1f rv %d%%'%(rnd.randint(1,9),rnd.uniform(17,22),rnd.randint(60,88)),'camera: rij %d beeld %06d weggeschreven'%(rnd.randint(1,40),rnd.randint(1,999999)),'camera: rij %d time-out, opnieuw'%rnd.randint(1,40)])+'\n')
    if h=='kas-rek2': 
        for k in range(14): L.append(tai(c.m(t0)+k*4.5+SK[h])+' camera: rij %d beeld %06d NIET weggeschreven: schijf vol (errno 28)\n'%(rnd.randint(1,40),rnd.randint(1,999999)))
        L.sort()
    w(d,f'{h}/log/camera/current',''.join(L))
    use={'kas-rek1':('41%',784211044,1119034112),'kas-rek2':('100%',1903245120,136),'kas-rek3':('38%',731002212,1172242944)}[h]
    w(d,f'{h}/stand.txt',f'''# waakhond stand {h} {c.f(t0+70,'%d-%m-%Y %H:%M:%S',SK[h])}
/service/trein: up (pid {max(p['pid'] for p in PP if p['node']==h)}) 3 seconds, normally down
/service/camera: up (pid 811) {rnd.randint(900000,2000000)} seconds
/service/klimaat: up (pid 809) {rnd.randint(900000,2000000)} seconds
Bestandssysteem      1K-blokken    Gebruikt Beschikbaar Geb% Aangekoppeld op
/dev/nvme0n1p2        240233452    31440280   196517012  14% /
tmpfs                  32826640          88    32826552   1% /dev/shm
/dev/sda1            1903245256  {use[1]:>10}  {use[2]:>10} {use[0]:>4} /schijf
''')
w(d,'lees-mij.txt','''Hoi support,

Sinds vannacht (26/11 ~03:40) blijft de training van de bladherkenning herstarten op alle drie de rekken.
rek1 geeft de meeste fouten (hele lappen "unexpectedly tried to connect ..."), dus ik heb rek1 al een keer
herstart maar dat helpt niet. Daarna heb ik alles gestopt (svc -d).
Logs zijn multilog, gebruik tai64nlocal. De klok van rek2 loopt wat achter.

Groet, Joris
''')
arc='naaldwijk-3.tar.xz'; pack(d,arc,'kas-logs')
truth('naaldwijk-3',arc,'resource.disk-full',['kas-rek2','worker:1','10.44.2.12'],[],'worker 1 on kas-rek2 fails in CheckpointManager.save with RESOURCE_EXHAUSTED ... No space left on device on /schijf (100%, filled by the camera service), exits, is restarted by supervise and fails again. The others see Socket closed, and the leader kas-rek1 prints hundreds of incarnation/already-in-error lines caused by the restarts (false lead). Clock of kas-rek2 is 71 s behind.')
