"""pids limit of one container too small"""
from common import *
N = "varna"; H = {"train-0": "10.66.1.2", "train-1": "10.66.1.3", "train-2": "10.66.1.4"}; CG = "/sys/fs/cgroup/pids/nhand"
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[400] * 6); open(CG + "/pids.max", "w").write(os.environ.get("PMAX", "40"))
    c = {"worker": [f"{h}:2222" for h in H]}
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/app/tileloop.py", "--data", "/data/t", "--logdir", "/data/out", "--steps", "150", "--pause", "0.05"], env={"TF_CONFIG": tfc(c, "worker", i)}, mounts=[(PROG, "/app"), (L.shared + "/data", "/data/t"), (L.shared, "/data/out")], cg=CG if i == 1 else None)
    L.wait(40, ["w1"], False); open(L.dir + "/pids.txt", "w").write(open(CG + "/pids.events").read()); time.sleep(5)
    import signal as sg
    for w in ("w0", "w2"):
        if L.tasks[w].p.poll() is None: L.kill(w, sg.SIGTERM)
    print(L.wait(20)); L.close()
if __name__ == "__main__": main(run, lambda: None)
