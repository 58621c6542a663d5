from pk import *
d=load('A'); H=['merd-11','merd-12','merd-15','merd-16']
subs=[(rf'ipv4:127\.0\.0\.{11+k}:2101{k}',f'ipv4:10.44.3.{11+k}:2222') for k in range(4)]+[(rf'127\.0\.0\.{11+k}:2101{k}',f'{H[k]}:2222') for k in range(4)]+[('/opt/incidents/make/','/srv/laks/kode/'),('/opt/incidents/run/A/(ny|gml).txt','/srv/laks/artsliste.txt'),('/opt/tfenv','/srv/laks/venv'),('/root/.pyenv/versions/3.11.7','/usr')]
P=post(d,'2026-03-05T06:12:31+01:00',1,subs)
MN=['jan.','feb.','mars','april','mai','juni','juli','aug.','sep.','okt.','nov.','des.']
r=R(4); files={}
for i,p in enumerate(d['procs']):
    h=H[i]; pid=[31877,2290,40418,8841][i]; ev=[]
    sk=[0,.4,-.9,.1][i]
    def st(t): x=P.dt(t,sk); return f'{MN[x.month-1]} {x:%d %H:%M:%S}.{x.microsecond:06d}'
    t0,t1=p['t0'],p['end']
    nz=[lambda:f'kernel: [UFW BLOCK] IN=eno1 OUT= MAC=01:00:5e:00:00:01:00:1b SRC=10.44.3.1 DST=224.0.0.1 LEN=32 TOS=0x00 PREC=0xC0 TTL=1 ID={r.randint(0,65535)} PROTO=2',
        lambda:'chronyd[812]: Selected source 10.44.0.5 (ntp.drift.laks.lan)',lambda:f'CRON[{r.randint(9000,60000)}]: (root) CMD (/usr/local/sbin/merd-temp >> /var/log/merd-temp.log)',
        lambda:f'systemd[1]: Started sysstat-collect.service - system activity accounting tool.',lambda:f'kamera-gw[1102]: rtsp kamera{r.randint(1,8)}: mistet {r.randint(1,9)} rammer, kobler til igjen',
        lambda:f'node_exporter[903]: ts=… caller=collector.go:173 level=error msg="collector failed" name=hwmon err="read /sys/class/hwmon/hwmon2/temp1_input: no such device"',
        lambda:f'sshd[{r.randint(2000,60000)}]: Connection closed by 10.44.0.9 port {r.randint(30000,60000)} [preauth]']
    ev+=[(t,x) for t,x in kern(r,230,t0-5400,t1+120,nz)]
    ev.append((t0-.2,'systemd[1]: Starting laks-tren.service - Artsmodell, distribuert trening...'))
    ev.append((t0-.1,'systemd[1]: Started laks-tren.service - Artsmodell, distribuert trening.'))
    for t,k,l in p['lines']: ev.append((t,f'laks-tren[{pid}]: '+P.line(l,sk,tids(pid-d['procs'][i]['pid']))))
    e=p['end']
    ev+=[(e+.02,'systemd[1]: laks-tren.service: Main process exited, code=exited, status=1/FAILURE'),(e+.03,"systemd[1]: laks-tren.service: Failed with result 'exit-code'."),(e+.04,f'systemd[1]: laks-tren.service: Consumed {r.uniform(9,15):.3f}s CPU time.')]
    ev.sort(key=lambda x:x[0])
    files[f'{h}/journal.txt']=[f'{st(t)} {h} {x}' for t,x in ev]
    arter=['torsk','hyse','sei','laks','ørret','regnbueørret','makrell','sild','brisling','lange','brosme','uer','kveite','rødspette','flyndre','steinbit','breiflabb','rognkjeks','berggylt','grønngylt','bergnebb','leppefisk','ål','lyr','hvitting','kolmule','lodde','tobis','knurr','fjesing','havabbor','piggvar','slettvar','tunge','pigghå','skate','havål','strømsild','vassild','kolje']
    n=37 if i==2 else 40
    sh=hashlib.sha256('\n'.join(arter[:n]).encode()).hexdigest()
    files[f'{h}/versjoner.txt']=[f'# innsamlet av samle.sh {P.dt(e+900,sk):%F %T}',f'$ uname -r','6.8.0-52-generic','$ /srv/laks/venv/bin/pip freeze | egrep "tensorflow|keras|numpy"','keras==3.15.1','numpy==2.4.6','tensorflow-cpu==2.21.0','$ git -C /srv/laks/kode rev-parse --short HEAD','8c1f0ae','$ ls -l --time-style=long-iso /srv/laks/','totalt 24',f'-rw-r--r-- 1 laks laks {n*8-r.randint(0,3)*0} {"2026-01-19 13:02" if i==2 else "2026-03-04 15:40"} artsliste.txt','drwxr-xr-x 4 laks laks 4096 2026-03-04 15:41 kode','drwxr-xr-x 6 laks laks 4096 2026-02-11 09:20 venv',"$ sha256sum /srv/laks/artsliste.txt",sh+'  /srv/laks/artsliste.txt','$ free -h | sed -n 2p',f'Mem:            62Gi        {r.randint(6,14)}Gi        40Gi','$ df -h /srv | tail -1',f'/dev/nvme0n1p2  938G  {r.choice([812,640,877,401])}G  {r.choice([88,71,94,45])}% /srv']
files['LESMEG.txt']='Trening av artsmodellen på merd-11/12/15/16 stopper rett etter oppvarmingen, tre ganger på rad.\nI går gikk det fint. Vi la inn tre nye arter i går ettermiddag (ansible).\nmerd-15 var nede for bytte av kamera-kort mens Kjetil kjørte ansible, men er oppe igjen.\nBrannmuren blokkerer noe multicast, er det derfor?\n-- Ingunn\n'
mk('merd-0305',".tar.gz",files,'collective.mismatch','merd-15',['data.shape-mismatch'],"merd-15 (worker task 2) still has an old artsliste.txt (37 classes, 'artsliste lest: 37 klasser', older date and sha) so its head has 8x37=296 weights against 320; TF: 'Shape mismatch in the collective instance', expected [296]. Others only relay the abort. UFW multicast blocks, camera drops and disk 94% are false leads.")
