# tira.py — chefe do treino "classes de rolha" (ParameterServerStrategy)
import os, sys, json, time, logging
import numpy as np, tensorflow as tf
pap = sys.argv[1]; idx = int(sys.argv[2])
cl = json.load(open(os.environ.get("CLUSTER", "cluster.json")))
os.environ["TF_CONFIG"] = json.dumps({"cluster": cl, "task": {"type": pap, "index": idx}})
def diz(m): print(time.strftime("%H:%M:%S"), m, flush=True)
diz(f"arranque papel={pap} indice={idx} pid={os.getpid()} tf {tf.__version__} em {os.uname().nodename}")
r = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if pap != "chief":
    s = tf.distribute.Server(r.cluster_spec(), job_name=pap, task_index=idx, protocol="grpc", start=True)
    diz(f"servidor no ar: {s.target}"); s.join()
est = tf.distribute.ParameterServerStrategy(r, variable_partitioner=tf.distribute.experimental.partitioners.FixedShardsPartitioner(2))
coord = tf.distribute.coordinator.ClusterCoordinator(est)
diz("coordenador criado")
with est.scope():
    W = tf.Variable(tf.random.normal([int(os.environ.get("LARGURA", "400")), 200], stddev=.05, seed=1), name="W"); B = tf.Variable(tf.zeros([200]), name="B"); O = tf.Variable(tf.random.normal([200, 7], stddev=.05, seed=2), name="O")
    passo_g = tf.Variable(0, dtype=tf.int64, name="passo")
ck = tf.train.Checkpoint(W=W, B=B, O=O, passo=passo_g)
DIR = os.environ.get("PONTOS", "pontos")
m = tf.train.CheckpointManager(ck, DIR, max_to_keep=4)
if m.latest_checkpoint:
    diz(f"a retomar de {m.latest_checkpoint}"); ck.restore(m.latest_checkpoint).assert_consumed(); diz(f"retomado no passo {int(passo_g.numpy())}")
else: diz("sem ponto de controlo, começo do zero")
LARG = int(os.environ.get("LARGURA", "400"))
def dados(ctx):
    def f(k):
        x = tf.random.stateless_normal([32, LARG], tf.stack([k, tf.constant(11, tf.int64)])); return x, tf.argmax(tf.abs(x[:, :7]), 1)
    return tf.data.Dataset.random(seed=ctx.input_pipeline_id if ctx else 0).map(f).prefetch(2)
def dados2(): return est.distribute_datasets_from_function(dados)
@tf.function
def passo(it):
    def f(x, y):
        w = tf.convert_to_tensor(W); o = tf.convert_to_tensor(O)
        with tf.GradientTape() as t:
            t.watch([w, o]); l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, tf.nn.relu(x @ w + B) @ o))
        gw, go = t.gradient(l, [w, o])
        h = LARG // 2
        W.variables[0].assign_sub(.1 * gw[:h]); W.variables[1].assign_sub(.1 * gw[h:])
        O.variables[0].assign_sub(.1 * go[:100]); O.variables[1].assign_sub(.1 * go[100:])
        passo_g.assign_add(1); return l
    return est.run(f, args=next(it))
it = iter(coord.create_per_worker_dataset(dados2))
VOLTAS = int(os.environ.get("VOLTAS", "60"))
for v in range(VOLTAS):
    t0 = time.time(); rs = [coord.schedule(passo, args=(it,)) for _ in range(10)]; coord.join()
    diz(f"volta {v+1:3d}/{VOLTAS} passo={int(passo_g.numpy())} perda={np.mean([x.fetch() for x in rs]):.4f} {10/(time.time()-t0):.1f} passos/s"); time.sleep(.3)
    if (v + 1) % 20 == 0: diz(f"ponto gravado {m.save(checkpoint_number=passo_g)}")
diz("treino terminado")
