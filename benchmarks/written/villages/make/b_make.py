"""Team 2 (Sao Paulo): Nomad allocations with parameter servers."""
from lab import *
def go(L, place, port, model, hosts_for=None, epochs="6", resolv=None):
    """place: {'chief': [(service name, host)], 'ps': [...], 'worker': [...]}"""
    cl = {t: [f"{n}:{port + i}" for i, (n, h) in enumerate(v)] for t, v in place.items()}
    import uuid
    for t in ("ps", "worker", "chief"):
        for i, (n, h) in enumerate(place[t]):
            start(L, cl, t, i, h, model, epochs, hosts_for, resolv)
    return cl
def start(L, cl, t, i, h, model, epochs, hosts_for=None, resolv=None, suffix=""):
    import uuid
    pre = f"mount --bind {resolv} /etc/resolv.conf; python3 {BASE}/make/b_nxdomain.py & sleep .3;" if resolv and t == "chief" else ""
    L.run(f"{model}-{t}-{i}{suffix}", h, f"{PY221} {BASE}/make/b_ranker.py", {"TF_CONFIG": json.dumps({"cluster": cl, "task": {"type": t, "index": i}}), "MODEL": model, "EPOCHS": epochs, "NOMAD_ALLOC_ID": str(uuid.uuid4())[:8]}, pre=pre, hosts=(hosts_for if t == "chief" else None))
H = {"sp-nomad-cl-03": "10.77.2.13", "sp-nomad-cl-08": "10.77.2.18", "sp-nomad-cl-11": "10.77.2.21", "sp-nomad-cl-12": "10.77.2.22"}
def svc(names): return "".join(f"{H[h]} {n}\n" for n, h in names)
def place(m): return {"chief": [(f"{m}-chief.service.consul", "sp-nomad-cl-03")], "ps": [(f"{m}-ps-0.service.consul", "sp-nomad-cl-08"), (f"{m}-ps-1.service.consul", "sp-nomad-cl-11")], "worker": [(f"{m}-worker-0.service.consul", "sp-nomad-cl-11"), (f"{m}-worker-1.service.consul", "sp-nomad-cl-12")]}
def flat(p): return [x for v in p.values() for x in v]

def b1():
    p = place("ctr"); L = Lab("b1ps", H, svc(flat(p))); go(L, p, 21000, "ctr")
    L.wait_for("ctr-chief-0", "epoch=3 block=5", 120); L.kill("ctr-ps-1"); t = time.time()
    L.wait(["ctr-chief-0"], 150); json.dump([t], open(L.dir + "/times.json", "w"))
    for k in list(L.procs): L.kill(k, signal.SIGTERM)
    time.sleep(1); print(L.wait(timeout=3)); L.close()
def b2():
    p = place("feed"); L = Lab("b2ok", H, svc(flat(p))); cl = go(L, p, 21100, "feed", epochs="7")
    L.wait_for("feed-chief-0", "epoch=2 block=3", 120); L.kill("feed-worker-1", signal.SIGKILL); time.sleep(6)
    start(L, cl, "worker", 1, "sp-nomad-cl-12", "feed", "7", suffix="-r1")
    print(L.wait(["feed-chief-0"], 150))
    for k in list(L.procs): L.kill(k, signal.SIGTERM)
    time.sleep(1); print(L.wait(timeout=3)); L.close()
def b3():
    p, q = place("ctr"), place("cvr"); L = Lab("b3dns", H, svc(flat(p) + flat(q)))
    open(L.dir + "/hosts-stale", "w").write(open(L.dir + "/hosts").read().replace("10.77.2.21 cvr-ps-1.service.consul\n", ""))
    open(L.dir + "/resolv", "w").write("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
    go(L, p, 21200, "ctr", epochs="3"); go(L, q, 21300, "cvr", hosts_for=L.dir + "/hosts-stale", resolv=L.dir + "/resolv")
    print(L.wait(["ctr-chief-0"], 150)); L.wait(["cvr-chief-0"], 60)
    for k in list(L.procs): L.kill(k, signal.SIGTERM)
    time.sleep(1); print(L.wait(timeout=3)); L.close()
if __name__ == "__main__":
    for n in sys.argv[1:]: globals()[n]()
