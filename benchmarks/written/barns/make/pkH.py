from pk import *
d=load('H'); H=['az1-cow01','az1-cow02','az1-cow05']
subs=[(rf'ipv4:127\.0\.0\.{11+k}:2171{k}',f'ipv4:10.200.1.{[1,2,5][k]}:4444') for k in range(3)]+[(rf'127\.0\.0\.{11+k}:2171{k}',f'10.200.1.{[1,2,5][k]}:4444') for k in range(3)]+[('/opt/incidents/make/herdseq.py','/srv/bullproof/train_epd.py'),('/opt/incidents/run/H/warm','/scratch/warm'),('/opt/tfenv','/srv/bullproof/env'),('/root/.pyenv/versions/3.11.7','/usr/local'),('herdseq','bullproof')]
P=post(d,'2026-08-19T23:48:05-07:00',-7,subs); files={}; r=R(31)
sizes=(os.path.getsize('/opt/incidents/run/H/good/warm-1.data-00000-of-00001'),32768); ix=os.path.getsize('/opt/incidents/run/H/good/warm-1.index')
for i,p in enumerate(d['procs']):
    h=H[i]; sk=[0,-1.2,.3][i]; pid=[4411,90872,12003][i]
    L=[P.line(l,sk,tids(pid-p['pid'])) for t,k,l in sorted(p['lines'],key=lambda x:x[0])]
    files[f'{h}/supervisor/bullproof-stderr---supervisor-{["k2x9_0pe","a71mm3qw","zz04_u8c"][i]}.log']=L
    f=lambda t:P.dt(t,sk).strftime('%Y-%m-%d %H:%M:%S,')+'%03d'%(int(t*1000)%1000)
    sv=[]
    t=p['t0']-86400
    while t<p['t0']-60:
        t+=r.uniform(200,900); n=r.choice(['cowtop','s3-mirror','thermo']); sv+=[f'{f(t)} INFO exited: {n} (exit status {r.choice([0,0,0,1])}; expected)',f"{f(t+1)} INFO spawned: '{n}' with pid {r.randint(1000,99999)}",f'{f(t+2.1)} INFO success: {n} entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)']
    sv=[x for x in sv if x[:19]<f(p['t0'])[:19]]
    sv+=[f"{f(p['t0'])} INFO spawned: 'bullproof' with pid {pid}",f"{f(p['t0']+1.01)} INFO success: bullproof entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)",f"{f(p['end'])} WARN exited: bullproof (exit status 1; not expected)"]
    files[f'{h}/supervisor/supervisord.log']=sv
    files[f'{h}/ls_scratch.txt']=[f'{h}:/scratch/warm> ls -la --full-time','total '+str(92 if i!=1 else 56),f'drwxr-xr-x 2 epd epd 4096 2026-08-19 23:3{i}:10.000000000 -0700 .','drwxrwxrwt 9 root root 4096 2026-08-19 04:00:01.000000000 -0700 ..','-rw-r--r-- 1 epd epd   79 2026-08-18 17:11:54.000000000 -0700 checkpoint',f'-rw-r--r-- 1 epd epd {sizes[i==1]} 2026-08-18 17:11:54.000000000 -0700 warm-1.data-00000-of-00001',f'-rw-r--r-- 1 epd epd {ix} 2026-08-18 17:11:54.000000000 -0700 warm-1.index','$ df -i /scratch /','Filesystem      Inodes  IUsed   IFree IUse% Mounted on',f'/dev/md0      61054976 {r.randint(10**5,10**7)} 50000000   9% /scratch','$ df -h /scratch',f'/dev/md0        1.8T  {r.choice(["1.5T","1.6T","960G"])}  200G  88% /scratch','$ tail -5 /var/log/stage_warm.log']+[f'23:3{i}:0{k} aws s3 cp s3://epd-warm/0818/{n} /scratch/warm/ … done' for k,n in enumerate(['checkpoint','warm-1.index'])]+([f'23:31:04 aws s3 cp s3://epd-warm/0818/warm-1.data-00000-of-00001 … Completed 32.0 KiB/{sizes[0]/1024:.1f} KiB (41 KiB/s) with 1 file(s) remaining'] if i==1 else [f'23:3{i}:04 aws s3 cp s3://epd-warm/0818/warm-1.data-00000-of-00001 … done'])
files['ticket-7719.txt']='Warm start job dies. cow01 says cow02 and cow05 "stopped sending heartbeats", so switch az1-tor2? We already reseated the DAC on cow05. Clocks are NTP but cow02 drifts a second.\n'
mk('epd-7719','.tgz',files,'checkpoint.corrupt','az1-cow02',[],f"az1-cow02 (task 1) fails in checkpoint read ('Read less bytes than requested'): its staged warm-1.data is 32768 bytes against {sizes[0]} elsewhere, the s3 copy never completed. cow05 gets Socket closed and cow01 'stopped sending heartbeats' as consequences; the switch is a false lead.",top='7719')
