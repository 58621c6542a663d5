from pk import *
def nid():
    P = [("mwms_keras.py", "fit_detector.py"), ("/opt/incidents/make", "/lustre/orion/phy203/scratch/lin/det"), ("/opt/incidents/tf215", "/sw/tf/2.15.1"), ("/opt/incidents/work", "/lustre/orion/phy203/scratch/lin/det")]
    r = Run("nid_oom", "2026-09-29 21:15:33", tz=-4, skew={"w1": -3}, paths=P); h = Run("nid_backup", "2026-09-29 20:02:10", tz=-4, paths=P)
    lab = lambda run, K: [f"{k[-1]}: {x}" for t, k, s, x in run.merged(K)]
    T = lambda e: ts(e, "%Y-%m-%dT%H:%M:%S", -4); K = ["w0", "w1", "w2"]; t0, td, t1 = r.when("w0", "start"), r.when("w1"), r.when("w2"); a, b = h.when("a2.w0", "start"), h.when("a2.w1")
    o = lab(r, K) + ["srun: error: nid001205: task 1: Out Of Memory", "srun: error: nid001204: task 0: Exited with exit code 1", "srun: Terminating StepId=55120934.0", "srun: error: nid001311: task 2: Exited with exit code 1"]
    dm = open(RAW + "/nid_oom/dmesg.txt").read().replace("/v_nid", f"/slurm/uid_51877/job_55120934/step_0/task_1").replace("uid=0", "uid=51877").replace("UID:0", "UID:51877").rstrip().split("\n")
    con = f"<ConMan> Console [nid001205] log at {ts(td - 7200, '%m-%d-%Y %H:%M:%S EDT', -4)}.\n{ts(td - 6000, '%Y-%m-%d %H:%M:%S', -4)} [35594.118221] LustreError: 11-0: orion-OST01b2-osc-ff11: operation ost_statfs to node 10.249.200.8@tcp failed: rc = -107\n{ts(td - 5990, '%Y-%m-%d %H:%M:%S', -4)} [35604.201997] Lustre: orion-OST01b2-osc-ff11: Connection restored to 10.249.200.8@tcp\n" + "".join(f"{ts(td, '%Y-%m-%d %H:%M:%S', -4)} {l}\n" for l in dm)
    sac = "JobID|JobName|State|ExitCode|ReqMem|MaxRSS|Start|End|NodeList\n" + f"55120771|det-base|COMPLETED|0:0|2700M||{T(a - 4)}|{T(b + 1)}|nid[001204-001205,001311]\n55120771.0|python|COMPLETED|0:0||588120K|{T(a)}|{T(b)}|nid[001204-001205,001311]\n55120934|det-aug|OUT_OF_MEMORY|0:125|2700M||{T(t0 - 4)}|{T(t1 + 1)}|nid[001204-001205,001311]\n55120934.0|python|OUT_OF_MEMORY|0:125||921600K|{T(t0)}|{T(t1)}|nid[001204-001205,001311]\n"
    seff = f"Job ID: 55120934\nCluster: borealis\nUser/Group: lin/phy203\nState: OUT_OF_MEMORY (exit code 0)\nNodes: 3\nCores per node: 1\nCPU Utilized: 00:00:41\nCPU Efficiency: 44.1% of 00:01:33 core-walltime\nJob Wall-clock time: 00:00:{int(t1 - t0):02d}\nMemory Utilized: 2.02 GB (estimated maximum)\nMemory Efficiency: 76.6% of 2.64 GB (0.88 GB/core)\n"
    pack("knox-13", "tar.gz", {"ticket_88410/det-aug.55120934.log": "\n".join(o) + "\n", "ticket_88410/det-base.55120771.log": "\n".join(lab(h, ["a2.w0", "a2.w1", "a2.w2"])) + "\n", "ticket_88410/sacct.txt": sac, "ticket_88410/seff.55120934": seff, "ticket_88410/console/nid001205": con,
        "ticket_88410/user_mail.txt": "From: Lin\nSubject: jobs 55120771 and 55120934\n\nSame code, same three nodes, only the augmentation of the second detector is new (keeps a cache).\nThe first one is fine. In the second rank 0 and 2 complain about the network (failed to connect to all addresses).\nCan you check the Slingshot links of nid001204?\n"},
        "resource.host-oom-killed", ["nid001205", "worker:1", "rank 1"], [], "Job det-aug: kernel killed rank 1's python (pid of worker 1) at its cgroup limit, console of nid001205 and Slurm OUT_OF_MEMORY; the collective errors of rank 0 and 2 follow. Job det-base ended well. Red herrings: Lustre error that was restored, the user's remark on links.", t1)
def uneven():
    sk = {"w1": 47}
    r = Run("bank_uneven", "2026-04-09 01:30:12", tz=-4, skew=sk, paths=[("mwms_loop.py", "fraud_fit.py"), ("/opt/incidents/make", "/opt/fraud/bin"), ("/opt/incidents/work/ck", "/opt/fraud/ckpt"), ("/opt/tfenv", "/opt/fraud/py311")])
    F = {}; W = lambda t: ts(t, "[%-m/%-d/%y %H:%M:%S:MS EDT]", -4)
    for k, h in (("w0", "HOST07"), ("w1", "HOST08")):
        x = f"************ Start Display Current Environment ************\nHost Operating System is Linux, version 4.18.0-553.el8_10.x86_64\nJob FRD_FIT_{k[1]} USER3 order id 0k{'3f7' if k == 'w0' else '3f8'}\n************* End Display Current Environment *************\n"
        for t, s, l in r.lines(k): x += f"{W(t)} 000000{'01' if s == 'o' else '2c'} System{'Out' if s == 'o' else 'Err'}     {'O' if s == 'o' else 'R'} {l}\n"
        F[f"{h}/SystemOut_fraud_fit.log"] = x
    t0 = r.when("w0", "start"); tk = [e["t"] for e in r.events(task="w0", ev="kill")][0]
    C = lambda t: ts(t, "%m%d %H:%M:%S", -4)
    F["ctm_sysout_FRD_FIT.txt"] = f"""CONTROL-M/AGENT JOB OUTPUT  FRD_FIT_0  ORDERID 0k3f7  RUN NO 00001
{C(t0 - 2)} JOB FRD_FIT_0 STARTED ON HOST07 OWNER USER3
{C(t0 - 2)} PREVIOUS RUN 00000 ({C(t0 - 86400)}) ENDED NOTOK RC=127: /opt/fraud/bin/fit.sh: line 9: /opt/fraud/py311/bin/python: No such file or directory  (fixed CHG0298811)
{C(t0 + 20)} SHOUT SENT TO FRAUD-L2: NO OUTPUT FOR 10 CYCLES
{C(tk - 1)} KILL REQUESTED BY USER15 VIA CONTROL-M DESKTOP (ORDERID 0k3f7, 0k3f8)
{C(tk)} SIGTERM SENT TO PROCESS GROUP {r.pid('w0')}
{C(tk + 2)} SIGKILL SENT TO PROCESS GROUP {r.pid('w0')}
{C(tk + 3)} JOB FRD_FIT_0 ENDED NOTOK RC=137
"""
    F["extract_counts.csv"] = "extract_date,host,file,batches\n2026-04-08,HOST07,/opt/fraud/in/txn_a.dat,70\n2026-04-08,HOST08,/opt/fraud/in/txn_b.dat,47\n2026-04-07,HOST07,/opt/fraud/in/txn_a.dat,68\n2026-04-07,HOST08,/opt/fraud/in/txn_b.dat,68\n"
    F["RE_FRD_FIT stuck again.msg.txt"] = f"From:\tUSER15\nSent:\tThursday, April 9, 2026 8:12 AM\nTo:\tFRAUD-L2; USER3\nSubject:\tRE: FRD_FIT stuck again\nImportance:\tHigh\n\nKilled both at 21:30 last night, no movement. HOST08's clock is about 45 s ahead, known (INC0047012).\nNetwork says there was a VLAN change on HOST07 that evening, so maybe ask them first.\n\n-----Original Message-----\nFrom: Control-M\nNO OUTPUT FOR 10 CYCLES FRD_FIT_0 0k3f7\n".replace("21:30", ts(tk, "%H:%M", -4))
    pack("stamford-27", "zip", F, "data.uneven-shards", ["HOST08", "worker:1"], ["sync.hang"], "HOST08's worker prints 'data exhausted after 47 steps' and waits for the export, HOST07 goes on and waits in step 48's all-reduce until both are killed by an operator; the extract has 70 and 47 batches. Red herrings: VLAN remark, the SIGTERM/SIGKILL, the earlier run without Python, clock skew.", tk)
def threads():
    r = Run("k3s_threads", "2026-05-27 07:41:00", tz=0, paths=[("mwms_keras.py", "train_policy.py"), ("/opt/incidents/make", "/srv/train"), ("/opt/incidents/tf215", "/usr/local"), ("/opt/incidents/work", "/data")])
    J = []; bid = {"w0": "k3s-a", "w1": "k3s-b"}
    def j(t, h, unit, ident, msg, pid, pri="6"):
        J.append((t, json.dumps({"__REALTIME_TIMESTAMP": str(int(t * 1e6)), "_HOSTNAME": h, "PRIORITY": pri, "_SYSTEMD_UNIT": unit, "SYSLOG_IDENTIFIER": ident, "_PID": str(pid), "MESSAGE": msg, "_TRANSPORT": "stdout" if "train" in ident else "journal"})))
    # which start of w1 a line belongs to
    st = [e for e in r.events(task="w1", ev="start")]; ex = [e for e in r.events(task="w1", ev="exit")]
    for k in ("w0", "w1"):
        for t, s, x in r.lines(k):
            pid = r.pid("w0") if k == "w0" else [e["pid"] for e in st if e["t"] <= t + .01][-1]
            j(t, bid[k], f"tf-train@{k[1]}.service", f"train-{k[1]}", x, pid, "6")
    for i, (a, b) in enumerate(zip(st, ex)):
        j(a["t"], "k3s-b", "init.scope", "systemd", f"Started tf-train@1.service - policy training rank 1.", 1)
        j(b["t"] + .01, "k3s-b", "init.scope", "systemd", "tf-train@1.service: Main process exited, code=killed, status=6/ABRT", 1, "5")
        j(b["t"] + .02, "k3s-b", "init.scope", "systemd", "tf-train@1.service: Failed with result 'signal'.", 1, "4")
        if i < 2: j(b["t"] + 4, "k3s-b", "init.scope", "systemd", f"tf-train@1.service: Scheduled restart job, restart counter is at {i + 1}.", 1)
        else: j(b["t"] + 4, "k3s-b", "init.scope", "systemd", "tf-train@1.service: Start request repeated too quickly.", 1, "4")
    k0 = [e["t"] for e in r.events(task="w0", ev="kill")][0]
    j(k0, "k3s-a", "init.scope", "systemd", "Stopping tf-train@0.service - policy training rank 0...", 1); j(k0 + 1.6, "k3s-a", "init.scope", "systemd", "tf-train@0.service: Main process exited, code=killed, status=9/KILL", 1, "5")
    t0 = r.when("w0", "start")
    for i in range(46): j(t0 - 300 + i * 7.3, ("k3s-a", "k3s-b")[i % 2], "lidar-bridge.service", "ros2", f"[lidar_node-{1 + i % 3}] [INFO] [{t0 - 300 + i * 7.3:.6f}] [lidar_node]: published {120 + i * 11} scans, dropped {i % 4}", 1810 + i % 2)
    j(t0 - 210, "k3s-b", "lidar-bridge.service", "ros2", "[lidar_node-2] [ERROR] [lidar_node]: USB transfer failed: LIBUSB_ERROR_TIMEOUT, retrying", 1811, "3"); j(t0 - 205, "k3s-b", "lidar-bridge.service", "ros2", "[lidar_node-2] [INFO] [lidar_node]: USB transfer recovered after 2 retries", 1811)
    j(t0 - 90, "k3s-a", "init.scope", "kernel", "Out of memory: Killed process 9911 (rviz2) total-vm:9811200kB, anon-rss:5120332kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:11220kB oom_score_adj:200", 0, "4")
    J.sort(key=lambda z: z[0])
    unit = lambda n, extra: f"# /etc/systemd/system/tf-train@.service\n[Unit]\nDescription=policy training rank %i\n[Service]\nExecStart=/srv/train/run.sh %i\nRestart=on-failure\nRestartSec=4\nStartLimitBurst=3\n{extra}"
    pack("gdynia-3", "tgz", {"export_last15m.journal.json": "\n".join(x for _, x in J) + "\n", "units/k3s-a.txt": unit(0, "TasksMax=4096\n"), "units/k3s-b.txt": unit(1, "TasksMax=30\n# ^ from the base image of the robots, /etc/systemd/system/tf-train@.service.d/10-base.conf\n")},
        "resource.thread-limit", ["k3s-b", "worker:1", "train-1"], ["process.abort-check"], "Rank 1 aborts three times with 'Thread GrpcWorkerEnvPool creation via pthread_create() failed' (11 = EAGAIN): its unit has TasksMax=30 on k3s-b. Rank 0 waits and is stopped by hand. Red herrings: OOM kill of rviz2 on the other host, USB errors that recovered.", k0)
def mail():
    P = [("/opt/incidents/make/tf1_job.py", "/home/rsanz/tren/entrena.py"), ("/opt/incidents/make", "/home/rsanz/tren"), ("/opt/incidents/work/mail", "/home/rsanz/tren/grafos"), ("/opt/tfenv/lib/python3.11/site-packages", "/home/rsanz/tf/lib/python3.11/site-packages")]
    r = Run("mail_graph", "2026-03-03 15:20:00", tz=1, paths=P); q = r.events(ev="attempt"); t = r.when("new.w0")
    quote = lambda x: "\n".join(("> " + l)[:400] for l in x.rstrip("\n").split("\n"))
    d = lambda x: ts(x, "%a, %d %b %Y %H:%M:%S +0100", 1)
    s = f"""Send Discuss-distributed mailing list submissions to
	discuss-distributed@lists.example.org

When replying, please edit your Subject line so it is more specific
than "Re: Contents of Discuss-distributed digest..."


Today's Topics:

   1. Re: barrier timeouts on preemptible VMs (Ola Nyberg)
   2. TF1 style servers: dies at startup since Tuesday (Rosa Sanz)
   3. Re: TF1 style servers: dies at startup since Tuesday (Hank Doyle)
   4. Re: TF1 style servers: dies at startup since Tuesday (Rosa Sanz)


----------------------------------------------------------------------

Message: 1
Date: {d(t + 400)}
From: Ola Nyberg <ola@example.net>
To: discuss-distributed@lists.example.org
Subject: Re: barrier timeouts on preemptible VMs
Message-ID: <b1@example.net>

For the archive: our "Barrier timed out ... DEADLINE_EXCEEDED" was a
VM that the cloud had taken back. Solved by on-demand instances.

------------------------------

Message: 2
Date: {d(t + 2000)}
From: Rosa Sanz <rsanz@example.edu>
Subject: TF1 style servers: dies at startup since Tuesday
Message-ID: <a77@example.edu>

Hola a todos,

one ps (node21), two workers (node22, node23), old tf.train.Server code.
On Tuesday morning it was good, the last lines then were (node22)

{r.text('old.w0')}
and node23

{r.text('old.w1')}
Since somebody in the group re-exported the feature tower, both workers
stop at once. node22:

{r.text('new.w0')}
node23:

{r.text('new.w1')}
and the ps only says, until I stop it,

{r.text('new.ps0')}
Gracias,
Rosa

------------------------------

Message: 3
Date: {d(t + 9000)}
From: Hank Doyle <hd@example.com>
Subject: Re: TF1 style servers: dies at startup since Tuesday
Message-ID: <c12@example.com>

On {ts(t + 2000, '%d/%m/%Y')}, Rosa Sanz wrote:
> and the ps only says, until I stop it,

A ps that says nothing looks like a firewall. We had
> UNAVAILABLE: failed to connect to all addresses; last error: UNKNOWN: ipv4:10.20.0.11:2222: Connection refused
in such a case, with "CreateSession still waiting for response from worker".
Also upgrade, TF1 sessions are deprecated.

------------------------------

Message: 4
Date: {d(t + 12000)}
From: Rosa Sanz <rsanz@example.edu>
Subject: Re: TF1 style servers: dies at startup since Tuesday
Message-ID: <a78@example.edu>

No firewall between the nodes, telnet node21 2222 connects. All three have
the same TensorFlow, pip freeze is identical. The colleague who made
the file uses a nightly that he compiled himself.

------------------------------

Subject: Digest Footer

_______________________________________________
Discuss-distributed mailing list

------------------------------

End of Discuss-distributed Digest, Vol 41, Issue 9
**************************************************
"""
    pack("zamora-41", "tar.gz", {"Discuss-distributed-41-9.txt": s}, "serialization.version", ["node22", "node23", "tower_v9.pb", "worker:0", "worker:1"], ["env.version-skew"], "Both workers: ValueError 'GraphDef min consumer version 2645 above current version 2474': the re-exported graph needs a newer TensorFlow. Red herrings: another thread's barrier timeout, the firewall advice with its quoted 'Connection refused', a good earlier run.", t)
def tmux():
    P = [("/opt/incidents/make/tf1_job.py", "/home/jo/gait/async_train.py"), ("/opt/incidents/make", "/home/jo/gait"), ("/opt/incidents/work/tmux", "/home/jo/gait/logs/run31"), ("/opt/tfenv/lib/python3.11/site-packages", "/home/jo/.venv/lib/python3.11/site-packages")]
    r = Run("tmux_stack", "2026-06-18 10:12:00", tz=2, skew={"w1": 64, "ps0": -8}, paths=P)
    t = r.when("w1"); x = "[launch]: All log files can be found below /home/jo/.ros/log/2026-06-18-12-11-58-bot-w0\n[INFO] [launch]: Default logging verbosity is set to INFO\n"
    W = {"ps0": f"ps-1", "w0": "trainer-2", "w1": "trainer-3"}
    pane = lambda k, n, pre="", post="": pre + "".join(f"[{n}] {l}\n" for _, _, l in r.lines(k)) + post
    F = {"tmux-pane-0.0.log": pane("ps0", "async_train-1", "jo@bot-ps:~/gait$ ros2 run gait ps\n[INFO] [async_train-1]: process started with pid [%d]\n" % r.pid("ps0"), "[INFO] [async_train-1]: process has finished, killed by user\njo@bot-ps:~/gait$ \n"),
         "tmux-pane-0.1.log": x + pane("w0", "async_train-1", "[INFO] [async_train-1]: process started with pid [%d]\n" % r.pid("w0"), "[WARNING] [launch]: user interrupted with ctrl-c (SIGINT)\n[ERROR] [async_train-1]: process has died [pid %d, exit code -2, cmd '/home/jo/gait/async_train.py --job worker --task 0'].\n" % r.pid("w0")),
         "tmux-pane-0.2.log": pane("w1", "async_train-1", "[INFO] [async_train-1]: process started with pid [%d]\n" % r.pid("w1"), "[ERROR] [async_train-1]: process has died [pid %d, exit code -11, cmd '/home/jo/gait/async_train.py --job worker --task 1'].\njo@bot-w1:~/gait$ free -g | head -2\n               total        used        free\nMem:              31           6          22\n" % r.pid("w1")),
         "journal-bot-w1.txt": f"{ts(t - 70000, '%b %d %H:%M:%S', 2)} bot-w1 kernel: python3[2210]: segfault at 0 ip 00007f11a01c sp 00007ffd32 error 4 in libnvinfer.so.8[7f11a0000000+9c00000]\n{ts(t - 69990, '%b %d %H:%M:%S', 2)} bot-w1 systemd[1]: trt-bench.service: Failed with result 'core-dump'.\n{ts(t - 500, '%b %d %H:%M:%S', 2)} bot-w1 kernel: usb 1-2: reset high-speed USB device number 4 using xhci_hcd\n{ts(t, '%b %d %H:%M:%S', 2)} bot-w1 systemd-coredump[9921]: Process {r.pid('w1')} (python) of user 1000 dumped core.\n",
         "jo-notes.md": "- run31: w1 gone, then I stopped the rest by hand. yesterday trt-bench also segfaulted on bot-w1, RAM broken? memtest planned\n- new since run30: sensor messages may nest (flatten), and recursion limit raised because of the arm tree\n"}
    pack("turku-31", "tar.xz", F, "process.stack-overflow", ["bot-w1", "worker:1"], ["process.segfault"], "worker 1 dies with SIGSEGV; its faulthandler dump repeats 'flatten' / '<lambda>' of the program for a hundred frames: endless recursion with a raised limit overflows the C stack. Red herrings: yesterday's segfault of trt-bench in libnvinfer, RAM suspicion, the SIGINT of worker 0 by hand, USB reset.", t)
if __name__ == "__main__":
    import sys; [globals()[n]() for n in sys.argv[1:]]
