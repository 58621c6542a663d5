"""Gait/pose model. argv[1]: dispatcher HOST:PORT | dworker DISPATCHER HOST:PORT | treino DISPATCHER | poseserver PORT"""
import os, sys, json, time, socket, ctypes, datetime
papel = sys.argv[1]; AQUI = os.path.dirname(os.path.abspath(__file__))
def diz(n, m): print(json.dumps({'ts': datetime.datetime.now().isoformat(timespec='milliseconds'), 'nivel': n, 'quem': papel + '@' + socket.gethostname(), 'msg': m}, ensure_ascii=False), flush=True)
import numpy as np
if papel == 'poseserver':
    import grpc
    from concurrent import futures
    big = int(os.environ.get('MAXQ', '0'))
    def pega(req, ctx):
        i = int(req); n = 30000 if (not big or i < big) else 1500000
        diz('info', f'clipe {i}: {n * 3} floats'); return np.full(n, i, 'f4').tobytes()
    class H(grpc.GenericRpcHandler):
        def service(self, d): return grpc.unary_unary_rpc_method_handler(pega)
    s = grpc.server(futures.ThreadPoolExecutor(4)); s.add_generic_rpc_handlers((H(),)); s.add_insecure_port('0.0.0.0:' + sys.argv[2]); s.start(); diz('info', 'poseserver de pe'); s.wait_for_termination()
import tensorflow as tf
diz('info', f'tensorflow {tf.__version__} pid {os.getpid()}')
if papel == 'dispatcher':
    d = tf.data.experimental.service.DispatchServer(tf.data.experimental.service.DispatcherConfig(port=int(sys.argv[2].split(':')[1]), fault_tolerant_mode=True, work_dir=os.environ['LABDIR'] + '/disp')); diz('info', d.target); d.join()
if papel == 'dworker':
    h = sys.argv[3]
    w = tf.data.experimental.service.WorkerServer(tf.data.experimental.service.WorkerConfig(dispatcher_address=sys.argv[2], worker_address=h, port=int(h.split(':')[1]), heartbeat_interval_ms=1000, dispatcher_timeout_ms=60000)); diz('info', 'dworker ' + h); w.join()
cfg = json.loads(os.environ['TF_CONFIG']); k = cfg['task']['index']
st = tf.distribute.MultiWorkerMirroredStrategy()
lib = ctypes.CDLL(AQUI + '/libpassada.so') if os.environ.get('SUAVIZA') else None
frames = json.loads(os.environ.get('FRAMES', '[120]'))
pos = [0]
def nat(x):
    a = np.ascontiguousarray(x.numpy()); f = frames[min(pos[0] // 60, len(frames) - 1)]; pos[0] += 1
    lib.suaviza(a.ctypes.data_as(ctypes.POINTER(ctypes.c_float)), a.size, f); return a
def gen(i): return tf.random.stateless_normal([96], [i, 1])
ds = tf.data.Dataset.range(100000).map(gen).batch(16).repeat()
if sys.argv[2] != '-': ds = ds.apply(tf.data.experimental.service.distribute('parallel_epochs', 'grpc://' + sys.argv[2]))
if lib: ds = ds.map(lambda x: tf.ensure_shape(tf.py_function(nat, [x], tf.float32), [16, 96]))
ch = None
if os.environ.get('POSE'):
    import grpc
    ch = grpc.insecure_channel(os.environ['POSE']).unary_unary('/passada.Pose/Pega')
with st.scope(): w = tf.Variable(tf.zeros([96, 4]))
@tf.function
def passo(x):
    def f(x):
        with tf.GradientTape() as t: l = tf.reduce_mean((x @ w - x[:, :4]) ** 2)
        w.assign_sub(.2 * tf.distribute.get_replica_context().all_reduce('mean', t.gradient(l, w))); return l
    return st.reduce('mean', st.run(f, args=(x,)), axis=None)
it = iter(ds); N = int(os.environ.get('PASSOS', '150')); avisado = False
for i in range(N):
    x = next(it)
    if ch and i % 10 == 0:
        for tent in range(3):
            try: a = np.frombuffer(ch(str(i // 10).encode(), timeout=5), 'f4'); break
            except grpc.RpcError as e:
                if e.code() == grpc.StatusCode.UNAVAILABLE and tent < 2: diz('aviso', f'pose indisponivel, tento de novo: {e.details()}'); time.sleep(1.5); continue
                raise
        diz('info', f'pose do clipe {i // 10}: {a.size}')
    l = float(passo(x))
    if i % 3 == 0: diz('info', f'passo {i} perda {l:.5f}')
    if i % 50 == 49:
        try: open('/dados/gps/colete.csv')
        except OSError as e: diz('erro', f'GPS do colete ausente, segue sem: {e}')
    time.sleep(float(os.environ.get('PAUSA', '.05')))
diz('info', 'treino terminado'); sys.stdout.flush(); os._exit(0)
