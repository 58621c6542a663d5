"""Custom loop in systemd units on 3 hosts; line-1 has fewer rows, its worker leaves the loop first, the others wait; stopped by the operator."""
from lib import *
import numpy as np
H = ["prodml-a", "prodml-b", "prodml-c"]
n = Net("ulm", {h: f"172.16.8.{21+i}" for i, h in enumerate(H)})
for i, k in enumerate([1290, 1042, 1290]): np.save(n.dir + f"/line-{i}.npy", np.random.rand(k, 48))
c = {"worker": [h + ":5000" for h in H]}
for i, h in enumerate(H):
    n.start(h, f"{PY['x']} {MAKE}/custom2.py", f"{h}.raw", {"SHARD_DIR": n.dir, "EPOCHS": "4", "TF_CONFIG": {"cluster": c, "task": {"type": "worker", "index": i}}},
      pre="") if 0 else n.start(h, f"{PY['x']} {MAKE}/custom2.py 2>&1 | python3 -u -c \"import sys,datetime\nfor l in sys.stdin: print(datetime.datetime.now().isoformat(timespec='microseconds'), l, end='')\"", f"{h}.raw",
      {"SHARD_DIR": n.dir, "EPOCHS": "4", "TF_CONFIG": {"cluster": c, "task": {"type": "worker", "index": i}}})
n.grep("prodml-b.raw", "waiting for chief", 90); time.sleep(30)
tk = dt.datetime.utcnow(); n.close()
mp = {n.dir: "/data/earbud/shards", MAKE: "/opt/earbud", OUT + "/xenv": "/opt/earbud/venv", "/opt/tfenv": "/opt/earbud/venv"}
D = -3 * 86400 + 4711; files = {}
for i, h in enumerate(H):
    sk = [0, 12, -95][i]; d = dt.timedelta(seconds=D + sk); L = []
    pid = re.search(r"pid=(\d+)", n.read(f"{h}.raw"))[1]; s0 = None
    for l in sub(n.read(f"{h}.raw"), mp).splitlines():
        m = re.match(r"(\S+) (.*)", l)
        if not m: continue
        ts = (dt.datetime.fromisoformat(m[1]) + d); s0 = s0 or ts
        L.append(f"{ts.isoformat(timespec='microseconds')}+0000 {h} earbud-train[{pid}]: {shift(m[2], D+sk)}")
    f = lambda x: x.isoformat(timespec='microseconds') + "+0000"
    k = tk + d
    head = [f"{f(s0 - dt.timedelta(hours=7, seconds=3))} {h} systemd[1]: earbud-train.service: Main process exited, code=exited, status=1/FAILURE" ,
            f"{f(s0 - dt.timedelta(hours=7, seconds=2))} {h} systemd[1]: earbud-train.service: Failed with result 'exit-code'.",
            f"{f(s0 - dt.timedelta(seconds=4))} {h} systemd[1]: Started earbud-train.service - Earbud anomaly training (worker {i})."]
    if i == 0: head.insert(0, f"{f(s0 - dt.timedelta(hours=7, seconds=4))} {h} earbud-train[3011]: json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)")
    ops = [f"{f(k)} {h} systemd[1]: Stopping earbud-train.service - Earbud anomaly training (worker {i})...",
           f"{f(k+dt.timedelta(seconds=30))} {h} systemd[1]: earbud-train.service: State 'stop-sigterm' timed out. Killing.",
           f"{f(k+dt.timedelta(seconds=30.01))} {h} systemd[1]: earbud-train.service: Killing process {pid} (python) with signal SIGKILL.",
           f"{f(k+dt.timedelta(seconds=30.2))} {h} systemd[1]: earbud-train.service: Main process exited, code=killed, status=9/KILL",
           f"{f(k+dt.timedelta(seconds=30.21))} {h} systemd[1]: earbud-train.service: Failed with result 'timeout'."]
    files[f"{h}.journal.txt"] = "\n".join(["-- Boot 5f1c0e6d9b3b4f4f9a1f0f9d8a7c6b5e --" if i == 2 else ""] + head + L + ops).lstrip() + "\n"
summ = f"run: earbud-anomaly-0{n.dir[-1:]}812\nrunner: nightly\nstatus: stopped_by_operator\nstopped_by: k.haas\nreason: \"no log output for half a minute on a and c, b idle\"\nhosts: [prodml-a, prodml-b, prodml-c]\nbatch_size: 32\nepochs: 4\nexit: {{prodml-a: 9, prodml-b: 9, prodml-c: 9}}\nnote: \"influx-01 was down all night, see telemetry warnings. maybe that blocks?\"\n"
files["run.yaml"] = summ
finish("ulm", files, "tar.xz", "data.uneven-shards", ["prodml-b", "worker:1"], ["sync.hang"], "dataset ready shows 32 batches per epoch on prodml-b and 40 on the others; b prints 'training loop finished' and waits for the export while a and c wait in the all-reduce; then systemd kills all. Herrings: influx telemetry warnings, JSONDecodeError of the earlier start 7 h before.", root="journals")
