from pk import *
SP = "/usr/local/lib/python3.11/dist-packages"
def dock():
    r = Run("dock_ps", "2026-02-10 09:05:00", tz=0, paths=[("/opt/incidents/make/ps_coord.py", "/app/train_grasp.py"), ("/opt/incidents/make", "/app"), ("/opt/incidents/work/dockps", "/ckpt"), ("/opt/tfenv/lib/python3.11/site-packages", SP)])
    nm = {"chief": "trainer-chief-1", "ps": "trainer-ps-1", "w0": "trainer-worker-1", "w1": "trainer-worker-2"}
    m = r.merged(list(nm)); k1 = [e["t"] for e in r.events(task="w1", ev="kill")][0]; s1 = r.when("w1", "start"); te = r.when("chief")
    L = []; dn = 0
    for t, k, s, x in m:
        if dn == 0 and t > k1: L.append("trainer-worker-2 exited with code 137"); dn = 1
        if t > te + .5 and dn == 1: dn = 2
        L.append(f"{nm[k]:<17} | {ts(t, '%Y-%m-%dT%H:%M:%S.NSZ')} {x}")
    L.append("trainer-chief-1 exited with code 0")
    ev = lambda t, a, n, **k: json.dumps({"status": a, "id": f"{sum(map(ord, n)) * 7919:x}c0ffee", "from": "ghcr.io/armbot/trainer:0.9.3", "Type": "container", "Action": a, "Actor": {"ID": f"{sum(map(ord, n)) * 7919:x}c0ffee", "Attributes": dict({"com.docker.compose.project": "trainer", "name": n}, **k)}, "scope": "local", "time": int(t), "timeNano": int(t * 1e9)})
    E = [ev(r.when(k, "start") - 30 if k == "w1" else r.when(k, "start"), "start", n) for k, n in nm.items()]
    E = [ev(r.when("chief", "start"), "start", n) for n in nm.values()] + [ev(k1, "die", "trainer-worker-2", exitCode="137"), ev(s1, "start", "trainer-worker-2", restart="on-failure:3"), ev(te, "die", "trainer-chief-1", exitCode="0")]
    pack("hsinchu-8", "tar.gz", {"ci-artifact-5521/compose-logs.txt": "\n".join(L) + "\n", "ci-artifact-5521/docker-events.jsonl": "\n".join(E) + "\n",
        "ci-artifact-5521/job-summary.md": f"## train-grasp (self-hosted, orin-lab-2)\n\n| step | result |\n|---|---|\n| checkout | success |\n| compose up | success |\n| wait for chief | success (exit 0) |\n| upload ckpt | success |\n\n> annotation: container `trainer-worker-2` restarted once (137). @jo: looks like the trainer crashed again?? pls check whether we can trust the weights\n"},
        "none", None, [], "The chief finishes all 240 steps, saves its last checkpoint and exits 0. worker-2 was killed once (137), restarted by compose; the coordinator went on with the other worker. The many 'Failed to register function remotely' lines and 'exited with code 137' are survived.", te)
def jup():
    r = Run("jup_dsvc", "2026-03-22 06:40:10", tz=8, skew={"d1": 12, "d2": -95}, paths=[("/opt/incidents/work/jupdisp", "/home/wangl/dsvc/journal"), ("/opt/incidents/work/jup", "/data2/wangl/shards"), ("/opt/incidents/make", "/home/wangl/nb"), ("/opt/tfenv/lib/python3.11/site-packages", "/home/wangl/miniconda3/envs/tf/lib/python3.11/site-packages")])
    o = []
    for t, s, x in r.lines("train"):
        n = "stdout" if s == "o" else "stderr"
        if o and o[-1]["name"] == n: o[-1]["text"].append(x + "\n")
        else: o.append({"name": n, "output_type": "stream", "text": [x + "\n"]})
    md = lambda x: {"cell_type": "markdown", "metadata": {}, "source": [x]}
    code = lambda n, src, out: {"cell_type": "code", "execution_count": n, "metadata": {}, "outputs": out, "source": [l + "\n" for l in src.split("\n")]}
    err = {"output_type": "error", "ename": "NameError", "evalue": "name 'DISP' is not defined", "traceback": ["\x1b[31m---------------------------------------------------------------------------\x1b[39m", "\x1b[31mNameError\x1b[39m                                 Traceback (most recent call last)", "\x1b[36mCell\x1b[39m\x1b[36m \x1b[39m\x1b[32mIn[2]\x1b[39m\x1b[32m, line 1\x1b[39m\n\x1b[32m----> 1\x1b[39m os.environ[\"DISP\"] = DISP\n", "\x1b[31mNameError\x1b[39m: name 'DISP' is not defined"]}
    nb = {"cells": [md("# 传感器数据 tf.data service 实验\n服务器：lab-gpu3（调度），lab-data1、lab-data2（数据）。老师说旧硬盘有坏块，所以加了 ignore_errors。"), code(2, 'os.environ["DISP"] = DISP', [err]), code(3, 'DISP = "lab-gpu3:5000"\nos.environ["DISP"] = DISP', []),
          code(5, "!python dsvc.py train", o), code(6, "!ls -la export/1 | head -4", [{"name": "stdout", "output_type": "stream", "text": ["总用量 84\n", "drwxrwxr-x 4 wangl wangl  4096  3月 22 14:40 .\n", "drwxrwxr-x 3 wangl wangl  4096  3月 22 14:40 ..\n", "-rw-rw-r-- 1 wangl wangl 70412  3月 22 14:40 saved_model.pb\n"]}]), md("训练完了，但是 data1 的屏幕日志里有很多 corrupted record，data2 直接没了。结果还能用吗？")],
          "metadata": {"kernelspec": {"display_name": "tf", "language": "python", "name": "tf"}, "language_info": {"name": "python", "version": "3.11.7"}}, "nbformat": 4, "nbformat_minor": 5}
    pack("xianyang-12", "zip", {"实验3.ipynb": json.dumps(nb, ensure_ascii=False, indent=1), "screenlog/lab-gpu3.screenlog.0": "wangl@lab-gpu3:~/nb$ while true; do python dsvc.py dispatcher; done\r\n" + r.text("disp").replace("\n", "\r\n"), "screenlog/lab-data1.screenlog.0": "wangl@lab-data1:~/nb$ python dsvc.py worker\r\n" + r.text("d1").replace("\n", "\r\n"),
        "screenlog/lab-data2.screenlog.0": "wangl@lab-data2:~/nb$ python dsvc.py worker\r\n" + r.text("d2").replace("\n", "\r\n") + "已杀死\r\nwangl@lab-data2:~/nb$ ", "说明.txt": "data2 上的进程是管理员清理内存时杀掉的（共享工作站）。调度进程也重启过一次。\n"},
        "none", None, [], "Training reached its 200 steps and saved. Survived: corrupted records skipped by ignore_errors, dispatcher killed and restored from its journal (failed heartbeats), data worker lab-data2 killed, a NameError in an earlier notebook cell.", r.when("train"))
def skew():
    r = Run("cn_skew", "2026-01-14 12:21:30", tz=8, skew={"w1": 210}, paths=[("mwms_loop.py", "duoji.py"), ("/opt/incidents/make", "/home/chenyu/duoji"), ("/opt/incidents/work/ck", "/home/chenyu/duoji/ck"), ("/opt/incidents/tf215/lib/python3.11/site-packages", "/home/chenyu/old_env/lib/python3.11/site-packages"), ("/opt/tfenv/lib/python3.11/site-packages", "/home/chenyu/env/lib/python3.11/site-packages")])
    F = {}
    for k, h, e in (("w0", "ws1", "env"), ("w1", "ws2", "old_env")):
        a, b = r.when(k, "start"), r.when(k); p = f"\x1b]0;chenyu@{h}: ~/duoji\x07\x1b[01;32mchenyu@{h}\x1b[00m:\x1b[01;34m~/duoji\x1b[00m$ "
        x = f"脚本启动于 {ts(a - 130, '%Y-%m-%d %H:%M:%S+08:00', 8)} [TERM=\"xterm-256color\" TTY=\"/dev/pts/{4 if k == 'w0' else 2}\" COLUMNS=\"180\" LINES=\"50\"]\n"
        if k == "w1": x += p + "python duoji.py\r\nTraceback (most recent call last):\r\n  File \"/home/chenyu/duoji/duoji.py\", line 3, in <module>\r\n    import tensorflow as tf\r\nModuleNotFoundError: No module named 'tensorflow'\r\n" + p + "source ~/old_env/bin/activate   # 这台机器还是 2.15，先试试\r\n"
        x += p + f"export TF_CONFIG=$(cat tfc_{k[1]}.json)\r\n" + p + "python duoji.py; echo 返回值 $?\r\n" + r.text(k).replace("\n", "\r\n") + "返回值 0\r\n" + p + "exit\r\n\n" + f"脚本完成于 {ts(b + 8, '%Y-%m-%d %H:%M:%S+08:00', 8)} [COMMAND_EXIT_CODE=\"0\"]\n"
        F[f"{h}.typescript"] = x
    F["给师兄的邮件.eml"] = f"From: chenyu@stu.example.edu.cn\nTo: lab@example.edu.cn\nDate: Wed, 14 Jan 2026 20:40:11 +0800\nSubject: =?utf-8?b?5Lik5Y+w5py65Zmo54mI5pys5LiN5LiA5qC3?=\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n师兄好：\n两台机器版本不一样（2.21 和 2.15），李博说肯定跑不通、会报版本错误。日志在附件里，请看看有没有问题，\n需不需要重装？ws1 上 dmesg 有一条别人的 OOM：\n[Tue Jan 13 03:12:09 2026] Out of memory: Killed process 77120 (matlab) total-vm:88120412kB, anon-rss:61220140kB, file-rss:2048kB, shmem-rss:0kB, UID:1012 pgtables:140220kB oom_score_adj:0\n"
    pack("wuhan-204", "tar.xz", F, "none", None, [], "Both workers run all 60 steps, evaluate and exit 0, although one has TensorFlow 2.15 and the other 2.21. Red herrings: the version difference and the colleague's remark, an OOM kill of another user's matlab a day earlier, an earlier try without the environment.", r.when("w1"))
def pals():
    sk = {f"w{k}": (k * 37 % 11) * .6 - 2 for k in range(8)}
    r = Run("pals_index", "2026-03-11 17:02:44", tz=0, skew=sk, paths=[("mwms_loop.py", "qcd_denoise.py"), ("/opt/incidents/make", "/lus/flare/projects/QCDnet/run"), ("/opt/incidents/work", "/lus/flare/projects/QCDnet"), ("/opt/tfenv", "/opt/aurora/frameworks/tf221")])
    F = {}; o = []
    for t, k, s, x in r.merged([f"w{k}" for k in range(8)]): o.append(f"{r.host(k)}.hsn.cm.site.example {k[1]}: {x}")
    t0 = r.when("w0", "start"); t1 = max(r.when(f"w{k}") for k in range(8))
    o += ["x1003c2s0b0n0.hsn.cm.site.example: rank 0 exited with code 1"] + [f"x1003c2s4b0n0.hsn.cm.site.example: rank 4 died from signal 15"]
    F["qcd_denoise.o8120447"] = "\n".join(o) + "\n"
    F["qsub_body.sh"] = "#!/bin/bash\n#PBS -l select=8,walltime=00:30:00 -q debug-scaling -A QCDnet -j oe\ncd $PBS_O_WORKDIR\nmpiexec -n 8 --ppn 1 -l --line-buffer ./wrap.sh\n"
    F["wrap.sh"] = "#!/bin/bash\n# index from a table of hosts since PALS_RANKID was wrong last year\nIDX=$(awk -v h=$(hostname) '$1==h {print $2}' hosts.tbl)\nexport TF_CONFIG=\"{\\\"cluster\\\": $(cat cluster.json), \\\"task\\\": {\\\"type\\\": \\\"worker\\\", \\\"index\\\": $IDX}}\"\nexec python3 qcd_denoise.py\n"
    F["hosts.tbl"] = "".join(f"x1003c2s{k}b0n0 {i}\n" for k, i in enumerate([0, 1, 2, 3, 4, 4, 6, 7]))
    F["cluster.json"] = json.dumps({"worker": [f"x1003c2s{k}b0n0:29500" for k in range(8)]}) + "\n"
    for k in (0, 2, 4, 5):
        h = f"x1003c2s{k}b0n0"; a = r.when(f"w{k}", "start")
        F[f"syslog-ng/2026/03/11/{h}/messages"] = "".join(f"{ts(t, '%Y-%m-%dT%H:%M:%S+00:00')} {h} {x}\n" for t, x in sorted([(a - 40000, "kernel: cxi0: LLR retry rate above threshold"), (a - 39990, "kernel: cxi0: LLR retry rate back to normal"), (a - 2, f"palsd[{2100 + k}]: apid 3f9c2a11-88 launching 1 rank, uid 30412"), (a - 1.7, f"systemd[1]: Started Session {900 + k} of user tkurz."), (r.when(f"w{k}"), f"palsd[{2100 + k}]: apid 3f9c2a11-88 rank {k} pid {r.pid(f'w{k}')} {'signal 15' if k == 4 else 'exit status 1'}")] + ([(a - 3000, "kernel: Memory cgroup out of memory: Killed process 55102 (lmp_aurora) total-vm:402214120kB, anon-rss:300012244kB, file-rss:0kB, shmem-rss:0kB, UID:30977 pgtables:600120kB oom_score_adj:0")] if k == 2 else [])))
    F["qstat_xf.txt"] = f"Job Id: 8120447.aurora-pbs-0001\n    Job_Name = qcd_denoise\n    Job_Owner = tkurz@uan-0001\n    job_state = F\n    queue = debug-scaling\n    resources_used.walltime = 00:01:{int(t1 - t0) % 60:02d}\n    Exit_status = 1\n    comment = Job run at {ts(t0 - 5, '%a %b %d at %H:%M')} on (x1003c2s0b0n0:ncpus=208)+... and failed\n    exec_host = {'+'.join(f'x1003c2s{k}b0n0/0*208' for k in range(8))}\n"
    pack("lemont-6", "tar.gz", F, "config.task-index", ["x1003c2s5b0n0", "x1003c2s4b0n0", "worker:4", "rank 5"], [],
        "Two hosts start as worker index 4 (hosts.tbl gives 4 to s4 and s5, nobody has 5): coordination service 'task:4 unexpectedly tried to connect with a different incarnation. It has likely restarted' while it waits for task:5. Nothing restarted. Red herrings: OOM of another user's lmp on s2, cxi retry rate, rank 4 that hung and was killed at the end.", t1)
def so():
    r = Run("so_localhost", "2026-06-05 17:30:00", tz=0, paths=[("mwms_keras.py", "mnist_dist.py"), ("/opt/incidents/make", "/home/me/dist"), ("/opt/incidents/tf215", "/home/me/venv")])
    h = Run("nid_backup", "2026-06-04 19:10:00", tz=0, paths=[("mwms_keras.py", "mnist_dist.py"), ("nid001204:2222", "localhost:12345"), ("nid001205:2222", "localhost:23456"), ("nid001311:2222", "localhost:34567"), ("nid001204", "ubuntu-a"), ("nid001205", "ubuntu-a"), ("nid001311", "ubuntu-a"), ("/opt/incidents/make", "/home/me/dist"), ("/opt/incidents/tf215", "/home/me/venv"), ("10.249.3.11", "127.0.0.1"), ("10.249.3.12", "127.0.0.1"), ("10.249.3.13", "127.0.0.1")])
    t = r.when("w0")
    q = f"""<!-- saved from https://stackoverflow.example/questions/79912345 on {ts(t + 90000, '%Y-%m-%d')} -->
# MultiWorkerMirroredStrategy hangs forever with two machines, works on one

Asked {ts(t + 1900, '%b %d, %Y at %H:%M')} &nbsp; Viewed 31 times &nbsp; tags: [tensorflow] [keras] [distributed]

**-1** votes

I follow the multi worker tutorial. On *one* machine (ubuntu-a, three terminals, yesterday) everything is fine. This is the output of the first terminal:

```none
{h.text('a1.w0')}```

Today I copied the folder to my second PC `ubuntu-b` (192.168.0.12) and start it on both. Both print this and then nothing, no CPU usage, no error. On `ubuntu-a`:

```none
me@ubuntu-a:~/dist$ TF_CONFIG='{{"cluster": {{"worker": ["localhost:12345", "localhost:23456"]}}, "task": {{"type": "worker", "index": 0}}}}' python mnist_dist.py
{r.text('w0')}^C^C^C
Killed
```

and on `ubuntu-b`, index 1 and otherwise the same,

```none
{r.text('w1')}^C^CKilled
```

I waited over a minute, Ctrl-C does not work, I had to `kill -9` both from another terminal. `ping ubuntu-b` works in both directions:

```none
64 bytes from ubuntu-b (192.168.0.12): icmp_seq=1 ttl=64 time=0.412 ms
```

`sudo ufw status` says `inactive`. `dmesg` has `nvidia: module license 'NVIDIA' taints kernel` and `[UFW BLOCK] IN=wlp3s0 ... SRC=192.168.0.1 DST=224.0.0.1 PROTO=2` from last week. I do not use the GPU.

---

#### Comments

- Is it the oneDNN message? Try `TF_ENABLE_ONEDNN_OPTS=0`. – *user1930221*, {ts(t + 4000, '%b %d at %H:%M')}
- @user1930221 no difference. – *OP*, {ts(t + 4600, '%b %d at %H:%M')}
- You need NCCL for more than one machine, and the same Python everywhere. – *dl_wizard*, {ts(t + 7000, '%b %d at %H:%M')}
- same Python 3.11.7 / TF 2.15.1, it is a copy of the venv. – *OP*, {ts(t + 7300, '%b %d at %H:%M')}
"""
    pack("cork-79912345", "zip", {"question.md": q}, "config.localhost-address", ["ubuntu-a", "ubuntu-b"], ["config.cluster-mismatch"],
        "Two machines, but TF_CONFIG names localhost:12345 and localhost:23456, so each waits for a peer on itself; only 'Started server with target: grpc://localhost:...' and then silence, killed by hand. Red herrings: the working run on one machine, oneDNN, UFW BLOCK, NCCL remarks.", t)
def loki():
    r = Run("loki_fd", "2026-11-03 13:10:00", tz=0, skew={"feeder": 1.5}, paths=[("/opt/incidents/work/lokidisp", "/journal"), ("/opt/incidents/work/loki", "/data/episodes"), ("/opt/incidents/make", "/app"), ("/opt/tfenv/lib/python3.11/site-packages", SP)])
    nm = {"disp": ("dispatch-0", "dispatcher"), "feeder": ("feeder-0", "feeder"), "jobA": ("train-eval-small-7d9f", "trainer"), "jobB": ("train-night-7d9f", "trainer")}
    rows = []
    for k, (p, c) in nm.items():
        for i, (t, s, x) in enumerate(r.lines(k)):
            x = x.replace("train-7d9f", p); rows.append((t, {"labels": {"app": "tfdata", "container": c, "namespace": "ml", "node_name": {"disp": "k3s-a", "feeder": "k3s-b"}.get(k, "k3s-c"), "pod": p, "stream": "stdout" if s == "o" else "stderr"}, "line": x, "timestamp": ts(t, "%Y-%m-%dT%H:%M:%S.NSZ")}))
    t0 = r.when("disp", "start")
    for d, x in ((-4000, "OOMKilling: Memory cgroup out of memory: Killed process 3312 (rosbag_upload) total-vm:4120044kB, anon-rss:2048000kB"), (-300, "Back-off restarting failed container camera-sync in pod camera-sync-xx91"), (3, "Pulled image registry.local/tfdata:1.3")):
        rows.append((t0 + d, {"labels": {"app": "k3s", "namespace": "kube-system", "node_name": "k3s-b", "job": "node-journal"}, "line": x, "timestamp": ts(t0 + d, "%Y-%m-%dT%H:%M:%S.NSZ")}))
    rows.append((r.when("feeder") + .4, {"labels": {"app": "k3s", "namespace": "kube-system", "node_name": "k3s-b", "job": "node-journal"}, "line": "container feeder in pod feeder-0 exited: exitCode=134 reason=Error", "timestamp": ts(r.when("feeder") + .4, "%Y-%m-%dT%H:%M:%S.NSZ")}))
    rows.sort(key=lambda z: -z[0])
    pack("oulu-77", "tar.bz2", {"logcli_ml_1h.jsonl": "".join(json.dumps(e) + "\n" for _, e in rows), "query.txt": "logcli query --limit=50000 --since=2h -o jsonl '{namespace=~\"ml|kube-system\"}'   # newest first\n# train-eval-small was ok, train-night (cycle 300) died, feeder-0 died at the same time\n"},
        "resource.fd-limit", ["feeder-0", "k3s-b"], [], "Job train-night reads 300 files at once through feeder-0, whose limit is 256 descriptors: 'Too many open files' in the trainer's error from worker feeder-0; feeder-0 aborts (random_device not available: no descriptor for /dev/urandom, exit 134) as a consequence. The job train-eval-small ended well. Red herrings: OOM kill of rosbag_upload, camera-sync back-off.", r.when("jobB"))
if __name__ == "__main__":
    import sys; [globals()[n]() for n in sys.argv[1:]]
