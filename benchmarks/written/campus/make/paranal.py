"""Slurm array of two elements; element 2 loads weights of a 64-unit model into a 96-unit model (checkpoint mismatch), element 1 ends well. Element 2 was requeued once before (node failure), so its .out holds two attempts."""
from kerlib import *
H = {"ft-c12": "10.22.3.12", "ft-c13": "10.22.3.13", "ft-c20": "10.22.3.20", "ft-c21": "10.22.3.21"}
n = Net("paranal", H); h = list(H)
ps = fit(n, h[:2], "--epochs 6 --hidden 64 --out w_ref/base", 9100, log="slurm-7710_1.out", append=True)
print(n.wait(ps, 90))
ps = fit(n, h[2:], "--epochs 6 --hidden 96 --init-weights w_ref/base.missing", 9100, log="slurm-7710_2.a", append=True) if 0 else []
ps = fit(n, h[2:], "--epochs 6 --hidden 96", 9100, log="slurm-7710_2.a", append=True)
n.grep("slurm-7710_2.a", "Epoch 3/6", 60); ps[1].send_signal(signal.SIGKILL); time.sleep(3); ps[0].send_signal(signal.SIGTERM); n.wait(ps, 5)
ps = fit(n, h[2:], "--epochs 6 --hidden 96 --init-weights w_ref/base", 9100, log="slurm-7710_2.b", append=True)
rc = n.wait(ps, 60); print(rc); k = dt.datetime.utcnow(); n.close()
D = -44 * 86400 - 1234
mp = {n.dir: "/home/rquispe/photoz", MAKE: "/home/rquispe/photoz", OUT + "/tf215": "/home/rquispe/.conda/envs/tf215", "/root/.pyenv/versions/3.11.7": "/home/rquispe/.conda/envs/tf215"}
g = lambda f: shift(sub(n.read(f), mp), D, -5)
K = k + dt.timedelta(seconds=D, hours=-5)
o2 = g("slurm-7710_2.a") + f"slurmstepd: error: *** JOB 7711 ON ft-c20 CANCELLED AT {t(K,-40)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***\n" + "== requeue: SLURM_RESTART_COUNT=1 ==\n" + g("slurm-7710_2.b") + "srun: error: ft-c21: task 1: Exited with exit code 1\nsrun: error: ft-c20: task 0: Exited with exit code 1\n"
o1 = g("slurm-7710_1.out")
sa = """JobID           JobName    State      ExitCode   NodeList        Restarts
--------------- ---------- ---------- --------   --------------- --------
7710_1          photoz     COMPLETED  0:0        ft-c[12-13]     0
7710_1.0        photoz     COMPLETED  0:0        ft-c[12-13]     0
7710_2          photoz     FAILED     1:0        ft-c[20-21]     1
7710_2.0        photoz     FAILED     1:0        ft-c[20-21]     1
"""
sb = "#!/bin/bash\n#SBATCH -J photoz\n#SBATCH --array=1-2\n#SBATCH -N 2 --requeue\n#SBATCH -o slurm-%A_%a.out --open-mode=append\nHID=(0 64 96)\n# el elemento 2 parte de los pesos del 1 (idea de Ruth)\nEXTRA=(\"\" \"--out w_ref/base\" \"--init-weights w_ref/base\")\nsrun python keras_fit.py --epochs 6 --hidden ${HID[$SLURM_ARRAY_TASK_ID]} ${EXTRA[$SLURM_ARRAY_TASK_ID]}\n"
finish("paranal", {"slurm-7710_1.out": o1, "slurm-7710_2.out": o2, "array.sbatch": sb, "sacct.txt": sa, "LEEME": "El 7710_2 fallo. Creo que el nodo ft-c21 sigue malo (ya se cayo una vez, lo requeuearon). Pueden sacarlo de la cola? -- R. Quispe\n"}, "tar.gz",
  "checkpoint.mismatch", None, ["data.shape-mismatch"], "Element 2's second attempt loads weights of hidden=64 into hidden=96: incompatible tensor shape in load_weights on both tasks. Herrings: first attempt lost to a node failure, the user's belief that ft-c21 is bad; element 1 completed.")
