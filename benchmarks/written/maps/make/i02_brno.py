"""Slurm, srun --label; a stale worker of an older job holds the port on one node."""
from common import *
N = "brno"; H = {"gpn211": "10.61.2.11", "gpn212": "10.61.2.12", "gpn213": "10.61.2.13", "gpn214": "10.61.2.14"}
def run():
    L = Lab(N, H, domain="cluster.auto"); mkdata(d=L.shared + "/data", sizes=[300] * 8)
    c = {"worker": [f"{h}:12345" for h in H]}
    old = {"worker": ["gpn213:12345", "gpn209:12345"]}
    m = [(PROG, "/home/kb/lanes/src"), (L.shared + "/data", "/lustre/lanes/tfrec"), (L.shared, "/lustre/lanes/runs/b7")]
    L.spawn("stale", "gpn213", ["python", "/home/kb/lanes/src/etaps.py"], env={"TF_CONFIG": tfc(old, "worker", 0)}, mounts=m, tz="Europe/Prague")
    L.wait_line("stale", "Started server")
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/home/kb/lanes/src/tileloop.py", "--data", "/lustre/lanes/tfrec", "--logdir", "/lustre/lanes/runs/b7", "--steps", "60"],
                env={"TF_CONFIG": tfc(c, "worker", i)}, mounts=m, tz="Europe/Prague")
    print(L.wait(45, ["w2"], False)); open(L.dir + "/ss.txt", "w").write(L.on("gpn213", "ss -ltnp")); open(L.dir + "/ps.txt", "w").write(str(L.pid("stale")))
    time.sleep(8); 
    import signal as sg
    for w in ("w0", "w1", "w3"):
        if L.tasks[w].p.poll() is None: L.kill(w, sg.SIGTERM)
    print(L.wait(5, ["w0", "w1", "w3"])); L.close()

def collect():
    ev, meta = load(N); t0 = meta["w0"]["t0"]; TZ = "Europe/Prague"
    hosts = list(H); ck = {h: Clock(at("2026-11-19 03:12:41", TZ) - t0 + d, TZ) for h, d in zip(hosts, (0, 1.4, -0.6, 3.1))}
    P = Pack(N, "brno.tgz"); out = []
    for i, h in enumerate(hosts):
        out += [(t, f"{i}: {ck[h].line(l)}") for t, s, l in ev[f"w{i}"]]
    end = max(t for t, l in out if l.startswith("2:"))
    killed = max(t for t, l in out)
    c0 = ck[hosts[0]]
    out += [(end + .3, "srun: error: gpn213: task 2: Exited with exit code 1"),
            (killed - .05, f"slurmstepd: error: *** STEP 884121.0 ON gpn211 CANCELLED AT {c0.s(killed, '%Y-%m-%dT%H:%M:%S')} ***"),
            (killed + 5, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish."),
            (killed + 6, "srun: error: gpn211: task 0: Killed"), (killed + 6.01, "srun: error: gpn214: task 3: Killed"), (killed + 6.02, "srun: error: gpn212: task 1: Killed")]
    out.sort(key=lambda e: e[0])
    head = ["== lanes-seg b7, submitted by kbrezina ==", "SLURM_JOB_NODELIST=gpn[211-214] SLURM_NTASKS=4 SLURM_NTASKS_PER_NODE=1", "module: Loading python/3.11.7-GCCcore-13.2.0",
            "Lmod Warning: The system module cuda/12.5 is deprecated and will be removed on 2027-01-15"]
    P.w("slurm-884121.out", head + [l for _, l in out])
    first = (end + .3)
    P.w("sacct.txt", ["       JobID    JobName  NNodes        NodeList      State ExitCode     MaxRSS               Start                 End ",
        "------------ ---------- ------- --------------- ---------- -------- ---------- ------------------- ------------------- "]
        + [f"{j:>12} {n:>10} {k:>7} {nl:>15} {st:>10} {x:>8} {m:>10} {c0.s(a, '%Y-%m-%dT%H:%M:%S'):>19} {c0.s(b, '%Y-%m-%dT%H:%M:%S'):>19} " for j, n, k, nl, st, x, m, a, b in (
            ("884121", "lanes-b7", 4, "gpn[211-214]", "FAILED", "1:0", "", t0 - 9, killed + 6), ("884121.batch", "batch", 1, "gpn211", "FAILED", "1:0", "21344K", t0 - 9, killed + 6),
            ("884121.0", "python", 4, "gpn[211-214]", "CANCELLED", "1:0", "611204K", t0 - 2, killed + 6))])
    ss = open(os.path.join(OUT, "raw", N, "ss.txt")).read(); pid = open(os.path.join(OUT, "raw", N, "ps.txt")).read().strip()
    P.w("gpn213/look-around.txt", f"""[root@gpn213 ~]# uptime
 {c0.s(killed + 400, '%H:%M:%S')} up 61 days, 14:20,  1 user,  load average: 0.21, 0.36, 0.33
[root@gpn213 ~]# dmesg -T | tail -7
[Mon Nov 16 21:40:02 2026] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0-1,oom_memcg=/system.slice/slurmstepd.scope/job_881900,task_memcg=/system.slice/slurmstepd.scope/job_881900/step_0/user/task_0,task=gdal_translate,pid=203311,uid=30417
[Mon Nov 16 21:40:02 2026] Memory cgroup out of memory: Killed process 203311 (gdal_translate) total-vm:71203340kB, anon-rss:62881220kB, file-rss:8120kB, shmem-rss:0kB, UID:30417 pgtables:124032kB oom_score_adj:0
[Mon Nov 16 21:40:04 2026] oom_reaper: reaped process 203311 (gdal_translate), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB
[Tue Nov 17 09:02:17 2026] Lustre: lanes-OST0004-osc-ffff9a14c1a0b000: Connection to lanes-OST0004 (at 10.61.0.44@o2ib) was lost; in progress operations using this service will wait for recovery to complete
[Tue Nov 17 09:02:51 2026] Lustre: lanes-OST0004-osc-ffff9a14c1a0b000: Connection restored to 10.61.0.44@o2ib (at 10.61.0.44@o2ib)
[root@gpn213 ~]# ss -ltnp | grep -v ssh
{ss.rstrip()}
[root@gpn213 ~]# ps -o pid,ppid,user,lstart,cmd -p {pid}
    PID    PPID USER                      STARTED CMD
{pid:>7}       1 kbrezina Wed Nov 18 16:55:20 2026 python /home/kb/lanes/src/etaps.py
""")
    P.w("README-from-night-shift", ["b7 died again after the maintenance. I think it is memory on gpn213, the OOM killer was there on Monday already.", "Please give him the 512G nodes.   /H."])
    P.done("network.port-in-use", ["gpn213", "worker:2", "task 2"], [], "Task 2 on gpn213 fails with \"No address added out of total 1 resolved for '0.0.0.0:12345'\" / Could not start gRPC server; ss shows a stale python of the same user on 12345. Old OOM kill of gdal_translate, the Lustre reconnect and the night shift's remark are red herrings; the other tasks were cancelled by srun.", top="b7-post")
if __name__ == "__main__": main(run, collect)
