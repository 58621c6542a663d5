from pk import *
d=load('F'); H=['gs-01','gs-02','gs-03']; C=[hashlib.sha256(h.encode()).hexdigest() for h in H]
subs=[(rf'ipv4:127\.0\.0\.{11+k}:2151{k}',f'ipv4:172.16.9.{k+1}:7000') for k in range(3)]+[(rf'127\.0\.0\.{11+k}:2151{k}',f'172.16.9.{k+1}:7000') for k in range(3)]+[('/opt/incidents/make/','/guss/'),('/opt/tfenv','/opt/tf'),('/root/.pyenv/versions/3.11.7','/usr/local')]
P=post(d,'2026-09-14T05:58:20+00:00',0,subs); files={}
r=R(21)
for i,p in enumerate(d['procs']):
    out=[]
    for t,k,l in sorted(p['lines'],key=lambda x:x[0]):
        x=P.dt(t); out.append(json.dumps({'log':P.line(l,0,tids(1-p['pid']))+'\n','stream':'std'+k,'time':f'{x:%Y-%m-%dT%H:%M:%S}.{x.microsecond:06d}{r.randint(0,999):03d}Z'},ensure_ascii=False))
    files[f'{H[i]}/{C[i][:12]}-json.log']=out
    end=P.dt(p['end'] or d['procs'][0]['t0']+60.3)
    files[f'{H[i]}/inspect.json']=json.dumps([{'Id':C[i],'Name':'/guss-training','State':{'Status':'exited','OOMKilled':False,'ExitCode':[137,134,137][i],'StartedAt':P.dt(p['t0']).isoformat(),'FinishedAt':end.isoformat()},'HostConfig':{'NetworkMode':'host','Memory':0,'PidsLimit':[4096,96,4096][i],'ShmSize':1073741824,'Ulimits':[]},'Config':{'Image':'guss/tf:2.21.0','Hostname':H[i]}}],indent=2)+'\n'
    km=[]
    for k in range(r.randint(130,210)):
        t=P.dt(p['t0']-40000+k*190+r.randint(0,100))+dt.timedelta(hours=2)
        km.append((t,r.choice(['docker0: port 2(veth%06x) entered disabled state'%r.randint(0,2**24),'device veth%06x entered promiscuous mode'%r.randint(0,2**24),'ACPI Warning: SystemIO range 0x0000000000000428-0x000000000000042F conflicts with OpRegion','EXT4-fs (sdb1): mounted filesystem with ordered data mode. Quota mode: none.','igb 0000:03:00.0 eth0: igb: eth0 NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX'])))
    if i==1: km.append((P.dt(p['end'])+dt.timedelta(hours=2),f'cgroup: fork rejected by pids controller in /system.slice/docker-{C[i]}.scope'))
    km.sort(); files[f'{H[i]}/kern.log']=[f'{t:%b %d %H:%M:%S} {H[i]} kernel: [{(t-km[0][0]).total_seconds()+90211.3:12.6f}] {x}' for t,x in km]
files['Bericht.txt']='Frühschicht Montag: Training startet nicht. gs-01 und gs-03 warten, nach einer Minute habe ich sie mit "docker kill" beendet (gs-01 zuerst).\nAuf gs-02 hat die IT am Freitag den Docker-Daemon mit neuen Vorgaben aufgesetzt (Haertung).\nNetzwerk geprueft, Port 7000 ist ueberall frei. Uhrzeiten der kern.log in MESZ, Docker in UTC.\n'
mk('guss-kw38-1','.tar.gz',files,'resource.thread-limit','gs-02',[],"gs-02's container aborts during server start: pthread_create() failed (fatal check in tsl PThread), with PidsLimit 96 from a hardening of docker and the kernel's 'fork rejected by pids controller'. gs-01 and gs-03 just wait for task 1 and were ended by docker kill (137), which is not the cause.")
