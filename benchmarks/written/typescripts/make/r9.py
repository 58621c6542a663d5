from ren import *
N=['tango','samba','rumba']
off={'samba':3,'rumba':0}
po={'tango':61000,'samba':-2200,'rumba':33000}
r=R('a9','2025-12-02 18:26:44','Asia/Kolkata','/home/voice/asr','/home/voice/env',[(r'\d{4}/\d\d/\d\d \d\d:\d\d:\d\d','%Y/%m/%d %H:%M:%S')],off,po)
d=r.d; M=[]
ks=lambda h:sorted([k for k in d['st'] if k.split('#')[0]==h],key=lambda k:d['st'][k])
for h in N:
    def pf(l,k):
        return re.sub(r'^(\[[^\]]*\])\[\d+\]',lambda m:f'{m[1]}[{r.pid(k)}]',l)
    for st,nm in(('o','asr.stdout.log'),('e','asr.stderr.log')):
        M.append((f'{h}/circus/{nm}',''.join(f"{r.dt(t,k).strftime('%Y-%m-%d %H:%M:%S')} [{r.pid(k)}] | {pf(l,k)}\n" for t,k,o,l in r.lines(ks(h),st))))
    c=[]; cp=r.pid(ks(h)[0])-17
    def w(t,lv,m): c.append((t,r.dt(t,h).strftime('%Y-%m-%d %H:%M:%S ')+f'circus[{cp}] [{lv}] {m}\n'))
    s0=d['st'][h]
    w(s0-1.3,'INFO',f'Starting master on pid {cp}'); w(s0-1.2,'INFO','Arbiter now waiting for commands'); w(s0-.02,'INFO','asr started')
    for k in ks(h)[1:]: w(d['st'][k]-.3,'WARNING','asr: reaping process %d [asr]'%r.pid(ks(h)[ks(h).index(k)-1]))
    end=d['t0']+74
    if h=='rumba':
        z=d['ex'][ks(h)[-1]][0]; w(z+.9,'WARNING','asr: reaping process %d [asr]'%r.pid(ks(h)[-1])); w(z+1,'INFO','asr: flapping detected: retry in 60s (attempt number 1)'); w(z+1.05,'INFO','asr stopped')
    w(end-2,'INFO','Got signal SIG_TERM'); w(end-2+.05,'INFO','Arbiter exiting'); (h!='rumba' and w(end-.3,'INFO','asr stopped'))
    c.sort(key=lambda x:x[0]); M.append((f'{h}/circus/circusd.log',''.join(x for _,x in c)))
    ss=d['meta']['ss'][h]
    def rp(m):
        p=int(m[2]); kk=[k for k in d['pid'] if d['pid'][k]==p]
        return f'"{m[1]}",pid={p+po[h]-29113}'
    ss=re.sub(r'"([\w.]+)",pid=(\d+)',rp,ss)
    if h!='rumba': ss=''
    else: M.append((f'{h}/ss-ltnp.txt',f'voice@{h}:~$ sudo ss -ltnp\n'+ss.replace('\n',f'\nLISTEN 0      4096         0.0.0.0:22           0.0.0.0:*    users:(("sshd",pid=911,fd=3))\n',1)+f'voice@{h}:~$ ps -o pid,lstart,etime,cmd -p {d["pid"]["stale"]+po[h]-29113}\n    PID                  STARTED     ELAPSED CMD\n{d["pid"]["stale"]+po[h]-29113:7d} {(r.dt(d["t0"])-D.timedelta(hours=7,minutes=12)).strftime("%a %b %e %H:%M:%S %Y")}    07:13:21 python3 -m http_debug --port 12355\n'))
pack('asr_finetune_logs.tar.gz',M,r.t(d['t0'])+800,dict(cause='network.port-in-use',culprit_node='rumba',notes="On rumba every start ends with add_port.cc 'No address added ... 0.0.0.0:12355' / 'Could not start gRPC server'; ss shows a python3 debug server that holds 12355 since the morning. tango and samba just wait for task:2."))
