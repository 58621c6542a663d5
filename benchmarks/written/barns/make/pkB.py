from pk import *
d=load('B'); H=['seis1','seis2','seis3','seis4']
subs=[(rf'(ipv4:)?127\.0\.0\.{11+k}:2111{k}',f'\\g<1>192.168.77.{101+k}:5000') for k in range(4)]
subs=[(rf'127\.0\.0\.{11+k}:2111{k}',f'192.168.77.{101+k}:5000') for k in range(4)]+[('/opt/incidents/make/','/home/hakei/jikken/'),('/opt/tfenv','/opt/tf221'),('/root/.pyenv/versions/3.11.7','/opt/python311')]
P=post(d,'2026-06-11T22:40:09+09:00',9,subs); SK=[0,0.2,-0.3,1.7]
allv=[];files={}
u=d['usr1']
for i,p in enumerate(d['procs']):
    L=sorted(p['lines'],key=lambda x:x[0])
    for t,k,l in L: 
        # time stamps written by the script (naive UTC) get shifted by the Post in tz
        allv.append((i,P.line(l,SK[i],tids([500,1200,88,4021][i]))))
    files.setdefault('pdsh_all.log',[])
# pdsh -w seis[1-4] cat : blocks arrive interleaved in chunks
r=R(8); q=[[x for j,x in allv if j==i] for i in range(4)]; out=[]
while any(q):
    i=r.choice([k for k in range(4) if q[k]]); n=r.randint(20,90)
    out+=[f'{H[i]}: {x}' for x in q[i][:n]]; q[i]=q[i][n:]
files['pdsh_all.log']=out
def T(t): return P.dt(t)
ps=[]
for i,p in enumerate(d['procs']):
    pid=p['pid']+[500,1200,88,4021][i]
    ps+=[f'{H[i]}: USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND',f'{H[i]}: hakei    {pid:7d} {[3.1,2.8,3.4,3.0][i]}  1.{i} 5912{i}44 61{i}204 ?        Sl   22:40   0:2{i} /opt/tf221/bin/python /home/hakei/jikken/hakei_train.py',f'{H[i]}: root     {r.randint(400,900):7d}  0.0  0.0      0     0 ?        S    6月02   0:11 [nfsiod]']
files['ps_2241.txt']=ps
dm=[]
for i in range(4):
    for k in range(r.randint(60,120)):
        t=T(u).replace(hour=2)+dt.timedelta(seconds=k*520+r.randint(0,300)); 
        dm.append(f"{H[i]}: [{t:%a %b %d %H:%M:%S %Y}] "+r.choice(['perf: interrupt took too long (2503 > 2500), lowering kernel.perf_event_max_sample_rate to 79750','e1000e 0000:00:1f.6 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx','audit: type=1400 audit(%d.%03d:%d): apparmor="ALLOWED" operation="open" profile="ping"'%(t.timestamp(),r.randint(0,999),r.randint(100,999)),'usb 1-3: reset full-speed USB device number 4 using xhci_hcd','TCP: request_sock_TCP: Possible SYN flooding on port 5000. Sending cookies.']))
    if i==3:
        dm+= [f"seis4: [{T(u).replace(hour=16,minute=2,second=11):%a %b %d %H:%M:%S %Y}] nfs: server nas-a not responding, still trying",f"seis4: [{T(u).replace(hour=16,minute=2,second=49):%a %b %d %H:%M:%S %Y}] nfs: server nas-a OK"]
files['dmesg_T.txt']=dm
files['メモ.txt']=f'''6/11 夜の学習が {T(u-12):%H:%M:%S} ごろから全く進まない。エラーは出ていない。
22:41 ごろ ps を取得。その後 kill -USR1 を各ノードで2回（スタックが出ます）。
進まないので Ctrl-C したら seis2 だけ終わらず kill -9 した。
昼に seis4 で nas-a の NFS が一度固まったのでそれが怪しい？
CPU はどのノードも使っていない。ping は全部通る。
hakei_train.py は先週キャッシュ入替を追加した版。
'''
files['hakei_train.py.txt']=re.sub(r'k=IDX; m=0.*yield v\n','k=IDX\n        while True: yield self.read_event(k); k+=4\n',open('hakei_train.py').read().split('st=tf.distribute')[0],flags=re.S)+'# (以下略)\n'
mk('hakei-0611','.zip',files,'sync.hang','seis2',['user.code-error'],"No error at all; loss lines stop on all four. USR1 stack dumps: seis2 (task 1) sits in IteratorGetNext with two of its own threads in a lock-order deadlock (rotate holds stat_lock waiting for cache_lock, read_event the reverse), the others wait in all-reduce. NFS stall on seis4 earlier in the day is a false lead; KeyboardInterrupt and kill -9 came after.")
