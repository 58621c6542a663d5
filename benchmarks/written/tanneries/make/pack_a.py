from pk import *
H=[("127.0.0.1:210%d%d"%(d,i),"cuero0%d:2222"%(i+1)) for d in (1,2,3) for i in range(4)]
P=[("/opt/incidents/make/a_train.py","/home/vision/wetblue/defectos.py"),("/opt/tfenv","/home/vision/venv211")]
R=random.Random(5)
def sysl(w,off,host,tag,msg,usec=False):
    return w.at(off).strftime("%b %d %H:%M:%S ").replace(" 0"," 0")+host+" "+tag+": "+msg
# ---------- A1 : permission
n="durazno-0311"; fresh(n)
raw=[rd("a1/w%d.log"%i) for i in range(3)]; t0=first(raw[0])
tb=1795801836.
w=Warp("America/Montevideo",t0,"2026-10-14T22:05:11",k=9,tb=tb)
for i in range(3):
    x=subs(w(raw[i]),*H,*P,("/opt/incidents/raw/ckA1","/srv/modelos/wetblue/oct14"),("/opt/incidents/raw","/var/tmp"))
    wr(n,"cuero0%d/salida_defectos.txt"%(i+1),x)
endt=w.ep(1795801838.)
for i in range(3):
    o=["%s"%(w.loc(endt+39712+i).strftime("%a %b %d %H:%M:%S -03 %Y")),"== uname",f"Linux cuero0{i+1} 5.15.0-119-generic #129-Ubuntu SMP Fri Aug 2 19:25:20 UTC 2024 x86_64 x86_64 x86_64 GNU/Linux","== id","uid=1207(vision) gid=1207(vision) groups=1207(vision),44(video)","== df -h","Filesystem                   Size  Used Avail Use% Mounted on","tmpfs                        6.3G  1.6M  6.3G   1% /run","/dev/sda2                    219G  %dG  %dG  %d%% /"%((71,137,35),(68,140,33),(190,18,92))[i],"tmpfs                         32G     0   32G   0% /dev/shm","deposito:/export/modelos     3.6T  2.9T  622G  83% /srv/modelos","== free -m","               total        used        free      shared  buff/cache   available","Mem:           64216        %d       %d           1       20114       %d"%(2811+i*97,41291-i*97,60702-i*97),"Swap:           2047           0        2047","== ls -ld /srv/modelos /srv/modelos/wetblue","drwxr-xr-x 6 root   root   4096 Mar  3  2026 /srv/modelos","drwxrwxr-x 9 vision vision 4096 Oct 14 21:58 /srv/modelos/wetblue"]
    if i==0: o+=["== ls -la /srv/modelos/wetblue","total 44","drwxrwxr-x 9 vision vision 4096 Oct 14 21:58 .","drwxr-xr-x 6 root   root   4096 Mar  3  2026 ..","drwxrwxr-x 2 vision vision 4096 Sep  2 08:14 ago29","drwxrwxr-x 2 vision vision 4096 Sep  9 06:51 sep08","drwxrwxr-x 2 vision vision 4096 Sep 24 07:02 sep23","drwxrwxr-x 2 vision vision 4096 Oct  1 07:30 sep30","drwxr-xr-x 2 root   root   4096 Oct 14 21:58 oct14","drwxrwxr-x 2 vision vision 4096 Oct  8 05:55 oct07"]
    wr(n,f"cuero0{i+1}/estado.txt","\n".join(o)+"\n")
sy=[]
for i in range(3):
    L=[]
    for k in range(46):
        off=R.uniform(-3600,400); m=R.choice([("CRON[%d]"%R.randint(20000,40000),"(root) CMD (   cd / && run-parts --report /etc/cron.hourly)"),("systemd[1]","Starting Refresh fwupd metadata and update motd..."),("systemd[1]","Started Session %d of user vision."%R.randint(200,500)),("sshd[%d]"%R.randint(20000,40000),"Accepted publickey for vision from 10.9.0.4 port %d ssh2: ED25519 SHA256:mQ3l0pVdWq2vXo6rJ0i5y9bJxJt0m3sE8kqVt2H1u0c"%R.randint(40000,60000)),("systemd-timesyncd[611]","Initial synchronization to time server 10.9.0.1:123 (10.9.0.1)."),("kernel","[%d.%06d] perf: interrupt took too long (%d > %d), lowering kernel.perf_event_max_sample_rate to %d"%(R.randint(90000,99999),R.randint(0,999999),2531,2500,79000))])
        L.append((off,sysl(w,off,"cuero0%d"%(i+1),*m)))
    if i==2: L+=[(-700+j*60,sysl(w,-700+j*60,"cuero03","smartd[802]","Device: /dev/sda [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from %d to %d"%(64+j%2,65-j%2))) for j in range(8)]
    wr(n,f"cuero0{i+1}/syslog.recorte","\n".join(x for _,x in sorted(L))+"\n")
wr(n,"LEEME.txt","""Lo de siempre: anoche se cayo el entrenamiento de wet-blue despues de la primer epoca (las 3 maquinas).
Junte todo con pdsh -w cuero0[1-3] y rpdcp. En cuero03 el disco esta casi lleno (92%), capaz que es eso??
La carpeta oct14 la creo Nestor a mano antes de irse, yo largue el script como usuario vision a las 22:05.
-- Fede
""")
fin(n,".tgz","checkpoint.permission",["cuero01","worker:0"],[],"The chief (cuero01) cannot create ckpt-1_temp in the shared folder that root made with 755, at the first save; the others end with collective errors because the chief left. The 92 % full disk and the smartd lines of cuero03 are red herrings.")
# ---------- A2 : thermal
n="curt-lote77"; fresh(n)
raw=[rd("a2/w%d.log"%i) for i in range(3)]; t0=first(raw[0])
ev=1795801883.; w=Warp("America/Montevideo",t0,"2026-01-21T13:40:02",k=6)
for i in range(3):
    x=subs(w(raw[i]),*H,*P,("/opt/incidents/raw/ckA2","/srv/modelos/wetblue/lote77"),("/opt/incidents/raw","/var/tmp"))
    wr(n,"salida.cuero0%d.log"%(i+1),x)
hot=w.ep(ev)-w.s
out=[]
for i in range(3):
    L=[]; pid=R.randint(700,900)
    for k in range(20):
        off=R.uniform(-5000,440); L.append((off,sysl(w,off,"cuero0%d"%(i+1),*R.choice([("systemd[1]","Started Run anacron jobs."),("CRON[%d]"%R.randint(20000,40000),"pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)"),("systemd[1]","logrotate.service: Deactivated successfully."),("dhclient[540]","DHCPREQUEST for 10.9.0.%d on enp3s0 to 10.9.0.1 port 67"%(21+i)),("kernel","usb 1-4: new high-speed USB device number %d using xhci_hcd"%R.randint(4,30))]))))
    if i==0: L+=[(t,sysl(w,t,"cuero01","kernel",m)) for t,m in [(-2100,"mce: CPU2: Core temperature above threshold, cpu clock throttled (total events = 1)"),(-2100.0,"mce: CPU2: Core temperature/speed normal")]]
    if i==1:
        ev_=812; t=hot-3
        while t<hot+170:
            for c in (0,1,5,3,2,4): 
                L.append((t+c*.0001,sysl(w,t,"cuero02","kernel","mce: CPU%d: Package temperature above threshold, cpu clock throttled (total events = %d)"%(c,ev_))))
            L.append((t+.01,sysl(w,t,"cuero02","kernel","mce: CPU3: Core temperature above threshold, cpu clock throttled (total events = %d)"%(ev_-90))))
            L.append((t+.02,sysl(w,t+1,"cuero02","kernel","mce: CPU3: Core temperature/speed normal")))
            ev_+=R.randint(900,2400); t+=R.uniform(28,33)
    wr(n,"syslog.cuero0%d"%(i+1),"\n".join(x for _,x in sorted(L))+"\n")
wr(n,"sensors_pdsh.txt","".join("""cuero0%d: coretemp-isa-0000
cuero0%d: Adapter: ISA adapter
cuero0%d: Package id 0:  +%.1f°C  (high = +80.0°C, crit = +100.0°C)
%scuero0%d: 
cuero0%d: nct6779-isa-0290
cuero0%d: fan1:          %4d RPM  (min =    0 RPM)
cuero0%d: fan2:          %4d RPM  (min =    0 RPM)
"""%(i,i,i,t,"".join("cuero0%d: Core %d:        +%.1f°C  (high = +80.0°C, crit = +100.0°C)\n"%(i,c,t-R.choice([0,1,2,3])) for c in range(6)),i,i,i,f,i,f2) for i,t,f,f2 in ((1,71.,1480,0),(2,100.,0,902),(3,69.,1511,0))))
wr(n,"wsp.txt","""[21/1/26 13:42:31] Fede: se puso lentisimo el lote 77, de 0,2 a 2 y pico por paso
[21/1/26 13:42:49] Fede: las tres igual, miren el salida.*
[21/1/26 13:43:20] Nestor: debe ser la red, ayer cambiaron el switch
[21/1/26 13:43:41] Nestor: o el checkpoint en el deposito, justo arranca despues del primer ckpt
[21/1/26 13:44:12] Lu: yo puse iperf y da 940 Mbit entre todas
[21/1/26 13:44:40] Fede: lo corto y les mando todo
""")
fin(n,".tar.xz","hardware.thermal",["cuero02","worker:1"],["sync.straggler"],"After the first checkpoint the whole synchronous job goes from 0.2 to over 2 s per step; cuero02 has a dead fan1, 100 C and package throttle events every half minute. Network, the switch and the checkpoint are wrong guesses; cuero01 had one old and short core throttle.")
# ---------- A3 : survivors
n="curt-anexo4"; fresh(n)
raw=[rd("a3/w%d.log"%i) for i in range(4)]; t0=first(raw[0]); tb=1795801942.
w=Warp("America/Montevideo",t0,"2026-02-09T01:12:45",k=6,tb=tb)
for i in (0,1,3):
    x=subs(w(raw[i]),*H,*P,("/opt/incidents/raw/ckA3","/srv/modelos/wetblue/feb09"),("/opt/incidents/raw","/var/tmp"))
    wr(n,"anoche/cuero0%d.out"%(i+1),x)
wr(n,"anoche/rpdcp.err","""rpdcp@cuero01: cuero03: fatal: /home/vision/wetblue/salida.out: No such file or directory
""")
wr(n,"nota.txt","""Feb 9. Murio sola a la 1 y pico. De cuero03 no tengo nada, cuando llegue ya le habian reinstalado
el sistema para el proyecto de la sala de remojo (Nestor: "no sabia que la estaban usando"; la arranco por PXE en algun
momento de la madrugada y no se acuerda a que hora).
De las otras tres esta completo. Para mi el primer error (E0000) es el de cuero04, fijense si no fue ella.
""")
fin(n,".tar.bz2","process.killed-by-signal",["cuero03","worker:2"],["network.unreachable-peer","collective.timeout","process.segfault","process.abort-check","resource.host-oom-killed"],"Hard: only survivors' logs. All point at worker:2 (cuero03) whose gRPC socket closed, i.e. its process ended; nothing proves why, its log was lost when the machine was rebooted into a reinstallation, which may itself have ended it. Suspecting cuero04 is wrong.")
