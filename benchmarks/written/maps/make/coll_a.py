"""collectors of dijon, evora, ferrara, gorlitz, izola"""
from common import *
def dijon():
    # MLOps store: one JSON-lines file, three attempts' worth of runs of which the last is complete; plus pip freezes
    N = "dijon"; ev, meta = load(N); t0 = meta["w0"]["t0"]; d = at("2026-11-03 22:41:00") - t0; P = Pack(N, "dijon.tar.xz"); rows = []
    hosts = ["dl04", "dl05", "dl06"]
    for t, h, lv, m in ((-610, "dl04", "info", "run r-5f20c1 queued by agent-eu2"), (-604, "dl05", "error", "docker: Error response from daemon: pull access denied for registry.corp/perception/seg, repository does not exist or may require 'docker login': denied: requested access to the resource is denied."),
                        (-603, "dl04", "warning", "run r-5f20c1 attempt 1 failed: agent on dl05 could not start (exit 125)"), (-540, "dl04", "info", "run r-5f20c1 attempt 2 scheduled, image pull skipped on dl05 (env: bare metal venv)")):
        rows.append((t0 + t, dict(ts=round(t0 + t + d, 3), run="r-5f20c1", attempt=1 if t < -600 else 2, node=h, stream="agent", level=lv, msg=m)))
    for i, h in enumerate(hosts):
        for t, s, l in ev[f"w{i}"]:
            rows.append((t, dict(ts=round(t + d, 3), run="r-5f20c1", attempt=2, node=h, rank=i, stream="std" + s, msg=shift(l, d + (0, 2.2, -1.1)[i]))))
        e = meta[f"w{i}"]["end"]
        rows.append((e, dict(ts=round(e + d, 3), run="r-5f20c1", attempt=2, node=h, rank=i, stream="agent", level="info", msg="process exited", exit_code=0)))
    e = max(r[0] for r in rows) + 2
    rows.append((e, dict(ts=round(e + d, 3), run="r-5f20c1", attempt=2, node="dl04", stream="agent", level="info", msg="run r-5f20c1 COMPLETED, 3/3 ranks ok, artifacts: ckpt-70")))
    P.w("export/r-5f20c1.jsonl", [json.dumps(r) for _, r in sorted(rows, key=lambda r: r[0])])
    for h, a in zip(hosts, ("2.21.0", "2.15.1", "2.21.0")):
        P.w(f"export/env/{h}.txt", [f"absl-py==2.5.1", "grpcio==1.85.3" if a > "2.2" else "grpcio==1.62.2", "keras==3.15.1" if a > "2.2" else "keras==2.15.0", f"numpy=={'2.4.6' if a > '2.2' else '1.26.4'}", f"tensorflow-cpu=={a}"])
    P.w("export/comment.md", ["> **mdupuis**: dl05 still has the 2.15 venv!! that must be why the run is broken, no?", "> **system**: notification `agent on dl05 could not start` sent to #perception-train"])
    P.done("none", None, [], "Attempt 2 trained to step 70 on all three ranks, wrote ckpt-70 and every rank exited 0. Attempt 1 (image pull denied) failed earlier and was retried; the 2.15/2.21 version mix is real but harmless here and the colleague's remark is wrong.")
def evora():
    # CloudWatch export of the job's log streams + the instance's kernel ring buffer (real), ISO times in front
    N = "evora"; ev, meta = load(N); t0 = meta["w0"]["t0"]; base = at("2026-10-06 05:58:20") - t0; P = Pack(N, "evora.zip"); hosts = ["ip-10-3-18-201", "ip-10-3-18-44", "ip-10-3-19-77"]
    rows = []
    for i, h in enumerate(hosts):
        dd = base + (0, .4, -2.2)[i]
        rows += [dict(timestamp=int((t + dd) * 1000), ingestionTime=int((t + dd) * 1000) + 1873 + i * 211, logStreamName=f"mosaic-2026-10-06-05-55/algo-{i+1}-1759730{i}12", message=shift(l, dd)) for t, s, l in ev[f"w{i}"]]
    rows.sort(key=lambda r: r["timestamp"])
    P.w("filter-log-events.json", json.dumps({"events": rows, "searchedLogStreams": []}, indent=1))
    boot = float(open(f"{OUT}/raw/{N}/boot").read()); d3 = base - 2.2; k = []
    up0 = 400000.0
    dm = [l for l in open(f"{OUT}/raw/{N}/dmesg.txt") if not re.search(r"br\d|\bn?v\d+|eth0|vnv|hub|sch_|entered|m[0-9a-f]{4,}", l)]
    first = next(i for i, l in enumerate(dm) if "invoked oom-killer" in l)
    for l in dm[first:]:
        m = re.match(r"kern  :(\w+) *: \[ *(\d+\.\d+)\] (.*)", l.rstrip("\n"))
        if m: k.append(f"[{float(m[2]) + up0:13.6f}] " + m[3].replace("/nhand", "/docker/5f0c19a7be21"))
    old = ["[    0.000000] Linux version 6.18.44 (builder@ip-10-0-33-1) (gcc 14.2.1, GNU ld 2.41) #1 SMP PREEMPT_DYNAMIC", "[    1.204411] nvme nvme0: pci function 0000:00:04.0", "[   14.882015] ena 0000:00:05.0 eth0: Local page cache is disabled for less than 16 channels"]
    P.w("ip-10-3-19-77/dmesg", old + k)
    P.w("describe-training-job.json", json.dumps({"TrainingJobName": "mosaic-2026-10-06-05-55", "TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: , exit code: 1 (algo-1)", "InstanceCount": 3,
        "SecondaryStatusTransitions": [{"Status": "Downloading", "StartTime": round(t0 - 70 + base, 3)}, {"Status": "Training", "StartTime": round(t0 - 3 + base, 3)}, {"Status": "Failed", "StartTime": round(meta["w0"]["end"] + base + 4, 3), "StatusMessage": "Training job failed"}],
        "ResourceConfig": {"algo-1": "ip-10-3-18-201", "algo-2": "ip-10-3-18-44", "algo-3": "ip-10-3-19-77"}}, indent=2))
    P.done("resource.host-oom-killed", ["ip-10-3-19-77", "algo-3", "worker:2"], [], "The kernel log of ip-10-3-19-77 has 'Memory cgroup out of memory: Killed process <pid of task 2>'; its log ends in the middle of steps while the others see 'Socket closed' from task 2. FailureReason names algo-1, which is only a victim.")
def ferrara():
    # Horovod-like launcher prefixes, one file with all ranks, plus hand-copied checks
    N = "ferrara"; ev, meta = load(N); t0 = meta["w0"]["t0"]; d = at("2026-08-21 09:14:37", "Europe/Rome") - at("2026-08-21 09:14:37") + at("2026-08-21 09:14:37") - t0; P = Pack(N, "ferrara.tgz"); rows = []
    for i in range(3):
        rows += [(t, f"[1,{i}]<std{s}>:" + shift(l, d + (0, -3.3, .9)[i])) for t, s, l in ev[f"w{i}"]]
    e = max(t for t, l in rows if l.startswith("[1,1]"))
    rows += [(e + .2, "--------------------------------------------------------------------------"), (e + .2, "Primary job  terminated normally, but 1 process returned"), (e + .2, "a non-zero exit code. Per user-direction, the job has been aborted."), (e + .2, "--------------------------------------------------------------------------")]
    z = max(t for t, l in rows) + .5
    rows += [(z, "--------------------------------------------------------------------------"), (z, "mpirun detected that one or more processes exited with non-zero status, thus causing"), (z, "the job to be terminated. The first process to do so was:"), (z, ""), (z, "  Process name: [[41210,1],1]"), (z, "  Exit code:    1"), (z, "--------------------------------------------------------------------------")]
    head = ["+ mpirun -np 3 -H carlab-n1:1,carlab-n2:1,carlab-n3:1 --tag-output -x TF_CONFIG_BASE -x LD_LIBRARY_PATH python /opt/app/tileloop.py --data /data/t --logdir /data/out --steps 160 --pause 0.1",
            "[carlab-n1:07740] [[41210,0],0] ORTE_ERROR_LOG: Data unpack would read past end of buffer in file util/show_help.c at line 501",
            "WARNING: Open MPI accepted a TCP connection from what appears to be a", "another Open MPI process but cannot find a corresponding process", "entry for that peer.", "", "This attempted connection will be ignored; your MPI job may or may not", "continue properly."]
    P.w("mpirun.tag-output.txt", head + [l for _, l in sorted(rows, key=lambda r: r[0])])
    P.w("mail.txt", """Von: Jonas
An: carlab-admins

anbei der log von heute frueh. ich denke es ist wieder das Open MPI (siehe ORTE_ERROR_LOG ganz oben), das hatten wir im juli auch.
gestern abend lief derselbe befehl auf n1 n3 n4 durch. n2 wurde am mittwoch neu installiert.
hier noch was auf allen dreien:

$ for h in carlab-n1 carlab-n2 carlab-n3; do ssh $h 'hostname; ls /opt/geoidx/lib 2>&1; python -c "import sys;print(sys.version)"; df -h /data | tail -1; nproc'; done
carlab-n1
libgeoidx.so.3
3.11.7 (main, Feb  2 2026, 09:12:33) [GCC 12.2.0]
nas2:/export/data   22T   20T  1.9T  92% /data
16
carlab-n2
ls: cannot access '/opt/geoidx/lib': No such file or directory
3.11.7 (main, Feb  2 2026, 09:12:33) [GCC 12.2.0]
nas2:/export/data   22T   20T  1.9T  92% /data
16
carlab-n3
libgeoidx.so.3
3.11.7 (main, Feb  2 2026, 09:12:33) [GCC 12.2.0]
nas2:/export/data   22T   20T  1.9T  92% /data
16
""")
    P.done("env.missing-library", ["carlab-n2", "worker:1", "rank 1"], [], "Rank 1 on carlab-n2: NotFoundError libgeoidx.so.3: cannot open shared object file. ORTE_ERROR_LOG / Open MPI warnings and the mail's theory are noise; the other ranks only waited for task 1.")
def gorlitz():
    # a person's paste of two screens: raw terminal logs with local times, no host clock agreement, df and messages
    N = "gorlitz"; ev, meta = load(N); t0 = meta["w0"]["t0"]; TZ = "Europe/Berlin"; P = Pack(N, "gorlitz.tgz")
    for i, (h, dd) in enumerate((("rack7-03", 0), ("rack7-04", 67.0))):
        c = Clock(at("2026-02-17 18:20:11", TZ) - (t0 - 0) + dd, TZ); e = ev[f"w{i}"]
        # wall clock difference
        w = Clock((dt.datetime(2026, 2, 17, 18, 20, 11) - dt.datetime.strptime(loc(t0, TZ), "%Y-%m-%d %H:%M:%S")).total_seconds() + dd)
        lines = [w.line(l) for t, s, l in e]
        if i == 0:
            half = len(lines) // 2
            P.w("lane17_chief.log.1", lines[:half]); P.w("lane17_chief.log", lines[half:])
        else: P.w("lane17_w1.log", lines)
    P.w("screen.txt", """lt@rack7-03:~$ tail -n 4 /var/log/syslog
Feb 17 18:01:02 rack7-03 CRON[80112]: (root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)
Feb 17 18:11:09 rack7-03 kernel: [881231.402012] nfs: server nas2 not responding, still trying
Feb 17 18:11:31 rack7-03 kernel: [881253.120774] nfs: server nas2 OK
Feb 17 18:20:19 rack7-03 systemd[1]: Started Session 4412 of User lt.
lt@rack7-03:~$ df -h /data /scratch
Filesystem           Size  Used Avail Use% Mounted on
nas2:/export/lanes    22T   20T  1.9T  92% /data
/dev/mapper/vg0-scr  880G  611G  225G  74% /scratch
lt@rack7-03:~$ # looks fine?? 225G free
lt@rack7-03:~$ mount | grep lane-17
tmpfs on /scratch/lane-17 type tmpfs (rw,relatime,size=6144k)
""")
    P.done("resource.disk-full", ["rack7-03", "worker:0", "chief"], [], "The chief's SaveV2 under /scratch/lane-17 fails with RESOURCE_EXHAUSTED ... No space left on device (a 6 MB tmpfs is mounted there); worker 1 only sees its peer go away. df of /scratch (225G free) and the short NFS stall are red herrings.")
def izola():
    # Slurm per-task output files in one folder, two job ids (attempts); sbatch script and scontrol
    N = "izola"; ev, meta = load(N); t0 = meta["a1w0"]["t0"]; TZ = "Europe/Ljubljana"; P = Pack(N, "izola.tar.xz"); base = at("2026-11-11 11:05:30", TZ) - t0
    hosts = ["cn-0417", "cn-0418"]; ids = {"a1": 5520317, "a2": 5520341}
    gap = 1810
    for a in ("a1", "a2"):
        for i, h in enumerate(hosts):
            dd = base + (gap if a == "a2" else 0) + (0, -12.6)[i]; e = ev[f"{a}w{i}"]; lines = [shift(l, dd) for t, s, l in e]
            c = Clock(dd, TZ)
            if a == "a1" and i == 0: lines.append(f"slurmstepd: error: *** STEP {ids[a]}.0 ON cn-0417 CANCELLED AT {c.s(e[-1][0] + 1, '%Y-%m-%dT%H:%M:%S')} ***")
            if a == "a2": 
                pass
            P.w(f"lane41-{ids[a]}.{i}.log", lines)
        b = ["srun: error: cn-0418: task 1: Killed", "srun: error: cn-0417: task 0: Killed"] if a == "a1" else ["srun: error: cn-0418: task 1: Exited with exit code 1", "srun: launch/slurm: _step_signal: Terminating StepId=5520341.0", "srun: error: cn-0417: task 0: Exited with exit code 1"]
        P.w(f"lane41-{ids[a]}.batch", ["+ srun --output=lane41-%j.%t.log --cpu-bind=none python /projects/lane/src/lanefit.py --data /data/lanes --model-dir /projects/lane/runs/41 --epochs 12 --steps 25 " + ("--width 128 --pause 0.05" if a == "a1" else "--width 160 --pause 0.05 --restore /projects/lane/runs/41/ckpt-05.weights.h5")] + b)
    P.w("history.txt", ["  811  sbatch lane41.sbatch", "  812  squeue -u $USER", "  813  scancel 5520317   # wrong width, I want 160", "  814  vim lane41.sbatch", "  815  ls runs/41", "  816  sbatch lane41.sbatch", "  817  less lane41-5520341.0.log"])
    P.done("checkpoint.mismatch", None, ["user.code-error"] if False else [], "Second attempt (5520341) loads weights of the 128 wide model into a 160 wide one: 'Cannot assign value to variable enc1/kernel:0: Shape mismatch (32,160) vs (32,128)' on both tasks. The first attempt (5520317) was cancelled by the user himself.")
for f in sys.argv[1:] or ["dijon", "evora", "ferrara", "gorlitz", "izola"]: globals()[f]()
