from ren import *
import hashlib
N=['ldn-q-alder','ldn-q-birch','ldn-q-hazel','ldn-q-rowan']
off={'ldn-q-birch':.12,'ldn-q-hazel':-.3}
po={'ldn-q-alder':500000,'ldn-q-birch':1212000,'ldn-q-hazel':88000,'ldn-q-rowan':2031000}
r=R('a8','2026-06-15 04:10:00','UTC','/opt/pricer/current','/opt/pricer/venv',(),off,po)
d=r.d; M=[]
for i,h in enumerate(N):
    boot=hashlib.md5(h.encode()).hexdigest(); mid=hashlib.md5((h+'m').encode()).hexdigest(); seq=hashlib.md5((h+'s').encode()).hexdigest()
    E=[]; n=[0x4a21f0+i*7777]
    mono0=r.t(d['t0'],h)-86400*(3+i*5)-1234.5
    def add(t,msg,pid,ident,unit,tr='stdout',pr=6,comm='python',uid=1207):
        n[0]+=random.Random(n[0]).randint(1,4); us=int(r.t(t,h)*1e6); mo=int((r.t(t,h)-mono0)*1e6)
        j={'__CURSOR':f's={seq};i={n[0]:x};b={boot};m={mo:x};t={us:x};x={random.Random(us+n[0]).getrandbits(64):x}','__REALTIME_TIMESTAMP':str(us),'__MONOTONIC_TIMESTAMP':str(mo),'_BOOT_ID':boot,'_MACHINE_ID':mid,'_HOSTNAME':h,'_TRANSPORT':tr,'PRIORITY':str(pr),'SYSLOG_IDENTIFIER':ident,'_PID':str(pid),'_UID':str(uid),'_COMM':comm,'_SYSTEMD_UNIT':unit,'MESSAGE':msg}
        if tr=='journal': j['UNIT']=f'pricer-fit@{i}.service'
        E.append((us,len(E),j))
    u=f'pricer-fit@{i}.service'
    sd=lambda t,m,pr=6:add(t,m,1,'systemd','init.scope','journal',pr,'systemd',0)
    ps=lambda t,m,p,idt,unit,pr=6:add(t,m,p,idt,unit,'syslog',pr,idt,0)
    ps(d['t0']-171.2,'Accepted publickey for svc-deploy from 10.180.2.9 port 5%d ssh2: ED25519 SHA256:0yq1VdYw6nZ1u0lXb8rG1t5mD4k'%(1033+i*71),r.pid(h)-212,'sshd','ssh.service')
    sd(d['st'][h]-.05,f'Starting pricer-fit@{i}.service - nightly vol-surface fit, rank {i}...'); sd(d['st'][h]-.01,f'Started pricer-fit@{i}.service - nightly vol-surface fit, rank {i}.')
    for t,k,o,l in r.lines(h): add(t,l,r.pid(h),'pricer-fit',u,'stdout',6)
    if i==2: ps(d['t0']+31.3,'Can\'t synchronise: no selectable sources',702,'chronyd','chrony.service',5); ps(d['t0']+44.8,'Selected source 10.180.1.5 (ntp1.ldn)',702,'chronyd','chrony.service')
    if i==3: add(d['t0']+22.7,'mlx5_core 0000:41:00.0: poll_health:1024:(pid 0): device\'s health compromised counter cleared',0,'kernel','','kernel',6,'',0)
    x=d['ex'][h]
    sd(d['meta']['term']+.02*i-.01,f'Stopping pricer-fit@{i}.service - nightly vol-surface fit, rank {i}...')
    sd(x[0]-.02,f"pricer-fit@{i}.service: State 'stop-sigterm' timed out. Killing.",4); sd(x[0]-.015,f'pricer-fit@{i}.service: Killing process {r.pid(h)} (python) with signal SIGKILL.',5)
    sd(x[0]+.01,f'pricer-fit@{i}.service: Main process exited, code=killed, status={-x[1]}/{"TERM" if x[1]==-15 else "KILL"}',5); sd(x[0]+.012,f"pricer-fit@{i}.service: Failed with result 'signal'.",4); sd(x[0]+.02,f'Stopped pricer-fit@{i}.service - nightly vol-surface fit, rank {i}.')
    E.sort(key=lambda e:e[:2]); q=0x4a21f0+i*7777
    for _,_,j in E: q+=random.Random(q).randint(1,4); j['__CURSOR']=re.sub(r';i=[0-9a-f]+',f';i={q:x}',j['__CURSOR'])
    M.append((f'inc-20260615/{h}.journal.json',''.join(json.dumps(e,ensure_ascii=False)+'\n' for *_,e in E)))
M.append(('inc-20260615/README.txt','''pager 04:11: vol-surface fit, iteration counter flat on the dashboard (desk wants it before the open).
ops sent USR1 to all four (systemctl kill -s USR1 'pricer-fit@*'), then stopped the units.
journalctl -u 'pricer-fit@*' -u ssh -u chrony _PID=1 + _TRANSPORT=kernel -o json, one file a box
'''))
pack('inc-20260615.tar.zst',M,r.t(d['meta']['term'])+700,dict(cause='sync.hang',culprit_node='ldn-q-birch',notes="No error line: all ranks stop at the same iteration; the USR1 stack dumps show birch (rank 1) with its main thread at stats_lock and thread 'refresh' at book_lock (a lock-order deadlock) while the others wait in the collective; operators then stopped the units."))
