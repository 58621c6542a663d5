"""Team 1 (Gdynia, HTCondor). Three incidents: gdynia-311, gdynia-318, gdynia-402."""
from cluster import *
import sys
J = os.path.join(HERE, "jobs")
def paths(c): return [(c.dir + "/", "/var/lib/condor/execute/dir_28817/"), ("/opt/tfenv/lib", "/opt/ml/tf/lib"), ("/opt/tfenv/", "/opt/ml/tf/"), (J + "/", "/home/suwnice/yard/")]
def prep(c, n, bad=None):
    import random
    random.seed(3); 
    for s in range(n):
        os.makedirs(f"{c.dir}/frames/shard{s}")
        for i in range(90):
            b = bytearray()
            for _ in range(20): b += bytes([random.randint(1, 9), random.randint(0, 255)])
            if bad == (s, i): b[0] = 0xFF
            open(f"{c.dir}/frames/shard{s}/f{i:03}.rle", "wb").write(b)
def userlog(cl, t, rows):
    return "".join(f"{code} ({cl}.{pr:03}.000) {stamp(ts, off=3600)} {txt}\n...\n" for code, pr, ts, txt in rows)
def conf(c, ws, i): return json.dumps({"cluster": {"worker": [f"{w}:2300" for w in ws]}, "task": {"type": "worker", "index": i}})

def abort():
    ws = ["dar-pomorza", "batory", "chrobry"]
    c = Cluster("gd311", "10.61.4", ws, "CET-1"); 
    try:
        code = c.dir + "/code"; os.makedirs(code); shutil.copy(J + "/yard.py", code); sh(f"gcc -O0 -shared -fPIC -o {code}/libctr.so {J}/libctr.c")
        prep(c, 3, bad=(1, 87))
        env = lambda i: dict(TF_CONFIG=conf(c, ws, i), FRAMES=c.dir + "/frames", SPOOL=c.dir, STEPS="260")
        for i, w in enumerate(ws): c.run(w, "code/yard.py", f"{i}.err", env(i))
        c.until("1.err", "free()", 120, ["batory"]); r = c.wait(timeout=25)
        hung = [w for w in ws if r[w] is None]
        for w in hung: c.kill(w, signal.SIGTERM)
        r = c.wait(timeout=6); t = time.time()
        P = [(c.dir + "/", "/var/lib/condor/execute/dir_28817/"), ("/root/.pyenv/versions/3.11.7/", "/opt/ml/py/"), ("/opt/tfenv/", "/opt/ml/tf/")]
        e = [sub(c.lines(f"{i}.err"), P) for i in range(3)]
        rows = [("000", i, c.t0, "Job submitted from host: <10.61.4.2:9618?addrs=10.61.4.2-9618&alias=schedd.gct.local>") for i in range(3)]
        rows += [("001", i, c.t0 + 1, f"Job executing on host: <{c.hosts[w]}:9618?addrs={c.hosts[w]}-9618&alias={w}>\n\tSlotName: slot1@{w}\n\tCpus = 2\n\tDisk = 20971520\n\tMemory = 3072") for i, w in enumerate(ws)]
        rows += [("006", i, c.t0 + 30 + i, f"Image size of job updated: {812344 + i * 9120}\n\t{690 + i}  -  MemoryUsage of job (MB)\n\t{706560 + i * 11}  -  ResidentSetSize of job (KB)") for i in range(3)]
        for i, w in sorted(enumerate(ws), key=lambda q: q[1] != "batory"):
            te = t - (4 if i == 1 else 2)
            rc = r[w]
            how = f"\t(1) Normal termination (return value {rc})" if (rc or 0) >= 0 else f"\t(0) Abnormal termination (signal {-rc})\n\t(0) No core file"
            rows.append(("005", i, te, f"Job terminated.\n{how}\n\t\tUsr 0 00:00:21, Sys 0 00:00:03  -  Run Remote Usage\n\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Local Usage\n\t1843  -  Run Bytes Sent By Job\n\t77120  -  Run Bytes Received By Job\n\tJob terminated of its own accord at {stamp(te, '%Y-%m-%dT%H:%M:%S')}Z."))
        dm = f"[411002.118204] Out of memory: Killed process 9931 (java) total-vm:9124432kB, anon-rss:7012388kB, file-rss:0kB, shmem-rss:0kB, UID:1102 pgtables:14208kB oom_score_adj:0\n[411002.601117] oom_reaper: reaped process 9931 (java), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB\n"
        mail = f"Od: nocny dyzur <it-noc@gct.local>\nDo: ml@gct.local\nTemat: [RT #40311] suwnice - trening padl\n\nHej, trening znowu lezy. Na chrobrym w dmesg jest OOM ({stamp(c.t0, '%d.%m', -6*86400)}, jakas java od TOS-a) to moze pamiec?\nSpakowalem spool klastra 28817 i user log. Restart zrobcie sami.\n -- Kuba\n"
        A = "RT40311_cluster28817.tar.gz"; A = "gdynia-311.tar.gz"
        files = {"spool/28817/yard.log": userlog(28817, t, rows), "rt40311.txt": mail, "chrobry.dmesg.stary": dm, "spool/28817/yard.sub": "universe = vanilla\nexecutable = /opt/ml/tf/bin/python\narguments = code/yard.py\ntransfer_input_files = code, frames\nrequest_cpus = 2\nrequest_memory = 3G\nlog = yard.log\nerror = $(Process).err\noutput = $(Process).out\nqueue 3\n"}
        for i in range(3): files[f"spool/28817/{i}.err"] = e[i]; files[f"spool/28817/{i}.out"] = ""
        pack(A, files)
        truth(A, "process.abort-check", ["batory", "worker:1"], [], "glibc heap check: 'free(): double free detected' at the end of 1.err of batory and Abnormal termination (signal 6) in the user log; the other slots only report the lost peer. Red herrings: old kernel OOM of a java on chrobry.")
        return e
    finally: c.close()

def diverge():
    ws = ["hel", "puck", "jurata"]
    c = Cluster("gd318", "10.61.5", ws, "CET-1")
    try:
        code = c.dir + "/code"; os.makedirs(code); shutil.copy(J + "/yard_eval.py", code + "/yard_rl.py")
        for i, w in enumerate(ws): c.run(w, "code/yard_rl.py", f"{i}.err", dict(TF_CONFIG=conf(c, ws, i), SPOOL=c.dir))
        r = c.wait(timeout=100)
        P = [(c.dir + "/", "/srv/condor/exec/dir_30402/"), ("/root/.pyenv/versions/3.11.7/", "/opt/ml/py/"), ("/opt/tfenv/", "/opt/ml/tf/")]
        # one merged text, as `condor_tail` in three panes pasted one after the other
        big = "".join(f"suwnice@schedd:~$ condor_ssh_to_job 30402.{i} 'hostname; cat _condor_stderr'\n{w}\n" + shift(sub(c.lines(f"{i}.err"), P), [0, 41, 0][i]) + "\n" for i, w in enumerate(ws))
        q = "suwnice@schedd:~$ condor_history 30402 -af:j JobStatus ExitCode ExitBySignal RemoteHost\n" + "".join(f"30402.{i} 4 {r[w]} false slot1@{w}\n" for i, w in enumerate(ws))
        note = "Tydzien pozniej, do Marka:\nPo rolloucie modelu trzy bramki daja trzy rozne prognozy dla tej samej wizyty statku. Joby w condorze wszystkie zielone.\nKlaster 30402, wklejka z terminala w zalaczniku. Piotr twierdzi, ze to zegar na puck (spieszy 40 s) i NTP. Nie wiem.\nW poprzednim tygodniu 30377 padl bo brakowalo miejsca na /srv (No space left on device) ale to bylo posprzatane PRZED 30402.\n"
        A = "gdynia-318.tar.xz"
        pack(A, {"wklejka_30402.txt": big + q, "do_marka.txt": note})
        truth(A, "numeric.divergence", None, [], "All end with exit 0, but the job's own check ('kontrola |w|^2 ... rozrzut') shows replicas hold different weights, growing, and the same validation set gives different mse per slot. Red herrings: clock skew of puck, earlier disk full of 30377.")
    finally: c.close()

def mismatch():
    ws = ["orp-burza", "orp-grom", "orp-wicher"]
    c = Cluster("gd402", "10.61.6", ws, "CET-1")
    try:
        os.makedirs(c.dir + "/code"); shutil.copy(J + "/stack.py", c.dir + "/code")
        for n, h in (("bct", 48), ("gct", 48), ("gct_stary", 56)): open(f"{c.dir}/code/{n}.ini", "w").write(f"ukryte={h}\n")
        for term, port in (("BCT", 2400), ("GCT", 2500)):
            for i, w in enumerate(ws):
                ini = "bct" if term == "BCT" else ("gct_stary" if i == 2 else "gct")
                c.run(w, "code/stack.py", f"{term}.{i}.err", dict(TF_CONFIG=conf(c, ws, i).replace("2300", str(port)), TERMINAL=term, INI=f"{c.dir}/code/{ini}.ini"), key=term + w)
            ks = [term + w for w in ws]; c.wait(ks, timeout=60)
            for k in ks: c.kill(k, signal.SIGTERM)
            r = c.wait(ks, timeout=4)
            for k in ks: c.kill(k, signal.SIGKILL)
        Pm = [(c.dir + "/", "/scratch/stack/"), ("/root/.pyenv/versions/3.11.7/", "/opt/ml/py/"), ("/opt/tfenv/", "/opt/ml/tf/")]; D = -86400 * 12
        # one file per host, both jobs in it, tagged, the way rsyslog's imfile writes them on the loghost
        files = {}
        for i, w in enumerate(ws):
            o = ""
            for term in ("BCT", "GCT"):
                o += "".join(f"{w} condor-{term.lower()}-stderr: {x}\n" for x in shift(sub(c.lines(f"{term}.{i}.err"), Pm), D + [0, 0, -19][i]).splitlines())
            files[f"loghost/{w}/stack.log"] = o
        files["loghost/orp-grom/kern.log.1"] = f"{stamp(c.t0, '%b %d %H:%M:%S', D - 50000)} orp-grom kernel: [88120.1] Out of memory: Killed process 1290 (gunicorn) total-vm:3120044kB, anon-rss:2610044kB, file-rss:0kB, shmem-rss:0kB, UID:33 pgtables:5900kB oom_score_adj:0\n"
        files["rt40402.txt"] = "Temat: [RT #40402] stack BCT/GCT\nDwa joby z jednej nocy. Jeden jest ok, drugi nie. Tomek mowi: /srv/tos odmontowane (widac ERROR plan TOS). orp-wicher doszedl w pon z innej kolejki, ma swoj katalog code.\n"
        A = "gdynia-402.tar.gz"; pack(A, files)
        truth(A, "collective.mismatch", ["orp-wicher", "worker:2"], ["data.shape-mismatch"], "Job GCT: orp-wicher enters the all-reduce of the row vector with 56 elements, the others with 48 (shape mismatch of the same collective); job BCT finished. Red herrings: caught TOS plan error in both jobs, old OOM of gunicorn on orp-grom.")
        return r
    finally: c.close()

if __name__ == "__main__":
    for f in sys.argv[1:]: globals()[f]()
