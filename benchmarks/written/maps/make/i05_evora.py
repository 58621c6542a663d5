"""memory cgroup kills one worker of four for real (its input cache grows)."""
from common import *
N = "evora"; H = {"ip-10-3-18-201": "10.3.18.201", "ip-10-3-18-44": "10.3.18.44", "ip-10-3-19-77": "10.3.19.77"}
CG = "/sys/fs/cgroup/memory/nhand"
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[400] * 6)
    sh("dmesg -C"); open(CG + "/memory.limit_in_bytes", "w").write(str(760 << 20))
    c = {"worker": [f"{ip}:8470" for ip in H.values()]}
    src = open(PROG + "/tileloop.py").read().replace('def main(_):', 'CACHE = {}\ndef augment(n):\n    """keeps decoded neighbour tiles for the mosaic augmentation"""\n    import numpy as np\n    if os.environ.get("MOSAIC") == "1": CACHE[n] = np.ones((6 << 20,), np.uint8)\n\ndef main(_):').replace("        x, y = next(it)\n", "        x, y = next(it); augment(n)\n")
    os.makedirs(L.shared + "/app"); open(L.shared + "/app/tileloop.py", "w").write(src)
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/opt/ml/code/tileloop.py", "--data", "/opt/ml/input/train", "--logdir", "/opt/ml/model", "--steps", "160", "--pause", "0.1"],
                env={"TF_CONFIG": tfc(c, "worker", i), "MOSAIC": "1" if i == 2 else "0"}, cg=CG if i == 2 else None,
                mounts=[(L.shared + "/app", "/opt/ml/code"), (L.shared + "/data", "/opt/ml/input/train"), (L.shared, "/opt/ml/model")])
    print(L.wait(70)); open(L.dir + "/dmesg.txt", "w").write(sh("dmesg -x")); open(L.dir + "/boot", "w").write(str(time.time() - float(open("/proc/uptime").read().split()[0]))); L.close()
if __name__ == "__main__": main(run, lambda: None)
