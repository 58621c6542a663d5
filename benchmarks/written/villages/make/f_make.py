"""Team 6 (Osaka): TF1-style servers under Grid Engine."""
from lab import *
H = {"hozen41": "172.20.8.41", "hozen42": "172.20.8.42", "hozen44": "172.20.8.44", "hozen47": "172.20.8.47"}
def up(L, port, env, tag="", pre={}, per={}):
    hs = list(H); cl = {"ps": [f"hozen41:{port}"], "worker": [f"{h}:{port + 1}" for h in hs[1:]]}
    for j, k, h in [("ps", 0, hs[0])] + [("worker", i, h) for i, h in enumerate(hs[1:])]:
        L.run(f"{tag}{j}{k}", h, f"{PY215} {BASE}/make/f_tf1.py {j} {k}", {"SENRO_CLUSTER": json.dumps(cl), **env, **per.get((j, k), {})}, pre=pre.get((j, k), ""))
def end(L, keys, sig=signal.SIGTERM):
    L.tk = time.time()
    for k in keys: L.kill(k, sig)
    print(L.wait(timeout=5)); json.dump([L.tk], open(L.dir + "/times.json", "w")); L.close()
def f1():
    L = Lab("f1uneven", H); up(L, 5100, {}, per={("worker", 2): {"SENRO_ROWS": "2656"}})
    L.wait_for("worker2", "owari", 80); time.sleep(40); end(L, list(L.procs))
def f2():
    L = Lab("f2deep", H); e = {"SENRO_MODE": "tree"}
    up(L, 5200, e, tag="t1-"); L.wait_for("t1-worker0", "local=40", 60); [L.kill(k, signal.SIGTERM) for k in list(L.procs)]; time.sleep(3); L.wait(timeout=3)
    up(L, 5200, e, tag="t2-"); L.wait(["t2-worker1"], 70); time.sleep(20); sh(f"dmesg | grep -i segfault | tail -1 > {L.dir}/dmesg", False); end(L, list(L.procs))
def f3():
    L = Lab("f3thr", H); cg = "/sys/fs/cgroup/pids/yset"; sh(f"mkdir -p {cg}; echo 44 > {cg}/pids.max")
    up(L, 5300, {"SENRO_ROWS": "1600"}, tag="ok-"); up(L, 5400, {}, tag="ng-", pre={("worker", 1): f"echo $$ > {cg}/cgroup.procs"})
    L.wait(["ok-worker0", "ok-worker1", "ok-worker2"], 60, kill=False); time.sleep(8); end(L, list(L.procs)); sh(f"rmdir {cg}", False)
if __name__ == "__main__":
    for n in sys.argv[1:]: globals()[n]()
