"""the fourth of four tasks is killed; only the others' logs are collected"""
from common import *
N = "siena"; H = {f"m{i}.veh-ml": f"10.12.0.{10 + i}" for i in range(4)}
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[400] * 8); c = {"worker": [f"{ip}:6000" for ip in H.values()]}
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/opt/adas/tileloop.py", "--data", "/data/t", "--logdir", "/data/out", "--steps", "500", "--pause", "0.08"], env={"TF_CONFIG": tfc(c, "worker", i)}, mounts=[(PROG, "/opt/adas"), (L.shared + "/data", "/data/t"), (L.shared, "/data/out")], tz="Asia/Tokyo")
    L.wait_line("w3", "step 90 ", 90); L.kill("w3"); print(L.wait(45)); L.close()
if __name__ == "__main__": main(run, lambda: None)
