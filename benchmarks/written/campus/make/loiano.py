"""Keras fit, three hosts, runs into the Slurm time limit (all told by SIGTERM); collected as one mail text with the tail ends pasted."""
from kerlib import *
H = {"hpc-n07": "10.1.0.7", "hpc-n08": "10.1.0.8", "hpc-n11": "10.1.0.11"}
n = Net("loiano", H)
t0 = dt.datetime.utcnow()
ps = fit(n, list(H), "--epochs 400 --steps 30 --sleep 0.05", 2300, log="job.err", append=True, post=" > >(sed -u 's/^/{i}: /') 2>&1")
n.grep("job.err", "Epoch 14/400", 80); tk = dt.datetime.utcnow()
for p in ps: p.send_signal(signal.SIGTERM)
print(n.wait(ps, 10)); n.close()
D = -60 * 86400 + 4321; K = tk + dt.timedelta(seconds=D, hours=2)
mp = {n.dir: "/home/PERSONALE/elena.sarti/zphot", MAKE: "/home/PERSONALE/elena.sarti/zphot", OUT + "/tf215": "/home/PERSONALE/elena.sarti/venv"}
lg = "".join(shift(l, D + {"1": 8, "2": -2}.get(l[:1], 0), 2) for l in sub(n.read("job.err"), mp).splitlines(True))
lg += f"slurmstepd: error: *** STEP 90321.0 ON hpc-n07 CANCELLED AT {t(K,0)} DUE TO TIME LIMIT ***\nslurmstepd: error: *** JOB 90321 ON hpc-n07 CANCELLED AT {t(K,0)} DUE TO TIME LIMIT ***\nsrun: Job step aborted: Waiting up to 32 seconds for job step to finish.\nsrun: error: hpc-n08: task 1: Terminated\nsrun: error: hpc-n07: task 0: Terminated\nsrun: error: hpc-n11: task 2: Terminated\n"
mail = f"""From: Elena Sarti <elena.sarti@unibo.example>
To: helpdesk-hpc@unibo.example
Subject: job 90321 ucciso
Date: {t(K, 5400, '%a, %d %b %Y %H:%M:%S')} +0200
Content-Type: text/plain; charset=utf-8

Buongiorno,
il mio job e' stato ucciso senza motivo. Luca pensa a un nodo lento (hpc-n11) oppure alla memoria, perche' in
/var/log/messages di hpc-n08 c'e':

  {t(K,-3*86400,'%b %d %H:%M:%S')} hpc-n08 kernel: Out of memory: Killed process 40112 (java) total-vm:18233412kB, anon-rss:15912840kB, file-rss:0kB, shmem-rss:0kB, UID:5021 pgtables:33212kB oom_score_adj:0

Incollo tutto quello che ha scritto il job:

==================== zphot-90321.out ====================
"""
mail += lg + f"""=========================================================

e il controllo di stamattina:

$ scontrol show job 90321 | egrep 'JobState|RunTime|StartTime'
   JobState=TIMEOUT Reason=TimeLimit Dependency=(null)
   RunTime=00:00:{int((tk-t0).total_seconds())+3:02d} TimeLimit=00:00:30 TimeMin=N/A
   StartTime={t(K,-int((tk-t0).total_seconds())-3)} EndTime={t(K,0)} Deadline=N/A

Grazie
Elena
"""
finish("loiano-mail", {"Re_job_90321_ucciso.eml": mail.replace("\n", "\r\n")}, "zip", "scheduler.time-limit", None, [], "slurmstepd says CANCELLED ... DUE TO TIME LIMIT and JobState=TIMEOUT; all tasks were healthy at epoch 14 of 400. Herrings: OOM of another user's java three days before, colleague's slow node.")
