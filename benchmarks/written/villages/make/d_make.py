"""Team 4 (Hsinchu): HTCondor pool of line PCs."""
from lab import *
H = {"FAB12A-AOI03": "10.12.33.103", "FAB12A-AOI07": "10.12.33.107", "FAB12B-EDGE2": "10.12.34.2"}
H = {h: "10.12.33." + ip.split(".")[-1] for h, ip in H.items()}
def up(L, env, per={}, py=None):
    for i, h in enumerate(H):
        tc = json.dumps({"cluster": {"worker": [f"{x}:9618" for x in H]}, "task": {"type": "worker", "index": i}})
        L.run(f"n{i}", h, f"{(py or {}).get(i, PY221)} {BASE}/make/d_inspect.py", {"TF_CONFIG": tc, **env, **per.get(i, {})})
def d1():
    L = Lab("d1ill", H); sh(f"gcc -O1 -mfma4 -shared -fPIC -o {L.dir}/libedge.so {BASE}/make/d_fma.c")
    up(L, {"AOI_SO": L.dir + "/libedge.so"}, {2: {"AOI_FN": "edge", "AOI_FROM": "60"}}); print(L.wait(timeout=70)); sh(f"dmesg | grep -i 'invalid opcode' | tail -1 > {L.dir}/dmesg", False); L.close()
def d2():
    L = Lab("d2type", H); up(L, {"AOI_BAD": "1"}); print(L.wait(timeout=60)); L.close()
def d3():
    L = Lab("d3skew", H); hs = list(H)
    L.run("disp", hs[2], f"{PY215} {BASE}/make/d_inspect.py dispatcher"); L.wait_for("disp", "dispatcher grpc", 30)
    for i in (0, 1): L.run(f"dw{i}", hs[i + 1], f"{PY215} {BASE}/make/d_inspect.py dworker {hs[i + 1]}:505{i + 1}", {"AOI_DISP": hs[2] + ":5050"})
    L.wait_for("dw1", "data worker", 30); up(L, {"AOI_DISP": hs[2] + ":5050"})
    print(L.wait(["n0", "n1", "n2"], timeout=60)); [L.kill(k, signal.SIGTERM) for k in ("disp", "dw0", "dw1")]; print(L.wait(timeout=4)); L.close()
if __name__ == "__main__":
    for n in sys.argv[1:]: globals()[n]()
