"""Team 4 (Nairobi, systemd units, ansible fetch, journalctl). Incidents nairobi-a, nairobi-k, nairobi-w."""
from cluster import *
import sys
J = os.path.join(HERE, "jobs")
P = lambda c: [(c.dir + "/", "/srv/fraud/"), ("/root/.pyenv/versions/3.11.7/", "/usr/"), ("/opt/tfenv/", "/srv/fraud/venv/")]
def conf(cl, t, i): return json.dumps({"cluster": cl, "task": {"type": t, "index": i}})
def code(c, *fs):
    os.makedirs(c.dir + "/code"); [shutil.copy(J + "/" + f, c.dir + "/code") for f in fs]
class Journal:
    def __init__(self, c, units): self.c, self.u, self.rows, self.pos = c, units, {l: [] for l in units}, {l: 0 for l in units}
    def poll(self):
        for l in self.u:
            t = self.c.lines(l); new = t[self.pos[l]:]; k = new.rfind("\n") + 1
            self.rows[l] += [(time.time(), x) for x in new[:k].split("\n")[:-1]]; self.pos[l] += k
    def loop(self, cond, timeout):
        end = time.time() + timeout
        while time.time() < end and not cond(): self.poll(); time.sleep(.1)
        time.sleep(.4); self.poll()
    def short(self, l, fmt, off, unit_rows=()):
        h, unit, pid = self.u[l]
        ev = [(t, f"{h} fraud-train[{pid}]: " + sub(x, P(self.c))) for t, x in self.rows[l]] + [(t, f"{h} systemd[1]: " + m.format(u=unit)) for t, m in unit_rows]
        ev.sort(key=lambda e: e[0]); return "".join(stamp(t, fmt, off) + " " + m + "\n" for t, m in ev)
def ended(rc): return "{u}: Main process exited, code=exited, status=%d/%s" % (rc, "FAILURE" if rc else "SUCCESS") if rc >= 0 else "{u}: Main process exited, code=killed, status=%d/%s" % (-rc, signal.Signals(-rc).name[3:])
def tls():
    hs = ["mpesa-tr1", "mpesa-tr2", "mpesa-ps1", "fstore1"]
    c = Cluster("nba", "10.90.3", hs, "EAT-3", "int.pesa.co.ke")
    try:
        code(c, "fraud.py", "fstore.py"); t = c.dir + "/tls"; os.makedirs(t)
        sh(f"cd {t} && openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out good.pem -days 30 -subj /CN=fstore1 -addext subjectAltName=DNS:fstore1 && cp good.pem ca.pem && cp good.pem current.pem")
        # an intermediate re-issue by another CA, never given to the clients
        sh(f"cd {t} && openssl req -x509 -key key.pem -out new.pem -days 30 -subj '/O=Pesa Internal CA G2/CN=fstore1' -addext subjectAltName=DNS:fstore1")
        cl = {"ps": ["mpesa-ps1:2222"], "worker": ["mpesa-tr1:2222", "mpesa-tr2:2222"]}
        c.run("fstore1", "code/fstore.py", "fs.log"); time.sleep(1)
        for h, ty, i in (("mpesa-ps1", "ps", 0), ("mpesa-tr1", "worker", 0), ("mpesa-tr2", "worker", 1)):
            c.run(h, "code/fraud.py", h + ".log", dict(TF_CONFIG=conf(cl, ty, i), CKPT=c.dir + "/ck", FILTER="1", LAST="1500", FEATURES="https://fstore1:8443", SSL_CERT_FILE=t + "/ca.pem"))
        j = Journal(c, {h + ".log": (h, f"fraud-train@{ty}.service", p) for h, ty, p in (("mpesa-ps1", "ps", 1811), ("mpesa-tr1", "worker", 20714), ("mpesa-tr2", "worker", 19402))})
        j.loop(lambda: c.lines("fs.log").count("GET") >= 14, 60)
        shutil.copy(t + "/new.pem", t + "/current.pem"); os.kill(c.p["fstore1"].pid, signal.SIGHUP); th = time.time()
        j.loop(lambda: c.p["mpesa-tr1"].poll() is not None and c.p["mpesa-tr2"].poll() is not None, 40)
        c.kill("mpesa-ps1", signal.SIGTERM); r = c.wait(["mpesa-tr1", "mpesa-tr2", "mpesa-ps1"], timeout=5); te = time.time()
        D = 10800 - 86400 * 9
        files = {}
        for h in ("mpesa-tr1", "mpesa-tr2", "mpesa-ps1"):
            pre = [(c.t0, "Started {u} - fraud trainer.")]
            if h == "mpesa-tr2": pre += [(c.t0 - 7000, "fraud-scoring.service: A process of this unit has been killed by the OOM killer."), (c.t0 - 6999, "fraud-scoring.service: Failed with result 'oom-kill'.")]
            files[f"fetched/{h}/tmp/j.txt"] = shift(j.short(h + ".log", "%b %d %H:%M:%S", D, pre + [(te, ended(r[h])), (te + .01, "{u}: Failed with result 'exit-code'." if r[h] else "{u}: Deactivated successfully.")]), D - 10800)
        files["fetched/fstore1/var/log/fstore/access.log"] = re.sub(r"\[\d\d/\w+/\d{4} ", "[18/Nov/2026 ", c.lines("fs.log"))
        files["whatsapp.txt"] = "[23:52] Wanjiru: training iko down tena, ps1 ama tr2? tr2 had oom leo jioni\n[23:55] Otieno: security rotated something kwa fstore, but curl from my laptop works\n[23:57] Wanjiru: I fetch everything with ansible, will look asubuhi\n"
        A = "nairobi-a.tar.gz"; pack(A, files)
        truth(A, "network.tls", ["fstore1", "mpesa-tr1", "mpesa-tr2"], [], "Both workers die of CERTIFICATE_VERIFY_FAILED when they fetch features from fstore1, whose certificate was replaced while running. Red herring: OOM kill of fraud-scoring.service on tr2 two hours before; 'curl works' remark.")
    finally: c.close()
def twojobs():
    hs = ["ng-tr1", "ng-tr2", "ng-tr3", "ng-ps1"]
    c = Cluster("nbk", "10.90.4", hs, "EAT-3")
    try:
        code(c, "fraud.py")
        A_ = {"ps": ["ng-ps1:2222"], "worker": ["ng-tr1:2222", "ng-tr2:2222"]}       # job loans
        B_ = {"ps": ["ng-ps1:2322"], "worker": ["ng-tr1:2322", "ng-tr2:2322", "ng-tr3:2322"]}   # job cards
        run = lambda h, cl, ty, i, key, last: c.run(h, "code/fraud.py", key + ".log", dict(TF_CONFIG=conf(cl, ty, i), CKPT=c.dir + "/ck_" + key.split(".")[0], FILTER="1", LAST=last), key=key)
        run("ng-ps1", A_, "ps", 0, "loans.ps1", "0"); run("ng-ps1", B_, "ps", 0, "cards.ps1", "0")
        run("ng-tr1", A_, "worker", 0, "loans.tr1", "300"); run("ng-tr2", A_, "worker", 1, "loans.tr2", "300")
        keys = ["loans.ps1", "cards.ps1", "loans.tr1", "loans.tr2", "cards.tr1", "cards.tr2", "cards.tr3"]
        j = Journal(c, {k + ".log": (k, k, 0) for k in keys})
        j.loop(lambda: "step = " in c.lines("loans.tr1.log"), 60)
        # cards: the unit file on tr3 was copied from tr2, with index 1 kept ... and one beyond the end on tr2's new unit
        run("ng-tr1", B_, "worker", 0, "cards.tr1", "240"); run("ng-tr2", B_, "worker", 1, "cards.tr2", "240"); run("ng-tr3", B_, "worker", 3, "cards.tr3", "240")
        j.loop(lambda: all(c.p[k].poll() is not None for k in ("loans.tr1", "loans.tr2", "cards.tr3", "cards.tr1", "cards.tr2")), 80)
        end = time.time()
        for k in keys: c.kill(k, signal.SIGTERM)
        r = c.wait(keys, timeout=6); j.poll(); D = -86400 * 2
        pid = {k: 3000 + 41 * i for i, k in enumerate(keys)}
        out = []
        # journalctl -o json-seq like export, one object per line, all units mixed by host
        for k in keys:
            job, h = k.split("."); t = c.p[k].started
            for n, (tt, x) in enumerate((a, shift(sub(b, P(c)), D)) for a, b in j.rows[k + ".log"]):
                out.append((h, tt + n * 1e-6, json.dumps({"__REALTIME_TIMESTAMP": str(int((tt + D) * 1e6) + n), "_HOSTNAME": "ng-" + h, "_SYSTEMD_UNIT": f"{job}@{'ps' if h == 'ps1' else 'worker'}.service", "_PID": str(pid[k]), "PRIORITY": "6", "SYSLOG_IDENTIFIER": "python", "MESSAGE": x})))
            te = (j.rows[k + ".log"][-1][0] if h != "ps1" else end) + .2
            out.append((h, te, json.dumps({"__REALTIME_TIMESTAMP": str(int((te + D) * 1e6)), "_HOSTNAME": "ng-" + h, "_SYSTEMD_UNIT": "init.scope", "_PID": "1", "PRIORITY": "5", "SYSLOG_IDENTIFIER": "systemd", "MESSAGE": ended(r[k]).format(u=f"{job}@{'ps' if h == 'ps1' else 'worker'}.service")})))
        out.sort(key=lambda o: (o[0], o[1]))
        A = "nairobi-k.tar.gz"
        pack(A, {"export-all-hosts.jsonl": "\n".join(o[2] for o in out) + "\n", "units/cards@.service": "[Unit]\nDescription=cards trainer %i\n[Service]\nEnvironmentFile=/etc/fraud/cards.env\nExecStart=/srv/fraud/venv/bin/python code/fraud.py\nRestart=no\n",
                 "units/ng-tr3.cards.env": "TF_CONFIG=" + conf(B_, "worker", 3) + "\nLAST=240\n", "units/ng-tr2.cards.env": "TF_CONFIG=" + conf(B_, "worker", 1) + "\nLAST=240\n", "README": "tr3 added to cards tonight. loans runs on the same boxes. maybe they fight for port? ss shows both ports open.\n"})
        truth(A, "config.task-index", ["ng-tr3", "worker:3"], [], f"cards on ng-tr3 has task index 3 in a cluster of three workers (0..2): its server refuses. loans finished well. rc: {r}. Red herring: port remark, loans' own ending.")
    finally: c.close()
def psgone():
    hs = ["kt-tr1", "kt-tr2", "kt-ps1", "kt-ps2"]
    c = Cluster("nbw", "10.90.5", hs, "EAT-3")
    try:
        code(c, "fraud.py"); cl = {"ps": ["kt-ps1:2222", "kt-ps2:2222"], "worker": ["kt-tr1:2222", "kt-tr2:2222"]}
        for h, ty, i in (("kt-ps1", "ps", 0), ("kt-ps2", "ps", 1), ("kt-tr1", "worker", 0), ("kt-tr2", "worker", 1)):
            c.run(h, "code/fraud.py", h + ".log", dict(TF_CONFIG=conf(cl, ty, i), CKPT=c.dir + "/ck", FILTER="1", LAST="2000"))
        c.until("kt-tr1.log", "step = 25", 60); c.kill("kt-ps2", signal.SIGKILL)
        c.wait(["kt-tr1", "kt-tr2"], timeout=30)
        for h in hs: c.kill(h, signal.SIGTERM)
        c.wait(timeout=5); D = -86400 * 15
        A = "nairobi-w.zip"
        pack(A, {"tr1 (screen scrollback).txt": shift(sub(c.lines("kt-tr1.log"), P(c)), D), "tr2 (screen scrollback).txt": shift(sub(c.lines("kt-tr2.log"), P(c)), D), "handover.txt": "ps boxes already re-imaged by infra before I could copy anything, sorry. Only the two trainers. Last week we had disk full on kt-ps1 but cleaned.\n"})
        truth(A, "ps.unavailable", ["kt-ps2", "ps:1"], ["process.killed-by-signal", "network.unreachable-peer"], "Only the workers' scrollback: UNAVAILABLE / connection refused to ps task 1 while running; what ended that ps is not collected.")
    finally: c.close()
if __name__ == "__main__":
    for f in sys.argv[1:]: print(globals()[f]())
