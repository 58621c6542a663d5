"""ulimit -n of one worker too small for a wide interleave."""
from common import *
N = "haarlem"; H = {"tiles-mwms-0": "10.8.12.5", "tiles-mwms-1": "10.8.13.6", "tiles-mwms-2": "10.8.14.7"}
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[300] * 9)
    c = {"worker": [f"{h}:2222" for h in H]}
    src = open(PROG + "/tileloop.py").read().replace("def main(_):", "OPEN = []\ndef lookup(n):\n    \"\"\"road class table of the step's region\"\"\"\n    f = open(os.path.join(F.data, 'classes-%02d.tbl' % (n % 12)), 'rb'); OPEN.append(f); return f.read(64)\n\ndef main(_):").replace("        x, y = next(it)\n", "        x, y = next(it); lookup(n)\n")
    for k in range(12): open(L.shared + "/data/classes-%02d.tbl" % k, "wb").write(os.urandom(256))
    os.makedirs(L.shared + "/app"); open(L.shared + "/app/tileloop.py", "w").write(src)
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/app/tileloop.py", "--data", "/data/t", "--logdir", "/data/out", "--steps", "200", "--pause", "0.08", "--ckpt_every", "20"],
                env={"TF_CONFIG": tfc(c, "worker", i)}, pre="ulimit -n 128" if i == 1 else "",
                mounts=[(L.shared + "/app", "/app"), (L.shared + "/data", "/data/t"), (L.shared, "/data/out")], pidns=True)
    print(L.wait(50)); L.close()
if __name__ == "__main__": main(run, lambda: None)
