"""Papermill notebooks on two JupyterHub hosts; the second student's shard has 60 columns instead of 64: MatMul fails there, the peer sees only the abort."""
from lib import *
import numpy as np
H = {"hub-user-anna": "10.8.0.31", "hub-user-tobias": "10.8.0.32", "hub-user-mei": "10.8.0.33"}
n = Net("lab3", H)
np.save(n.dir + "/part0.npy", np.random.rand(480, 64)); np.save(n.dir + "/part1.npy", np.random.rand(480, 60)); np.save(n.dir + "/part2.npy", np.random.rand(480, 64))
cells = [("md", "# Lab 3: autoencoder on three machines\nFill in `ME` and start all three at the same time."),
("code", "ME = 0\nHOSTS = ['hub-user-anna:12345', 'hub-user-tobias:12345', 'hub-user-mei:12345']"),
("code", "import os, json\nos.environ['TF_CONFIG'] = json.dumps({'cluster': {'worker': HOSTS}, 'task': {'type': 'worker', 'index': ME}})\nimport numpy as np, time\nimport tensorflow as tf\nprint(tf.__version__)"),
("code", "strategy = tf.distribute.MultiWorkerMirroredStrategy()\nprint('replicas', strategy.num_replicas_in_sync)"),
("code", "data = np.load(f'part{ME}.npy').astype('float32')\nprint('my part', data.shape)\nds = tf.data.Dataset.from_tensor_slices(data).shuffle(500, seed=1).batch(16, drop_remainder=True)"),
("code", "with strategy.scope():\n    tf.random.set_seed(3)\n    enc = tf.Variable(tf.random.normal([64, 10]) * .1, name='enc')\n    dec = tf.Variable(tf.random.normal([10, 64]) * .1, name='dec')\n\n@tf.function(reduce_retracing=True)\ndef step(batch):\n    def fn(b):\n        with tf.GradientTape() as tape:\n            code = tf.nn.relu(tf.matmul(b, enc))\n            loss = tf.reduce_mean((tf.matmul(code, dec) - b) ** 2)\n        grads = tape.gradient(loss, [enc, dec])\n        grads = tf.distribute.get_replica_context().all_reduce('mean', grads)\n        enc.assign_sub(.3 * grads[0]); dec.assign_sub(.3 * grads[1])\n        return loss\n    return strategy.reduce('mean', strategy.run(fn, args=(batch,)), axis=None)"),
("code", "# warm-up on random numbers, everybody must see the same loss\nfor i in range(40):\n    l = step(tf.random.stateless_uniform([16, 64], [ME, i]))\n    if i % 2 == 0: print('warm-up', i, float(l))"),
("code", "for epoch in range(4):\n    for i, b in enumerate(ds):\n        l = step(b)\n        time.sleep(.05)\n        print(f'epoch {epoch} batch {i} loss {float(l):.5f}')"),
("code", "np.save('enc.npy', enc.numpy())")]
def nb(me):
    cs = []
    for i, (k, s) in enumerate(cells):
        s = s.replace("ME = 0", f"ME = {me}")
        cs.append({"cell_type": "markdown" if k == "md" else "code", "id": f"c{i}", "metadata": {}, "source": s.splitlines(True), **({} if k == "md" else {"outputs": [], "execution_count": None})})
    return json.dumps({"cells": cs, "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}, "nbformat": 4, "nbformat_minor": 5})
for i, h in enumerate(H):
    open(f"{n.dir}/lab3_w{i}.ipynb", "w").write(nb(i))
    n.start(h, f"{PY['x']} -m papermill -k python3 --log-output lab3_w{i}.ipynb lab3_w{i}.out.ipynb", f"pm{i}.log", {"PATH": f"{OUT}/xenv/bin:" + os.environ["PATH"], "JUPYTER_PLATFORM_DIRS": "1"})
print(n.wait(t=75)); n.close()
mp = {n.dir: "/home/jovyan/lab3", OUT + "/xenv": "/opt/conda", "/opt/tfenv": "/opt/conda"}
D = -16 * 86400 - 3333
g = lambda f, d=0: shift(sub(n.read(f), mp), D + d, 1)
files = {"tobias_abgabe/lab3_w1.out.ipynb": g("lab3_w1.out.ipynb", 5), "tobias_abgabe/papermill-console.txt": g("pm1.log", 5),
  "anna/Lab3 Ausgabe (Kopie).ipynb": g("lab3_w0.out.ipynb"), "mei/console (pasted).txt": g("pm2.log", -64).replace("\n", "\r\n"),
  "FORUM.md": "**anna**: my notebook dies in the all-reduce, `Collective ops is aborted`. I changed nothing!\n\n**tutor-2**: usually the hub culls idle servers. Look whether the machine was restarted, or port 12345 is blocked between the pods.\n\n**anna**: warm-up worked with all three of us, so not the port\n\n**mei**: same message for me\n\n**tobias**: I get a different one but I think it is because of yours. (my part1 came from the second download link, the first was offline)\n"}
finish("lab3-g07", files, "zip", "data.shape-mismatch", ["hub-user-tobias", "worker:1"], ["user.code-error"], "Worker 1 (tobias) has part1 of shape (480, 60) and MatMul with enc [64,10] fails there; anna and mei see only the collective abort / lost peer. Herring: tutor's remark about culling and blocked port.")
