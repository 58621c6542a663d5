"""Ray-like driver prefixes, loguru; worker 1 lacks the company CA, the catalogue download fails with CERTIFICATE_VERIFY_FAILED; peers lose it."""
from lib import *
H = {"gpu-rack3-01": "192.168.70.11", "gpu-rack3-02": "192.168.70.12", "gpu-rack3-04": "192.168.70.14", "artifacts.lab.corp": "192.168.70.50"}
n = Net("raytls", H); d = n.dir
print(sh(f"cd {d} && openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 900 -subj '/CN=Corp Lab Root G2' && openssl req -newkey rsa:2048 -nodes -keyout s.key -out s.csr -subj /CN=artifacts.lab.corp && printf 'subjectAltName=DNS:artifacts.lab.corp' > e && openssl x509 -req -in s.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 300 -extfile e -out s.pem").stderr[-80:])
open(d + "/srv.py", "w").write("import http.server,ssl\ns=http.server.HTTPServer(('0.0.0.0',8443),http.server.SimpleHTTPRequestHandler)\nc=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER);c.load_cert_chain('s.pem','s.key')\ns.socket=c.wrap_socket(s.socket,server_side=True)\ns.serve_forever()\n")
open(d + "/train_wake.py", "w").write('''"""wake word model, custom loop"""
import io, json, os, sys, time
import numpy as np, requests, tensorflow as tf
from loguru import logger
logger.remove(); logger.add(sys.stdout, format="{time:YYYY-MM-DD HH:mm:ss.SSS} | {level: <8} | {name}:{function}:{line} - {message}", backtrace=False, diagnose=False)
IDX = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
URL = "https://artifacts.lab.corp:8443/"

def fetch(epoch):
    name = f"neg_{epoch}.npy"
    for k in range(3):
        try:
            r = requests.get(URL + name, timeout=5)
            r.raise_for_status()
            logger.info("fetched {} {} bytes", name, len(r.content))
            return np.load(io.BytesIO(r.content)).astype("float32")
        except requests.exceptions.HTTPError as e:
            logger.warning("attempt {} for {}: {}", k, name, e)
            name = name.replace("neg_3", "neg_2")
    raise RuntimeError("no negatives")

@logger.catch(reraise=True)
def main():
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    logger.info("worker {} replicas {}", IDX, strategy.num_replicas_in_sync)
    with strategy.scope():
        w = tf.Variable(tf.zeros([40, 2]))
    @tf.function
    def step(x):
        def fn(x):
            with tf.GradientTape() as t:
                l = tf.reduce_mean((tf.matmul(x, w) - tf.reduce_sum(x, 1, keepdims=True)) ** 2)
            w.assign_sub(.01 * tf.distribute.get_replica_context().all_reduce("mean", t.gradient(l, w)))
            return l
        return strategy.reduce("mean", strategy.run(fn, args=(x,)), axis=None)
    for epoch in range(6):
        if os.path.exists(f"cache{IDX}/neg_{epoch}.npy"):
            x = np.load(f"cache{IDX}/neg_{epoch}.npy").astype("float32"); logger.debug("epoch {} negatives from cache", epoch)
        else:
            x = fetch(epoch)
        for i in range(40):
            l = step(x[i * 8:i * 8 + 8]); time.sleep(.05)
            if i % 2 == 0: logger.info("epoch {} step {} loss {:.5f}", epoch, i, float(l))
        logger.success("epoch {} done", epoch)
main()
''')
import numpy as np
for k in (0, 1, 2, 4, 5): np.save(d + f"/neg_{k}.npy", np.random.rand(320, 40).astype("float32"))
for i in range(3):
    os.makedirs(d + f"/cache{i}")
    for k in (0, 1): shutil.copy(d + f"/neg_{k}.npy", d + f"/cache{i}/")
shutil.copy(d + "/neg_2.npy", d + "/cache1/"); shutil.copy(d + "/neg_2.npy", d + "/cache1/neg_3.npy")
srv = n.start("artifacts.lab.corp", f"{PY['x']} srv.py", "srv.log"); hs = list(H)[:3]
pre = "| python3 -u -c \"import sys\nfor l in sys.stdin: print(%r + l, end='')\""
for i, h in enumerate(hs):
    e = {"TF_CONFIG": {"cluster": {"worker": [x + ":7788" for x in hs]}, "task": {"type": "worker", "index": i}}}
    if i != 1: e["REQUESTS_CA_BUNDLE"] = d + "/ca.pem"
    n.start(h, f"{PY['x']} train_wake.py > >(sed -u \"s/^/(TFTrainer pid=$$, ip={H[h]}) /\" ) 2>&1", "driver.log", e, append=True)
print(n.wait(n.procs[1:], 80)); n.close()
mp = {d: "/home/svc-ml/wake", OUT + "/xenv": "/home/svc-ml/.venv", "/opt/tfenv": "/home/svc-ml/.venv", "/root/.pyenv/versions": "/usr/local/python"}
D = -21 * 86400 + 999
dl = "".join(shift(l, D + (6 if "70.12" in l else 0), 2) for l in sub(n.read("driver.log"), mp).splitlines(True))
k = dt.datetime.utcnow() + dt.timedelta(seconds=D, hours=2)
dl = f"{t(k,-75,'%Y-%m-%d %H:%M:%S')},114\tINFO worker.py:1841 -- Connected to cluster at address: 192.168.70.11:6379...\n{t(k,-74,'%Y-%m-%d %H:%M:%S')},870\tWARNING services.py:2009 -- The object store is using /tmp instead of /dev/shm because /dev/shm has only 67104768 bytes available. This will harm performance!\n" + dl + f"{t(k,1,'%Y-%m-%d %H:%M:%S')},402\tERROR driver.py:88 -- 3 of 3 trainers failed; first reported: ip=192.168.70.11 (see log)\n"
js = json.dumps({"run": "wake-de-0417", "state": "FAILED", "first_failed": "192.168.70.11", "nodes": {H[h]: {"host": h, "exit": 1} for h in hs}, "image": {hs[0]: "ml-base:2026.10.2", hs[1]: "ml-base:2026.09.9", hs[2]: "ml-base:2026.10.2"}, "retries": 0, "error": "CollectiveAbort"}, indent=1)
finish("wake-0417", {"driver.log": dl, "summary.json": js, "artifacts_access.log": re.sub(r"\[26/Nov/2026 [\d:]+\]", lambda m: "[" + t(k, -10, "%d/%b/%Y %H:%M:%S") + "]", n.read("srv.log"))}, "zip", "network.tls", ["gpu-rack3-02", "192.168.70.12", "worker:1"], ["env.version-skew"],
  "Only 192.168.70.12 (worker 1) cannot verify the artifact server's certificate (SSLError CERTIFICATE_VERIFY_FAILED); the other two die from the collective abort. Herrings: 404 warnings that were retried, /dev/shm warning, summary blames 192.168.70.11.")
