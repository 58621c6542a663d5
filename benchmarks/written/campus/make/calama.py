"""Custom loop on 4 hosts through srun -l; one process is stopped (SIGSTOP), a watchdog scancels the job."""
from lib import *
import numpy as np
H = ["lyra11", "lyra12", "lyra14", "lyra15"]
n = Net("calama", {h: f"10.31.4.{11+i}" for i, h in enumerate(H)})
for i in range(4): np.save(n.dir + f"/sector{i+40:03d}.npy", np.random.rand(400 + 16 * i * 0, 64))
c = {"worker": [h + ":8470" for h in H]}
sh_ = ",".join(f"sector{i+40:03d}.npy" for i in range(4))
for i, h in enumerate(H):
    n.start(h, f"{PY['221']} {MAKE}/custom.py --shards {sh_} --steps 4000 --pause 0.12 --ckpt ck > >(sed -u 's/^/{i}: /') 2>&1", "job.out",
            {"TF_CONFIG": {"cluster": c, "task": {"type": "worker", "index": i}}}, append=True)
n.grep("job.out", "0: .*step 236 ", 60)
os.kill(n.procs[2].pid, signal.SIGSTOP); tstop = dt.datetime.utcnow()
time.sleep(5)
pss = {h: sh(f"ps -o pid,stat,wchan:20,lstart,etime,time,nlwp,cmd -p {p.pid}").stdout for h, p in zip(H, n.procs)}
n.wait([n.procs[0], n.procs[1], n.procs[3]], 60); tk = dt.datetime.utcnow(); time.sleep(1)
n.procs[2].send_signal(signal.SIGKILL); time.sleep(1)
print(n.wait(t=5)); n.close()
mp = {n.dir: "/lustre/proy/tess/mcastro/run7", MAKE: "/lustre/proy/tess/mcastro/code", "/opt/tfenv": "/lustre/proy/tess/mcastro/miniconda3/envs/tf221"}
D = -9 * 86400 - 5 * 3600
K = dt.timedelta(seconds=D, hours=-3)
def z(l):
    sk = {"2": 41, "3": -3}.get(l[:1], 0)
    return shift(l, D + sk, -3)
out = "".join(z(l) for l in sub(n.read("job.out"), mp).splitlines(True))
k = t(tk + K, 0)
out = "srun: job 4471902 queued and waiting for resources\nsrun: job 4471902 has been allocated resources\nsrun: Job step's --cpus-per-task value exceeds that of job (4 > 2). Job step may never run.\n" + out
out += f"srun: error: lyra11: task 0: Exited with exit code 1\nsrun: error: lyra12: task 1: Exited with exit code 1\nsrun: error: lyra15: task 3: Exited with exit code 1\nsrun: Terminating StepId=4471902.0\nslurmstepd: error: *** STEP 4471902.0 ON lyra11 CANCELLED AT {k} ***\nsrun: Job step aborted: Waiting up to 32 seconds for job step to finish.\nsrun: error: lyra14: task 2: Killed\n"
ks = tstop + K
wd = "".join(f"{t(ks, -60 + 10 * j, '%Y-%m-%d %H:%M:%S')} vigia[88121] job 4471902: avance ok\n" for j in range(0, 6)) + f"{t(ks,5,'%Y-%m-%d %H:%M:%S')} vigia[88121] job 4471902: sin avance desde hace 5 s -> foto de procesos\n"
foto = "".join(f"----- {h} -----\n{sub(v, mp)}" for h, v in pss.items())
import re as _r
foto = _r.sub(r"(\w{3} \w{3} +\d+ )(\d\d:\d\d:\d\d)( 2026)", lambda m: (dt.datetime.strptime(m[0], "%a %b %d %H:%M:%S %Y") + K).strftime("%a %b %e %H:%M:%S %Y"), foto)
old = t(tk + K, -7 * 86400, "%a %b %e %H:%M:%S %Y")
dm = f"""[{old}] python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0
[{old}] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0-1,oom_memcg=/slurm/uid_30417/job_4460018,task_memcg=/slurm/uid_30417/job_4460018/step_0/task_3,task=casa,pid=211907,uid=30417
[{old}] Memory cgroup out of memory: Killed process 211907 (casa) total-vm:71190212kB, anon-rss:66008840kB, file-rss:0kB, shmem-rss:0kB, UID:30417 pgtables:130212kB oom_score_adj:0
[{t(tk+K,-86400*2,"%a %b %e %H:%M:%S %Y")}] LustreError: 11-0: lus01-OST0007-osc-ffff9b1e: operation ost_read to node 10.31.200.7@o2ib failed: rc = -107
[{t(tk+K,-86400*2+40,"%a %b %e %H:%M:%S %Y")}] Lustre: lus01-OST0007-osc-ffff9b1e: Connection restored to 10.31.200.7@o2ib (at 10.31.200.7@o2ib)
"""
tick = f"""De: Mariana Castro
Para: soporte-hpc
Asunto: [#20931] trabajo 4471902 se queda parado
Fecha: {t(tk+K,3600,'%d/%m/%Y %H:%M')}

Hola,
el entrenamiento iba bien, de repente dejo de escribir pasos y al rato se cayo todo.
Adjunto la salida de srun, la foto de procesos que hizo el vigia y el dmesg de lyra12.
Jorge dice que es otra vez el Lustre (el OST0007 de antes de ayer) o la memoria, porque en lyra12 hubo un OOM.
Gracias, Mariana

> adjuntos: slurm-4471902.out, vigia.log, foto_4471902.txt, dmesg_lyra12.txt
"""
finish("calama", {"20931/correo.txt": tick, "20931/slurm-4471902.out": out, "20931/vigia.log": wd, "20931/foto_4471902.txt": foto, "20931/dmesg_lyra12.txt": dm}, "tar.gz",
  "sync.hang", ["lyra14", "worker:2"], ["process.killed-by-signal"], "The process of worker:2 on lyra14 was stopped (SIGSTOP): STAT T in foto_4471902.txt decides; all logs fall silent at once, then the peers die because task 2 sends no heartbeats. Herrings: old OOM of another user's casa on lyra12, Lustre reconnect two days earlier, Jorge's remark.")
