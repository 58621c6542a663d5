"""Lima: three collections from the raw runs r01, r02, r03."""
import gzip, shutil
from lib import *
P=[("/opt/incidents/make/","/home/dposada/ceramica/"),("/opt/incidents/tf215","/home/dposada/venv-tf"),("/opt/incidents/np2","/home/dposada/.local/lib/python3.11/site-packages"),("/root/.pyenv/versions/3.11.7","/usr"),
   ("/opt/incidents/work/r01","/nas/tiestos"),("/opt/incidents/work/r02","/nas/tiestos"),("/opt/incidents/work/r03","/nas/tiestos")]
out=f"{ROOT}/work/out"; sh(f"mkdir -p {out}")
def L(t,c): return [ren(c.line(l),P) for _,_,l in sorted(t.lines,key=lambda x:x[0])]

# --- 01: GNU screen logs of three windows, an RT mail, a dmesg
A=load(f"{ROOT}/work/r01/a.jsonl"); B=load(f"{ROOT}/work/r01/b.jsonl")
base=days_to(2026,3,11,4,17,A[0].start); off={"moche":0,"chimu":-41,"wari":132}
f=f"{out}/huaca"; shutil.rmtree(f,ignore_errors=True)
for k,(a,b) in enumerate(zip(A,B)):
    ca=Clock(base+off[a.host],-5); cb=Clock(base+off[a.host]+2*3600+1500,-5); h=a.host
    s=[]
    if h=="wari": s+=["dposada@wari:~$ date","%s"%ca.local(a.start-4000).strftime("%a %b %e %H:%M:%S -05 %Y"),"dposada@wari:~$ ssh moche uptime"," 22:09:58 up 63 days,  4:11,  2 users,  load average: 0.04, 0.06, 0.01"]
    s+=[f"dposada@{h}:~$ cd ceramica && export TF_CONFIG=$(cat ~/tfc/{h}.json) && python mwms_fit.py --epochs 6 --dir /nas/tiestos/salida"]+L(a,ca)
    s+=[f"dposada@{h}:~/ceramica$ # el nombre de wari no resuelve desde aqui -> cambiar a 'wari' a secas en los tres json" if k==0 else f"dposada@{h}:~/ceramica$ vi ~/tfc/{h}.json"]
    if h=="wari": s+=["dposada@wari:~/ceramica$ getent hosts wari","10.44.7.13      wari","dposada@wari:~/ceramica$ exit","","wari login: mcallirgos","[mcallirgos paso por aqui con su visor de rayos X, 23:40]","dposada@wari:~$ cd ceramica"]
    s+=[f"dposada@{h}:~/ceramica$ export TF_CONFIG=$(cat ~/tfc/{h}.json); date; python mwms_fit.py --epochs 6 --dir /nas/tiestos/salida",cb.local(b.start-1).strftime("%a %b %e %H:%M:%S -05 %Y")]+L(b,cb)
    s+=["^C^C^C^Z","[1]+  Stopped                 python mwms_fit.py --epochs 6 --dir /nas/tiestos/salida",f"dposada@{h}:~/ceramica$ date; kill -9 %1",cb.local(b.start+5321).strftime("%a %b %e %H:%M:%S -05 %Y"),"[1]+  Killed                  python mwms_fit.py --epochs 6 --dir /nas/tiestos/salida"] if h!="wari" else [f"dposada@{h}:~/ceramica$ "]
    put(f,f"screenlog.{k}","\r\n".join(s)+"\r\n")
c=Clock(base+8*3600,-5)
put(f,"RT-48213.mbox",f"""From rt@museo.example {c.local(A[0].start).strftime('%a %b %d %H:%M:%S %Y')}
Date: {c.local(A[0].start).strftime('%a, %d %b %Y %H:%M:%S')} -0500
From: Ines Tupac via RT <rt@museo.example>
Subject: [museo #48213] el entrenamiento de tiestos no arranca
X-RT-Ticket: museo #48213

Anoche Diego lo lanzo dos veces. La segunda estuvo hora y media sin escribir una linea y lo mato.
Yo digo que es otra vez el switch del sotano (se colgo en enero), pidan que lo reinicien.
En moche ademas hay un OOM en el dmesg, lo adjunto por si acaso.
-- 
Ines
""")
put(f,"dmesg_moche.txt","""[5129087.113402] Out of memory: Killed process 30977 (chrome) total-vm:39125440kB, anon-rss:5210388kB, file-rss:0kB, shmem-rss:10432kB, UID:1004 pgtables:18112kB oom_score_adj:300
[5129087.402118] oom_reaper: reaped process 30977 (chrome), now anon-rss:0kB, file-rss:0kB, shmem-rss:10432kB
[5202110.004871] e1000e 0000:00:1f.6 eno1: NIC Link is Down
[5202113.771209] e1000e 0000:00:1f.6 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx
""")
put(f,"LEEME.txt","screenlog.0 = moche (trabajador 0)\nscreenlog.1 = chimu (1)\nscreenlog.2 = wari (2)\nrelojes sin ntp, no coinciden\n")
pack(f,"arequipa-214.tar.xz","xz")
truth("arequipa-214","arequipa-214.tar.xz","env.python-abi",["wari","worker:2"],["env.version-skew","env.missing-library"],"Second (decisive) attempt: on wari a user-site numpy 2.1.3 meets a TensorFlow 2.15 built for numpy 1 ('A module that was compiled using NumPy 1.x cannot be run in NumPy 2.1.3', ImportError numpy.core.umath); moche and chimu wait for it for 1.5 h and are killed by hand. First attempt failed for DNS (fixed). Chrome OOM, NIC flap and the switch remark are red herrings.")

# --- 02: script(1) typescripts, zip without a top folder
A=load(f"{ROOT}/work/r02/a.jsonl"); B=load(f"{ROOT}/work/r02/b.jsonl")
base=days_to(2026,5,20,13,2,A[0].start); f=f"{out}/ts"; shutil.rmtree(f,ignore_errors=True); off={"moche":3,"chimu":-40,"recuay":71}
for a,b in zip(A,B):
    for n,(t,extra) in enumerate(((a,0),(b,2711))):
        c=Clock(base+off[t.host]+extra,-5); z=lambda x:c.local(x).strftime("%Y-%m-%d %H:%M:%S-05:00")
        s=f'Script started on {z(t.start-2)} [TERM="screen.xterm-256color" TTY="/dev/pts/{n+1}" COLUMNS="120" LINES="40"]\n'+f"dposada@{t.host}:~/ceramica$ python mwms_fit.py --epochs 6 --steps 30\r\n"+"\r\n".join(L(t,c))+"\r\n"
        if n==0:
            if t.host=="recuay": continue           # its typescript was on the tmpfs and is gone with the power
            s+="client_loop: send disconnect: Broken pipe\r\n" if t.host=="chimu" else ""
        else: s+=f"dposada@{t.host}:~/ceramica$ exit\r\nexit\r\n\nScript done on {z(t.end+9)} [COMMAND_EXIT_CODE=\"0\"]\n"
        put(f,f"typescript.{t.host}.{c.local(t.start):%m%d-%H%M}",s)
put(f,"apunte.txt","""miercoles: se fue la luz en todo Pueblo Libre a eso de las 8 y 2 (el UPS de recuay no aguanta). volvi a lanzar a las 8:48.
en moche dice 'Connection refused' o 'waiting' un rato? es que recuay arranco primero, chimu tarde.
Ines: el nas estaba lleno la semana pasada (No space left on device en el backup), ya borre los TIFF viejos
resultado para la restauradora: ver las 6 epocas en el typescript de moche
""")
put(f,"nas-df.txt","Filesystem            Size  Used Avail Use% Mounted on\nnas:/vol1/tiestos     5.4T  5.3T   41G  100% /nas/tiestos\n")
pack(f,"cusco-31.zip","zipflat")
truth("cusco-31","cusco-31.zip","none",None,[],"Second attempt restores the backup and ends all 6 epochs ('training finished' on all three, exit code 0). The first attempt was cut by a power failure (superseded); nearly full NAS, late workers and the old 'No space' remark are red herrings.")

# --- 03: gzipped outputs, a gdb session, a lab diary
A=load(f"{ROOT}/work/r03/a.jsonl"); g=load(f"{ROOT}/work/r03/g.jsonl")[0]
base=days_to(2026,6,9,16,40,A[0].start); f=f"{out}/nazca_lote44"; shutil.rmtree(f,ignore_errors=True); os.makedirs(f); off={"moche":0,"chimu":-63,"wari":18}
for t in A:
    c=Clock(base+off[t.host],-5); x=L(t,c)+([f"/home/dposada/bin/lanza: line 22: {t.pid} Segmentation fault      python mwms_fit.py --epochs 6 --module contornos"] if t.rc==-11 else [])
    with gzip.open(f"{f}/{t.host}-{c.local(t.start):%d%b}.out.gz","wt") as o: o.write("\n".join(x)+"\n")
put(f,"gdb-lote44.txt","(en chimu, una semana despues, solo con el lote que murio)\n$ gdb -q -batch -ex run -ex 'bt 9' -ex 'bt -7' --args python uno.py\n"+"\n".join(L(g,Clock(base+7*86400,-5))))
c=Clock(base-63,-5); t=A[1]
put(f,"kern.log.chimu",f"""{c.local(t.start-190000):%b %e %H:%M:%S} chimu kernel: [1712904.220183] nouveau 0000:01:00.0: fifo: SCHED_ERROR 0a [CTXSW_TIMEOUT]
{c.local(t.start-190000):%b %e %H:%M:%S} chimu kernel: [1712904.220190] nouveau 0000:01:00.0: fifo: channel 2: killed
{c.local(t.start-9000):%b %e %H:%M:%S} chimu kernel: [1893904.902276] python3[28810]: segfault at 0 ip 00007fb2c8b3e0d1 sp 00007ffd5f0c1e20 error 4 in libgdal.so.32.3.6[7fb2c8400000+f3a000] likely on CPU 0 (core 0, socket 0)
""")
put(f,"diario.md","""* 9 jun: murio chimu en la ultima epoca. moche y wari lo siguieron (Connection reset by peer).
* Ines cree que es el segfault del QGIS (libgdal), pero ese fue horas antes y con otro proceso.
* el escaner nuevo da 4000x3000, el viejo daba 24x24 recortes. Lote 44 es el primero del nuevo.
* nouveau se queja siempre, no usamos la tarjeta.
* ulimit -s: 8192 en los tres.
""")
pack(f,"tacna-7.tgz","gz")
truth("tacna-7","tacna-7.tgz","process.stack-overflow",["chimu","worker:1"],["process.segfault"],"chimu dies of SIGSEGV; gdb shows some 14,500 nested frames of rellena() in contorno.c (recursive flood fill on the new scanner's big pictures): stack exhausted. Peers' 'Connection reset by peer' are consequences; libgdal segfault and nouveau lines belong to other processes.")
