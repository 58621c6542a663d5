"""ps job on Kubernetes; the headless service has no record for one worker."""
from common import *
N = "aalen"; H = {"eta-chief-0": "10.244.3.17", "eta-ps-0": "10.244.5.40", "eta-worker-0": "10.244.4.22", "eta-worker-1": "10.244.6.9"}
D = "eta.maps-train.svc.cluster.local"
def run():
    table = "127.0.0.1 localhost\n" + "".join(f"{ip} {h}.{D} {h}\n" for h, ip in H.items() if h != "eta-worker-1")
    L = Lab(N, H, hosts_file=table)
    c = {"chief": [f"eta-chief-0.{D}:2222"], "worker": [f"eta-worker-0.{D}:2222", f"eta-worker-1.{D}:2222"], "ps": [f"eta-ps-0.{D}:2222"]}
    for t, h, k, i in (("ps", "eta-ps-0", "ps", 0), ("w0", "eta-worker-0", "worker", 0), ("w1", "eta-worker-1", "worker", 1), ("chief", "eta-chief-0", "chief", 0)):
        if t == "chief": L.wait_line("w1", "Started server", 60)
        L.spawn(t, h, ["python", "/app/etaps.py"], env={"TF_CONFIG": tfc(c, k, i), "ETA_CKPT": "/data/ck", "GRPC_FAIL_FAST": "true"}, mounts=[(PROG, "/app"), (L.shared, "/data")], pidns=True)
    print(L.wait(60, ["chief"])); L.close()
if __name__ == "__main__": run()
