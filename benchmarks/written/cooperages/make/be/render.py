import sys; sys.path.insert(0,"/opt/incidents/make")
from rend import *
import math
hm=lambda tz:(lambda t: d(t,1).strftime("%H:%M:%S"))
def V(i,s): r=random.Random(i*31+s); return max(0.0006,1.38*math.exp(-i/700)+0.03+r.gauss(0,.02)*(0.4+math.exp(-i/900)))
def be(run,nodes,F0,extra,stappen,dt,rfail,seed,total,dagf="%H:%M:%S",skews={}):
    Ls={n:load(run,n) for n in nodes}
    rs=min(L[0][0] for L in Ls.values()); r1=min(first(L,"Epoch 1/") for L in Ls.values())
    ne=max(int(m.group(1)) for L in Ls.values() for t,x in L for m in [re.search(r"Epoch (\d+)/",x)] if m)
    nreal=ne*stappen
    A=F0+(r1-rs); B=A+extra*stappen*dt; C=B+nreal*dt
    tm=TM([(rs,F0),(r1-.01,A),(r1,B),(rfail,C)])
    fmt=lambda t: d(t,1).strftime(dagf); out={}
    for n in nodes:
        sk=skews.get(n,0); rr=random.Random(n+str(seed)); o=[]; done=False; ep_=0
        k=list(nodes).index(n)
        for t,x in cook(Ls[n],tm,fmt,skew=sk):
            if "Epoch 1/" in x and not done:
                done=True
                for e in range(1,extra+1):
                    tt=A+sk+(e-1)*stappen*dt
                    o.append((tt,f"{fmt(tt)} Epoch {e}/{total}"))
                    for s in range(3,stappen+1,3):
                        ts=tt+s*dt+rr.gauss(0,.1); o.append((ts,f"{fmt(ts)}   {s:3d}/{stappen} - verlies: {V((e-1)*stappen+s,seed):.4f}"))
                    te=tt+stappen*dt-0.4; du=stappen*dt+rr.gauss(0,.15)
                    o.append((te,f"{fmt(te)}   epoch klaar in {du:.1f}s, {int(16*stappen*len(nodes)/du)} foto's/s"))
                    o.append((te+.2,f"{fmt(te+.2)} bewaard: /home/duif/uit/pc{k}/ep-{e:03d}"))
            m=re.search(r"Epoch (\d+)/\d+",x)
            if m: ep_=int(m.group(1))+extra; x=re.sub(r"Epoch \d+/\d+",f"Epoch {ep_}/{total}",x)
            m=re.search(r"(\d+)/(\d+) - verlies: [\d.]+",x)
            if m: x=re.sub(r"verlies: [\d.]+",f"verlies: {V((ep_-1)*stappen+int(m.group(1)),seed):.4f}",x)
            m=re.search(r"klaar in ([\d.]+)s, \d+",x)
            if m: du=stappen*dt+rr.gauss(0,.15); x=re.sub(r"klaar in [\d.]+s, \d+",f"klaar in {du:.1f}s, {int(16*stappen*len(nodes)/du)}",x)
            x=re.sub(r"ep-(\d{3})",lambda m:"ep-%03d"%(int(m.group(1))+extra),x)
            o.append((t,x))
        out[n]=o
    return out,tm,C

# BE1 port (hard: log of schalie not kept, only ss + chat)
F0=ep("2026-10-31 19:40:12",1)
L=load("be_port","blauwband"); rs=L[0][0]; tm=TM([(rs,F0)])
fmt=lambda t:d(t,1).strftime("%H:%M:%S")
A=cook(L,tm,fmt)
old,_,_=be("be_ok",["kraskop","blauwband","schalie"],ep("2026-10-30 20:02:41",1),9,40,2.9,load("be_ok","kraskop")[-1][0],3,15)
S=stage("lokeren-3")
o=old["blauwband"]
put(S,"tmux-blauwband-20261031.txt","duif@blauwband:~/code$ cat vorige.log\n"+txt(o)+"duif@blauwband:~/code$ ./start.sh 2>&1 | tee nu.log\nssh kraskop ... overgeslagen (pc staat uit)\nssh schalie ... gestart\n"+txt(A)+"^Z\n[1]+  Stopped                 ./start.sh 2>&1 | tee nu.log\nduif@blauwband:~/code$ date\nza 31 okt 2026 20:11:33 CET\nduif@blauwband:~/code$ ping -c3 schalie\nPING schalie (192.168.7.22) 56(84) bytes of data.\n64 bytes from schalie (192.168.7.22): icmp_seq=1 ttl=64 time=0.412 ms\n64 bytes from schalie (192.168.7.22): icmp_seq=2 ttl=64 time=0.388 ms\n64 bytes from schalie (192.168.7.22): icmp_seq=3 ttl=64 time=0.397 ms\n\n--- schalie ping statistics ---\n3 packets transmitted, 3 received, 0% packet loss, time 2041ms\nrtt min/avg/max/mdev = 0.388/0.399/0.412/0.009 ms\nduif@blauwband:~/code$ nc -vz schalie 5005\nConnection to schalie (192.168.7.22) 5005 port [tcp/*] succeeded!\n")
sp=load("be_port","schalie"); 
W=cook(sp,TM([(sp[0][0],F0+.6)]),fmt)
pidw=int(open(RUN+"be_port/schalie.pid").read())
put(S,"schalie/oog.err","\n".join(x for _,x in W if "Traceback" not in x and not x.startswith("  ") and "errors_impl" not in x)[:0]+"")
ss="State  Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess\nLISTEN 0      128          0.0.0.0:22         0.0.0.0:*    users:((\"sshd\",pid=688,fd=3))\nLISTEN 0      4096   127.0.0.53%lo:53         0.0.0.0:*    users:((\"systemd-resolve\",pid=512,fd=14))\nLISTEN 0      128          0.0.0.0:5005       0.0.0.0:*    users:((\"python3\",pid=3917,fd=7))\nLISTEN 0      128             [::]:22            [::]:*    users:((\"sshd\",pid=688,fd=4))\n"
put(S,"schalie/poorten.txt","$ sudo ss -ltnp\n"+ss+"$ ps -fp 3917\nUID          PID    PPID  C STIME TTY          TIME CMD\nduif        3917       1  0 okt30 ?        00:00:04 python3 /home/duif/hokcam/kijk.py --poort 5005\n$ ps aux | grep train_oog\nduif       12877  0.0  0.0   6332  2120 pts/2    S+   20:16   0:00 grep --color=auto train_oog\n$ uptime\n 20:16:20 up 9 days,  3:40,  2 users,  load average: 0.06, 0.11, 0.08\n")
os.remove(S+"/schalie/oog.err")
put(S,"start.sh","#!/bin/bash\n# start op elke pc; 1e in de lijst is de baas\nP=blauwband:5005,schalie:5005\nfor h in kraskop schalie; do\n  if ! ping -c1 -W1 $h >/dev/null; then echo \"ssh $h ... overgeslagen (pc staat uit)\"; continue; fi\n  ssh $h 'cd code; nohup ~/venv/bin/python train_oog.py --peers '$P' --ik 1 >/dev/null 2>&1 &'\n  echo \"ssh $h ... gestart\"\ndone\nexec ~/venv/bin/python train_oog.py --peers $P --ik 0 --epochs 15 --stappen 40\n")
put(S,"bericht.txt","Joris,\ngisteren liep het nog met drie (zie vorige.log, helemaal uitgelopen). Kraskop is nu bij Wim\nvoor de voeding, dus met twee. Hij blijft staan op 'Waiting for 1/2 tasks'. Ik dacht eerst aan de\nfirewall van schalie maar de poort is open, nc zegt succeeded. Wat nu?\nDe kijk.py is het scherm voor de hokcamera, die heeft de Wim vrijdag gezet.\nGroeten, Luc\n")
pack(S,"lokeren-3.zip")
write_truth("lokeren-3.zip","network.port-in-use",["schalie","worker:1"],[],"Hard: schalie's trainer output went to /dev/null. blauwband waits for 1/2 tasks; on schalie the trainer is gone and port 5005 is held by an unrelated kijk.py, so nc 'succeeds' and the firewall idea is wrong. vorige.log is a complete healthy run.")

# BE2 disk
S=stage("aalst-17")
L=load("be_disk","schalie"); rf=first(L,"No space left")
ns=["blauwband","schalie"]
O,tm,C=be("be_disk",ns,ep("2026-11-06 20:15:03",1),31,12,4.2,rf,8,120)
for n in ns: put(S,f"{n}/train_oog.{'0' if n=='blauwband' else '1'}.log",txt(O[n]))
put(S,"blauwband/df.txt","Bestandssysteem  1K-blokken  Gebruikt Beschikbaar Geb% Aangekoppeld op\ntmpfs               1626888      2084     1624804   1% /run\n/dev/nvme0n1p2    238786440 190231120    36352344  84% /\n/dev/sda1         960302804 881034912    30412872  97% /mnt/fotos\n")
put(S,"opmerking.txt","vr 6 nov, is er weer uitgevallen rond %s.\nOp blauwband: Socket closed. /mnt/fotos zit op 97%% maar daar schrijft hij niet.\nKabel van de blauwband al vervangen vorige week.\nLuc\n"%d(C,1).strftime("%H:%M"))
pack(S,"aalst-17.tgz")
write_truth("aalst-17.tgz","resource.disk-full",["schalie","worker:1"],[],"schalie (worker 1) failed to write checkpoint ep-051: 'No space left on device'; blauwband only saw Socket closed. The 97 % photo disk of blauwband is innocent.".replace("ep-051","its checkpoint"))

# BE3 healthy
S=stage("ninove-5")
ns=["kraskop","blauwband","schalie"]
O,tm,C=be("be_ok",ns,ep("2026-11-14 18:30:20",1),34,40,2.6,load("be_ok","kraskop")[-1][0],21,40,skews={"schalie":61.0})
for n in ns: put(S,f"{n}.log",txt(O[n]))
r=random.Random(3); t=ep("2026-11-14 18:25:00",1); c="tijd;pc;cpu_temp;cpu_mhz;load1;rx_kB_s;tx_kB_s\n"
while t<C+600:
    for n,b,mh in (("kraskop",71,3400),("blauwband",63,3600),("schalie",82,3100)):
        on=F=t>ep("2026-11-14 18:30:40",1) and t<C
        c+=f"{d(t,1).strftime('%Y-%m-%d %H:%M:%S')};{n};{(b if on else 41)+r.gauss(0,1.6):.1f};{int((mh if on else 1800)+r.gauss(0,60))};{(3.4 if on else .1)+r.random()*.4:.2f};{(220 if on else 2)+r.gauss(0,10 if on else .4):.0f};{(221 if on else 2)+r.gauss(0,10 if on else .4):.0f}\n"
    t+=30
put(S,"sensoren.csv",c)
put(S,"whatsapp.txt","14/11/26 21:48 - Luc: is de training vastgelopen? ik zie niks meer bewegen op het scherm\n14/11/26 21:48 - Luc: en schalie is wel heel warm, 82 graden\n14/11/26 21:52 - Wim: die doet dat altijd, pasta is droog\n14/11/26 21:53 - Wim: en zijn klok loopt een minuut voor, niet van schrikken\n14/11/26 21:55 - Luc: ik stuur u alles door, kijk eens of er iets scheelt\n")
pack(S,"ninove-5.tar.gz")
write_truth("ninove-5.tar.gz","none",None,[],"Healthy: all three workers run 40 epochs, save every checkpoint and print 'klaar'. Red herrings: schalie is warm (no throttling effect) and its clock is a minute fast.")
print(d(C,1))
