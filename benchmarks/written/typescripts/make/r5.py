from ren import *
r=R('a5','2025-03-06 21:17:52','America/Chicago','/gpfs/proj/bio-dock/screen','/gpfs/sw/tf-2.21',(),{},{h:p for h,p in zip(['cn0417','cn0418','cn0422','cn0431'],[0,113000,-2900,40210])})
N=['cn0417','cn0418','cn0422','cn0431']; m=[]
p='docking-screen.3318842/'
for i,h in enumerate(N):
    for st,n in(('o','stdout'),('e','stderr')): m.append((f'{p}out/1/rank.{i}/{n}',''.join(l+'\n' for *_,l in r.lines(h,st))))
t0=r.dt(r.d['t0']-6); te=r.dt(max(v[0] for v in r.d['ex'].values())+.4); F='%a %b %e %H:%M:%S %Y'
bar='-'*74
lsf=f'''{bar}
mpirun detected that one or more processes exited with non-zero status, thus causing
the job to be terminated. The first process to do so was:

  Process name: [[41237,1],2]
  Exit code:    1
{bar}

------------------------------------------------------------
Sender: LSF System <lsfadmin@cn0417>
Subject: Job 3318842: <docking-screen> in cluster <pike> Exited

Job <docking-screen> was submitted from host <pike-login2> by user <mfarrow> in cluster <pike> at {r.dt(r.d['t0']-1911).strftime(F)}
Job was executed on host(s) <1*cn0417>, in queue <cpu-short>, as user <mfarrow> in cluster <pike> at {t0.strftime(F)}
                            <1*cn0418>
                            <1*cn0422>
                            <1*cn0431>
</home/mfarrow> was used as the home directory.
</gpfs/proj/bio-dock/screen> was used as the working directory.
Started at {t0.strftime(F)}
Terminated at {te.strftime(F)}
Results reported at {te.strftime(F)}

Your job looked like:

------------------------------------------------------------
# LSBATCH: User input
#!/bin/bash
#BSUB -J docking-screen
#BSUB -n 4 -R "span[ptile=1]" -q cpu-short -W 2:00
#BSUB -o docking-screen.%J/lsf.out
module load gcc/12.2 openmpi/4.1.6 tf/2.21
export NODEFILE=$LSB_DJOB_HOSTFILE
export HPARAMS=/local/$USER/screen.hp     # node-local, staged by stage_in.sh
./stage_in.sh || echo "stage_in: rc=$?"
mpirun --mca orte_abort_on_non_zero_status 0 --map-by ppr:1:node --bind-to none \\
   --output-filename docking-screen.$LSB_JOBID/out -x NODEFILE -x HPARAMS \\
   python -u screen.py > /dev/null

------------------------------------------------------------

Exited with exit code 1.

Resource usage summary:

    CPU time :                                   31.84 sec.
    Max Memory :                                 2114 MB
    Average Memory :                             1302.50 MB
    Total Requested Memory :                     -
    Delta Memory :                               -
    Max Swap :                                   -
    Max Processes :                              13
    Max Threads :                                97
    Run time :                                   {int((te-t0).total_seconds())} sec.
    Turnaround time :                            {int((te-t0).total_seconds())+1905} sec.

The output (if any) is above this job summary.

'''
st=''.join(f'stage_in: {h}: {x}\n' for h,x in(('cn0417','screen.hp 79 bytes ok'),('cn0431','screen.hp 79 bytes ok'),('cn0418','screen.hp 79 bytes ok'),('cn0422','/local/mfarrow/screen.hp: cannot overwrite (owner mfarrow, noclobber), keeping')))+'stage_in: rc=1\n'
st+="[cn0417:06650] WARNING: Open MPI accepted a TCP connection from what appears to be a\n[cn0417:06650] another Open MPI process but cannot find a corresponding process\n[cn0417:06650] entry for that peer.\n[cn0417:06650] This attempted connection will be ignored; your MPI job may or may not\n[cn0417:06650] continue properly.\n"
m.append((p+'lsf.out',st+lsf))
pack('docking-screen.3318842.tar.xz',m,te.timestamp()+5000,dict(cause='collective.mismatch',culprit_node='cn0422',notes="Rank 2 (cn0422) kept an old hparams file (units 96, the other three print 128), so the variable broadcast fails there with 'Shape mismatch in the collective instance 100'; the others only see task 2's heartbeats stop."))
