"""the router between two racks begins to drop silently (black hole in the hub)"""
from common import *
N = "olten"; H = {"zrh-a-07": "10.71.1.7", "zrh-a-08": "10.71.1.8", "zrh-b-02": "10.71.2.2"}
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[400] * 6)
    c = {"worker": [f"{h}:15000" for h in H]}
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/opt/seg/tileloop.py", "--data", "/data/t", "--logdir", "/data/out", "--steps", "2000", "--pause", "0.2"], env={"TF_CONFIG": tfc(c, "worker", i)}, mounts=[(PROG, "/opt/seg"), (L.shared + "/data", "/data/t"), (L.shared, "/data/out")], tz="Europe/Zurich")
    L.wait_line("w2", r"step 60 ", 70); t = time.time()
    L.hub("ip route replace blackhole 10.71.2.2/32"); L.cut = t
    time.sleep(5); ping = L.on("zrh-a-07", "ping -c 4 -W 1 zrh-b-02; echo; ping -c 2 -W 1 zrh-a-08; echo; timeout 6 bash -c '</dev/tcp/zrh-b-02/15000'; echo rc=$?; ip -s link show eth0; ss -tno | head -12")
    open(L.dir + "/probe.txt", "w").write(ping); open(L.dir + "/cut", "w").write(str(t))
    L.wait(75, ["w0", "w1", "w2"], False); print(L.wait(2)); L.close()
if __name__ == "__main__": main(run, lambda: None)
