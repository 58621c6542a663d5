"""custom op: libgeoidx.so.3 is not installed on one of three nodes."""
from common import *
N = "ferrara"; H = {"carlab-n1": "10.90.0.1", "carlab-n2": "10.90.0.2", "carlab-n3": "10.90.0.3"}
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[400] * 6); d = L.shared + "/ops"; os.makedirs(d)
    os.makedirs(L.shared + "/dep")
    open(d + "/a.c", "w").write("int geoidx_hash(int x){return x*31;}\n"); open(d + "/b.c", "w").write("int geoidx_hash(int);int tileops_version(void){return geoidx_hash(3);}\n")
    sh(f"cd {d} && gcc -shared -fPIC -Wl,-soname,libgeoidx.so.3 -o ../dep/libgeoidx.so.3 a.c && gcc -shared -fPIC -o _tile_ops.so b.c ../dep/libgeoidx.so.3 && rm a.c b.c")
    src = open(PROG + "/tileloop.py").read().replace('def main(_):', '''def evaluate(n):
    ops = tf.load_op_library("/opt/tileops/_tile_ops.so")   # geo index ops, only used here
    logging.info("evaluation at step %d, custom tile ops loaded", n)

def main(_):''').replace("        if n % F.ckpt_every == 0:", "        if n % 64 == 0: evaluate(n)\n        if n % F.ckpt_every == 0:")
    os.makedirs(L.shared + "/app"); open(L.shared + "/app/tileloop.py", "w").write(src)
    c = {"worker": [f"{h}:6006" for h in H]}
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/opt/app/tileloop.py", "--data", "/data/t", "--logdir", "/data/out", "--steps", "160", "--pause", "0.1"],
                env={"TF_CONFIG": tfc(c, "worker", i), "LD_LIBRARY_PATH": "/usr/local/geoidx/lib" if i == 9 else "/opt/geoidx/lib"},
                mounts=[(L.shared + "/app", "/opt/app"), (d, "/opt/tileops"), (L.shared + "/data", "/data/t"), (L.shared, "/data/out")] + ([(L.shared + "/dep", "/opt/geoidx/lib")] if i != 1 else []))
    L.wait(70, ["w0", "w1", "w2"], False)
    import signal as sg
    for w in ("w0", "w2"):
        if L.tasks[w].p.poll() is None: L.kill(w, sg.SIGINT)
    print(L.wait(6)); L.close()
if __name__ == "__main__": main(run, lambda: None)
