from pack import *
import sys
def srunl(S,hosts,skip=()):
    L=[]
    for i,h in enumerate(hosts):
        if h in skip: continue
        for t,l in S.timed(f'{h}.log'): L.append((t,f'{i}: {l}'))
    L.sort(key=lambda x:x[0]); return L
SB='''#!/bin/bash
#SBATCH -J turvas
#SBATCH -p amd
#SBATCH -N %d
#SBATCH --ntasks-per-node=1
#SBATCH -c 16
#SBATCH --mem=48G
#SBATCH -t %s
#SBATCH -o slurm-%%j.out
module load miniconda3/24.7
source activate /opt/conda/envs/turvas
export OMP_NUM_THREADS=1 TF_NUM_INTRAOP_THREADS=2
srun -l python turvas.py %s
'''
def uneven():
    S=Set('soo-218834','ee_uneven','2026-02-17 22:05:51',tz=2)
    hs=['soo03','soo04','soo05']; L=srunl(S,hs); ends=sorted((S.at('exit '+h) if any('exit '+h in m for _,m in S.rc) else 9e18,h) for h in hs)
    S.write('slurm-218834.out','\n'.join(l for _,l in L)+'\nsrun: error: soo03: task 0: Exited with exit code 1\nsrun: error: soo04: task 1: Exited with exit code 1')
    a,b=S.loc(S.t0-4,'%Y-%m-%dT%H:%M:%S'),S.loc(S.at('exit soo04')+1,'%Y-%m-%dT%H:%M:%S')
    S.write('sacct.txt',f'''mturba@login2:~$ sacct -j 218834 --format=JobID,JobName,State,ExitCode,Start,End,NodeList,MaxRSS
JobID           JobName      State ExitCode               Start                 End        NodeList     MaxRSS 
------------ ---------- ---------- -------- ------------------- ------------------- --------------- ---------- 
218834           turvas     FAILED      1:0 {a} {b}     soo[03-05]            
218834.batch      batch     FAILED      1:0 {a} {b}           soo03      7312K 
218834.exte+     extern  COMPLETED      0:0 {a} {b}     soo[03-05]       964K 
218834.0         python     FAILED      1:0 {a} {b}     soo[03-05]    612044K 
''')
    S.write('kiri.txt','''Tere!

Katkes jälle, kaks sõlme annavad "Socket closed". Kas soo05 võrk on katki? See on ainus, kellega ühendus katkeb
(task:2). Slurmi pool näitab, et soo05 lõpetas ise ilusti (kood 0), sellepärast arvan, et pistik / kaabel.
Veebruaris lisasime ruute: 12 asemel on nüüd 14 faili, enne seda töötas.

Liis
''')
    S.write('turvas.sbatch',SB%(3,'06:00:00','--epohhe 4'))
    S.write('ls.txt','mturba@login2:~$ ls -l /srv/turvas/ruudud | head -20\ntotal 2744\n'+''.join(f'-rw-r--r-- 1 mturba turvas {194000+S.R.randint(0,999)} Feb {S.R.randint(2,16):2d} {S.R.randint(8,18):02d}:{S.R.randint(0,59):02d} vali_{i:02d}.npz\n' for i in range(14)))
    S.pack('tar czf {o}.tar.gz *',dict(cause='data.uneven-shards',node=['soo05','worker:2','task 2'],notes="14 files over 3 ranks: rank 2 gets 4 files (60 steps per epoch), the others 5 (75). Rank 2 finishes after 240 steps and exits with 0 while the others still all-reduce, so they fail with 'Socket closed'. The cable guess against soo05 is wrong."))
def stack():
    S=Set('rabivere-221907','ee_stack','2026-04-29 13:37:12',tz=3)
    hs=['soo03','soo04','soo05']; L=srunl(S,hs); first=min(hs,key=lambda h:S.at('exit '+h)); R=S.R
    S.write('slurm-221907.out','\n'.join(l for _,l in L)+'\n'+'\n'.join(f'srun: error: {h}: task {hs.index(h)}: Segmentation fault (core dumped)' for h in sorted(hs,key=lambda h:S.at('exit '+h))))
    S.write('turvas.sbatch',SB%(3,'12:00:00','--plokkpuu /srv/turvas/ruudud/plokipuu.txt'))
    S.write('turvas.py',open(A+'/make/ee/turvas.py').read())
    t=open(A+'/runs/ee_stack/ruudud/plokipuu.txt').read().splitlines()
    S.write('plokipuu_head_tail.txt','$ head -5 plokipuu.txt; tail -3 plokipuu.txt; wc -l plokipuu.txt\n'+'\n'.join(t[:5]+t[-3:])+f'\n{len(t)} plokipuu.txt')
    for h in hs:
        te=S.at('exit '+h)+S.d+S.tz; b=te-R.uniform(2e6,4e6)
        L=[(b+i*.4,l) for i,l in enumerate(['Linux version 4.18.0-553.16.1.el8_10.x86_64 (mockbuild@iad1-prod-build001.bld.equ.rockylinux.org) (gcc version 8.5.0 20210514 (Red Hat 8.5.0-22) (GCC)) #1 SMP','x86/fpu: Supporting XSAVE feature 0x001: x87 floating point registers','smpboot: CPU0: AMD EPYC 7702 64-Core Processor (family: 0x17, model: 0x31, stepping: 0x0)','EDAC MC0: Giving out device to module amd64_edac controller F17h_M30h: DEV 0000:00:18.3 (INTERRUPT)','mlx5_core 0000:41:00.0: firmware version: 20.36.1010','Lustre: Lustre: Build Version: 2.15.4','Lustre: Mounted turvas-client'])]
        for k in range(R.randint(1,4)): L.append((te-R.uniform(4000,9e5),R.choice(['mce: [Hardware Error]: Machine check events logged','EDAC MC0: 1 CE on mc#0csrow#2channel#3 (csrow:2 channel:3 page:0x8a1f3 offset:0x540 grain:64 syndrome:0x0)'] if h=='soo05' else ['perf: interrupt took too long (3146 > 3137), lowering kernel.perf_event_max_sample_rate to 63000','Lustre: turvas-OST0003-osc-ffff9d1c: Connection restored to 172.18.0.13@o2ib (at 172.18.0.13@o2ib)'])))
        sp=0x7ffd00000000+R.randint(0x10000,0xffffff)*16
        base=0x7f0000000000+R.getrandbits(27)*4096; ip=base+R.randint(0x1000,0x1d1000)
        L.append((te,'python[%s]: '%re.search(r'(\d+) port.cc',S.raw(h+'.log')).group(1)+f"segfault at {sp-8:x} ip {ip:016x} sp {sp:016x} error 6 in libpython3.11.so.1.0[{base:x}+1d2000]"))
        L.sort(); S.write(f'dmesg/{h}','\n'.join(f'{dmt(t)} {l}' for t,l in L))
    S.write('kiri.txt','''Tere, tükeldasin suure raba (61 000 plokki, Mihkli uus mõõdistus) ja nüüd kõik kolm kukuvad kohe segfaultiga.
soo05-l on vanad ECC-vead (mce), seega mälu? Väikese puuga (2000 plokki) töötab sama kood. TF-i viga?
Liis
''')
    S.pack('zip -qr {o}.zip *',dict(cause='process.stack-overflow',node=None,notes="copy.deepcopy recurses over a chain of 61000 blocks after sys.setrecursionlimit(10**7): the C stack overflows on every rank alike. Corrected ECC errors on soo05 are a red herring.",also=['process.segfault']))
    return S
def surv():
    S=Set('lavassaare-230118','ee_surv','2026-09-24 01:12:33',tz=3)
    for i,h in enumerate(['soo07','soo08','soo09','soo12']):
        if h!='soo09': S.write(f'valjund/turvas-230118-{i}.out',S.log(f'{h}.log'))
    a,b=S.loc(S.t0-6,'%Y-%m-%dT%H:%M:%S'),S.loc(S.at('exit soo12')+95,'%Y-%m-%dT%H:%M:%S')
    S.write('sacct_sinfo.txt',f'''liis@login1:~$ sacct -j 230118 -o jobid,jobname,partition,state,exitcode,start,end,nodelist%20
JobID           JobName  Partition      State ExitCode               Start                 End             NodeList 
------------ ---------- ---------- ---------- -------- ------------------- ------------------- -------------------- 
230118           turvas        amd  NODE_FAIL      1:0 {a} {b}       soo[07-09,12] 
230118.batch      batch             CANCELLED     0:15 {a} {b}                soo07 
230118.exte+     extern             NODE_FAIL      1:0 {a} {b}       soo[07-09,12] 
230118.0         python                FAILED      1:0 {a} {S.loc(S.at('exit soo12')+1,'%Y-%m-%dT%H:%M:%S')}       soo[07-09,12] 
liis@login1:~$ sinfo -R
REASON               USER      TIMESTAMP           NODELIST
Not responding       slurm     {S.loc(S.at('exit soo12')+94,'%Y-%m-%dT%H:%M:%S')} soo09
UPS test             root      2026-09-02T10:04:51 soo15
fan 3                root      2026-08-17T14:22:03 soo02
''')
    S.write('kiri.txt','''Öine jooks katkes kohe esimestel minutitel. Kolme sõlme väljundid on kaasas, soo09 kirjutas oma /tmp alla ja sinna ma praegu ligi ei saa
(ssh ei vasta, admin on komandeeringus). Logis on r0 ja r1 peal "Unhealthy tasks" ja kordumine adam_w/CollectiveReduceV2, seega AdamW
on katki? SGD-ga polnud sellist asja kunagi.
Liis
''')
    S.pack('tar cJf {o}.tar.xz *',dict(cause='network.timeout',node=['soo09','worker:2','task 2'],also=['collective.timeout','network.unreachable-peer','hardware.nic-link','driver.kernel'],notes="Survivors' logs only: soo09 (task 2) stops sending heartbeats without a socket reset and Slurm finds it not responding; whether link, kernel or power cannot be told. The AdamW guess is wrong (the op is only where the others waited)."))
    return S
if __name__=='__main__':
    for f in sys.argv[1:]: globals()[f]()
