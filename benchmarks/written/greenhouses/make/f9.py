from f import *
r=load('i9'); PP=r['procs']; t0=PP[0]['t0']
c=Clk(t0,'2026-12-01T23:41:07',3)
d=fresh('i9'); rnd=random.Random(9); rows=[]
SK={'ege-gpu1':0,'ege-gpu2':.8,'ege-gpu3':-2.7,'ege-gpu4':0.3}
def add(t,h,tag,x,recv=.004):
    # relay stamp = time of reception; the sender's own stamp is in brackets
    rows.append([t,h,tag,x,len(rows)])
for p in PP:
    h=p['node']; m=c.m
    cid=''.join(rnd.choice('0123456789abcdef') for _ in range(12))
    add(m(p['t0'])-.4,h,'systemd[1]','Starting oneri-egit.service - Öneri modeli eğitimi (podman)...')
    add(m(p['t0'])-.2,h,f'podman[{p["pid"]-9}]',f'{D.datetime.fromtimestamp(m(p["t0"])-.2+SK[h],c.tz).strftime("%Y-%m-%d %H:%M:%S.%f")}123 +0300 +03 m=+0.101 container create {cid} (image=registry.ege.local/oneri:2.21-7, name=oneri-egit, PODMAN_SYSTEMD_UNIT=oneri-egit.service)')
    add(m(p['t0'])-.1,h,'systemd[1]','Started oneri-egit.service - Öneri modeli eğitimi (podman).')
    for t,s,x in p['log']: add(m(t),h,f'oneri-egit[{p["pid"]}]',c.fix(x,SK[h]).replace('\t','#011'))
    add(m(p['t1'])+.1,h,f'podman[{p["pid"]+41}]',f'container died {cid} (image=registry.ege.local/oneri:2.21-7, name=oneri-egit)')
    rc=p['rc']
    if rc and rc>0:
        add(m(p['t1'])+.2,h,'systemd[1]',f'oneri-egit.service: Main process exited, code=exited, status={rc}/n/a'.replace('/n/a','/FAILURE'))
        add(m(p['t1'])+.2,h,'systemd[1]',"oneri-egit.service: Failed with result 'exit-code'.")
    else: add(m(p['t1'])+.2,h,'systemd[1]',f'oneri-egit.service: Main process exited, code=killed, status={-rc}/{ {9:"KILL",15:"TERM",6:"ABRT"}.get(-rc,"?")}')
b=c.m(t0)-900
while b<c.m(t0)+200:
    b+=rnd.expovariate(1/1.1); h=rnd.choice(list(SK))
    add(b,h,*rnd.choice([(f'sshd[{rnd.randint(1000,60000)}]','Invalid user admin from 10.77.9.%d port %d'%(rnd.randint(2,200),rnd.randint(30000,60000))),('kernel','[%d.%06d] podman1: port 2(veth0) entered forwarding state'%(rnd.randint(800000,900000),rnd.randint(0,999999))),('smartd[911]','Device: /dev/sdb [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from %d to %d'%(rnd.randint(60,65),rnd.randint(60,65))),('podman[%d]'%rnd.randint(1000,60000),'container health_status redis-onbellek (health_status=healthy)'),('redis-onbellek[3310]','1:M %d changes in 60 seconds. Saving...'%rnd.randint(10000,20000)),('rsyslogd','action \'action-1-builtin:omfwd\' resumed (module \'builtin:omfwd\') [v8.2312.0 try https://www.rsyslog.com/e/2359 ]'),('nginx','10.77.0.1 - - "GET /saglik HTTP/1.1" 200 2')]))
rows.sort(key=lambda q:(q[0],q[4]))
last={}
for q in rows:
    q[0]=last[q[1]]=max(last.get(q[1],0)+.00011,q[0]+.003+rnd.random()*.004)
rows.sort(key=lambda q:q[0])
z=lambda t:D.datetime.fromtimestamp(t,c.tz).strftime('%Y-%m-%dT%H:%M:%S.%f')+'+03:00'
w(d,'merkez/uzak-20261201.log',''.join(f'{z(a)} {h} {tag}: {x}\n' for a,h,tag,x,_ in rows))
w(d,'merkez/rsyslog-relay.conf','# merkez: alınan zaman damgası kullanılır (gönderen saatleri güvenilmez)\n$template uzak,"%timegenerated:::date-rfc3339% %HOSTNAME% %syslogtag%%msg:::sp-if-no-1st-sp%%msg%\\n"\ninput(type="imudp" port="514")\n*.* /var/log/uzak.log;uzak\n')
w(d,'oneri-egit.container','[Unit]\nDescription=Öneri modeli eğitimi (podman)\n[Container]\nImage=registry.ege.local/oneri:2.21-7\nContainerName=oneri-egit\nVolume=/veri:/veri:ro\nEnvironmentFile=/etc/oneri/tf.env\nNetwork=host\nLogDriver=journald\n[Service]\nRestart=no\n')
w(d,'not.txt','Selam,\nDört makinede eğitim aynı saniyede düştü. ege-gpu3 diskinde SMART sıcaklık uyarıları var ama hepsinde var zaten.\nVeriyi dün akşam rsync ile kopyaladık, gpu3 kopyası sırasında VPN bir kez kesildi, sonra devam etti.\nMerkezi log ekte. — Barış\n')
arc='bornova-0112.tar.gz'; pack(d,arc,'bornova')
truth('bornova-0112',arc,'data.corrupt-record',['ege-gpu3','worker:2'],[],'Worker 2 on ege-gpu3 raises DataLossError (corrupted record) while reading its local TFRecord copy; the other three fail in the same second with Socket closed/aborted collectives towards task 2. SMART temperature lines and ssh noise are false leads.')
