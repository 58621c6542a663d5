"""two attempts: first interrupted by scancel, second restores weights of a wider model"""
from common import *
N = "izola"; H = {"cn-0417": "10.128.4.17", "cn-0418": "10.128.4.18"}
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[400] * 6)
    c = {"worker": [f"{h}:31000" for h in H]}
    def go(a, extra, width):
        for i, h in enumerate(H):
            L.spawn(f"{a}w{i}", h, ["python", "/projects/lane/src/lanefit.py", "--data", "/data/lanes", "--model-dir", "/projects/lane/runs/41", "--epochs", "12", "--steps", "25", "--width", str(width), "--pause", "0.05"] + extra, py=f"{OUT}/tf215",
                env={"TF_CONFIG": tfc(c, "worker", i)}, mounts=[(PROG, "/projects/lane/src"), (L.shared + "/data", "/data/lanes"), (L.shared, "/projects/lane/runs")], tz="Europe/Ljubljana", pre="mkdir -p /projects/lane/runs/41")
    go("a1", [], 128); L.wait_line("a1w0", r"epoch 6 begins", 60)
    import signal as sg
    for w in ("a1w0", "a1w1"): L.kill(w, sg.SIGTERM)
    L.wait(4, ["a1w0", "a1w1"]); time.sleep(1)
    sh(f"rm -rf {L.shared}/41/backup"); print(os.listdir(L.shared + "/41"))
    go("a2", ["--restore", "/projects/lane/runs/41/ckpt-05.weights.h5"], 160)
    L.wait(25, ["a2w0", "a2w1"]); print(L.wait(5)); L.close()
if __name__ == "__main__": main(run, lambda: None)
