"""a parameter server dies; only the coordinator's log is left"""
from common import *
N = "turku"; H = {"tk-chief": "10.30.30.1", "tk-ps-a": "10.30.30.2", "tk-ps-b": "10.30.30.3", "tk-w-a": "10.30.30.4", "tk-w-b": "10.30.30.5"}
def run():
    L = Lab(N, H); c = {"chief": ["tk-chief:9100"], "worker": ["tk-w-a:9100", "tk-w-b:9100"], "ps": ["tk-ps-a:9100", "tk-ps-b:9100"]}
    for t, h, k, i in (("ps0", "tk-ps-a", "ps", 0), ("ps1", "tk-ps-b", "ps", 1), ("w0", "tk-w-a", "worker", 0), ("w1", "tk-w-b", "worker", 1), ("chief", "tk-chief", "chief", 0)):
        L.spawn(t, h, ["python", "/app/etaps.py"], env={"TF_CONFIG": tfc(c, k, i), "ETA_CKPT": "/data/ck", "GRPC_FAIL_FAST": "use_caller", "ETA_STEPS": "400"}, mounts=[(PROG, "/app"), (L.shared, "/data")], tz="Europe/Helsinki")
    L.wait_line("chief", r"global_step=\d+", 80, n=70); L.kill("ps1"); print(L.wait(60, ["chief"])); L.close()
if __name__ == "__main__": main(run, lambda: None)
