from pk import *
d=load('I'); H=['trk-m1','trk-k2','trk-k3','trk-k4']
subs=[(rf'ipv4:127\.0\.0\.{11+k}:2181{k}',f'ipv4:10.66.2.{10+k}:2222') for k in range(4)]+[('trk-m1.halle2.example:21810','trk-m1.halle2.example:2222')]+[(rf'127\.0\.0\.{11+k}:2181{k}',f'{H[k]}.halle2.example:2222') for k in range(4)]+[('/opt/incidents/make/','/opt/gleis/'),('/opt/tfenv','/opt/gleis/venv'),('/root/.pyenv/versions/3.11.7','/usr')]
P=post(d,'2026-10-20T08:05:30+02:00',2,subs); ev=[]; r=R(77)
for i,p in enumerate(d['procs']):
    h=H[i]; sk=[0,.02,-3.1,.4][i]; UT=Post(P.shift,[],0); pid=[5120,5188,61022,4977][i]
    def a(t,app,pr,msg,pid='-'):
        x=P.dt(t,sk); ev.append((t,f'<{pr}>1 {x:%Y-%m-%dT%H:%M:%S}.{x.microsecond:06d}+02:00 {h} {app} {pid} - - {msg}'))
    t0=p['t0']
    a(t0-1.3,'gleis-start',14,'Auftrag 2026-10-20/A, vier Knoten, venv /opt/gleis/venv')
    for k in range(4):
        if i==2: a(t0-1.2+k*.1,'gleis-start',12,f"Vorprüfung {H[k]}.halle2.example:2222: "+("gaierror(-2, 'Name or service not known'), weiter" if k==0 else 'Name ok (10.66.2.%d)'%(10+k)))
        else: a(t0-1.2+k*.1,'gleis-start',14,f'Vorprüfung {H[k]}.halle2.example:2222: Name ok (10.66.2.{10+k})')
    for t,k,l in p['lines']: a(t,'gleisbett',{'out':14,'err':11}[k],(UT if 'SIGTERM caught' in l else P).line(l,sk,tids(pid-p['pid'])),pid)
    a(d['end'],'systemd',30,'gleisbett.service: Stopping (requested by kwagner)...',1)
    a(d['end']+1.05,'systemd',28,'gleisbett.service: Main process exited, code=killed, status=9/KILL' if i!=3 else 'gleisbett.service: Main process exited, code=killed, status=9/KILL',1)
    for _ in range(260):
        t=t0+r.uniform(-2400,400)
        q=r.choice([('systemd-timesyncd',30,'Timed out waiting for reply from 10.66.0.4:123 (ntp2.halle2.example).'),('CRON',78,'(root) CMD (run-parts --report /etc/cron.hourly)'),('messzug-import',14,'Datei MZ%05d.lvm übernommen (%d Messpunkte)'%(r.randint(1,99999),r.randint(1000,90000))),('kernel',4,'[%0.6f] TCP: eth0: Driver has suspect GRO implementation, TCP performance may be compromised.'%r.uniform(9e3,9e5)),('smartd',30,'Device: /dev/sda [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from 67 to %d'%r.randint(60,70)),('messzug-import',12,'Prüfsumme MZ%05d.lvm stimmt nicht, wird neu angefordert'%r.randint(1,99999))])
        a(t,q[0],q[1],q[2],r.randint(300,9000))
        if i==2 and r.random()<.12: a(t,'systemd-resolved',28,'Using degraded feature set TCP instead of UDP for DNS server 10.66.0.2.',733)
ev.sort(key=lambda x:x[0])
nach=[]
for i,h in enumerate(H):
    nach+=[f'##### {h}  ({P.dt(d["end"]+600):%d.%m.%Y %H:%M})','$ resolvectl query trk-m1.halle2.example']
    nach+=["trk-m1.halle2.example: resolve call failed: 'trk-m1.halle2.example' not found"] if i==2 else ['trk-m1.halle2.example: 10.66.2.10              -- link: eno1','','-- Information acquired via protocol DNS in 1.3ms.']
    nach+=['$ resolvectl dns eno1',f'Link 2 (eno1): {"10.66.0.2" if i==2 else "10.66.0.3"}','$ grep halle2 /etc/hosts']+([f'10.66.2.{10+k} {H[k]}.halle2.example {H[k]}' for k in (1,2,3)] if i==2 else [])+['$ ping -c1 -W1 10.66.2.10 | tail -2','1 packets transmitted, 1 received, 0% packet loss, time 0ms','rtt min/avg/max/mdev = 0.211/0.211/0.211/0.000 ms','$ ss -ltn sport = :2222','State  Recv-Q Send-Q Local Address:Port Peer Address:Port','']
files={'rsyslog/gleis-20261020.log':[x for _,x in ev],'nachher.txt':nach,'anfrage.eml':'From: k.wagner@gleisbett.example\nSubject: Training haengt beim Start\nDate: Tue, 20 Oct 2026 08:31:12 +0200\n\ntrk-m1 wartet ewig ("Example stragglers"), nach knapp einer Minute habe ich alles gestoppt (SIGTERM, dann kill). Am Montag lief es noch; trk-m1 ist am Montagabend aus Halle 1 umgezogen. Port 2222 ist auf trk-m1 offen, ping geht von ueberall. Liegt es an den falschen Pruefsummen vom Messzug?\n'}
mk('gleis-1020a','.zip',files,'network.dns','trk-k3',['config.cluster-mismatch'][:0],"trk-k3 (task 2) never connects to the coordination service: it cannot resolve trk-m1.halle2.example (gaierror -2 in the launcher's pre-check, resolvectl not found, old DNS server 10.66.0.2 and no hosts line), TF itself just retries silently. The others connect and wait for task 2; SIGTERM, Socket closed and KILL at the end are the operator's stop.")
