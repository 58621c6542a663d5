from pk import *; import sys
P=[("/opt/incidents/make/uzavery.py","/home/kysla/uzavery/uzavery.py"),("/opt/incidents/make/e_voda.py","/home/kysla/uzavery/uzavery.py"),("./libostrenie.so","/home/kysla/uzavery/libostrenie.so"),("/opt/incidents/raw/cache","/work/kysla/cache"),("/opt/tfenv","/home/kysla/tf221"),("/root/.pyenv/versions/3.11.7","/opt/sw/python/3.11.7")]
R=random.Random(31); Z="Europe/Bratislava"
def cp(x,h): return x.replace('cpus 2\n','cpus %d\n'%(32 if h=='kys04' else 64))
def sched(w,off): return w.at(off).strftime("%Y-%m-%dT%H:%M:%S")
def el(s): s=int(s); return "%02d:%02d:%02d"%(s//3600,s//60%60,s%60)
if "e1" in sys.argv:
    n="tiket-30417"; fresh(n)
    raw={h:rd("e1/%s.log"%h) for h in ("kys01","kys02","kys03","kys04")}; t0=first(raw["kys01"]); w=Warp(Z,t0,"2026-03-03T18:22:40",k=14)
    for h,x in raw.items():
        wr(n,"slurm-48211/%s.txt"%h,cp(subs(w(x),*P),h))
    wr(n,"mail.txt","""Od: Matej K.
Komu: hpc-podpora
Predmet: uloha 48211 stoji

Dobry den,
uloha 48211 (4 uzly) stoji uz tri hodiny, v logoch ziadna chyba, CPU na uzloch 0 %% az 1 %%. scontrol show job je nizsie.
Poslal som procesom SIGUSR1 (faulthandler), na kys03 som dal zly PID, takze z neho vypis zasobnikov nemam. Nie je to znova InfiniBand?

JobId=48211 JobName=uzavery
   UserId=matejk(20117) GroupId=kysla(2040) MCS_label=N/A
   Priority=10482 Nice=0 Account=kysla QOS=normal
   JobState=RUNNING Reason=None Dependency=(null)
   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0
   RunTime=%s TimeLimit=12:00:00 TimeMin=N/A
   SubmitTime=%s EligibleTime=%s
   StartTime=%s EndTime=%s Deadline=N/A
   Partition=long AllocNode:Sid=login2:31177
   NodeList=kys[01-04]
   BatchHost=kys01
   NumNodes=4 NumCPUs=16 NumTasks=4 CPUs/Task=4 ReqB:S:C:T=0:0:*:*
   Command=/home/kysla/uzavery/spusti.sh
   WorkDir=/home/kysla/uzavery
"""%(el(11460),sched(w,-70),sched(w,-70),sched(w,-6),sched(w,-6+43200)))
    wr(n,"spusti.sh","#!/bin/bash\n#SBATCH -J uzavery\n#SBATCH -N 4\n#SBATCH --ntasks-per-node=1\n#SBATCH -c 4\n#SBATCH -p long\n#SBATCH -t 12:00:00\nmodule load python/3.11.7\nsource ~/tf221/bin/activate\nsrun --output=slurm-%j/%N.txt python uzavery.py --kroky 4000 --cache /work/kysla/cache\n")
    fin(n,".tar.gz","sync.hang",["kys03","worker:2"],["collective.timeout","storage.network-fs"],"Hard: nothing failed; kys03's last line is 'obnovujem cache snimok' without 'cache ok' (it waits in the lock on the shared cache) while the three others reached the next all-reduce (stack dumps). No stack of kys03; InfiniBand is a guess.")
if "e2" in sys.argv:
    n="kys-48377"; fresh(n)
    raw={h:rd("e2/%s.log"%h) for h in ("kys01","kys02","kys03","kys04")}; t0=first(raw["kys01"]); 
    tb=float(TB) if (TB:=globals().get("TB")) else None
    w=Warp(Z,t0,"2026-03-19T07:41:03",k=1)
    x=[]
    for h,r in raw.items():
        last=w.s
        for l in cp(subs(w(r),*P),h).splitlines():
            m=re.search(r"00:00:(\d{10}\.\d+)",l)
            if m: last=max(last,float(m[1]))
            elif "krok" in l: last+=.4
            x.append((last,"%d: %s"%("1234".index(h[-1]),l)))
    x.sort(key=lambda e:e[0])
    end=w.ep(float(re.findall(r"00:00:(\d{10}\.\d+)",raw["kys01"])[-1]))-w.s
    wr(n,"slurm-48377.out","Lmod: loading python 3.11.7\n"+"\n".join(l for _,l in x)+"\n"+f"srun: error: kys04: task 3: Illegal instruction (core dumped)\nsrun: error: kys01: task 0: Exited with exit code 1\nsrun: error: kys02: task 1: Exited with exit code 1\nsrun: error: kys03: task 2: Exited with exit code 1\n")
    wr(n,"sacct.txt","JobID           JobName  Partition    NodeList  AllocCPUS      State ExitCode               Start                 End    MaxRSS \n------------ ---------- ---------- ----------- ---------- ---------- -------- ------------------- ------------------- ---------- \n"+"".join("%-12s %10s %10s %11s %10d %10s %8s %s %s %10s \n"%(a,b,c,"kys[01-04]" if a!="48377.batch" else "kys01",d,"FAILED",e,sched(w,-3),sched(w,end+1),f) for a,b,c,d,e,f in [("48377","uzavery","long",16,"1:0",""),("48377.batch","batch","",4,"1:0","7204K"),("48377.extern","extern","",16,"0:0","1072K"),("48377.0","python","",16,"0:4","688120K")]).replace("    FAILED      0:0"," COMPLETED      0:0"))
    wr(n,"lscpu.txt","".join(f"{h}: {l}\n" for h in raw for l in (["Architecture:                       x86_64","CPU(s):                             %d"%(64 if h!="kys04" else 32),"Vendor ID:                          %s"%("GenuineIntel" if h!="kys04" else "AuthenticAMD"),"Model name:                         %s"%("Intel(R) Xeon(R) Gold 6430" if h!="kys04" else "AMD EPYC 7302P 16-Core Processor"),"CPU MHz:                            %d.%03d"%(R.randint(1900,2100),R.randint(0,999)),"L3 cache:                           %s"%("120 MiB" if h!="kys04" else "128 MiB")])))
    wr(n,"dmesg_kys04.txt","".join("[%s] %s\n"%(w.at(o).strftime("%a %b %d %H:%M:%S %Y").replace(" 0"," ",1) if 0 else w.at(o).strftime("%a %b %e %H:%M:%S %Y"),m) for o,m in [(-86400*9-300,"Linux version 5.14.0-427.13.1.el9_4.x86_64 (mockbuild@x64-builder01.almalinux.org) (gcc (GCC) 11.4.1 20231218 (Red Hat 11.4.1-3), GNU ld version 2.35.2-43.el9) #1 SMP PREEMPT_DYNAMIC Tue Apr 30 18:19:33 EDT 2024"),(-86400*9-299,"Command line: BOOT_IMAGE=(hd0,gpt2)/vmlinuz-5.14.0-427.13.1.el9_4.x86_64 root=/dev/mapper/alma-root ro crashkernel=1G-4G:192M,4G-64G:256M,64G-:512M rhgb quiet"),(-86400*9-290,"EDAC MC0: Giving out device to module amd64_edac controller F17h_M30h: DEV 0000:00:18.3 (INTERRUPT)"),(-86400*9-280,"mlx5_core 0000:41:00.0 ibp65s0: Link up") if 0 else (-86400*9-280,"mlx5_core 0000:41:00.0: firmware version: 20.31.1014"),(-86400*4,"nfs: server work-nfs not responding, still trying"),(-86400*4+11,"nfs: server work-nfs OK"),(end-1,"traps: python[1188402] trap invalid opcode ip:7f3c1a2f611d sp:7ffd0c6b3a10 error:0 in libostrenie.so[7f3c1a2f6000+1000]")]))
    wr(n,"odkaz.txt","libostrenie.so som prelozil vcera na kys01 s -O3 -march=native, zrychli to ostrenie o tretinu. Na troch uzloch vcera bezalo. Dnes slurm pridelil aj kys04. NFS /work hucalo minuly tyzden.\n")
    fin(n,".tar.bz2","env.illegal-instruction",["kys04","worker:3"],[],"libostrenie.so built with -march=native on Intel nodes dies with SIGILL on the AMD node kys04 (traps line, srun message); the other tasks only lose their peer. The old NFS message is a red herring.")
if "e3" in sys.argv:
    n="uzavery-marec"; fresh(n)
    raw={h:rd("e3/%s.log"%h) for h in ("kys01","kys02","kys12")}; t0=first(raw["kys01"]); w=Warp(Z,t0,"2026-03-27T15:03:12",k=1)
    for h in raw: wr(n,"log_48502_%s.out"%h,cp(subs(w(raw[h]),*P),h))
    old={h:rd("g3/%s.log"%h) for h in ("kys01","kys02","kys03")}; wo=Warp(Z,first(old["kys01"]),"2026-03-18T10:20:44",k=1)
    for h in old: wr(n,"minule/log_48290_%s.out"%h,cp(subs(wo(old[h]),*P),h))
    wr(n,"squeue.txt","             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n             48502      long  uzavery   matejk CG       0:52      3 kys[01-02,12]\n             48490      long  md_lipid  zuzanas  R 1-02:11:09      2 kys[03-04]\n             48499      long  md_lipid  zuzanas PD       0:00      2 (Resources)\n")
    wr(n,"poznamka.txt","Zuzana obsadila 03 a 04, tak nam dali 12. Minule (48290) s kys01-03 to slo bez zmeny skriptu. Spustat: ./spusti.sh kys01,kys02,kys12\nNa kys12 je novsi firmware siete, mozno preto? M.\n")
    fin(n,".zip","config.task-index",["kys12","worker:1"],["config.cluster-mismatch"],E3NOTE if (E3NOTE:=globals().get("E3NOTE")) else "The index is taken from the last digit of the host name, so kys02 and kys12 both are worker:1 and nobody is worker:2; the job never gets a complete cluster. Firmware is a wrong guess.")
