"""eight workers; one record of the shard that rank 5 reads has a flipped byte"""
from common import *
N = "kotor"; H = {f"hpc-b{i:02d}": f"10.200.1.{20 + i}" for i in range(8)}
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[500] * 16)
    p = L.shared + "/data/train-00013-of-00016.tfrecord"; b = bytearray(open(p, "rb").read()); b[int(len(b) * .83)] ^= 0x24; open(p, "wb").write(bytes(b))
    c = {"worker": [f"{h}:29500" for h in H]}
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/work/seg/tileloop.py", "--data", "/work/data/seg-v9", "--logdir", "/work/out", "--steps", "120", "--pause", "0.05", "--batch", "16"],
                env={"TF_CONFIG": tfc(c, "worker", i)}, mounts=[(PROG, "/work/seg"), (L.shared + "/data", "/work/data/seg-v9"), (L.shared, "/work/out")], tz="Europe/Podgorica")
    print(L.wait(120)); L.close()
if __name__ == "__main__": main(run, lambda: None)
