import sys, random, base64, io, csv, textwrap; from clib import *; from col_a import W
from email.message import EmailMessage
def c08():
    r = Run("i08", W("i08", "/home/aune/tagger", "/scratch/aune/tagger", "10.9.1.", env215="/home/aune/.venvs/tagger"), -86400 * 3 + 5000, {"gpu-a2": -5})
    b = Bag("tagger_mess"); cells = []; n = [0]
    def md(x): cells.append({"cell_type": "markdown", "metadata": {}, "source": x.splitlines(True)})
    def code(src, *outs):
        n[0] += 1; cells.append({"cell_type": "code", "execution_count": n[0], "metadata": {}, "source": src.splitlines(True), "outputs": [{"name": k, "output_type": "stream", "text": t.splitlines(True)} for k, t in outs if t]})
    md("# Tagger, two nodes\nrun from the login node, both nodes over ssh. *Remember to bump the width to 96 for the paper numbers.*")
    code("import os, subprocess, json\nhosts = ['gpu-a1', 'gpu-a2']\nos.environ['WIDTH'] = '64'")
    code("import torch", ("stderr", "---------------------------------------------------------------------------\nModuleNotFoundError: No module named 'torch'  (ignored, only for the plots)\n"))
    code("%%bash\n./both.sh train_tagger.py   # output of gpu-a1", ("stdout", r.text(["aw0"], "out")), ("stderr", r.text(["aw0"], "err") + "./both.sh: line 12: %d Killed                  python -u train_tagger.py\n" % r.pid("aw0")))
    md("Killed both, since I forgot the width. BackupAndRestore should make it continue.")
    code("os.environ['WIDTH'] = '96'")
    code("%%bash\n./both.sh train_tagger.py   # output of gpu-a1", ("stdout", r.text(["bw0"], "out")), ("stderr", r.text(["bw0"], "err")))
    code("!ssh gpu-a2 tail -n 400 tagger/log.a2.second", ("stdout", r.text(["bw1"])))
    code("!ssh gpu-a1 dmesg -T | tail -n 3", ("stdout", "[Fri Nov 13 10:02:51 2026] Out of memory: Killed process 9113 (rstudio-server) total-vm:71220112kB, anon-rss:64110828kB, file-rss:0kB, shmem-rss:0kB, UID:1204 pgtables:131072kB oom_score_adj:0\n[Fri Nov 13 10:02:52 2026] oom_reaper: reaped process 9113 (rstudio-server), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB\n[Mon Nov 16 08:00:11 2026] device eno1 left promiscuous mode\n"))
    b.put("notebooks/tagger-2nodes.ipynb", json.dumps({"cells": cells, "metadata": {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}, "language_info": {"name": "python", "version": "3.11.7"}}, "nbformat": 4, "nbformat_minor": 5}, indent=1))
    b.put("notebooks/mlruns/0/meta.yaml", "artifact_location: file:///home/aune/tagger/mlruns/0\nexperiment_id: '0'\nlifecycle_stage: active\nname: Default\n")
    for k, (g, w) in {"3f0c2ab1": ("aw0", 64), "9be7714d": ("bw0", 96)}.items():
        b.put(f"notebooks/mlruns/0/{k}/params/width", str(w)); b.put(f"notebooks/mlruns/0/{k}/meta.yaml", f"artifact_uri: file:///home/aune/tagger/mlruns/0/{k}/artifacts\nend_time: {int(r.t1(g)*1000)}\nrun_name: {'merciful-elk-102' if w == 64 else 'bold-shrew-811'}\nstart_time: {int(r.t0(g)*1000)}\nstatus: {4 if w == 96 else 5}\n")
    b.pack("tar.gz", "checkpoint.mismatch", None, [], "Second attempt: BackupAndRestore restores a backup of a model of width 64 into one of width 96 (ValueError on shapes) on both workers; no node is at fault. Red herrings: the first attempt was killed by hand, an old OOM kill of rstudio-server, torch import error.")
def c10():
    r = Run("i10", W("i10", "/home/seg/src", None, "10.77.3.", env="/opt/miniforge/envs/seg"), -86400 * 9 + 2000, {"node33": 95})
    b = Bag("mail_seg"); t1 = r.t1("w0"); em = []
    def mail(frm, to, sub, t, body, att=(), ref=None):
        m = EmailMessage(); m["From"], m["To"], m["Subject"], m["Date"] = frm, to, sub, ts(t, "%a, %d %b %Y %H:%M:%S +0000"); m["Message-ID"] = f"<{int(t)}@inst.example>"
        if ref: m["In-Reply-To"] = f"<{int(ref)}@inst.example>"
        m.set_content(body)
        for n, x in att: m.add_attachment(x.encode(), maintype="text", subtype="plain", filename=n)
        em.append(f"From {frm.split('<')[1][:-1]} {ts(t, '%a %b %d %H:%M:%S %Y')}\n" + m.as_string() + "\n")
    A, S = "Ivo Karas <karas@inst.example>", "HPC Helpdesk <helpdesk@inst.example>"
    mail(A, S, "job stuck on node31-33", t1 + 600, "Hello,\n\nour segmentation job stopped printing and I had to send a SIGTERM to all three after a while. No error anywhere!\nLog of node31 attached. Is the switch broken again like in October?\n\nIvo\n", [("node31.log", r.text(["w0"]))])
    mail(S, A, "Re: job stuck on node31-33", t1 + 4200, "> Is the switch broken again like in October?\n\nCounters are clean. node32 had this in the kernel log, though:\n\n  [1899211.201] NFSD: client 10.77.3.4 testing state ID with incorrect client ID\n\nPlease send the other two logs.\n\nJana\n", ref=t1 + 600)
    mail(A, S, "Re: Re: job stuck on node31-33", t1 + 5000, "Here. 33's clock is wrong by the way.\n\n> Please send the other two logs.\n> > Is the switch broken again like in October?\n", [("node32.log", r.text(["w1"])), ("node33.log", r.text(["w2"]))], ref=t1 + 4200)
    b.put("seg-thread.mbox", "".join(em))
    b.pack("tar.xz", "data.uneven-shards", ["node33", "worker:2"], ["sync.hang"] if 0 else [], "Worker 2 (node33) says 'input exhausted after 184 steps' and leaves the loop; the two others, with more examples, wait in the next all-reduce until the user ends them with SIGTERM. Red herrings: switch remark, NFSD line, clock of node33 95 s ahead.")
def c11():
    r = Run("i11", W("i11", "/home/sofia/turbine", None, "10.2.8.", env="/home/sofia/.conda/envs/tb"), -86400 * 1 + 3000, {"lamb-03": 7})
    b = Bag("wandb-turb")
    for i, h in enumerate(["lamb-01", "lamb-02", "lamb-03"]):
        d = f"wandb/run-{ts(r.t0(f'w{i}'), '%Y%m%d_%H%M%S')}-{['k2p9x0ab','u81mzq3e','c7d4r1wz'][i]}"
        b.put(d + "/files/output.log", r.text([f"w{i}"]))
        b.put(d + "/files/wandb-metadata.json", json.dumps({"os": "Linux-5.15.0-122-generic-x86_64-with-glibc2.35", "python": "CPython 3.11.7", "startedAt": iso(r.t0(f"w{i}"), 6), "args": ["--steps=200"], "program": "/home/sofia/turbine/turb.py", "host": h, "username": "sofia", "cpu_count": 8, "disk": {"/": {"total": "491173376000", "used": "470113376000"}}, "memory": {"total": "33554432000"}}, indent=2))
        b.put(d + "/files/wandb-summary.json", json.dumps({"_runtime": int(r.t1(f"w{i}") - r.t0(f"w{i}")), "_wandb": {"runtime": 8}}))
        b.put(d + "/logs/debug-internal.log", f'{{"time":"{iso(r.t0(f"w{i}"), 6)}","level":"INFO","msg":"stream: starting","core version":"0.21.1"}}\n{{"time":"{iso(r.t0(f"w{i}")+3, 6)}","level":"ERROR","msg":"HTTP error","status":502,"method":"POST","url":"https://api.wandb.ai/graphql"}}\n{{"time":"{iso(r.t0(f"w{i}")+4, 6)}","level":"INFO","msg":"api: retrying HTTP request, attempt 1"}}\n{{"time":"{iso(r.t1(f"w{i}"), 6)}","level":"INFO","msg":"handler: operation stats","stats":{{}}}}\n')
    b.put("todo.org", "* turb\n** TODO rerun with lr 0.01, Marek thinks 0.02 is too high\n** DONE lamb-01 disk 95 % full, cleaned\n")
    subprocess.run("zip -qr wandb.zip wandb && rm -r wandb", shell=True, check=True, cwd=b.dir)  # a zip inside a tar
    b.pack("tar.gz", "numeric.nan", ["lamb-02", "worker:1"], [], "Worker 1 (lamb-02): numpy 'invalid value encountered in divide' in standardise(), then check_numerics 'loss : Tensor had NaN values'; the others see it leave. Data, not the learning rate. Red herrings: wandb's 502, disk remark, Marek's remark about lr.")
def c14():
    r = Run("i14", W("i14", "/home/ngrenier/lm", None, "172.16.37.", env="/home/ngrenier/.local/tf"), -86400 * 5 - 3000, {"chetemi-11": -8}); q = Run("i14b", W("i14b", "/home/ngrenier/lm", None, "172.16.38.", env="/home/ngrenier/.local/tf"), -86400 * 5 - 3000)
    b = Bag("lille-2190"); hs = ["chetemi-%d" % i for i in (2, 3, 5, 6, 8, 9, 11, 12)]
    b.put("OAR.lm_small.2190331.stdout", "".join(f"{hs[int(g[1:])]}: {x}\n" for _, g, s, x in r.lines(None, "out")) + "taktuk-0: done\n"); b.put("OAR.lm_small.2190331.stderr", "".join(f"{hs[int(g[1:])]}.lille: {ts(t, '%H:%M:%S')} | {x}\n" for t, g, s, x in r.lines(None, "err")) + f"\n## OAR [{ts(r.t1('w0')+2)}] Job 2190331 KILLED ##\n")
    b.put("OAR.lm_small.2190332.stderr", "".join(f"{['chifflot-1','chifflot-4'][int(g[1:])]}.lille: {ts(t, '%H:%M:%S')} | {x}\n" for t, g, s, x in q.lines(None, "err"))); b.put("OAR.lm_small.2190332.stdout", "taktuk-0: done\n")
    st = lambda j, R, t0, t1, ec, hosts: f"Job_Id: {j}\n    job_array_id = {j}\n    name = lm_small\n    project = default\n    owner = ngrenier\n    state = {'Terminated' if ec == 0 else 'Error'}\n    wanted_resources = -l \"{{type = 'default'}}/host={len(hosts)},walltime=0:30:0\"\n    assigned_hostnames = {'+'.join(h + '.lille' for h in hosts)}\n    queue = default\n    command = ./go.sh lm_small.py\n    exit_code = {ec << 8 if ec else 0} ({ec},0,0)\n    startTime = {ts(t0)}\n    stopTime = {ts(t1)}\n    events = {'[FRAG_JOB_REQUEST:User ngrenier requested to frag the job 2190331] ' if ec else ''}\n\n"
    b.put("oarstat_-fj.txt", st(2190331, r, r.t0("w0") - 5, r.t1("w0") + 3, 15, hs) + st(2190332, q, q.t0("w0") - 5, q.t1("w0") + 3, 0, ["chifflot-1", "chifflot-4"]))
    b.put("from_nadine.txt", "Deux jobs, le premier sur 8 noeuds reste bloque (oardel apres une minute), le second (2 noeuds) marche. Meme code.\nJe crois que c'est la memoire: chetemi n'a que 256 Go?  --N.\n")
    b.pack("tar.gz", "resource.thread-limit", ["chetemi-9", "chetemi-9.lille", "worker:5"], [], "Job 2190331: on chetemi-9 (worker 5) threads cannot be created ('pthread_create failed: Resource temporarily unavailable') and its gRPC server never comes up; the seven others wait for task 5 until the user removes the job. Job 2190332 ended well. Red herrings: memory remark, SIGTERM of the others.")
def c15():
    r = Run("i15", W("i15", "/local/feed", None, "10.50.0.", env="/usr/local") + [("/local/feed/run/data", "/alloc/data")], -86400 * 6 + 1200)
    b = Bag("nomad-dump-1126"); A = {"dispatcher": ("3d1f77a0", "nomad-c3"), "worker-0": ("a90c1be4", "nomad-c4"), "worker-1": ("c71e8d25", "nomad-c6"), "trainer": ("f02b9916", "nomad-c9")}
    for g, (al, h) in A.items():
        o = f"$ nomad alloc status {al}\nID                  = {al}-6a1b-77d0-0c2e-91be22a1{al[:4]}\nEval ID             = 1c9ad002\nName                = texfeed.{g}[0]\nNode ID             = 88{al[:6]}\nNode Name           = {h}\nJob ID              = texfeed\nClient Status       = {'failed' if g != 'dispatcher' else 'complete'}\nClient Description  = {'Failed tasks' if g != 'dispatcher' else 'All tasks have completed'}\nDesired Status      = {'stop' if g != 'worker-1' else 'run'}\n\nTask \"{g}\" is \"dead\"\nTask Resources:\nCPU        Memory           Disk     Addresses\n0/500 MHz  {'400 MiB/400 MiB' if g == 'worker-1' else '301 MiB/2.0 GiB'}  300 MiB\n\nTask Events:\nStarted At     = {iso(r.t0(g), 0)}\nFinished At    = {iso(r.t1(g), 0)}\nTotal Restarts = 0\nLast Restart   = N/A\n\nRecent Events:\nTime                       Type            Description\n"
        z = lambda t: ts(t, "%Y-%m-%dT%H:%M:%SZ")
        if g == "worker-1": o += f"{z(r.t1(g)+1)}  Not Restarting  Policy allows no restarts\n{z(r.t1(g))}  Terminated      Exit Code: 137, Signal: 9, Exit Message: \"OOM Killed\"\n"
        else: o += f"{z(r.t1(g))}  Killed          Task successfully killed\n{z(r.t1(g))}  Terminated      Exit Code: {abs(r.rc(g)) + 128 if r.rc(g) < 0 else r.rc(g)}\n{z(r.t1(g)-3)}  Killing         Sent interrupt. Waiting 5s before force killing\n"
        o += f"{z(r.t0(g))}  Started         Task started by client\n{z(r.t0(g)-1)}  Driver          Downloading image\n{z(r.t0(g)-1)}  Task Setup      Building Task Directory\n{z(r.t0(g)-2)}  Received        Task received by client\n"
        b.put(f"status/{al}.txt", o)
        b.put(f"logs/{al}.{g}.stderr.0", r.text([g], "err")); 
        if r.text([g], "out"): b.put(f"logs/{al}.{g}.stdout.0", r.text([g], "out"))
    t = r.t1("worker-1") - 0.2
    b.put("journal-nomad-c6.txt", f"{iso(t-88000,6,'+0000')} nomad-c6 kernel: EXT4-fs (sdb1): mounted filesystem with ordered data mode. Opts: (null)\n{iso(t,6,'+0000')} nomad-c6 kernel: tf_data_iterator invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n{iso(t,6,'+0000')} nomad-c6 kernel: oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset={A['worker-1'][0]},mems_allowed=0,oom_memcg=/nomad/{A['worker-1'][0]},task_memcg=/nomad/{A['worker-1'][0]},task=python,pid={r.pid('worker-1')},uid=1000\n{iso(t,6,'+0000')} nomad-c6 kernel: Memory cgroup out of memory: Killed process {r.pid('worker-1')} (python) total-vm:4911824kB, anon-rss:402120kB, file-rss:120044kB, shmem-rss:0kB, UID:1000 pgtables:2444kB oom_score_adj:0\n{iso(t+2,6,'+0000')} nomad-c6 nomad[911]: client.alloc_runner.task_runner: not restarting task: alloc_id={A['worker-1'][0]} task=worker-1 reason=\"Policy allows no restarts\"\n")
    b.pack("tgz", "resource.host-oom-killed", ["nomad-c6", "worker-1", "c71e8d25"], [], "The tf.data worker on nomad-c6 (limit 400 MiB) is OOM killed (alloc status, kernel); Nomad then stops the group. The trainer only retries/loses the worker. Red herrings: exit codes 143 of the others, retries.")
def c17():
    r = Run("i17", W("i17", "/srv/qoe", "/srv/qoe", "10.60.12.", env="/opt/venv") + [("/srv/qoe/ck", "/mnt/pv/ck")], -86400 * 3 - 8000, {"tf-worker-2": 3})
    b = Bag("os-export-8c31"); rows = []
    for k, (t, g, s, x) in enumerate(r.lines()):
        lv = "ERROR" if re.match(r"E\d{4}|Traceback|.*Error", x) else "WARN" if x.startswith("W") else "INFO"
        rows.append({"_index": "logs-qoe-2026.11", "_id": base64.b64encode(f"{k*7919:08x}".encode()).decode(), "_score": None, "_source": {"@timestamp": iso(t), "message": x, "level": lv, "host": {"name": r.info[g]["host"]}, "service": "qoe-train", "stream": "std" + s}, "sort": [int(t * 1000), k]})
    rows += [{"_index": "logs-node-2026.11", "_id": f"n{i}", "_score": None, "_source": {"@timestamp": iso(r.t0("w0") + 9), "message": m, "level": "ERROR", "host": {"name": "rke-node-7"}, "service": "kernel"}, "sort": [int(r.t0("w0") * 1000) + 9000, 90000 + i]} for i, m in enumerate(["Memory cgroup out of memory: Killed process 331904 (java) total-vm:9913220kB, anon-rss:4190122kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:9012kB oom_score_adj:985", "oom_reaper: reaped process 331904 (java), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB"])]
    rows.sort(key=lambda x: x["sort"])
    b.put("hits.json", json.dumps(rows, indent=1)); b.put("query.txt", "service:(qoe-train OR kernel) AND k8s.cluster:rke-prod-2   last 1d, sorted by @timestamp, 10000 max\nAlert that fired: 'more than 50 ERROR lines in qoe-train'\n")
    b.put("argo.yaml", f"metadata:\n  name: qoe-train-x8k2p\nstatus:\n  phase: Succeeded\n  startedAt: \"{iso(r.t0('w0')-8,0)}\"\n  finishedAt: \"{iso(r.t1('w0')+4,0)}\"\n  progress: 3/3\n")
    b.pack("tar.gz", "none", None, [], "All three workers say 'task N done' and the workflow succeeded. Scary but survived: caught ConnectionError tracebacks when pushing metrics, an OOM kill of a java process on another node, TensorFlow's shutdown messages.")
def c18():
    r = Run("i18", W("i18", "/srv/feed", None, "10.5.5.", env="/srv/venv") + [("/srv/feed/run/data", "/srv/feed/in"), ("/srv/feed/run/dw", "/srv/feed/journal")], -86400 * 2 - 400)
    b = Bag("pm2-logs-gs"); f = lambda t: ts(t, "%Y-%m-%dT%H:%M:%S")
    for g, n in (("dispatcher", "feed-dispatcher"), ("worker-0", "feed-worker-0"), ("trainer", "upscaler")):
        for s, e in (("out", "out"), ("err", "error")): b.put(f"{n}-{e}.log", "".join(f"{f(t)}: {x}\n" for t, _, _, x in r.lines([g], s)))
    b.put("feed-worker-1-error.log", "".join(f"{f(t)}: {x}\n" for t, _, _, x in r.lines(["worker-1", "worker-1b"], "err"))); b.put("feed-worker-1-out.log", "")
    p = [(r.t0(g), f"PM2        | App [{n}] online\n") for g, n in (("dispatcher", "feed-dispatcher:0"), ("worker-0", "feed-worker-0:1"), ("worker-1", "feed-worker-1:2"), ("trainer", "upscaler:3"), ("worker-1b", "feed-worker-1:2"))]
    p += [(r.t1("worker-1"), "PM2        | App [feed-worker-1:2] exited with code [0] via signal [SIGKILL]\n"), (r.t0("worker-1b") - .1, "PM2        | App [feed-worker-1:2] starting in -fork mode-\n"), (r.t1("trainer"), "PM2        | App [upscaler:3] exited with code [0] via signal [SIGINT]\n"), (r.t1("dispatcher") - .5, "PM2        | Stopping app:feed-dispatcher id:0\n"), (r.t1("dispatcher"), "PM2        | App [feed-dispatcher:0] exited with code [0] via signal [SIGTERM]\n"), (r.t1("worker-0"), "PM2        | App [feed-worker-0:1] exited with code [0] via signal [SIGTERM]\n"), (r.t1("worker-1b"), "PM2        | App [feed-worker-1:2] exited with code [0] via signal [SIGTERM]\n")]
    b.put("pm2.log", "".join(f"{f(t)}: {x}" for t, x in sorted(p)))
    b.put("ticket.md", "> build farm says **feed-worker-1 crashed** at night, please find out if the upscaler model is garbage\n\n- [ ] someone ran `kill -9` on lnx-12? (Paul: *not me*)\n- [x] RAM is fine\n")
    b.pack("tar.xz", "none", None, ["process.killed-by-signal"] if 0 else [], "The trainer reads to the end of its data and exits 0 ('end of data after N steps'). Scary but survived: data worker 1 was SIGKILLed and restarted by pm2; the trainer reports nothing but a short pause; the final SIGTERMs of the services.")
def c19():
    r = Run("i19", W("i19", "/mnt/farm/anim", None, "192.168.33.", env="/opt/anim/py"), -86400 * 8 + 900, {"gs-node-14": -31})
    b = Bag("panes"); 
    def pane(g, n):
        o = ""
        for _, _, _, x in r.lines([g]):
            for l in (textwrap.wrap(x, 150, drop_whitespace=False, replace_whitespace=False, break_on_hyphens=False) or [""]) if 0 else ([x[i:i + 150] for i in range(0, len(x), 150)] or [""]): o += l + "\n"
        return o + n + "$ \n"
    b.put("tmux-0_1.txt", "farm@gs-node-12:/mnt/farm/anim$ ./go 1\n" + pane("w1", "farm@gs-node-12:/mnt/farm/anim")); b.put("tmux-0_3.txt", "farm@gs-node-14:/mnt/farm/anim$ ./go 3\n" + pane("w3", "farm@gs-node-14:/mnt/farm/anim"))
    b.put("README.txt", "tmux capture-pane -p -S - of what was still open. 0_0 and 0_2 were closed by somebody before I came. gs-node-12 had a kernel update last week. -- M.\n")
    b.pack("zip", "process.killed-by-signal", ["gs-node-13", "worker:2", "/job:worker/task:2"], ["network.unreachable-peer", "collective.timeout"], "Insufficient evidence: only workers 1 and 3 were kept; they show that task 2 (gs-node-13) closed its connections / stopped its heartbeat. In truth it was SIGKILLed; nothing in the bundle says why it went away.")
def c20():
    r = Run("i20", W("i20", "/home/gpsy/glm", None, "10.1.44.", env="/share/apps/tf"), -86400 * 11 + 7000)
    b = Bag("ge_68113"); a, z = r.t0("worker0"), r.t1("worker0")
    for i in (0, 1): b.put(f"glm.worker{i}.o68113", "Your account gpsy expires in 41 days\n" + r.text([f"worker{i}"], "out")); b.put(f"glm.worker{i}.e68113", "bash: module: line 1: syntax error: unexpected end of file\nbash: error importing function definition for `BASH_FUNC_module'\n" + r.text([f"worker{i}"], "err") + "User defined signal 2\n")
    f = lambda t: ts(t, "%m/%d/%Y %H:%M:%S") + ".114"
    b.put("qacct.txt", "".join("=" * 62 + f"\nqname        all.q\nhostname     {h}\ngroup        psych\nowner        gpsy\nproject      NONE\ndepartment   defaultdepartment\njobname      glm\njobnumber    68113\ntaskid       {k}\npe_taskid    NONE\nqsub_time    {f(a-9)}\nstart_time   {f(a)}\nend_time     {f(z)}\ngranted_pe   NONE\nslots        1\nfailed       0\ndeleted_by   gpsy@ge-login\nexit_status  140\nru_wallclock {z-a:.3f}\nru_utime     9.112\nru_maxrss    402112\nmaxvmem      2.211G\n" for k, h in ((1, "ge-08"), (2, "ge-12"))))
    b.put("mail-to-self.txt", "qdel'd 68113 (-notify), nothing moved for a while. The ps is started by hand on ge-07 in a screen, no log of that. Scratch was 91% full in the morning?\n")
    b.pack("tgz", "sync.hang", ["ps:0", "ge-07"] if 0 else None, ["ps.unavailable"], "Insufficient evidence: both workers stop printing at the same moment without an error and are ended by qdel -notify (SIGUSR2, exit status 140). The log of the ps on ge-07, which was in truth SIGSTOPped, was not kept. Red herrings: Bash module errors, 91% full scratch.")
if __name__ == "__main__":
    for n in sys.argv[1:]: globals()[n]()
