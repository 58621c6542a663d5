"""numpy 2 in the user site of one node shadows the numpy that tensorflow 2.15 was built for"""
from common import *
N = "wismar"; H = {"node031": "10.5.0.31", "node032": "10.5.0.32", "node033": "10.5.0.33"}
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[400] * 6); c = {"worker": [f"{h}:24000" for h in H]}
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/home/ag/lane/lanefit.py", "--data", "/data/t", "--model-dir", "/data/out", "--epochs", "10"], py=f"{OUT}/tf215", env={"TF_CONFIG": tfc(c, "worker", i), **({"PYTHONPATH": "/home/ag/.local/lib/python3.11/site-packages"} if i == 1 else {})},
                mounts=[(PROG, "/home/ag/lane"), (f"{OUT}/np2", "/home/ag/.local/lib/python3.11/site-packages"), (L.shared + "/data", "/data/t"), (L.shared, "/data/out")], tz="Europe/Berlin", pre="mkdir -p /data/out")
    L.wait(40, ["w1"], False); time.sleep(8)
    import signal as sg
    for w in ("w0", "w2"):
        if L.tasks[w].p.poll() is None: L.kill(w, sg.SIGTERM)
    print(L.wait(6)); L.close()
if __name__ == "__main__": main(run, lambda: None)
