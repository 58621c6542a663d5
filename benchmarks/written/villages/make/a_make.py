"""Team 1 (Stavanger): three Slurm jobs."""
import random, tarfile
from lab import *
def tfc(addrs, i): return json.dumps({"cluster": {"worker": addrs}, "task": {"type": "worker", "index": i}})

def a1():
    hosts = {f"trane-n{i:02d}": f"10.31.4.{i}" for i in (5, 6, 7, 8)}
    L = Lab("a1nic", hosts); hs = [h for h in hosts for _ in (0, 1)]
    addrs = [f"{h}:{23400 + i % 2}" for i, h in enumerate(hs)]
    for i, h in enumerate(hs):
        L.run(f"r{i}", h, f"{PY221} {BASE}/make/a_fwi.py", {"TF_CONFIG": tfc(addrs, i), "SLURM_PROCID": str(i), "FWI_STEPS": "600"})
    L.wait_for("r0", "it   44", 150); time.sleep(.4)
    L.port("trane-n07", False); down = time.time(); time.sleep(75)
    kill = time.time()
    for k in list(L.procs): L.kill(k, signal.SIGTERM)
    time.sleep(4)
    print(L.wait(timeout=3)); json.dump([down, kill], open(L.dir + "/times.json", "w")); L.close()

def a2():
    hosts = {f"trane-n{i:02d}": f"10.31.4.{i}" for i in (11, 12, 14)}
    L = Lab("a2slow", hosts); addrs = [f"{h}:23400" for h in hosts]
    for i, h in enumerate(hosts):
        L.run(f"r{i}", h, f"{PY221} {BASE}/make/a_fwi.py", {"TF_CONFIG": tfc(addrs, i), "SLURM_PROCID": str(i), "FWI_STEPS": "600", "FWI_PACE": "0.05", "FWI_SLOW": "1.1" if i == 1 else "0"})
    L.wait_for("r0", "it   64", 130)
    json.dump([time.time()], open(L.dir + "/times.json", "w"))
    for k in list(L.procs): L.kill(k, signal.SIGTERM)
    print(L.wait(timeout=5)); L.close()

def a3():
    hosts = {f"trane-n{i:02d}": f"10.31.4.{i}" for i in (21, 22, 23)}
    L = Lab("a3ok", hosts); addrs = [f"{h}:23400" for h in hosts]
    for i, h in enumerate(hosts):
        pre = "mkdir -p scratch; mount -t tmpfs -o size=9m tmpfs scratch" if i == 2 else "mkdir -p scratch; mount -t tmpfs -o size=200m tmpfs scratch"
        L.run(f"r{i}", h, f"{PY221} {BASE}/make/a_fwi.py", {"TF_CONFIG": tfc(addrs, i), "SLURM_PROCID": str(i), "FWI_STEPS": "120", "FWI_PACE": "0.03", "FWI_CKPT": "scratch/fwi", "FWI_ALT": "project/fwi", "FWI_SCRATCH_MB": "4"}, pre=pre)
    print(L.wait(timeout=120)); L.close()

if __name__ == "__main__":
    for n in sys.argv[1:]: globals()[n]()
