"""Two multirun jobs, the second with a high learning rate: NaN, check_numerics raises on both workers."""
from lib import *
H = {"hifi-01": "10.40.0.1", "hifi-02": "10.40.0.2"}
n = Net("anc", H); d = n.dir; os.makedirs(d + "/conf"); shutil.copy(MAKE + "/nanrun.py", d + "/nanrun.py")
open(d + "/conf/anc.yaml", "w").write("lr: 0.003\nsteps: 150\nburst_at: 0\n")
for j, lr in enumerate(("0.003", "0.03")):
    ps = []
    for i, h in enumerate(H):
        o = f"multirun/2026-11-20/09-31-02/{j}" if i == 0 else f"w1/{j}"
        ps.append(n.start(h, f"{PY['x']} nanrun.py lr={lr} burst_at={0 if j == 0 else 70} hydra.run.dir={o}", f"{h}.{j}.out", {"WDIR": d, "WANDB_SILENT": "false", "HOME": d, "TF_CONFIG": {"cluster": {"worker": [x + f":{5555+j}" for x in H]}, "task": {"type": "worker", "index": i}}}))
    print(n.wait(ps, 60))
n.close(); print(n.read("hifi-01.1.out")[-600:]); print(sh(f"find {d}/wandb {d}/multirun -type f").stdout)
D = -6 * 86400 - 36000; mp = {d: "/home/dsp/anc", MAKE: "/home/dsp/anc", OUT + "/xenv": "/home/dsp/.venv", "/opt/tfenv": "/home/dsp/.venv", "/root/.pyenv/versions/3.11.7": "/usr"}
files = {}
for r, _, fs in os.walk(d + "/multirun"):
    for f in fs: p = os.path.join(r, f); files[os.path.relpath(p, d)] = shift(sub(open(p).read(), mp), D, 0)
for r, _, fs in os.walk(d + "/wandb"):
    if "latest" in r or os.path.islink(r): continue
    for f in fs:
        p = os.path.join(r, f)
        if f.endswith((".log", ".json", ".yaml")) and not os.path.islink(p):
            q = re.sub(r"20261126_(\d{6})", lambda m: (dt.datetime.strptime("20261126" + m[1], "%Y%m%d%H%M%S") + dt.timedelta(seconds=D)).strftime("%Y%m%d_%H%M%S"), os.path.relpath(p, d))
            files[q] = shift(sub(open(p, errors="replace").read(), mp), D, 0)
for j in (0, 1): files[f"hifi-02/stdout.{j}.txt"] = shift(sub(n.read(f"hifi-02.{j}.out"), mp), D + 17, 0); files[f"hifi-01/stdout.{j}.txt"] = shift(sub(n.read(f"hifi-01.{j}.out"), mp), D, 0)
files["multirun/2026-11-20/09-31-02/multirun.yaml"] = "hydra:\n  sweeper:\n    params:\n      lr: 0.003,0.03\n# launcher: own, one process per host; worker 1 writes to hifi-02\n"
finish("anc-sweep", files, "tar.xz", "numeric.nan", None, ["numeric.divergence"], "Job 1 of the sweep (lr 0.03) blows up, the loss is NaN at step 9 and check_numerics raises on both; job 0 finished. Herrings: 'validation skipped' warnings, wandb offline / network notes.")
