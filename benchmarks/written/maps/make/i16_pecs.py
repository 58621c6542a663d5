"""parameter server job; one worker is killed and comes back, the job finishes"""
from common import *
N = "pecs"; H = {"eta2-chief-0": "10.244.9.2", "eta2-ps-0": "10.244.9.3", "eta2-ps-1": "10.244.9.4", "eta2-worker-0": "10.244.9.5", "eta2-worker-1": "10.244.9.6"}
def run():
    L = Lab(N, H); c = {"chief": ["eta2-chief-0:2222"], "worker": ["eta2-worker-0:2222", "eta2-worker-1:2222"], "ps": ["eta2-ps-0:2222", "eta2-ps-1:2222"]}
    def sp(t, h, k, i): L.spawn(t, h, ["python", "/app/etaps.py"], env={"TF_CONFIG": tfc(c, k, i), "ETA_CKPT": "/data/ck", "GRPC_FAIL_FAST": "use_caller", "ETA_STEPS": "150", "ETA_PAUSE": "0.15"}, mounts=[(PROG, "/app"), (L.shared, "/data")], pidns=True)
    for t, h, k, i in (("ps0", "eta2-ps-0", "ps", 0), ("ps1", "eta2-ps-1", "ps", 1), ("w0", "eta2-worker-0", "worker", 0), ("w1", "eta2-worker-1", "worker", 1), ("chief", "eta2-chief-0", "chief", 0)): sp(t, h, k, i)
    L.wait_line("chief", r"global_step=\d+", 80, n=25); L.kill("w1"); time.sleep(6); sp("w1b", "eta2-worker-1", "worker", 1)
    print(L.wait(90, ["chief"])); L.close()
if __name__ == "__main__": main(run, lambda: None)
