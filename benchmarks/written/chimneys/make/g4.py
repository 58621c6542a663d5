from rend import *
random.seed(14); OFF='19a 1b0 1c6 1dc '.split()
P=lambda a,n=3:{a+i:f"w{i}" for i in range(n)}
# 13 stack : mails with pasted parts
hh={"w0":("podkoren.dimnik.lan","10.77.4.21"),"w1":("crnivec.dimnik.lan","10.77.4.16")}
r=Run("stack",hh,P(23121,2),"2026-11-21 03:12:40")
n="letnik26-nocno"
for k in hh:
    L=r.lines(k); j=journal(r,k,before=noise(hh[k][0],L[0][0]-2400,L[-1][0]+1200,n=90)); 
    if k=="w1":
        tr=r.rc(k)[0]; pid=r.pid(k)
        j[0].append((tr-.05,f"kernel: python[{pid}]: segfault at 7ffe16b7bff8 ip 00007fc2ce4f5195 sp 00007ffe16b7c000 error 6 in libsaje.so.6[7fc2ce4f5000+1000] likely on CPU 1 (core 1, socket 0)"))
        j[0].append((tr-.05,"kernel: Code: c4 08 89 d8 5b 5d 41 5c 41 5d c3 0f 1f 44 00 00 41 55 41 54 55 53 48 83 ec 18"))
        j[0].append((tr-.03,f"systemd[1]: Started systemd-coredump@4-{pid+31}-0.service - Process Core Dump (PID {pid+31}/UID 0)."))
        j[0].sort(key=lambda z:z[0])
    w(n,f"{hh[k][0].split('.')[0]}/dnevnik.txt",fmtj(j))
tr=r.rc("w1")[0]; pid=r.pid("w1")
fr=[]
for i in range(250): fr.append(f"                #{i:<2} 0x00007fc2ce4f5{random.choice(OFF[:1]*9+OFF)} napolni (libsaje.so.6 + 0x1{random.choice(OFF)})" if i else f"                #0  0x00007fc2ce4f5195 napolni (libsaje.so.6 + 0x1195)")
fr=[re.sub(r"0x00007fc2ce4f5(\w+) napolni \(libsaje.so.6 \+ 0x1\w+\)",lambda m:f"0x00007fc2ce4f5{m[1]} napolni (libsaje.so.6 + 0x1{m[1]})",f) for f in fr]
w(n,"crnivec/coredumpctl.txt",f"""           PID: {pid} (python)
           UID: 994 (dimnik)
           GID: 994 (dimnik)
        Signal: 11 (SEGV)
     Timestamp: {loc(tr):%a %Y-%m-%d %H:%M:%S} CET (5h 2min ago)
  Command Line: /opt/dimnik/env/bin/python /opt/dimnik/uci.py --podatki /srv/tuljave/letnik26 --razredi /srv/tuljave/razredi.txt --koraki 600 --knjiznica /opt/dimnik/lib/libsaje.so.6
    Executable: /opt/dimnik/env/bin/python3.11
 Control Group: /system.slice/system-zakuri.slice/zakuri@ucenje.service
          Unit: zakuri@ucenje.service
         Slice: system-zakuri.slice
       Boot ID: 5b3c9d0f1c0e4a53a5d6f77a1c2f0e9b
    Machine ID: 0d6a2f1b7c9e4f0f8b1e3a5c7d9f1b3d
      Hostname: crnivec
       Storage: /var/lib/systemd/coredump/core.python.994.5b3c9d0f.{pid}.zst (present)
  Size on Disk: 61.4M
       Message: Process {pid} (python) of user 994 dumped core.
                
                Stack trace of thread {pid}:
"""+"\n".join(fr)+"\n")
w(n,"prosnja.txt","""Nočno učenje na letniku 2026 je padlo po nekaj sekundah. Letnik 2025 z isto knjižnico dela že pol leta.
Na crnivcu sem v oktobru dodal RAM (2x16 GB, drug proizvajalec) – najbrž slab modul? Memtest pride na vrsto v ponedeljek.
V letniku 26 so tudi povsem zamašene tuljave (cela slika saje), kar je novo, a to ne more sesuti procesa.
Aleš
""")
pack(n,"tar.xz",dict(cause="process.stack-overflow",node=["crnivec","crnivec.dimnik.lan","worker:1"],also=["process.segfault"],notes="On crnivec the recursive flood fill napolni() in libsaje.so.6 exhausts the stack on a wholly sooty picture: the fault address is just below the stack pointer and the core shows 250 frames of napolni. podkoren only sees Socket closed; the new memory module is a wrong guess."))
# 14 glibc : parallel-ssh output dirs
r=Run("glibc",H,P(23131),"2026-11-18 11:48:20")
n="sever-0418"
for k in H:
    h=H[k][0].split(".")[0]
    w(n,f"pssh-out/{h}",f"$ tail -n +1 /var/log/dimnik/ucenje.log\n"+r.plain(k))
    w(n,f"pssh-err/{h}","" if k!="w2" else "Warning: Permanently added 'predel' (ED25519) to the list of known hosts.\n")
w(n,"ukaz.sh","#!/bin/sh\n# poberi dnevnik z vseh\nparallel-ssh -h trojica -o pssh-out -e pssh-err -t 20 'echo \"\\$ tail -n +1 /var/log/dimnik/ucenje.log\"; tail -n +1 /var/log/dimnik/ucenje.log'\n# trojica: vrsic ljubelj predel\n")
w(n,"pogovor.md","""**Zdravko** 11:55  trojica spet dol. vrsic kaže na task 2, predel kaže na task 1. kdo laže?
**Maja** 11:56  na predelu je `connection reset by peer`, torej predel?
**Tine** 11:58  na ljubelju je šla čez vikend nova knjižnica (preizkus hitrejše maske), ampak je prvih sto korakov tekla brez problema, torej ni to
**Zdravko** 12:01  prilagam kar je pssh pobral
""")
pack(n,"tar.gz",dict(cause="process.abort-check",node=["ljubelj","ljubelj.dimnik.lan","worker:1"],also=[],notes="On ljubelj glibc aborts the process with 'double free or corruption (top)' after some 140 steps; it alone runs the new libsaje.so.7. predel sees the reset from task 1, vrsic hears it from task 2; the chat suspects predel and dismisses the library."))
