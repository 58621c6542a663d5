"""Team 3 (Krakow): workstations with names of painters."""
from lab import *
H = {"wyspianski": "192.168.40.11", "matejko": "192.168.40.12", "boznanska": "192.168.40.13"}
def up(L, hs, tag, env, pre=""):
    for i, h in enumerate(hs):
        tc = json.dumps({"cluster": {"worker": [f"{x}:{7070}" for x in hs]}, "task": {"type": "worker", "index": i}})
        L.run(f"{tag}{h}", h, f"{PY215} {BASE}/make/c_unet.py", {"TF_CONFIG": tc, "TF_CPP_MIN_LOG_LEVEL": "0", **env}, pre=pre)
def c1():
    hs = ["wyspianski", "matejko"]; L = Lab("c1ckpt", {h: H[h] for h in hs}); e = {"GUZKI_RUN": "run", "GUZKI_EPOCHS": "14", "GUZKI_STEPS": "6"}
    up(L, hs, "p1-", {**e, "GUZKI_LISTA": "/mnt/pacs/lista_11.txt"}); L.wait(timeout=60)
    up(L, hs, "p2-", e); L.wait_for("p2-wyspianski", "epoka 8", 120); time.sleep(.5)
    for h in hs: L.kill("p2-" + h)
    L.wait(timeout=20); print(sh(f"cd {L.dir}; find run -type f | xargs ls -la > ls-przed.txt; cat ls-przed.txt"))
    for f in sh(f"find {L.dir}/run/backup -name '*.data-0*' -size +200k").split():
        if "chief" in f or "workertemp" not in f: sh(f"truncate -s 131072 {f}"); print("cut", f)
    sh(f"cd {L.dir}; find run -type f | xargs ls -la --time-style=full-iso > ls-po.txt")
    up(L, hs, "p3-", e); print(L.wait(timeout=60)); L.close()
def c2():
    hs = ["wyspianski", "boznanska"]; L = Lab("c2shm", {h: H[h] for h in hs})
    up(L, hs, "", {"GUZKI_MODE": "shm", "GUZKI_EPOCHS": "30", "GUZKI_PACE": "0.03", "GUZKI_STEPS": "5"}, pre="mount -t tmpfs -o size=64m tmpfs /dev/shm; (while sleep 5; do date +%H:%M:%S; df -h /dev/shm | tail -1; done > df-$HOSTNAME.txt) 2>/dev/null & ")
    print(L.wait(timeout=120)); sh("dmesg | tail -20 > " + L.dir + "/dmesg"); L.close()
def c3():
    hs = list(H); L = Lab("c3hang", H)
    up(L, hs, "", {"GUZKI_MODE": "lock", "GUZKI_EPOCHS": "30", "GUZKI_STEPS": "6", "GUZKI_VERBOSE": "2"})
    L.wait_for("wyspianski", "epoka 9", 120); time.sleep(30)
    for h in hs: L.kill(h, signal.SIGUSR1)
    time.sleep(12); 
    for h in hs: L.kill(h, signal.SIGTERM)
    print(L.wait(timeout=4)); L.close()
if __name__ == "__main__":
    for n in sys.argv[1:]: globals()[n]()
