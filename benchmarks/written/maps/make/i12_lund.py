"""one worker started with another hidden size: all-reduces of unequal shapes"""
from common import *
N = "lund"; H = {"segtrain-worker-0": "10.42.0.15", "segtrain-worker-1": "10.42.1.27", "segtrain-worker-2": "10.42.2.8"}
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[400] * 6)
    c = {"worker": [f"{h}:2222" for h in H]}
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/app/tileloop.py", "--data", "/data/t", "--logdir", "/data/out", "--steps", "100", "--hidden", "96" if i != 2 else "128"],
                env={"TF_CONFIG": tfc(c, "worker", i)}, mounts=[(PROG, "/app"), (L.shared + "/data", "/data/t"), (L.shared, "/data/out")], pidns=True)
    print(L.wait(45)); L.close()
if __name__ == "__main__": main(run, lambda: None)
