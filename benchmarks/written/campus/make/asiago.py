"""Eight tasks; one node's container image lacks libcfitsio.so.10. absl log files in one folder, srun messages in another."""
from lib import *
H = [f"gr{k:03d}" for k in (101, 102, 103, 104, 107, 108, 109, 110)]
n = Net("asiago", {h: f"10.141.1.{i+1}" for i, h in enumerate(H)})
os.makedirs(n.dir + "/lib"); os.makedirs(n.dir + "/logs")
open(n.dir + "/c.c", "w").write("int ffopen(void){return 0;}\n")
print(sh(f"gcc -shared -fPIC -o {n.dir}/lib/libcfitsio.so.10 {n.dir}/c.c").stderr)
c = {"worker": [h + ":29400" for h in H]}; ps = []
for i, h in enumerate(H):
    ps.append(n.start(h, f"{PY['221']} {MAKE}/custom8.py", f"err.{i}", {"LOGD": n.dir + "/logs", "USER": "gbianchi", "LOGNAME": "gbianchi", "SLURM_PROCID": str(i), "SLURM_NTASKS": "8", "LD_LIBRARY_PATH": "/nonexistent" if i == 5 else n.dir + "/lib",
        "TF_CONFIG": {"cluster": c, "task": {"type": "worker", "index": i}}}))
rc = n.wait(t=100); print(rc); n.close()
D = -30 * 86400 + 2222; tk = dt.datetime.utcnow() + dt.timedelta(seconds=D, hours=1)
mp = {n.dir + "/lib": "/usr/local/lib", n.dir + "/logs": "/g100_scratch/userexternal/gbianchi/logs", n.dir: "/g100_scratch/userexternal/gbianchi", MAKE: "/opt/linefit", "/opt/tfenv": "/usr/local", "/root/.pyenv/versions/3.11": "/usr/local/python3.11"}
files = {}
for f in sorted(os.listdir(n.dir + "/logs")):
    if ".INFO." in f and not os.path.islink(f"{n.dir}/logs/{f}"):
        h = f.split(".")[1]; sk = {"gr103": 3, "gr108": -19}.get(h, 0)
        m = re.match(r"(.*INFO\.)(\d{8})-(\d{6})(.*)", f)
        ts = dt.datetime.strptime(m[2] + m[3], "%Y%m%d%H%M%S") + dt.timedelta(seconds=D + sk, hours=1)
        files[f"absl/{m[1]}{ts.strftime('%Y%m%d-%H%M%S')}{m[4]}"] = re.sub(r"Log file created at: (\S+) (\S+)", ts.strftime("Log file created at: %Y/%m/%d %H:%M:%S"), shift(sub(n.read("logs/" + f), mp), D + sk, 1))
for i, h in enumerate(H): files[f"stderr/linefit-2290145.{i}.err"] = shift(sub(n.read(f"err.{i}"), mp), D + {"gr103": 3, "gr108": -19}.get(h, 0), 1)
files["stderr/linefit-2290145.batch"] = ("INFO:    Using cached SIF image\nWARNING: underlay of /etc/localtime required more than 50 (91) bind mounts\nslurmstepd-gr101: error: mpi/pmix_v4: _errhandler: gr101 [0]: pmixp_client_v2.c:211: Error handler invoked: status = -25, source = [slurm.pmix.2290144.0:3]\n"
  "srun: warning: can't honor --ntasks-per-node set to 2 which doesn't match the requested tasks 8 with the maximum number of requested nodes 8. Ignoring --ntasks-per-node.\n"
  + "".join(f"srun: error: {H[i]}: task {i}: Exited with exit code {r}\n" for i, r in sorted(enumerate(rc), key=lambda a: a[0] != 5) if r not in (0, None))
  + f"srun: Terminating StepId=2290145.0\n")
files["apptainer_inspect.txt"] = "".join(f"{h}: {'linefit-24.06.sif  sha256 9b1e77d0  built 2026-06-11' if h != 'gr108' else 'linefit-24.06.sif  sha256 41c09a5e  built 2026-06-02'}\n" for h in H)
files["nota_giulia.txt"] = "Ticket CIN-88120. Il job 2290144 di ieri e' morto per PMIx (status -25), questo 2290145 di oggi credo per lo stesso motivo.\nSu gr104 nel kernel log c'e' un vecchio I/O error su sdb, ma e' di marzo.\n"
finish("cin88120", files, "tgz", "env.missing-library", ["gr108", "worker:5"], [], "Task 5 on gr108: OSError libcfitsio.so.10 cannot open shared object file; the others load it. The other seven fail with collective abort. Herrings: PMIx error of the earlier job 2290144 in the batch output, old disk error in the note.")
