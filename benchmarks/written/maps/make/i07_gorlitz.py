"""chief's checkpoint volume (small tmpfs) fills up after some epochs. tf 2.15, keras fit"""
from common import *
N = "gorlitz"; H = {"rack7-03": "10.17.7.3", "rack7-04": "10.17.7.4"}
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[500] * 6)
    c = {"worker": [f"{h}:17000" for h in H]}
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/opt/lane/lanefit.py", "--data", "/data/lanes", "--model-dir", "/scratch/lane-17", "--epochs", "14", "--steps", "30", "--width", "256", "--pause", "0.02", "--keep"], py=f"{OUT}/tf215",
                env={"TF_CONFIG": tfc(c, "worker", i)}, mounts=[(PROG, "/opt/lane"), (L.shared + "/data", "/data/lanes")], tmpfs=[("/scratch/lane-17", "6m" if i == 0 else "60m")], tz="Europe/Berlin")
    L.wait(60, ["w0"], False); print(L.wait(25)); L.close()
if __name__ == "__main__": main(run, lambda: None)
