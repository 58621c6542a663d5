"""Ore-belt classifier, MultiWorkerMirroredStrategy. Keeps recent belt images in RAM; may read assays over https."""
import os, sys, json, time, socket, ssl, urllib.request, urllib.error
import numpy as np
def out(m): print(f'[oresort {os.environ.get("BELT", "B4")}] {m}', flush=True)
cfg = json.loads(os.environ['TF_CONFIG']); k = cfg['task']['index']
out(f'start pid={os.getpid()} rank={k}/{len(cfg["cluster"]["worker"])} python={sys.version.split()[0]}')
if os.environ.get('CALIB'): out('calibration ' + json.dumps(json.load(open(os.environ['CALIB']))))
import tensorflow as tf
out(f'tensorflow {tf.__version__}')
st = tf.distribute.MultiWorkerMirroredStrategy()
with st.scope(): w = tf.Variable(tf.zeros([128, 3])); m = tf.Variable(tf.zeros([128, 3]))
@tf.function
def step(x, y):
    def f(x, y):
        with tf.GradientTape() as t: l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, x @ w))
        g = tf.distribute.get_replica_context().all_reduce('mean', t.gradient(l, w)); m.assign(.9 * m + g); w.assign_sub(.05 * m); return l
    return st.reduce('mean', st.run(f, args=(x, y)), axis=None)
cache = []; mb = int(os.environ.get('CACHE_MB', '0')); rng = np.random.default_rng(k)
def assay(i):
    for n in range(1, 5):
        try: return urllib.request.urlopen(os.environ['ASSAY'] + f'/assay/{i}', timeout=5).read()
        except urllib.error.HTTPError as e: out(f'WARN assay {i} try {n}: {e}; retrying'); time.sleep(.5)
    raise RuntimeError('assay service gave up')
N = int(os.environ.get('STEPS', '200'))
for i in range(N):
    if mb: cache.append(np.ones(mb << 18, 'f4'))
    if os.environ.get('ASSAY') and i % 12 == 0: a = assay(i); out(f'assay {i}: {a.decode()}')
    y = rng.integers(0, 3, 48); x = rng.normal(size=(48, 128)).astype('f4'); x[np.arange(48), y] += 2
    l = float(step(tf.constant(x), tf.constant(y)))
    if i % 5 == 0: out(f'step {i} loss {l:.4f} cached={len(cache)} frames')
    if i % 70 == 69:
        try: socket.create_connection(('127.0.0.1', 9100), 1)
        except OSError as e: out(f'metrics push failed, ignored: {e}')
    time.sleep(float(os.environ.get('NAP', '.06')))
out('training complete, model written'); sys.stdout.flush(); os._exit(0)
