# intonacja piszczałek: klasyfikacja barwy z nagrań; model z embeddingiem rejestrów
import os, sys, json, time, faulthandler; faulthandler.enable()
import numpy as np, tensorflow as tf
T0 = time.time(); kto = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
def p(*a): print(f"[{time.time()-T0:8.2f}s]", *a, flush=True)
p("python", sys.version.split()[0], "tf", tf.__version__, "host", os.uname().nodename, "pid", os.getpid())
st = tf.distribute.MultiWorkerMirroredStrategy()
p("strategia gotowa, replik:", st.num_replicas_in_sync)
REJ = [l.strip() for l in open(os.environ.get("REJESTRY", "/etc/organy/rejestry.txt")) if l.strip() and not l.startswith("#")]
p(f"rejestry: {len(REJ)} pozycji z pliku {os.environ.get('REJESTRY','/etc/organy/rejestry.txt')}; pierwszy={REJ[0]!r} ostatni={REJ[-1]!r}")
STEPS = int(os.environ.get("KROKI", "200")); SHM = os.environ.get("SHM_BUF")
with st.scope():
    emb = tf.Variable(tf.random.normal([len(REJ), 16], seed=1), name="rejestr_embedding")
    w1 = tf.Variable(tf.random.normal([80, 64], stddev=.1, seed=2), name="w1"); w2 = tf.Variable(tf.random.normal([80, 6], stddev=.1, seed=3), name="w2")
V = [emb, w1, w2]
p("zmienne:", ", ".join(f"{v.name}{tuple(v.shape)}" for v in V))
rng = np.random.default_rng(kto)
def probka(n=24):
    x = rng.normal(size=(n, 80)).astype("f"); r = rng.integers(0, len(REJ), n).astype("i"); y = (np.abs(x[:, :6]).argmax(1)).astype("i")
    return x, r, y
if SHM:
    from multiprocessing import shared_memory
    BUF = []
    def do_bufora(x, k):
        # okno nagrań dla podglądu spektrogramów
        m = shared_memory.SharedMemory(create=True, size=int(SHM) * 1024)
        a = np.ndarray((int(SHM) * 128,), dtype="f8", buffer=m.buf); a[:] = x.mean(); BUF.append((m, a))
        if len(BUF) > int(os.environ.get("SHM_OKNO", "40")): m0, a0 = BUF.pop(0); del a0; m0.close(); m0.unlink()
@tf.function
def krok(x, r, y):
    def f(x, r, y):
        with tf.GradientTape() as t:
            h = tf.nn.relu(x @ w1); z = tf.concat([h, tf.gather(emb, r)], 1) @ w2
            l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, z))
        g = [tf.convert_to_tensor(q) for q in t.gradient(l, V)]
        g = tf.distribute.get_replica_context().all_reduce("mean", g)
        for v, d in zip(V, g): v.assign_sub(0.3 * d)
        return l
    return st.reduce("mean", st.run(f, (x, r, y)), axis=None)
for k in range(STEPS):
    a = time.perf_counter(); x, r, y = probka()
    for _ in range(int(os.environ.get("FFT", "6"))): np.fft.rfft(rng.normal(size=(256, 2048)))
    if SHM: do_bufora(x, k)
    b = time.perf_counter(); l = float(krok(tf.constant(x), tf.constant(r), tf.constant(y))); c = time.perf_counter()
    p(f"krok {k:4d}/{STEPS} strata={l:.4f} przygotowanie={1e3*(b-a):.0f}ms grad+sync={1e3*(c-b):.0f}ms")
p("gotowe")
