import sys; sys.path.insert(0,"/opt/incidents/make")
from rend import *
import math
r=random.Random(8)
J=lambda t:d(t,9)
# --- PS (hard, survivors only)
ns=["akagi","myogi","asama"]; L={n:load("jp_ps",n) for n in ns}
rs=min(l[0][0] for l in L.values()); r1=first(L["akagi"],"round 0 "); rk=min(first(L[n],"Socket closed") for n in ns)
nr=max(int(re.search(r"round (\d+)",x).group(1)) for t,x in L["akagi"] if "INFO round" in x)+1
F0=ep("2026-11-05 23:10:37",9); ex=700; dt=9.4
A=F0+(r1-rs); B=A+ex*dt; K=B+nr*dt
tm=TM([(rs,F0),(r1-.01,A),(r1,B),(rk,K)])
fmt=lambda t: J(t).strftime("%Y-%m-%d %H:%M:%S,")+"%03d"%int(t%1*1000)
def V(i): q=random.Random(i+5); return 0.6931-0.06*(1-math.exp(-i/500))+q.gauss(0,.006)
S=stage("T-3318"); out=""
for n in ns:
    o=[]; done=False
    for t,x in cook(L[n],tm,fmt):
        m=re.search(r"round (\d+)  step (\d+)  loss ([\d.]+)",x)
        if m and not done:
            done=True
            for i in range(ex): tt=A+i*dt+r.gauss(0,.4); o.append((tt,f"[{fmt(tt)}] INFO round {i}  step {i*10+10}  loss {V(i):.5f}"))
        if m: i=int(m.group(1))+ex; x=x.replace(m.group(0),f"round {i}  step {i*10+10}  loss {V(i):.5f}")
        o.append((t,x))
    out+="".join(f"{n}: {x}\n" for _,x in o)
put(S,"pdsh_20261106_0915.txt","$ pdsh -w akagi,haruna,myogi,asama 'cat /var/log/jihanki/run-20261105.log' | tee pdsh_20261106_0915.txt\nharuna: ssh: connect to host haruna port 22: Connection timed out\npdsh@kanri: haruna: ssh exited with exit code 255\n"+out)
put(S,"cluster.json",json.dumps({"chief":["akagi:7100"],"ps":["haruna:7100"],"worker":["myogi:7100","asama:7100"]},indent=1)+"\n")
put(S,"メモ.txt",f"""11/6 朝、学習が止まっていた。{J(K).strftime('%H:%M')} ごろ。
akagi のトレースバックに worker/task:0 (myogi) の名前が出るので myogi が原因だと思う。
ただし myogi のプロセスはまだ生きている。haruna は ssh が通らない (データセンターに問い合わせ中、返事待ち)。
akagi の NTP は正常。
""")
put(S,"df_uptime.txt","".join(f"{n}:  09:17:0{i}  up {u} days, {h},  0 users,  load average: 0.0{i+1}, 0.02, 0.00\n{n}: /dev/vda2        98G   {g}G   {90-g}G  {int(g/98*100)}% /\n" for i,(n,u,h,g) in enumerate([("akagi",112,"4:02",41),("myogi",112,"4:01",77),("asama",37,"18:40",22)])))
pack(S,"T-3318.tar.gz")
write_truth("T-3318.tar.gz","ps.unavailable",["haruna","ps:0"],["network.unreachable-peer"],"Hard: only survivors' logs. Chief and workers lose the parameter server (haruna, ps:0: Socket closed, failed to connect to 172.20.3.11:7100) and haruna no longer answers ssh; why it died isn't shown. myogi is only named as the relaying worker.")
# --- seg
def V2(i): q=random.Random(i+77); return max(.2,0.6931*math.exp(-i/4000)+q.gauss(0,.012))
def shelf(run,F0,ex,dt,rk,extra_lines=None):
    ns=["kinu","watarase"]; L={n:load(run,n) for n in ns}
    rs=min(l[0][0] for l in L.values()); r1=min(first(l," step 0 ") for l in L.values())
    nr=max(int(re.search(r"step (\d+) loss",x).group(1)) for l in L.values() for t,x in l if re.search(r"step \d+ loss",x))+3
    A=F0+(r1-rs); B=A+ex*dt; K=B+nr*dt; tm=TM([(rs,F0),(r1-.01,A),(r1,B),(rk,K)])
    fmt=lambda t:J(t).strftime("%m/%d %H:%M:%S")
    R={}
    for n in ns:
        o=[]; done=False
        for t,x in cook(L[n],tm,fmt):
            m=re.search(r"step (\d+) loss ([\d.]+)",x)
            if m and not done:
                done=True
                for i in range(0,ex,3): tt=A+i*dt+r.gauss(0,.1); o.append((tt,f"{fmt(tt)} step {i} loss {V2(i):.4f}"))
            if m: i=int(m.group(1))+ex; x=x.replace(m.group(0),f"step {i} loss {V2(i):.4f}")
            o.append((t,x))
        R[n]=o
    return R,K
L=load("jp_seg","watarase"); R,K=shelf("jp_seg",ep("2026-10-14 02:31:10",9),2400,3.3,first(L,"Fatal Python error"))
S=stage("T-3290")
for n in R: put(S,f"{n}/train.log",txt(R[n]))
pid=int(re.search(r"(\d+) Segmentation",[x for t,x in L if "Segmentation fault  " in x][0]).group(1)); print("pid",pid)
def dm(t,x): return f"[{J(t).strftime('%a %b %e %H:%M:%S %Y')}] {x}\n"
bt=K-86400*18
base=[(0,"Linux version 5.15.0-119-generic (buildd@lcy02-amd64-075) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0, GNU ld (GNU Binutils for Ubuntu) 2.38) #129-Ubuntu SMP Fri Aug 2 19:25:20 UTC 2024 (Ubuntu 5.15.0-119.129-generic 5.15.160)"),(0,"x86/fpu: Supporting XSAVE feature 0x001: 'x87 floating point registers'"),(1,"smpboot: Allowing 16 CPUs, 0 hotplug CPUs"),(2,"systemd[1]: Detected architecture x86-64."),(4,"EXT4-fs (nvme0n1p2): re-mounted. Opts: errors=remount-ro. Quota mode: none."),(8,"igb 0000:04:00.0 eno1: igb: eno1 NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX")]
put(S,"watarase/dmesg.txt","".join(dm(bt+a,b) for a,b in base)+dm(bt+86400*4.4,"TCP: request_sock_TCP: Possible SYN flooding on port 6500. Sending cookies.  Check SNMP counters.")+dm(K+.2,f"python[{pid+88}]: segfault at 7fce3c000000 ip 00007fcefc52a3d0 sp 00007fce52fa9e28 error 6 in libc.so.6[7fcefc3e8000+195000]"))
put(S,"kinu/dmesg.txt","".join(dm(bt+a-3000,b) for a,b in base)+dm(bt+86400*9.1,"perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500")+dm(K-4000,"nvme nvme0: I/O 812 QID 5 timeout, completion polled"))
put(S,"README.txt","kinu: unhealthy (stopped sending heartbeats) と出ている。kinu の nvme に timeout が 1 回出ているのが気になる。\n集め方: scp で train.log と sudo dmesg -T > dmesg.txt\nlibrldec は先週 v2 に差し替え (棚ラベルの RLE デコーダ、社内 C)。\n")
pack(S,"T-3290.zip")
write_truth("T-3290.zip","process.segfault",["watarase","worker:1"],[],"watarase (worker 1) got SIGSEGV inside the in-house decoder called from decode() (faulthandler, dmesg segfault, rc=139); kinu reports missing heartbeats. Red herring: a single nvme timeout on kinu.")
# --- nofile
L=load("jp_nofile","watarase"); R,K=shelf("jp_nofile",ep("2026-11-18 13:05:44",9),93,9.3,first(L,"Too many open files"))
S=stage("T-3341")
for n in R: put(S,f"{n}_20261118.log",txt(R[n]))
put(S,"limits.txt","""[kinu] $ ulimit -a | egrep 'open|proc|stack'
open files                          (-n) 65536
stack size                  (kbytes, -s) 8192
max user processes                  (-u) 127513
[watarase] $ ulimit -a | egrep 'open|proc|stack'
open files                          (-n) 1024
stack size                  (kbytes, -s) 8192
max user processes                  (-u) 127513
""")
put(S,"slack.txt",f"kato  13:40\n  {J(K).strftime('%H:%M')} に落ちました。kinu 側は Socket closed、ネットワークでしょうか\nmori  13:44\n  スイッチのポート 7 (kinu) は昨日 CRC エラーが 3 件出ていますが\nkato  13:47\n  10 月の segfault とは違う気がします。ログ 2 本付けます\nmori  13:51\n  両機の ulimit も付けました (今の対話シェルの値)\n")
pack(S,"T-3341.tar.gz")
write_truth("T-3341.tar.gz","resource.fd-limit",["watarase","worker:1"],["user.code-error"],"worker 1 on watarase (nofile 1024, kinu 65536) fails with OSError Errno 24 Too many open files in decode(), which keeps every file open; kinu only sees Socket closed. CRC counters and the earlier segfault are red herrings.")
