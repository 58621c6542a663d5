"""Team 5 (Tampere, Nomad + Vector NDJSON). Incidents tampere-0113, tampere-0208, tampere-0330."""
from cluster import *
import sys, uuid
J = os.path.join(HERE, "jobs")
P = lambda c: [(c.dir + "/", "/alloc/"), ("/root/.pyenv/versions/3.11.7/", "/usr/local/"), ("/opt/tfenv/", "/local/venv/"), (os.path.dirname(os.path.dirname(PY215)) + "/", "/local/venv/")]
def conf(cl, t, i): return json.dumps({"cluster": cl, "task": {"type": t, "index": i}})
def code(c, *fs):
    os.makedirs(c.dir + "/code"); [shutil.copy(J + "/" + f, c.dir + "/code") for f in fs]
class Vector:
    def __init__(self, c, m): self.c, self.m, self.rows, self.pos = c, m, [], {l: 0 for l in m}
    def poll(self):
        for l, (h, task, al) in self.m.items():
            t = self.c.lines(l); new = t[self.pos[l]:]; k = new.rfind("\n") + 1
            self.rows += [(time.time(), h, task, al, x) for x in new[:k].split("\n")[:-1]]; self.pos[l] += k
    def loop(self, cond, timeout):
        end = time.time() + timeout
        while time.time() < end and not cond(): self.poll(); time.sleep(.1)
        time.sleep(.4); self.poll()
    def nd(self, off, skew={}): return "".join(json.dumps({"timestamp": stamp(t, "%Y-%m-%dT%H:%M:%S.", off + skew.get(h, 0)) + f"{int(t%1*1e6):06d}Z", "host": h, "nomad": {"task": task, "alloc_id": al}, "message": shift(sub(x, P(self.c)), off)}, ensure_ascii=False) + "\n" for t, h, task, al, x in self.rows)
def unsched():
    hs = ["nasi", "pyynikki", "hervanta", "kaleva"]
    c = Cluster("tp0113", "192.168.77", hs, "EET-2")
    try:
        code(c, "churn_ps.py"); cl = {"chief": ["nasi:4000"], "ps": ["pyynikki:4001"], "worker": ["hervanta:4002", "kaleva:4003"]}
        al = {h: str(uuid.uuid5(uuid.NAMESPACE_DNS, h)) for h in hs}
        s = open(c.dir + "/code/churn_ps.py").read()
        s = s.replace("import os, json, time\n", "import os, json, time, threading\n").replace("strategy = tf.distribute.Para", """valmis = threading.Event()
def odottaja():
    t = 0
    while not valmis.wait(2): t += 2; print(time.strftime("%H:%M:%S"), "klusteri ei viela koossa,", t, "s", flush=True)
threading.Thread(target=odottaja, daemon=True).start()
strategy = tf.distribute.Para""").replace("with strategy.scope()", "valmis.set()\nwith strategy.scope()"); open(c.dir + "/code/churn_ps.py", "w").write(s)
        R = {"nasi": ("chief", 0), "pyynikki": ("ps", 0), "hervanta": ("worker", 0), "kaleva": ("worker", 1)}
        T = {"nasi": "chief", "pyynikki": "ps", "hervanta": "worker-0", "kaleva": "worker-1"}
        # the night before: all four placed, 20 epochs
        for h in ("pyynikki", "hervanta", "kaleva", "nasi"): c.run(h, "code/churn_ps.py", h + ".y.log", dict(TF_CONFIG=conf(cl, *R[h])), key=h + "y")
        y = Vector(c, {h + ".y.log": (h, T[h], str(uuid.uuid5(uuid.NAMESPACE_DNS, h + "y"))) for h in hs})
        y.loop(lambda: c.p["nasiy"].poll() is not None, 60)
        for h in hs: c.kill(h + "y", signal.SIGTERM)
        c.wait([h + "y" for h in hs], timeout=5); y.poll()
        c.t0 = time.time()
        for h in ("pyynikki", "hervanta", "nasi"): c.run(h, "code/churn_ps.py", h + ".log", dict(TF_CONFIG=conf(cl, *R[h])))
        v = Vector(c, {h + ".log": (h, T[h], al[h]) for h in hs[:3]})
        v.loop(lambda: c.p["nasi"].poll() is not None, 75)
        for h in hs[:3]: c.kill(h, signal.SIGTERM)
        r = c.wait(timeout=5); v.poll(); off = -86400 * 20
        f = lambda t: stamp(t, "%Y-%m-%dT%H:%M:%SZ", off)
        st = f"""ID            = churn-ps-0113
Name          = churn-ps-0113
Submit Date   = {f(c.t0)}
Type          = batch
Priority      = 50
Datacenters   = tre1
Namespace     = ml
Status        = dead (stopped)
Periodic      = false
Parameterized = false

Summary
Task Group  Queued  Starting  Running  Failed  Complete  Lost  Unknown
chief       0       0         0        0       1         0     0
ps          0       0         0        0       1         0     0
worker-0    0       0         0        0       1         0     0
worker-1    1       0         0        0       0         0     0

Placement Failure
Task Group "worker-1":
  * Class "big": 3 nodes excluded by filter
  * Constraint "${{meta.ssd}} = true": 3 nodes excluded by filter
  * Resources exhausted on 1 nodes
  * Dimension "memory" exhausted on 1 nodes

Allocations
ID        Node ID   Task Group  Version  Desired  Status    Created    Modified
{al['nasi'][:8]}  77ac0e11  chief       0        stop     complete  1m ago     12s ago
{al['pyynikki'][:8]}  0d2f9a54  ps          0        stop     complete  1m ago     12s ago
{al['hervanta'][:8]}  c19e7b60  worker-0    0        stop     complete  1m ago     12s ago
"""
        chat = json.dumps([{"user": "aino", "ts": str(c.t0 + off + 40), "text": "churn-ps on jumissa, ei yhtaan epookkia"}, {"user": "eetu", "ts": str(c.t0 + off + 52), "text": "kalevassa oli eilen DNS-ongelma (systemd-resolved), kokeile resolvectl flush"}, {"user": "aino", "ts": str(c.t0 + off + 74), "text": "ei auttanut. nomad job stop, otan talteen"}], indent=1)
        A = "tampere-0113.tar.gz"; pack(A, {"vector/ml-2026-11-06.ndjson": y.nd(off - 84000), "vector/ml-2026-11-07.ndjson": v.nd(off), "job_status.txt": st, "chat-export.json": chat})
        truth(A, "scheduler.unschedulable", ["worker-1", "worker:1", "kaleva"], [], "nomad job status: worker-1 stays Queued with Placement Failure (memory exhausted); chief waits for it, no epoch ever, stopped by the operator. Red herring: DNS remark of a colleague.")
    finally: c.close()
def version():
    hs = ["rauhaniemi", "lielahti"]
    c = Cluster("tp0208", "192.168.78", hs, "EET-2")
    try:
        code(c, "churn.py")
        sh(f"""TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES=-1 {PY} -c "
import tensorflow as tf
m = tf.keras.Sequential([tf.keras.layers.Input((12,)), tf.keras.layers.Dense(16,'relu'), tf.keras.layers.Dense(1,'sigmoid')]); m.save('{c.dir}/churn-base-2026w45.keras')
" """)
        rows = []
        # attempt 1 without the base model (went well, short); attempt 2 with the new base model
        for att, extra in (("1", {}), ("2", {"BASE_MODEL": c.dir + "/churn-base-2026w45.keras"})):
            for i, h in enumerate(hs): c.run(h, "code/churn.py", f"{h}.{att}.log", dict(TF_CONFIG=conf({"worker": [f"{x}:4100" for x in hs]}, "worker", i), NOMAD_ALLOC_DIR=c.dir + f"/a{att}", EPOCHS="2", **extra), py=PY215, key=h + att)
            v = Vector(c, {f"{h}.{att}.log": (h, f"train-{i}", str(uuid.uuid5(uuid.NAMESPACE_DNS, h + att))) for i, h in enumerate(hs)})
            v.loop(lambda: all(c.p[h + att].poll() is not None for h in hs), 60)
            for h in hs: c.kill(h + att, signal.SIGTERM)
            c.wait([h + att for h in hs], timeout=5); v.poll(); rows.append(v)
        off = -86400 * 13 - 3300
        A = "tampere-0208.tar.xz"
        pack(A, {"logs/churn-nightly.dispatch-1.ndjson": rows[0].nd(off), "logs/churn-nightly.dispatch-2.ndjson": rows[1].nd(off), "fish_history": "- cmd: nomad job dispatch -meta base=none churn-nightly\n- cmd: nomad job dispatch -meta base=churn-base-2026w45.keras churn-nightly\n- cmd: nomad alloc logs -stderr (nomad job allocs -json churn-nightly | jq -r '.[0].ID')\n- cmd: df -h /alloc   # 91% ??\n"})
        truth(A, "serialization.version", None, ["env.version-skew", "checkpoint.mismatch"], "dispatch-2: Keras 2.15 cannot deserialize the .keras file written by Keras 3 (Unrecognized keyword arguments: ['batch_shape'] ...) on both tasks; dispatch-1 ended well. Red herring: disk 91%.")
    finally: c.close()
def fine():
    hs = ["pispala", "tammela", "kissanmaa"]
    c = Cluster("tp0330", "192.168.79", hs, "EET-2")
    try:
        code(c, "churn.py"); cl = {"worker": [f"{x}:4200" for x in hs]}; vs = []
        go = lambda att: [c.run(h, "code/churn.py", f"{h}.{att}.log", dict(TF_CONFIG=conf(cl, "worker", i), NOMAD_ALLOC_DIR=c.dir + "/a", EPOCHS="12"), key=h + att, py=PY215) for i, h in enumerate(hs)]
        mk = lambda att: Vector(c, {f"{h}.{att}.log": (h, f"train-{i}", str(uuid.uuid5(uuid.NAMESPACE_DNS, h + att))) for i, h in enumerate(hs)})
        go("1"); v = mk("1"); v.loop(lambda: "Epoch 4/12" in c.lines("pispala.1.log"), 60)
        for h in hs: c.kill(h + "1", signal.SIGTERM)      # client drained for a kernel update
        c.wait([h + "1" for h in hs], timeout=5)
        for h in hs: c.kill(h + "1", signal.SIGKILL)
        time.sleep(1); v.poll(); t1 = time.time()
        go("2"); w = mk("2"); w.loop(lambda: all(c.p[h + "2"].poll() is not None for h in hs), 90); r = c.wait([h + "2" for h in hs], timeout=5); w.poll()
        off = -86400 * 6; v.rows += w.rows; f = lambda t: stamp(t, "%Y-%m-%dT%H:%M:%SZ", off)
        ev = f"{f(t1-6)} Killing      Sent interrupt. Waiting 5s before force killing\n{f(t1)} Terminated   Exit Code: 137, Signal: 9\n{f(t1)} Drained      alloc migrated: node drain (kernel update) by eetu\n{f(t1+1)} Received     Task received by client\n{f(t1+2)} Started      Task started by client\n{f(time.time())} Terminated   Exit Code: {r['pispala2']}\n"
        A = "tampere-0330.tgz"
        pack(A, {"all.ndjson": v.nd(off, {"tammela": -7}), "alloc-events-train-0.txt": ev, "kysymys.md": "Aino: yolla oli paljon punaista (segment export failed, Exit 137). Pitaako ajaa uudestaan vai onko malli ok?\n"})
        truth(A, "none", None, [], f"First attempt was drained (SIGTERM, SIGKILL after 5 s) and the second restored from BackupAndRestore, trained to epoch 12, saved weights ('valmis', exit codes {r}). Scary: segment export error caught, exit 137 at the drain, deprecations.")
    finally: c.close()
if __name__ == "__main__":
    for f in sys.argv[1:]: print(globals()[f]())
