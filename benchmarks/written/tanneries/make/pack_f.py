from pk import *; import sys
P=[("/opt/incidents/make/stamps.py","/home/sonam/perf/stamps.py"),("/opt/incidents/make/f_stamps.py","/home/sonam/perf/stamps.py"),("/opt/incidents/make/catalogue.py","/home/sonam/perf/catalogue.py"),("/opt/tfenv","/home/sonam/.venvs/tf"),("/root/.pyenv/versions/3.11.7","/home/sonam/.pyenv/versions/3.11.7"),("/opt/incidents/raw/ck_f1","/tank/perf/ck"),("/opt/incidents/raw/ck_f2","/tank/perf/ck2"),("/opt/incidents/raw/ck_f3","/tank/perf/ck3")]
R=random.Random(2); Z="Asia/Thimphu"
def gss(x,k): return re.sub(r"global_step/sec: ([\d.]+)",lambda m:"global_step/sec: %g"%float("%.6g"%(float(m[1])/k)),x)
PSW="--ps paro:2220 --wk haa:2221,punakha:2221"
def ty(w,host,cmd,x,off=0,end=None,rc=None):
    s="Script started on %s [TERM=\"xterm-256color\" TTY=\"/dev/pts/%d\" COLUMNS=\"171\" LINES=\"44\"]\n"%(w.at(off).strftime("%Y-%m-%d %H:%M:%S+06:00"),R.randint(0,6))
    s+="\x1b[?2004hsonam@%s:~/perf$ %s\r\n\x1b[?2004l\r"%(host,cmd)+x.replace("\n","\r\n")
    s+="\x1b[?2004hsonam@%s:~/perf$ exit\r\n"%host+"\x1b[?2004l\rexit\r\n\nScript done on %s [COMMAND_EXIT_CODE=\"%d\"]\n"%(w.at(end).strftime("%Y-%m-%d %H:%M:%S+06:00"),rc or 0) if end else ""
    return s
if "f1" in sys.argv:
    n="thimphu-stamps-3"; fresh(n)
    a=rd("f1/haa.1.log"); w1=Warp(Z,first(a),"2026-02-17T16:02:50",k=25)
    b=rd("f1/haa.2.log"); w2=Warp(Z,first(b),"2026-02-18T09:31:08",k=1)
    for h in ("haa","punakha"):
        wr(n,"17feb/%s.tmux"%h,"sonam@%s:~/perf$ python stamps.py %s --job worker --i %d --steps 700 --ckdir /tank/perf/ck\n"%(h,PSW,h=="punakha")+gss(subs(w1(rd("f1/%s.1.log"%h)),*P),25)+("sonam@haa:~/perf$ \n" if h=="haa" else ""))
        wr(n,"18feb/%s.tmux"%h,"sonam@%s:~/perf$ python stamps.py %s --job worker --i %d --steps 2000 --ckdir /tank/perf/ck\n"%(h,PSW,h=="punakha")+subs(w2(rd("f1/%s.2.log"%h)),*P)+("sonam@haa:~/perf$ \n" if h=="haa" else ""))
    wr(n,"17feb/paro.tmux",subs(w1(rd("f1/paro-ps.1.log")),*P)); wr(n,"18feb/paro.tmux",subs(w2(rd("f1/paro-ps.log")),*P))
    ls=rd("f1/ls.after"); tm={"150":"16:07","300":"16:08","450":"16:08","600":"16:09","700":"16:10"}; o=[]
    for l in ls.splitlines():
        m=re.search(r"ckpt-(\d+)",l); t=tm[m[1]] if m else "16:10"
        o.append(l.replace("root root","sonam post").replace("Nov 28 00:00","Feb 17 "+t).replace("1795802413","%d"%w1.ep(1795802413)))
    wr(n,"18feb/ls.txt","sonam@paro:~$ ls -l /tank/perf/ck\n"+"\n".join(o)+"\n")
    wr(n,"hello.txt","""La,

on the 17th it trained to 700 steps and finished nicely, then the office had the usual evening power cut (16:11 or so,
the UPS of haa and punakha held, the one of paro / the tank beeped and went off, they were back at 17:30).
On the 18th I wanted to continue to 2000 and it does not start. punakha waits for the variables, is punakha the problem?
I changed nothing in the script. dmesg of paro shows only the ordinary boot lines.

Karma, philatelic bureau
""")
    fin(n,".tar.gz","checkpoint.corrupt",["paro","ps:0","haa","worker:0"],["hardware.disk-io"],"model.ckpt-700.data is 40960 bytes instead of 309544 since the power cut of paro right after the last save; restoring fails with OutOfRange 'Read less bytes than requested' on the ps and in the chief (haa). punakha waiting for initialised variables is a consequence.")
if "f2" in sys.argv:
    n="bhu-1962"; fresh(n)
    raw={h:rd("f2/%s.log"%h) for h in ("paro-ps","haa","punakha")}; w=Warp(Z,first(raw["haa"]),"2026-05-29T10:15:33",k=1)
    e=60
    wr(n,"typescript.haa",ty(w,"haa","python stamps.py %s --job worker --i 0 --steps 100000 --ckdir /tank/perf/ck2 --every 4"%PSW,subs(w(raw["haa"]),*P)+"^C"))
    wr(n,"typescript.paro",ty(w,"paro","python stamps.py %s --job ps --i 0"%PSW,subs(w(raw["paro-ps"]),*P)))
    wr(n,"typescript.punakha",ty(w,"punakha","python stamps.py --ps localhost:2220 --wk haa:2221,localhost:2221 --job worker --i 1 --steps 100000 --ckdir /tank/perf/ck2 --every 4",subs(w(raw["punakha"]),*P)))
    wr(n,"README","Karma took three typescripts. Cables of haa were moved in the morning. ping between all OK, tunnels (ssh -L 2220 -L 2221 from punakha) are no longer needed since the new switch.\n")
    fin(n,".tar.bz2","config.localhost-address",["punakha","worker:1"],["config.cluster-mismatch"],"punakha was started with localhost for the ps (and for itself) although ps is on paro, so its session waits forever for /job:ps/task:0 while haa trains alone. Cables and pings are red herrings.")
if "f3" in sys.argv:
    n="bureau-ticket-9"; fresh(n)
    raw={h:rd("f3/%s.log"%h) for h in ("paro-ps","haa","punakha")}; w=Warp(Z,first(raw["haa"]),"2026-09-02T14:20:11",k=4)
    wr(n,"haa.log",gss(subs(w(raw["haa"]),*P),4)); wr(n,"paro.log",subs(w(raw["paro-ps"]),*P)); wr(n,"punakha.log",gss(subs(w(raw["punakha"]),*P),4)+"Segmentation fault (core dumped)\n")
    wr(n,"dmesg.punakha","".join("[%s] %s\n"%(w.loc(t).strftime("%a %b %e %H:%M:%S %Y"),m) for t,m in [(w.s-5*86400,"Linux version 6.1.0-21-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40) #1 SMP PREEMPT_DYNAMIC Debian 6.1.90-1 (2024-05-03)"),(w.s-5*86400+1,"Memory: 16234112K/16613484K available (14342K kernel code, 2342K rwdata, 9056K rodata, 2796K init, 17408K bss, 379112K reserved, 0K cma-reserved)"),(w.s-5*86400+9,"e1000e 0000:00:1f.6 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx"),(w.s-86400,"usb 1-3: USB disconnect, device number 7"),(w.s-7000,"usb 1-3: new high-speed USB device number 8 using xhci_hcd"),(w.s-6999,"usb 1-3: Product: CanoScan LiDE 300"),(w.ep(1795802512.9),"python[17505]: segfault at 7ffe0b3f5ff8 ip 000055d3c2b18e11 sp 00007ffe0b3f6000 error 6 in python3.11[55d3c2a4b000+2a7000] likely on CPU 2 (core 2, socket 0)")]))
    wr(n,"catalogue.py",open("/opt/incidents/make/catalogue.py").read())
    wr(n,"from_karma.txt","punakha crashed, haa goes on alone I think. The scanner was plugged in just before, USB again? Pema says TensorFlow 2.21 is unstable.\n")
    fin(n,".tar.gz","process.stack-overflow",["punakha","worker:1"],["process.segfault","user.code-error"],"punakha (worker:1) dies with SIGSEGV inside endless recursion of catalogue.py __missing__ (recursion limit was raised to 10**7; the fault address is just below sp). USB scanner and TF version are red herrings; haa goes on alone.")
