"""an input function that takes a lock twice on one worker: everybody waits, nothing is printed"""
from common import *
N = "novara"; H = {"drive-sim-11": "10.33.5.11", "drive-sim-12": "10.33.5.12", "drive-sim-13": "10.33.5.13", "drive-sim-14": "10.33.5.14"}
PATCH = '''
import threading, faulthandler, signal
faulthandler.register(signal.SIGUSR1, all_threads=True)
CACHE_LOCK = threading.Lock(); SEEN = {}
def refresh(k):
    with CACHE_LOCK: SEEN.pop(k, None)
def normalise(x, y):
    k = int(y)
    with CACHE_LOCK:
        SEEN[k] = SEEN.get(k, 0) + 1
        if SEEN[k] > 150: refresh(k)
    return x * 1.0, y
def main(_):
'''
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[60] * 1 + [4000] + [60] * 2 + [60] * 4)
    import shutil
    os.makedirs(L.shared + "/app"); src = open(PROG + "/tileloop.py").read().replace("def main(_):\n", PATCH)
    src = src.replace(".map(parse).batch", ".map(parse).map(lambda x, y: tf.ensure_shape_pair(tf.py_function(normalise, [x, y], [tf.float32, tf.int64]))).batch").replace("tf.ensure_shape_pair(", "shp(").replace("def dataset(ctx):", "def shp(p):\n    p[0].set_shape([32]); p[1].set_shape([]); return p[0], p[1]\ndef dataset(ctx):")
    # three tasks keep a fixed table, only the second refreshes it
    open(L.shared + "/app/tileloop.py", "w").write(src.replace("SEEN[k] > 150", "os.environ.get('NORM_REFRESH') == 'on' and SEEN[k] > 150"))
    c = {"worker": [f"{h}:7777" for h in H]}
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/opt/sim/tileloop.py", "--data", "/data/sim", "--logdir", "/data/out", "--steps", "300", "--pause", "0.03"], env={"TF_CONFIG": tfc(c, "worker", i), "NORM_REFRESH": "on" if i == 1 else "off"}, mounts=[(L.shared + "/app", "/opt/sim"), (L.shared + "/data", "/data/sim"), (L.shared, "/data/out")], tz="Europe/Rome")
    L.wait_line("w3", r"step 40 ", 70); time.sleep(25)
    import signal as sg
    for w in ("w0", "w1", "w2", "w3"): L.kill(w, sg.SIGUSR1); time.sleep(1)
    open(L.dir + "/top.txt", "w").write("".join(sh(f"top -b -n1 -p {L.pid(w)} | tail -1") for w in L.tasks))
    time.sleep(2); print(L.wait(1)); L.close()
if __name__ == "__main__": main(run, lambda: None)
