"""Team 1: what the geophysicists put together from the Slurm spool."""
import io, random, tarfile
from lab import *
REPL = [(f"{BASE}/make/a_fwi.py", "/project/fwi4/bin/a_fwi.py".replace("a_fwi", "fwi_net")), ("/opt/tfenv", "/project/sw/tf221"), ("/opt/incidents/make", "/project/fwi4/bin")]
def hms(l, d): return re.sub(r"^(\d\d):(\d\d):(\d\d) \[", lambda m: time.strftime("%H:%M:%S", time.gmtime((int(m[1]) * 3600 + int(m[2]) * 60 + int(m[3]) + d) % 86400)) + " [", l)
def lab(name, n, d):
    rows = []
    for i in range(n):
        r = raw(name, f"r{i}", d, REPL); rows += [(t, i, hms(l, d)) for t, s, l in r["lines"]]
    return sorted(rows, key=lambda x: x[0])
def tar(name, files, ext="tar.gz"):
    mode = {"tar.gz": "w:gz", "tgz": "w:gz", "tar.xz": "w:xz"}[ext]
    with tarfile.open(f"{SET}/{name}.{ext}", mode) as t:
        for p, s in files.items():
            b = s if isinstance(s, bytes) else s.encode(); i = tarfile.TarInfo(p); i.size = len(b); i.mtime = 1795750000; t.addfile(i, io.BytesIO(b))
def T(t): return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t))
def K(t): return time.strftime("[%a %b %e %H:%M:%S %Y]", time.gmtime(t))

def a1():
    d = -11520.0; rows = lab("a1nic", 8, d); t0, t1 = rows[0][0] - 4, rows[-1][0]
    down = json.load(open(f"{BASE}/work/a1nic/times.json"))[0] + d
    out = "\n".join(f"{i}: {l}" for t, i, l in rows)
    out += f"\nsrun: error: trane-n05: tasks 0-1: Exited with exit code 1\nsrun: launch/slurm: _step_signal: Terminating StepId=918842.0\nsrun: error: trane-n06: tasks 2-3: Exited with exit code 1\nsrun: error: trane-n08: tasks 6-7: Exited with exit code 1\nsrun: error: trane-n07: tasks 4-5: Exited with exit code 1\n"
    sacct = f"""JobID|JobName|Partition|NodeList|Start|End|State|ExitCode|MaxRSS
918842|fwi4_tampen|prod|trane-n[05-08]|{T(t0)}|{T(t1+3)}|FAILED|1:0|
918842.batch|batch||trane-n05|{T(t0)}|{T(t1+3)}|FAILED|1:0|41200K
918842.extern|extern||trane-n[05-08]|{T(t0)}|{T(t1+3)}|COMPLETED|0:0|0
918842.0|python||trane-n[05-08]|{T(t0+1)}|{T(t1+2)}|FAILED|1:0|612344K
918790|migr_oseberg|prod|trane-n05|{T(t0-40000)}|{T(t0-31211)}|OUT_OF_MEMORY|0:125|190221340K
"""
    k7 = "\n".join(K(a) + " " + b for a, b in [(t0 - 220311, "mlx5_core 0000:41:00.0 ens1f0np0: Link up"), (t0 - 220309, "IPv6: ADDRCONF(NETDEV_CHANGE): ens1f0np0: link becomes ready"),
        (t0 - 90000, "perf: interrupt took too long (3941 > 3928), lowering kernel.perf_event_max_sample_rate to 50000"),
        (down, "mlx5_core 0000:41:00.0: port_module:252:(pid 0): Port module event: module 0, Cable unplugged"), (down + .02, "mlx5_core 0000:41:00.0 ens1f0np0: Link down"),
        (down + 1, "bond0: (slave ens1f0np0): link status definitely down, disabling slave"), (down + 1, "bond0: now running without any active interface!"),
        (down + 291, "mlx5_core 0000:41:00.0: port_module:252:(pid 0): Port module event: module 0, Cable plugged"), (down + 293, "mlx5_core 0000:41:00.0 ens1f0np0: Link up"), (down + 293, "bond0: (slave ens1f0np0): link status definitely up, 100000 Mbps full duplex")])
    k5 = "\n".join(K(a) + " " + b for a, b in [(t0 - 31213, "migrate_kirch invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0"),
        (t0 - 31213, "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,oom_memcg=/slurm/uid_30871/job_918790,task_memcg=/slurm/uid_30871/job_918790/step_0/task_0,task=migrate_kirch,pid=20117,uid=30871"),
        (t0 - 31212, "Memory cgroup out of memory: Killed process 20117 (migrate_kirch) total-vm:201447120kB, anon-rss:190112004kB, file-rss:8112kB, shmem-rss:0kB, UID:30871 pgtables:372104kB oom_score_adj:0")])
    tar("haugesund", {"sak-2217/slurm-918842.out": out, "sak-2217/sacct.txt": sacct, "sak-2217/pdsh_dmesg.txt": "".join(f"trane-n{h}: {l}\n" for h, k in (("05", k5), ("07", k7)) for l in k.splitlines()),
        "sak-2217/merk.txt": "Hei, TF sier at task 4 og 5 'have crashed'. Trond mener det er minnet igjen (se n05, samme som migrasjonen i går). Jeg har ikke sett noe core. Kan drift se?\n  -- Ingrid, kl. 04\n", "sak-2217/job.csh": "#!/bin/csh -f\n#SBATCH -J fwi4_tampen\n#SBATCH -p prod\n#SBATCH -N 4\n#SBATCH --ntasks-per-node=2\n#SBATCH -t 12:00:00\nsource /project/sw/tf221/bin/activate.csh\nsetenv FWI_STEPS 600\nsrun --label /project/fwi4/bin/wrap_tfconfig.csh python /project/fwi4/bin/fwi_net.py\n"})
    truth("haugesund", "haugesund.tar.gz", "hardware.nic-link", ["trane-n07", "worker:4", "worker:5"], ["network.timeout"], "trane-n07's only link went down (dmesg: Cable unplugged / Link down) in the second when the iterations stopped; TF then calls tasks 4 and 5 unhealthy. Herrings: the OOM kill of another job on n05 the day before, 'The tasks have crashed', Trond's remark.")

def a2():
    d = 4021.0; rows = lab("a2slow", 3, d); t0 = rows[0][0] - 3; tc = json.load(open(f"{BASE}/work/a2slow/times.json"))[0] + d
    fs = {}
    for i in range(3): fs[f"918977.{i}.log"] = "\n".join(l for t, j, l in rows if j == i) + (f"\nslurmstepd: error: *** STEP 918977.0 ON trane-n11 CANCELLED AT {T(tc)} ***\n" if i == 0 else "\n")
    fs["show_job"] = f"""JobId=918977 JobName=fwi4_brage
   UserId=ihaug(30912) GroupId=geo(3000) MCS_label=N/A
   JobState=CANCELLED Reason=None Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:15
   RunTime=00:01:17 TimeLimit=08:00:00 TimeMin=N/A
   SubmitTime={T(t0-600)} EligibleTime={T(t0-600)} StartTime={T(t0)} EndTime={T(tc)}
   Partition=prod NodeList=trane-n[11-12,14] NumNodes=3 NumTasks=3 CPUs/Task=16
   Command=/home/ihaug/fwi4/job.csh
   StdOut=/home/ihaug/fwi4/918977.%t.log
"""
    fs["epost.eml"] = f"From: ihaug@geo.example.no\nTo: drift@geo.example.no\nSubject: brage er treg\nDate: {time.strftime('%a, %d %b %Y %H:%M:%S +0000', time.gmtime(tc+900))}\nContent-Type: text/plain; charset=utf-8\n\nAvbrøt 918977 selv med scancel, den brukte over 1 s per iterasjon mot 60 ms i går.\nPer tror at n11 er problemet fordi solve+reduce er størst der. n14 hadde en feil på vifta i oktober.\nLoggene ligger ved.\n\nIngrid\n"
    tar("bryne", fs, "tgz")
    truth("bryne", "bryne.tgz", "sync.straggler", ["trane-n12", "worker:1"], [], "After iteration 12 rank 1 (trane-n12) needs 1.1-1.5 s for its io and 6 ms for the reduce, while ranks 0 and 2 need 45 ms io and wait >1 s in the reduce; the user cancelled the job. Herrings: Per's remark on n11 (it waits), fan remark on n14, SIGTERM lines.")

def a3():
    d = -60500.0; rows = lab("a3ok", 3, d); t0 = rows[0][0] - 3; te = rows[-1][0]
    out = f"\n===== prolog trane-n21 {T(t0)} job 918611 =====\n" + "\n".join(f"{i}: {l}" for t, i, l in rows) + f"\n===== epilog {T(te+2)} exit 0 =====\n"
    fs = {"loggbok/0611.txt": "918611  fwi4_troll  ingrid: mye rødt i loggen (No space left on device på n23!), kjørt ferdig? sjekk. -- venter på svar fra drift\n", "loggbok/918611/stdout+stderr": out,
          "loggbok/918611/seff": f"Job ID: 918611\nCluster: trane\nUser/Group: ihaug/geo\nState: COMPLETED (exit code 0)\nNodes: 3\nCores per node: 16\nCPU Utilized: 00:00:41\nCPU Efficiency: 6.10% of 00:11:12 core-walltime\nJob Wall-clock time: 00:00:{int(te-t0):02d}\nMemory Utilized: 1.71 GB\nMemory Efficiency: 1.78% of 96.00 GB\n",
          "loggbok/918611/df_n23": "Filesystem                Size  Used Avail Use% Mounted on\n/dev/mapper/rl-root        70G   21G   50G  30% /\ntmpfs                     9.0M  9.0M     0 100% /scratch/918611\nnfs-geo:/project          180T  121T   60T  67% /project\n",
          "loggbok/918611/messages.n21": time.strftime("%b %e %H:%M:%S", time.gmtime(t0 - 7800)) + " trane-n21 kernel: python3[11822]: segfault at 18 ip 00007f1b7c2a1d40 sp 00007ffe5cf0b2a8 error 4 in libsegy.so[7f1b7c290000+2c000]\n" + time.strftime("%b %e %H:%M:%S", time.gmtime(t0)) + " trane-n21 slurmd[2210]: launch task StepId=918611.0 request from UID:30912 GID:3000 HOST:10.31.4.21 PORT:41022\n"}
    tar("sandnes", fs, "tar.xz")
    truth("sandnes", "sandnes.tar.xz", "none", None, [], "All ranks finish ('inversion finished', 'bye, exit 0', COMPLETED 0): the full scratch of trane-n23 was caught and the dump moved to project/. Herrings: the ResourceExhausted/No space traceback, another user's segfault hours before, the diary remark.")
if __name__ == "__main__":
    for n in sys.argv[1:] or ("a1", "a2", "a3"): globals()[n]()
