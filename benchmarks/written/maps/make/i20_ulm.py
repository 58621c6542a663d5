"""the third task is stopped (SIGSTOP); only the two others' logs are collected"""
from common import *
N = "ulm"; H = {"kart-01": "172.31.4.1", "kart-02": "172.31.4.2", "kart-03": "172.31.4.3"}
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[400] * 6); c = {"worker": [f"{h}:12800" for h in H]}
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/opt/kart/lanefit.py", "--data", "/data/t", "--model-dir", "/data/out", "--epochs", "60", "--steps", "20", "--pause", "0.05"], py=f"{OUT}/tf215", env={"TF_CONFIG": tfc(c, "worker", i)}, mounts=[(PROG, "/opt/kart"), (L.shared + "/data", "/data/t"), (L.shared, "/data/out")], tz="Europe/Berlin", pre="mkdir -p /data/out")
    import signal as sg
    L.wait_line("w2", "epoch 9 begins", 90); L.kill("w2", sg.SIGSTOP); print(L.wait(75, ["w0", "w1"])); L.kill("w2"); print(L.wait(3)); L.close()
if __name__ == "__main__": main(run, lambda: None)
