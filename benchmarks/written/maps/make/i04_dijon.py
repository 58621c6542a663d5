"""version skew: one node still has the old environment."""
from common import *
N = "dijon"; H = {"dl04": "192.168.70.14", "dl05": "192.168.70.15", "dl06": "192.168.70.16"}
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[300] * 6)
    c = {"worker": [f"{h}:40000" for h in H]}
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/opt/perception/tileloop.py", "--data", "/data/seg", "--logdir", "/data/out", "--steps", "70", "--pause", "0.15"], py=f"{OUT}/tf215" if i == 1 else "/opt/tfenv",
                env={"TF_CONFIG": tfc(c, "worker", i)}, mounts=[(PROG, "/opt/perception"), (L.shared + "/data", "/data/seg"), (L.shared, "/data/out")], tz="Europe/Paris")
    print(L.wait(70)); L.close()
if __name__ == "__main__": main(run, lambda: None)
