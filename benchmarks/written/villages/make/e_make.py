"""Team 5 (Nairobi): TFJob pods."""
from lab import *
H = {f"croploss-{x}-worker-{i}": f"10.244.{3 + i}.{17 + i}" for x in "a" for i in range(3)}
def up(L, hs, env, pre={}, pfx={}):
    for i, h in enumerate(hs):
        tc = json.dumps({"cluster": {"worker": [f"{x}:2222" for x in hs]}, "task": {"type": "worker", "index": i}})
        L.run(f"w{i}", h, f"{pfx.get(i, '')} {PY221} {BASE}/make/e_crop.py", {"TF_CONFIG": tc, **env}, pre=pre.get(i, ""))
def hosts(x, n=3): return {f"croploss-{x}-worker-{i}": f"10.244.3.{17 + i}" for i in range(n)}
def e1():
    h = hosts("maize"); L = Lab("e1vic", h); up(L, h, {}); L.wait_for("w0", "step 75", 40); L.kill("w2"); print(L.wait(timeout=40)); L.close()
def e2():
    h = hosts("tea"); L = Lab("e2perm", h); sh(f"chmod 777 {L.dir}; mkdir -p {L.dir}/pvc/rank0 {L.dir}/pvc/rank1 {L.dir}/pvc/rank2; chmod 777 {L.dir}/pvc/rank0 {L.dir}/pvc/rank1; chmod 755 {L.dir}/pvc/rank2")
    up(L, h, {"CROP_OUT": "pvc"}, pfx={2: "setpriv --reuid 1001 --regid 1001 --clear-groups"}); print(L.wait(timeout=40)); L.close()
def e3():
    h = hosts("bean"); L = Lab("e3ok", h); up(L, h, {"CROP_MODE": "scary"}); print(L.wait(timeout=40)); L.close()
if __name__ == "__main__":
    for n in sys.argv[1:]: globals()[n]()
