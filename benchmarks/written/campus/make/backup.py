"""Survived: first attempt ended by preemption, the second restores with BackupAndRestore and finishes. journalctl -o json per host in one file."""
from kerlib import *
H = {"lab-ed-1": "10.55.0.4", "lab-ed-2": "10.55.0.5"}
n = Net("backup", H); h = list(H)
tagp = "| cat"
T = " 2>&1 | python3 -u -c \"import sys,time,json\nfor l in sys.stdin: print(json.dumps([time.time(), l.rstrip(chr(10))]))\""
import subprocess
def go(att):
    return fit(n, h, "--epochs 7 --backup bk", 6000, log="{h}." + str(att), post=T)
ps = go(1); n.grep("lab-ed-1.1", "Epoch 4/7", 60); time.sleep(1)
for p in ps: os.killpg(p.pid, signal.SIGTERM)
t1 = time.time(); n.wait(ps, 10); time.sleep(8); ps = go(2); print(n.wait(ps, 90)); t2 = time.time(); n.close()
D = -12 * 86400 + 50; mp = {n.dir: "/srv/edu/run", MAKE: "/srv/edu", OUT + "/tf215": "/srv/edu/venv", "/root/.pyenv/versions/3.11.7": "/usr"}
rows = []
def row(ts, host, ident, pid, msg, pri="6"):
    rows.append((ts, json.dumps({"__REALTIME_TIMESTAMP": str(int((ts + D) * 1e6)), "_HOSTNAME": host, "SYSLOG_IDENTIFIER": ident, "_PID": str(pid), "PRIORITY": pri, "_SYSTEMD_UNIT": "edu-train.service", "MESSAGE": msg})))
for i, x in enumerate(h):
    for a in (1, 2):
        pid = 4100 + 77 * i + 300 * a
        for l in n.read(f"{x}.{a}").splitlines():
            try: ts, m = json.loads(l)
            except ValueError: continue
            row(ts + i * 33, x, "edu-train", pid, shift(sub(m, mp), D + i * 33, 0))
        if a == 1:
            row(t1 + i * 33, x, "spot-agent", 611, "instance-action: stop at short notice (spot reclaim), draining units", "4")
            row(t1 + .1 + i * 33, x, "systemd", 1, "edu-train.service: Main process exited, code=killed, status=15/TERM", "5")
            row(t1 + 5 + i * 33, x, "systemd", 1, "edu-train.service: Scheduled restart job, restart counter is at 1.")
        else: row(t2 + i * 33, x, "systemd", 1, "edu-train.service: Deactivated successfully.")
row(t1 - 7000, h[1], "kernel", 0, "Out of memory: Killed process 2210 (firefox) total-vm:9912412kB, anon-rss:5112840kB, file-rss:0kB, shmem-rss:0kB, UID:1002 pgtables:21212kB oom_score_adj:300", "3")
rows.sort()
finish("edu-journal-0031", {"journal-both.json": "\n".join(r for _, r in rows) + "\n"}, "tar.xz", "none", None, [], "Attempt 1 was reclaimed (SIGTERM), systemd restarted it, BackupAndRestore resumed and the run wrote 'done' and the unit deactivated successfully. Herrings: spot reclaim, SIGTERM, old firefox OOM.")
