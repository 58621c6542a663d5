"""nan in one record of one shard; keras fit tf 2.15 with one epoch of warm up first"""
from common import *
N = "jena"; H = {"raytrain-head": "10.0.44.2", "raytrain-worker-a1": "10.0.44.3", "raytrain-worker-a2": "10.0.44.4"}
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[900] * 6, nan_at=[4, 610])
    c = {"worker": [f"{ip}:43211" for h, ip in H.items()]}
    os.makedirs(L.shared + "/app"); open(L.shared + "/app/lanefit.py", "w").write(open(PROG + "/lanefit.py").read().replace('activation="relu"', 'activation="gelu"'))
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/home/ray/lanefit.py", "--data", "/data/lanes", "--model-dir", "/data/out", "--epochs", "10", "--steps", "25", "--pause", "0.05"], py=f"{OUT}/tf215",
            env={"TF_CONFIG": tfc(c, "worker", i)}, mounts=[(L.shared + "/app", "/home/ray"), (L.shared + "/data", "/data/lanes"), (L.shared, "/data/out")], tz="America/Los_Angeles")
    print(L.wait(60)); L.close()
if __name__ == "__main__": main(run, lambda: None)
