from lib import *
r=random.Random(31)
V={'/opt/tfenv/lib/':'/opt/venv/acu/lib/','/opt/tfenv/bin/':'/opt/venv/acu/bin/','/opt/incidents/make/':'/home/rcontreras/acu/','/tmp/puntos':'/scratch/acunacion/puntos','tax_bad.json':'taxonomia.json','tax_ok.json':'taxonomia.json'}
H=['acu01','acu02','acu04']
# ---------- C1 : one merged srun -l output
w=W('c1','2026-03-19 22:10:31',1,-3); n='C1'; fresh(n)
def merged(w,V,drop=()):
    rows=[]
    for i,h in enumerate(H):
        t=w.f(w.s0)+i*.3
        for l in w.read(h,V,drop=drop):
            m=re.search(r'\b(1[78]\d{8}\.\d{6})\b',l); k=re.match(r'(\d\d)/(\d\d) (\d\d:\d\d:\d\d)',l)
            if m and l[0] in 'IWEF': t=float(m[1])
            elif k: t=max(t,T('2026-%s-%s %s'%(k[2],k[1],k[3]))-w.off*3600)
            rows.append((t,len(rows),'%d: %s'%(i,l)))
    rows.sort(); return [x[2] for x in rows],rows[-1][0]
M_,e=merged(w,V); a=w.f(w.s0)
head='''== prolog acu01 %s ==
SLURM_JOB_ID=48211 SLURM_JOB_NODELIST=acu[01-02,04] SLURM_NNODES=3
Loading acu/2026.1
  Loading requirement: python/3.11.7
'''%F(a-4,'%a %b %d %H:%M:%S -03 %Y',-3)
tail='''srun: error: acu01: task 0: Exited with exit code 1
srun: error: acu02: task 1: Exited with exit code 1
srun: launch/slurm: _step_signal: Terminating StepId=48211.0
srun: error: acu04: task 2: Exited with exit code 1
'''
put(n,'slurm-48211.out',head+''.join(M_)+tail)
w4=W('c4','2026-03-18 09:31:02',1,-3); M4,_=merged(w4,V); kk=[k for k,l in enumerate(M4) if ' paso ' in l][-1]
tr=[k for k,l in enumerate(M4) if 'Traceback' in l or 'StartAbort' in l]; kk=min([kk]+[k-1 for k in tr])
put(n,'slurm-48198.out','Loading acu/2026.1\n  Loading requirement: python/3.11.7\n'+''.join(M4[:kk+1])+'srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\nslurmstepd: error: *** JOB 48198 ON acu01 CANCELLED AT %s ***\nslurmstepd: error: *** STEP 48198.0 ON acu01 CANCELLED AT %s ***\n'%((F(w4.f(w4.s0)+36,'%Y-%m-%dT%H:%M:%S',-3),)*2))
put(n,'sacct.txt','''$ sacct -j 48211,48198,48176 --format=JobID,JobName%%12,Partition,State,ExitCode,Elapsed,NodeList%%20,MaxRSS
JobID             JobName  Partition      State ExitCode    Elapsed             NodeList     MaxRSS
------------ ------------ ---------- ---------- -------- ---------- -------------------- ----------
48176          acu-cospel      noche  COMPLETED      0:0   03:41:09      acu[01-02,04]
48176.batch         batch             COMPLETED      0:0   03:41:09                acu01      5212K
48176.0            python             COMPLETED      0:0   03:41:02      acu[01-02,04]   1480412K
48198          acu-cospel      noche CANCELLED+      0:0   00:00:36      acu[01-02,04]
48198.batch         batch             CANCELLED     0:15   00:00:37                acu01      5180K
48211          acu-cospel      noche     FAILED      1:0   00:00:%02d      acu[01-02,04]
48211.batch         batch                FAILED      1:0   00:00:%02d                acu01      5196K
48211.0            python                FAILED      1:0   00:00:%02d      acu[01-02,04]    912204K
'''%((int(e-a)+5,)*3))
put(n,'correo.txt','''De: Rodrigo Contreras
Para: soporte-cluster
Asunto: job 48211 se cae

Estimados, el job del turno noche se cae al poco rato. En acu02 y acu04 sale "Socket closed", me tinca que es la red
de la sala B de nuevo (el lunes cambiaron un SFP). El 48198 lo cancelé yo porque me equivoqué de partición.
Aprovecho: ayer Mónica movió /scratch al arreglo nuevo, ¿puede tener que ver el NFS lento?
Saludos, RC

$ df -h /scratch
Filesystem          Size  Used Avail Use% Mounted on
nfs-b:/scratch       21T  6.2T   15T  30% /scratch
$ ls -ld /scratch /scratch/acunacion /scratch/acunacion/puntos
drwxrwxrwt 14 root    root  4096 Mar 18 11:02 /scratch
drwxr-xr-x  5 root    root  4096 Mar 18 15:47 /scratch/acunacion
drwxr-xr-x  2 root    root  4096 Mar 18 15:47 /scratch/acunacion/puntos
''')
sh('tar czf %sCM-48211.tar.gz *'%SET,n)
truth('CM-48211','CM-48211.tar.gz','checkpoint.permission',['acu01','worker:0','0'],['storage.network-fs'] if False else [],'After /scratch was moved the checkpoint folder belongs to root (755); task 0 on acu01 fails with PermissionDenied at the first save and the others only see Socket closed. Red herrings: SFP and network guess, NFS, the cancelled job 48198.')
# ---------- C2 : per-task logs
w=W('c2','2026-04-07 19:33:10',1,-4); n='C2'; fresh(n)
for i,h in enumerate(H):
    L=w.read(h,V)
    if h=='acu04': L=[l.replace('Segmentation fault      ','/var/spool/slurmd/job48590/slurm_script: line 21: 8488 Segmentation fault      ') if l.startswith('Segmentation') else l for l in L]; L=[l for l in L if not l.startswith('/var/spool')]
    if h!='acu04': # cut from the KeyboardInterrupt noise: the others are killed by srun
        c=[k for k,l in enumerate(L) if 'StartAbort' in l]; L=L[:c[0]] if c else L
        L.append('slurmstepd: error: *** STEP 48590.0 ON acu01 CANCELLED AT %s ***\n'%F(w.f(w.s0)+6,'%Y-%m-%dT%H:%M:%S',-4))
    put(n,'logs/acu-48590-%d.log'%i,L)
put(n,'logs/acu-48590.batch','''srun --kill-on-bad-exit=1 --output=logs/acu-%j-%t.log /opt/venv/acu/bin/python -u cuno.py --arbol /home/rcontreras/acu/taxonomia.json
srun: error: acu04: task 2: Segmentation fault
srun: Terminating StepId=48590.0
srun: error: acu01: task 0: Terminated
srun: error: acu02: task 1: Terminated
''')
put(n,'dmesg_acu04.txt','''[Sat Mar 21 10:12:08 2026] nfs: server nfs-b not responding, still trying
[Sat Mar 21 10:12:31 2026] nfs: server nfs-b OK
[@T@] python[8488]: segfault at 7ffc1a3fefd8 ip 00007f1787c7c2b4 sp 00007ffc1a3fefe0 error 6 in libpython3.11.so.1.0[7f1787ba5000+1c4000] likely on CPU 5 (core 5, socket 0)
[@T@] Code: 00 00 00 48 89 e5 41 57 41 56 41 55 41 54 53 48 83 ec 78 48 89 7d b8 64 48 8b 04 25 28 00 00 00 48 89 45 c8 31 c0 48 8b 47 10 <48> 89 45 90
'''.replace('@T@',F(w.f(T('2026-11-27 16:50:17'))-16,'%a %b %e %H:%M:%S %Y',-4)))
put(n,'taxonomia_acu04.json','{"id":"D0","hijos":[{"id":"D1","hijos":[]},{"id":"D2","hijos":[{"ref":"D2"}]}]}\n')
put(n,'sha1.txt','''acu01: 5a0e6cf1d2c4f2e6f3b8e9b0b3b9f0b4cb14b6f1  /home/rcontreras/acu/taxonomia.json
acu02: 5a0e6cf1d2c4f2e6f3b8e9b0b3b9f0b4cb14b6f1  /home/rcontreras/acu/taxonomia.json
acu04: 0c71f6e1a9b9f8d2f4ad8a5f5b4c2d9a4b0f3a77  /home/rcontreras/acu/taxonomia.json
''')
put(n,'LEEME','''acu04 revienta con segfault desde que pusimos TF 2.21. RAM mala? le pedí a Mónica un memtest. El reloj de acu04 va unos 16 s atrasado.
(el home de acu04 es local desde el cambio de disco, los otros dos lo montan)
''')
sh('zip -qr %sCM-48590.zip .'%SET,n)
truth('CM-48590','CM-48590.zip','process.stack-overflow',['acu04','worker:2','2'],['process.segfault','user.code-error'],'On acu04 taxonomia.json has a node that refers to itself, contar() recurses endlessly (recursion limit lifted) until the stack guard is hit: faulthandler shows a hundred identical frames, fault address next to sp. TF 2.21, RAM and NFS (March) are innocent; the others are terminated by srun.')
# ---------- C3
w=W('c3','2026-05-14 02:40:00',1,-4); n='C3'; fresh(n); M_,e=merged(w,V); a=w.f(w.s0)
ar=[(0,'WARNING'),]
put(n,'slurm-49017.out','\n'.join(['srun: job 49017 queued and waiting for resources','srun: job 49017 has been allocated resources',''])+''.join(M_)+'srun: error: acu02: task 1: Exited with exit code 1\nsrun: error: acu[01,04]: tasks 0,2: Exited with exit code 1\n')
sh('xz -c slurm-49017.out > %sCM-49017.out.xz'%SET,n)
truth('CM-49017','CM-49017.out.xz','collective.mismatch',['acu02','worker:1','1'],['data.shape-mismatch'],'The global confusion matrix is all-reduced after 400 steps: task 1 (acu02) brings shape [196] (14 classes), tasks 0 and 2 [144] (12 classes, as in the config printed by rank 0). Only one slurm output file was sent; no red herrings besides start-up noise.')
