from asm import *
import re
B=[('/root/.pyenv/versions/3.11.7/lib/python3.11','/usr/lib64/python3.11'),('/opt/incidents/make/run/','/srv/willow/'),('/opt/incidents/make/lib/','/srv/willow/'),('data/ok/*','/srv/willow/cleft/*'),('part-0','cleft-0'),('willow_train2.py','willow_train.py'),('/opt/tfenv','/srv/willow/venv')]
H=['lidder','jhelum','sindh']
def P(p): return [('127.0.0.1:%d'%x,'10.77.0.1%d:5000'%i) for i,x in enumerate(p)]
MS=r'(?<=step_ms )(\d+)()\b'
def scale(L,k): return [re.sub(r'(?<=step_ms )(\d+)',lambda m:str(int(int(m.group(1))*k*0.97)),l) for l in L]
def journal(L,host,t,tz,pid,unit='python'):
    out=[]
    for l in L:
        m=re.search(r'\b(\d{10}\.\d{6})\b',l); m2=re.match(r'(20\d\d-\d\d-\d\d \d\d:\d\d:\d\d),(\d+)',l)
        if m: t=float(m.group(1))
        elif m2: t=ep(m2.group(1),tz)+int(m2.group(2))/1000
        out.append((t,'%s+0530 %s %s[%d]: %s'%(stamp(t,tz,'%Y-%m-%dT%H:%M:%S'),host,unit,pid,l)))
    return out
rnd=random.Random(11)
PR=['systemd[1]: Started session-#.scope - Session # of User bilal.','chronyd[812]: Selected source 10.77.0.1','dhclient[#]: bound to lease -- renewal in 1700 seconds.','CROND[#]: (root) CMD (run-parts /etc/cron.hourly)','sshd[#]: Accepted publickey for ansible from 10.77.0.2 port # ssh2','systemd[1]: Starting sysstat-collect.service - system activity accounting tool...','systemd[1]: Finished sysstat-collect.service - system activity accounting tool.']
# e13: throttled
te=1795850143.724; T=ep('2026-10-13 15:20:00',5.5); r='anantnag-inc58'; shutil.rmtree(ST+r,ignore_errors=True)
for i,h in enumerate(H):
    L=[]
    for l in lines(R+'e13/w%d.log'%i,te,T,1,5.5,B+P([21131,21132,21133])):
        if 'epoch 0 done' in l: break
        if 'INFO tensorflow' in l: continue
        L.append(l)
    J=journal(L,h,T-20,5.5,2100+i*37)+[(t,re.sub(r'^\w+ \d+ ','2026-10-13T',s).replace(' '+h,'+0530 '+h,1)) for t,s in klog(h,T-900,30,5.5,rnd,PR)]
    J=[x for x in J if x[0]<T+40]
    if i==1: J.append((T-0.6,'2026-10-13T15:19:59+0530 jhelum systemd[1]: Reloading.\n'))
    J.sort(key=lambda x:x[0]); put(r,'%s/journal.txt'%h,[s for _,s in J])
    put(r,'%s/top.txt'%h,'''top - 15:20:2%d up 41 days,  3:1%d,  1 user,  load average: 0.%d1, 0.18, 0.20
Tasks: 211 total,   1 running, 210 sleeping,   0 stopped,   0 zombie
%%Cpu(s):  %s us,  0.4 sy,  0.0 ni, %s id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
MiB Mem :  31873.4 total,  24102.8 free,   3311.0 used,   4459.6 buff/cache
MiB Swap:   8192.0 total,   8192.0 free,      0.0 used.  28170.1 avail Mem

    PID USER      PR  NI    VIRT    RES    SHR S  %%CPU  %%MEM     TIME+ COMMAND
%7d willow    25   5 3981420 612844 251044 S   %s   1.9   0:0%d.%d2 python
   1290 root      20   0  412344  21200  17204 S   0.7   0.1  88:20.41 tuned
'''%(3+i,i+2,i+1,['1.1','0.7','1.3'][i],['98.5','98.9','98.3'][i],2100+i*37,['2.3','2.0','2.7'][i],6+i,i+3))
    put(r,'%s/unit.txt'%h,'''# /etc/systemd/system/willow.service
[Unit]
Description=Cleft grading trainer
After=network-online.target

[Service]
User=willow
Nice=5
EnvironmentFile=/etc/willow/tf.env
ExecStart=/srv/willow/venv/bin/python /srv/willow/willow_train.py --data "/srv/willow/cleft/*" --spe 75 --epochs 2 --steps 110

[Install]
WantedBy=multi-user.target
'''+('''
# /etc/systemd/system.control/willow.service.d/50-CPUQuota.conf
# This is a drop-in unit file extension, created via "systemctl set-property"
# or an equivalent operation. Do not edit.
[Service]
CPUQuota=2.00%
''' if i==1 else ''))
put(r,'notes.md','''# inc 58 - training crawls

- was ~25 ms a step, since 15:20 something like 700 ms on ALL three. No errors at all. Stopped it at 15:21.
- Bilal says CPU is idle everywhere so must be the switch. iperf between lidder and sindh: 941 Mbit/s both ways.
- Showkat was tidying on the boxes after lunch ("gave it two cpus so the saw line scanner gets the rest")
- files fetched with ansible (journalctl -o short-iso, top -b -n1, systemctl cat)
''')
pack(r,'anantnag-inc58.tar.gz','tar.gz')
truth(r,r+'.tar.gz','sync.straggler',['jhelum','worker:1'],[],'From 15:20 on every synchronous step takes 700 ms because worker 1 on jhelum has a CPUQuota drop-in of 2 % (meant as 2 CPUs, daemon reload one second before). All step times are equal and all machines idle, the network is fine.')
# e14
te=err_t('e14','w0','must be configured'); T=ep('2026-10-21 10:02:33',5.5); r='anantnag-inc61'; shutil.rmtree(ST+r,ignore_errors=True)
for i,h in enumerate(H[:2]):
    L=lines(R+'e14/w%d.log'%i,te,T,1,5.5,B+P([21141,21142]))
    J=[]
    J=journal(L,h,T-8,5.5,4410+i)
    tl=J[-1][0]
    J+= [(tl+.2,'%s+0530 %s systemd[1]: willow.service: Main process exited, code=exited, status=1/FAILURE\n'%(stamp(tl+.2,5.5,'%Y-%m-%dT%H:%M:%S'),h)),(tl+.2,"%s+0530 %s systemd[1]: willow.service: Failed with result 'exit-code'.\n"%(stamp(tl+.2,5.5,'%Y-%m-%dT%H:%M:%S'),h))]
    J+=[(t,re.sub(r'^\w+ \d+ ','2026-10-21T',s).replace(' '+h,'+0530 '+h,1)) for t,s in klog(h,T-1500,45,5.5,rnd,PR)]
    J.sort(key=lambda x:x[0]); put(r,'%s.journal'%h,[s for _,s in J])
put(r,'git_log.txt','''* 5d0c71b (HEAD -> main) share the grade table with the bench tool instead of copying it
* 31ab9e0 scanner: crop 2 mm more at the toe
* c7f02d4 pin tensorflow 2.21
* 88e1a35 readme
''')
put(r,'grading.py',open('/opt/incidents/make/lib/grading.py').read())
put(r,'mail.txt','From: bilal@willowworks.example\nTo: ml@willowworks.example\nDate: Wed, 21 Oct 2026 10:31:07 +0530\n\nTrainer does not start on lidder and jhelum since the pip pin (2.21). Probably the collective\nops package was not installed with it? sindh is off for the new PSU.\n')
pack(r,'anantnag-inc61.tgz','tgz')
truth(r,r+'.tgz','config.strategy-misuse',None,['user.code-error'],'grading.py executes TensorFlow ops at import, before MultiWorkerMirroredStrategy is created, so "Collective ops must be configured at program startup" is raised on both machines alike. The version pin is an older commit and innocent.')
# e15
te=1795850216.123; T=ep('2026-11-02 04:12:47',5.5); r='anantnag-inc66'; shutil.rmtree(ST+r,ignore_errors=True)
for i,h in enumerate(H[:2]):
    L=[l for l in lines(R+'e15/w%d.log'%i,te,T,30,5.5,B+P([21151,21152,21153]))]
    L=[l for l in L if 'INFO tensorflow' not in l]
    L=[re.sub(r'(?<=step_ms )(\d+)',lambda m:str(int(int(m.group(1))*29)),l) for l in L]
    J=journal(L,h,T-900,5.5,3320+i*11)
    J+=[(t,re.sub(r'^\w+ \d+ ','2026-11-02T',s).replace(' '+h,'+0530 '+h,1)) for t,s in klog(h,T-1800,50,5.5,rnd,PR)]
    J.sort(key=lambda x:x[0]); put(r,'%s.journal'%h,[s for _,s in J])
up=3512207.0
def nl(d,s): return '[%12.6f] %s\n'%(up+d,s)
put(r,'netcons-10.77.0.12.txt',''.join([nl(-86120.113,'perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79000'),
 nl(-4021.55,'usb 1-3: USB disconnect, device number 4'),nl(-4019.20,'usb 1-3: new high-speed USB device number 5 using xhci_hcd'),
 nl(0.0,'watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [kworker/3:1:20718]'),
 nl(0.000021,'Modules linked in: netconsole nfsv4 nfs lockd grace sunrpc intel_rapl_msr intel_rapl_common x86_pkg_temp_thermal coretemp kvm_intel kvm e1000e xfs'),
 nl(0.000102,'CPU: 3 PID: 20718 Comm: kworker/3:1 Not tainted 5.14.0-427.13.1.el9_4.x86_64 #1'),
 nl(0.000110,'RIP: 0010:native_queued_spin_lock_slowpath+0x6e/0x2f0'),
 nl(0.000180,'Kernel panic - not syncing: softlockup: hung tasks')]))
put(r,'whatsapp.txt','''02/11/26, 8:40 am - Bilal: job died in the night, lidder says sindh "stopped sending heartbeats"
02/11/26, 8:41 am - Bilal: sindh pings now but uptime is 3 hours?? journal of it starts 05:30, nothing before (volatile)
02/11/26, 8:44 am - Showkat: there was load shedding at 5, generator took over at 5:20. so power
02/11/26, 8:52 am - Bilal: job died 4:13 though
02/11/26, 9:10 am - Bilal: attached: lidder, jhelum, and what the netconsole box had under sindh's ip
''')
pack(r,'anantnag-inc66.tar.bz2','tar.bz2')
truth(r,r+'.tar.bz2','driver.kernel',['sindh','worker:2'],[],'Worker 2 on sindh (10.77.0.12) stops sending heartbeats; the netconsole file of that address ends with a soft lockup and a kernel panic. Its own journal is lost, and the power cut at 5 came an hour after the failure at 4:12.')
