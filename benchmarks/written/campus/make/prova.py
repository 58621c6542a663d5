"""Not enough: worker 1 is stuck opening a pipe; only the logs of workers 0 and 2 are kept, a pytest-like runner kills the job after its timeout."""
from lib import *
import numpy as np
H = ["rig-0", "rig-1", "rig-2"]
n = Net("prova", {h: f"10.200.7.{i+10}" for i, h in enumerate(H)})
s = open(MAKE + "/custom.py").read().replace("            if s % 2 == 0:", "            if s % 50 == 0:\n                gain = float(open(os.environ[\"GAIN_FILE\"]).read())\n            if s % 2 == 0:")
open(n.dir + "/tv_denoise.py", "w").write(s); open(n.dir + "/gain.txt", "w").write("1.0\n"); os.mkfifo(n.dir + "/gain.pipe")
for i in range(3): np.save(n.dir + f"/s{i}.npy", np.random.rand(320, 64))
c = {"worker": [h + ":9999" for h in H]}
for i, h in enumerate(H):
    n.start(h, f"{PY['221']} tv_denoise.py --shards s0.npy,s1.npy,s2.npy --steps 1000 --pause 0.1", f"{h}.log", {"GAIN_FILE": n.dir + ("/gain.pipe" if i == 1 else "/gain.txt"), "TF_CONFIG": {"cluster": c, "task": {"type": "worker", "index": i}}})
if 1:
    n.grep("rig-0.log", "step 48 ", 40); time.sleep(32); print([p.poll() for p in n.procs]); n.close()
D = -50 * 86400; mp = {n.dir: "/rig/work", "/opt/tfenv": "/rig/venv", "/root/.pyenv/versions/3.11.7": "/usr"}
g = lambda f, d=0: shift(sub(n.read(f), mp), D + d, 0)
txt = """============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-8.3.3, pluggy-1.5.0
rootdir: /rig/tests
configfile: pytest.ini
plugins: timeout-2.3.1, xdist-3.6.1
timeout: 45.0s
timeout method: signal
timeout func_only: False
collected 3 items

test_data.py .                                                           [ 33%]
test_denoise_dist.py F                                                   [ 66%]
test_export.py s                                                         [100%]

=================================== FAILURES ===================================
____________________________ test_three_rigs_train _____________________________

    def test_three_rigs_train():
        job = launch(["rig-0", "rig-1", "rig-2"], "tv_denoise.py", steps=1000)
>       job.wait()
E       Failed: Timeout (>45.0s) from pytest-timeout.

test_denoise_dist.py:31: Failed
---------------------------- Captured stdout setup -----------------------------
removing stale lock /rig/work/.lock (pid 3391 not running)
----------------------------- Captured stdout call -----------------------------
[launch] rig-0 rig-1 rig-2 started
[launch] timeout, sending SIGKILL to rig-0 rig-1 rig-2
[launch] copying logs: rig-0 ok, rig-2 ok, rig-1 skipped (keep_logs: [0, 2])
-------------------------- Captured stderr rig-0 -------------------------------
""" + g("rig-0.log") + "-------------------------- Captured stderr rig-2 -------------------------------\n" + g("rig-2.log", 3) + """=========================== short test summary info ============================
SKIPPED [1] test_export.py:8: no model from the previous test
FAILED test_denoise_dist.py::test_three_rigs_train - Failed: Timeout (>45.0s)...
=================== 1 failed, 1 passed, 1 skipped in 52.18s ====================
"""
finish("nightly-rig-204", {"pytest.out": txt, "ci.yaml": "suite: tv-denoise\nkeep_logs: [0, 2]\ntimeout: 45\nlast_good: 203\nknown_flaky: [test_export]\n"}, "tar.gz", "sync.hang", None, ["collective.timeout", "sync.straggler", "data.uneven-shards", "network.timeout"], "Both kept logs stop after step 48/50 without an error until the runner's SIGKILL; the log of rig-1 was not kept, so why the group stalled cannot be told (rig-1 is a guess). Herring: stale lock message.")
