"""Clasificador de pulsos (equipo chileno): MultiWorkerMirroredStrategy, bucle propio."""
import os, sys, json, time, socket, logging, warnings
logging.basicConfig(level=logging.INFO, stream=sys.stderr, format='[%(asctime)s] %(levelname).4s {' + socket.gethostname().split('.')[0] + '} %(message)s')
log = logging.getLogger('fugaz')
log.info('fugaz 0.9.3 arranca, pid=%d, python %s', os.getpid(), sys.version.split()[0])
import numpy as np
import tensorflow as tf
PASOS = int(os.environ.get('PASOS', '120')); CADA = int(os.environ.get('CADA', '5')); PAUSA = float(os.environ.get('PAUSA', '0.05'))
DIR = os.environ['FUGAZ_DIR']
cfg = json.loads(os.environ['TF_CONFIG']); yo = cfg['task']['index']
log.info('tensorflow %s numpy %s tarea %s/%d de %s', tf.__version__, np.__version__, cfg['task']['type'], yo, cfg['cluster'])
estr = tf.distribute.MultiWorkerMirroredStrategy()
with estr.scope():
    modelo = tf.keras.Sequential([tf.keras.Input((64,)), tf.keras.layers.Dense(32, activation='relu'), tf.keras.layers.Dense(2)])
    w = [tf.Variable(v) for v in modelo.get_weights()]
paso_g = tf.Variable(0, dtype=tf.int64)
rng = np.random.default_rng(17 + yo)
def lote():
    y = rng.integers(0, 2, 64); x = rng.normal(size=(64, 64)).astype('f4'); x[np.arange(64), 5 + 40 * y] += 3
    return tf.constant(x), tf.constant(y)
@tf.function
def paso(x, y):
    def f(x, y):
        with tf.GradientTape() as t:
            h = tf.nn.relu(x @ w[0] + w[1]); z = h @ w[2] + w[3]
            p = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, z))
        g = t.gradient(p, w); g = tf.distribute.get_replica_context().all_reduce('mean', g)
        for v, d in zip(w, g): v.assign_sub(0.05 * d)
        return p
    return estr.reduce('mean', estr.run(f, args=(x, y)), axis=None)
ck = tf.train.Checkpoint(w=w, paso=paso_g)
man = tf.train.CheckpointManager(ck, f'{DIR}/ck' if yo == 0 else f'{DIR}/ck-tmp{yo}', max_to_keep=2)
ult = tf.train.latest_checkpoint(f'{DIR}/ck')
if ult: ck.restore(ult); log.info('restaurado %s (paso %d)', ult, int(paso_g.numpy()))
else: log.info('sin checkpoint previo, se parte de cero')
t = time.time()
for i in range(int(paso_g.numpy()), PASOS):
    p = float(paso(*lote())); paso_g.assign(i + 1)
    if i % CADA == 0:
        log.info('paso %5d  perdida %.5f  %.1f pulsos/s', i, p, 64 * CADA / max(time.time() - t, 1e-3)); t = time.time()
    if i % 40 == 39:
        log.info('guardado %s', man.save(checkpoint_number=i + 1))
        try: os.stat('/scratch/telemetria/tsys.csv')
        except OSError as e: log.error('telemetria no disponible, se sigue sin Tsys: %s', e)
    time.sleep(PAUSA)
log.info('evaluacion final: perdida %.5f en %d pasos', p, PASOS)
log.info('FIN OK')
