"""Runs the real jobs, one scenario per name: python runs.py NAME...   (needs root, unshare, ip)"""
import json, os, signal, subprocess, sys, time, shutil
from rig import *
enter()
W = os.path.join(ROOT, "work"); os.makedirs(W, exist_ok=True)
def fresh(p):
    p = os.path.join(W, p); shutil.rmtree(p, ignore_errors=True); os.makedirs(p); return p
def hosts(prefix_names, net="10.41.7."): return {h: f"{net}{i + 11}" for i, h in enumerate(prefix_names)}
def mw(names, port=2222): return {"worker": [f"{n}:{port}" for n in names]}

def nid_backup():     # none: node taken away, job requeued, BackupAndRestore goes on
    N = ["nid001204", "nid001205", "nid001311"]; d = fresh("nid")
    for att in (1, 2):
        with Rig("nid_backup", hosts(N, "10.249.3.")) as r:
            r.event(ev="attempt", n=att)
            for i, h in enumerate(N):
                r.spawn(f"a{att}.w{i}", h, [PY215, "mwms_keras.py", "--epochs", "5", "--steps", "25", "--dir", d], {"TF_CONFIG": tf_config(mw(N), "worker", i)})
            if att == 1:
                r.wait_line("a1.w0", "worker0 epoch 2 done", 150); time.sleep(.8); r.kill("a1.w2", 15); r.wait(25)
            else: r.wait(150)
def dock_ps():        # none: a worker of a ps job is killed and comes back, the coordinator goes on
    N = ["trainer-chief-1", "trainer-ps-1", "trainer-worker-1", "trainer-worker-2"]; d = fresh("dockps")
    c = {"chief": [N[0] + ":2222"], "ps": [N[1] + ":2222"], "worker": [N[2] + ":2222", N[3] + ":2222"]}
    with Rig("dock_ps", hosts(N, "172.19.0.")) as r:
        S = lambda t, h, ty, i: r.spawn(t, h, [PY, "ps_coord.py"], {"TF_CONFIG": tf_config(c, ty, i), "CKDIR": d, "STEPS": "240", "GRPC_FAIL_FAST": "use_caller"})
        S("ps", N[1], "ps", 0); S("w0", N[2], "worker", 0); S("w1", N[3], "worker", 1); S("chief", N[0], "chief", 0)
        r.wait_line("chief", "step 100/", 150); r.kill("w1", 9); time.sleep(3); S("w1", N[3], "worker", 1)
        r.wait(150, ["chief"]); time.sleep(1)
def jup_dsvc():       # none: corrupt records skipped, one of two data workers dies, training ends well
    N = ["lab-gpu3", "lab-data1", "lab-data2"]; d = fresh("jup"); wd = fresh("jupdisp")
    subprocess.run([PY, "dsvc.py", "make", d], env=dict(os.environ, CUDA_VISIBLE_DEVICES="-1"), stderr=subprocess.DEVNULL)
    for k in range(1, 60, 4):
        p = f"{d}/shard-{k:04d}.tfrecord"; b = bytearray(open(p, "rb").read()); b[3000] ^= 255; open(p, "wb").write(b)
    with Rig("jup_dsvc", hosts(N, "192.168.50.")) as r:
        E = {"DISP": "lab-gpu3:5000", "DATA": d, "WORKDIR": wd, "IGNORE": "1", "STEPS": "200", "JOB": "shared"}
        r.spawn("disp", N[0], [PY, "dsvc.py", "dispatcher"], E); r.spawn("d1", N[1], [PY, "dsvc.py", "worker"], E); r.spawn("d2", N[2], [PY, "dsvc.py", "worker"], E)
        r.wait_line("d1", "serving", 60); r.wait_line("d2", "serving", 60)
        r.spawn("train", N[0], [PY, "dsvc.py", "train"], E); r.wait_line("train", "step 50 ", 90); r.kill("d2", 9)
        r.wait_line("train", "step 90 ", 60); r.kill("disp", 9); time.sleep(2.5); r.spawn("disp", N[0], [PY, "dsvc.py", "dispatcher"], E); r.wait(90, ["train"])
def issue_kill():     # victims only: one worker is killed, its own log is not collected
    N = ["ml-node-a", "ml-node-b", "ml-node-c"]
    with Rig("issue_kill", hosts(N, "10.0.12.")) as r:
        for i, h in enumerate(N):
            r.spawn(f"w{i}", h, [PY, "mwms_loop.py"], {"TF_CONFIG": tf_config(mw(N, 12345), "worker", i), "STYLE": "c", "RUN": "issue", "STEPS": "90"})
        r.wait_line("w0", "step    57", 150); r.kill("w2", 9); r.wait(45)
def bank_ps():        # victims only: ps goes away
    N = ["HOST01", "HOST02", "HOST03", "HOST04"]; d = fresh("bankps")
    c = {"chief": [N[0] + ":31001"], "ps": [N[1] + ":31001"], "worker": [N[2] + ":31001", N[3] + ":31001"]}
    with Rig("bank_ps", hosts(N, "10.128.4.")) as r:
        S = lambda t, h, ty, i: r.spawn(t, h, [PY, "ps_coord.py"], {"TF_CONFIG": tf_config(c, ty, i), "CKDIR": d, "STEPS": "400", "GRPC_FAIL_FAST": "use_caller"})
        S("ps", N[1], "ps", 0); S("w0", N[2], "worker", 0); S("w1", N[3], "worker", 1); S("chief", N[0], "chief", 0)
        r.wait_line("chief", "step 172/", 150); r.kill("ps", 9); r.wait(40, ["chief"]); time.sleep(2)
def disc_coll():      # victims only: one member stops, the others' collective times out
    N = ["rig-1", "rig-2", "rig-3"]
    with Rig("disc_coll", hosts(N, "192.168.1.")) as r:
        for i, h in enumerate(N):
            e = {"TF_CONFIG": tf_config(mw(N, 23456), "worker", i), "RUN": "disc", "COLL_TIMEOUT": "15", "STEPS": "80"}
            if i == 2: e["FAULT"] = "stop"
            r.spawn(f"w{i}", h, [PY, "mwms_loop.py"], e)
        r.wait_line("w0", "step    38", 150); r.wait(40, ["w0", "w1"])
def lab_deadlock():   # sync.hang: one rank waits for its own lock; killed by the operator
    N = ["cori12", "cori13", "cori14", "cori15"]
    with Rig("lab_deadlock", hosts(N, "10.100.2.")) as r:
        for i, h in enumerate(N):
            e = {"TF_CONFIG": tf_config(mw(N, 2500), "worker", i), "RUN": "labd", "STYLE": "b", "STEPS": "90"}
            if i == 1: e["FAULT"] = "deadlock"
            r.spawn(f"w{i}", h, [PY, "mwms_loop.py"], e)
        r.wait_line("w1", "flushing histogram", 150); time.sleep(22)
        for i in range(4): r.kill(f"w{i}", signal.SIGUSR1)
        time.sleep(3)
        for i in range(4): r.kill(f"w{i}", 15)
        time.sleep(2)
def bank_uneven():    # data.uneven-shards: worker 1 has fewer batches; killed from outside
    N = ["HOST07", "HOST08"]
    with Rig("bank_uneven", hosts(N, "10.128.9.")) as r:
        for i, h in enumerate(N):
            e = {"TF_CONFIG": tf_config(mw(N, 8470), "worker", i), "RUN": "banku", "STYLE": "b", "STEPS": "70", "FINAL": "0", "WAITEXP": "1"}
            if i == 1: e["FAULT"] = "uneven"
            r.spawn(f"w{i}", h, [PY, "mwms_loop.py"], e)
        r.wait_line("w1", "data exhausted", 150); time.sleep(25); r.kill("w0", 15); time.sleep(1); r.kill("w1", 15); time.sleep(2)
def sge_mismatch():   # collective.mismatch
    N = ["compute-0-3", "compute-0-7", "compute-0-9"]
    with Rig("sge_mismatch", hosts(N, "10.1.255.")) as r:
        for i, h in enumerate(N):
            e = {"TF_CONFIG": tf_config(mw(N, 15000), "worker", i), "RUN": "sge", "STEPS": "60"}
            if i == 1: e["FAULT"] = "mismatch"
            r.spawn(f"w{i}", h, [PY, "mwms_loop.py"], e)
        r.wait_line("w0", "step    25", 150); r.wait(40)
def k3s_threads():    # resource.thread-limit: pids cgroup of one pod
    N = ["trainer-0", "trainer-1"]; cg = "/sys/fs/cgroup/pids/v_trainer1"; os.makedirs(cg, exist_ok=True); open(cg + "/pids.max", "w").write(os.environ.get("PIDMAX", "30"))
    with Rig("k3s_threads", hosts(N, "10.42.1.")) as r:
        def S(i):
            p = r.spawn(f"w{i}", N[i], [PY215, "mwms_keras.py", "--epochs", "8", "--steps", "20", "--dir", os.path.join(W, "k3s")], {"TF_CONFIG": tf_config(mw(N), "worker", i)}, pre="sleep 0.5;")
            if i == 1: open(cg + "/cgroup.procs", "w").write(str(p.pid))
        S(0)
        for k in range(3): S(1); r.wait(40, ["w1"]); time.sleep(4)
        r.kill("w0", 15); time.sleep(1.5)
def so_localhost():   # config.localhost-address: hang at start, ctrl-C
    N = ["ubuntu-a", "ubuntu-b"]
    with Rig("so_localhost", hosts(N, "192.168.0.")) as r:
        for i, h in enumerate(N):
            r.spawn(f"w{i}", h, [PY215, "mwms_keras.py", "--dir", fresh("so")], {"TF_CONFIG": tf_config({"worker": ["localhost:12345", "localhost:23456"]}, "worker", i)})
        time.sleep(75); r.kill("w0", 2); r.kill("w1", 2); time.sleep(4)
def ocp_tls():        # network.tls: expired certificate of the object store, read by the input function
    N = ["mrk-train-0", "mrk-train-1", "objstore.prd.bank.example"]; d = fresh("tls")
    subprocess.run(f"cd {d} && openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 900 -subj '/CN=Bank Issuing CA 3' 2>/dev/null && openssl req -newkey rsa:2048 -nodes -keyout k.pem -out r.csr -subj '/CN=objstore.prd.bank.example' 2>/dev/null && printf 'subjectAltName=DNS:objstore.prd.bank.example' > x && openssl x509 -req -in r.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 300 -extfile x -out ok.pem 2>/dev/null && openssl x509 -req -in r.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days -1 -extfile x -out old.pem 2>/dev/null; ls -la", shell=True)
    open(d + "/srv.py", "w").write("import http.server,ssl,os,threading,numpy as np,io\nclass H(http.server.BaseHTTPRequestHandler):\n def do_GET(s):\n  b=io.BytesIO();np.save(b,np.random.normal(size=(16,24)).astype('float32'));s.send_response(200);s.end_headers();s.wfile.write(b.getvalue())\nsv=http.server.ThreadingHTTPServer(('0.0.0.0',8443),H)\nc=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER);c.load_cert_chain('%s/cert.pem','%s/k.pem')\nsv.socket=c.wrap_socket(sv.socket,server_side=True);sv.serve_forever()\n" % (d, d))
    with Rig("ocp_tls", hosts(N, "10.129.6.")) as r:
        shutil.copy(d + "/ok.pem", d + "/cert.pem"); r.spawn("store", N[2], ["python3.11", d + "/srv.py"]); time.sleep(1.5)
        for i, h in enumerate(N[:2]):
            r.spawn(f"w{i}", h, [PY215, "mwms_keras.py", "--epochs", "6", "--steps", "30", "--data-url", "https://objstore.prd.bank.example:8443/bkt-mrk", "--dir", fresh("tlsb"), "--pause", "0.03"],
                    {"TF_CONFIG": tf_config(mw(N[:2], 5000), "worker", i), "SSL_CERT_FILE": d + "/ca.pem"})
        r.wait_line("w0", "worker0 epoch 2 done", 150)
        r.kill("store", 9); shutil.copy(d + "/old.pem", d + "/cert.pem"); r.spawn("store", N[2], ["python3.11", d + "/srv.py"])
        r.wait(60, ["w0", "w1"])
def tf1(r, N, ps, wk, port, **kw):
    p = ",".join(f"{n}:{port}" for n in ps); w = ",".join(f"{n}:{port}" for n in wk)
    def S(t, h, job, i, *extra): r.spawn(t, h, [PY, "tf1_job.py", "--ps", p, "--worker", w, "--job", job, "--task", str(i), *extra])
    return S
def tmux_stack():     # process.stack-overflow in a TF1 worker
    N = ["bot-ps", "bot-w0", "bot-w1"]
    with Rig("tmux_stack", hosts(N, "10.7.0.")) as r:
        S = tf1(r, N, N[:1], N[1:], 2222); d = fresh("tmux")
        S("ps0", N[0], "ps", 0); S("w0", N[1], "worker", 0, "--steps", "3000", "--logdir", d); S("w1", N[2], "worker", 1, "--steps", "3000", "--fault", "stack")
        r.wait_line("w1", "local 70", 150); r.wait(25, ["w1"]); time.sleep(5); r.kill("w0", 2); time.sleep(4); r.kill("ps0", 15); time.sleep(1)
def mail_graph():     # serialization.version
    N = ["node21", "node22", "node23"]; d = fresh("mail")
    subprocess.run([PY, "-c", f"""
import tensorflow as tf; v1=tf.compat.v1
g=tf.Graph()
with g.as_default():
    x=v1.placeholder(tf.float32,(None,24),name='inp'); h=x
    for i in range(6): h=tf.tanh(tf.matmul(h,tf.constant(tf.compat.v1.random.get_seed(1) and [[0.01]*24]*24)))
    tf.identity(h,name='feat')
gd=g.as_graph_def(); open('{d}/ok.pb','wb').write(gd.SerializeToString())
gd.versions.producer=2688; gd.versions.min_consumer=2645; open('{d}/tower_v9.pb','wb').write(gd.SerializeToString())
"""], env=dict(os.environ, CUDA_VISIBLE_DEVICES="-1"))
    with Rig("mail_graph", hosts(N, "10.20.0.")) as r:
        S = tf1(r, N, N[:1], N[1:], 2222)
        for t, g in (("old", "ok.pb"), ("new", "tower_v9.pb")):
            r.event(ev="attempt", n=t)
            S(f"{t}.ps0", N[0], "ps", 0); S(f"{t}.w0", N[1], "worker", 0, "--steps", "90", "--graph", f"{d}/{g}"); S(f"{t}.w1", N[2], "worker", 1, "--steps", "90", "--graph", f"{d}/{g}")
            r.wait(100, [f"{t}.w0", f"{t}.w1"]); time.sleep(1); r.kill(f"{t}.ps0", 15); time.sleep(1)
def flux_ckpt():      # checkpoint.mismatch: second attempt with another width
    N = ["tuo1101", "tuo1102", "tuo1103"]; d = fresh("flux")
    c = {"chief": [N[0] + ":2200"], "ps": [N[1] + ":2200"], "worker": [N[2] + ":2200"]}
    for att, wd, st in ((1, "16", "120"), (2, "24", "300")):
        with Rig("flux_ckpt", hosts(N, "10.64.1.")) as r:
            r.event(ev="attempt", n=att)
            S = lambda t, h, ty, i: r.spawn(f"a{att}.{t}", h, [PY, "ps_coord.py"], {"TF_CONFIG": tf_config(c, ty, i), "CKDIR": d, "STEPS": st, "WIDTH": wd, "GRPC_FAIL_FAST": "use_caller"})
            S("ps", N[1], "ps", 0); S("w0", N[2], "worker", 0); S("chief", N[0], "chief", 0)
            if att == 1: r.wait_line("a1.chief", "step 100/", 150); r.kill("a1.chief", 15); time.sleep(3); r.kill("a1.ps", 15); r.kill("a1.w0", 15); time.sleep(2)
            else: r.wait(120, ["a2.chief"]); time.sleep(1)
def pals_index():     # config.task-index: 8 hosts, two with the same index
    N = [f"x1003c2s{i}b0n0" for i in range(8)]; idx = [0, 1, 2, 3, 4, 4, 6, 7]
    with Rig("pals_index", hosts(N, "10.150.0.")) as r:
        for k, h in enumerate(N):
            r.spawn(f"w{k}", h, [PY, "mwms_loop.py"], {"TF_CONFIG": tf_config(mw(N, 29500), "worker", idx[k]), "RUN": "pals"}); time.sleep(.5)
        r.wait(80); 
        for k in range(8): r.kill(f"w{k}", 15)
        time.sleep(2)
def cn_skew():        # env.version-skew: 2.21 and 2.15
    N = ["ws1", "ws2"]
    with Rig("cn_skew", hosts(N, "192.168.31.")) as r:
        for i, h in enumerate(N):
            r.spawn(f"w{i}", h, [PY215 if i == 1 else PY, "mwms_loop.py"], {"TF_CONFIG": tf_config(mw(N), "worker", i), "RUN": "cn", "STYLE": "b"})
        r.wait(80); r.kill("w0", 15); r.kill("w1", 15); time.sleep(2)
def loki_fd():        # resource.fd-limit in the data worker
    N = ["train-7d9f", "dispatch-0", "feeder-0"]; d = fresh("loki"); wd = fresh("lokidisp")
    subprocess.run([PY, "-c", f"import sys; sys.argv=['x','nothing'];\nimport os; os.environ['DATA']='/x'\nsrc=open('dsvc.py').read().split('files =')[0]; exec(src); mk('{d}', 600)"], env=dict(os.environ, CUDA_VISIBLE_DEVICES="-1"), stderr=subprocess.DEVNULL)
    with Rig("loki_fd", hosts(N, "10.42.3.")) as r:
        E = {"DISP": "dispatch-0:5000", "DATA": d, "WORKDIR": wd}
        r.spawn("disp", N[1], [PY, "dsvc.py", "dispatcher"], E); r.spawn("feeder", N[2], [PY, "dsvc.py", "worker"], E, pre="ulimit -n 256;"); r.wait_line("feeder", "serving", 60)
        r.spawn("jobA", N[0], [PY, "dsvc.py", "train"], dict(E, STEPS="70", CYCLE="4"))
        r.wait(90, ["jobA"])
        r.spawn("jobB", N[0], [PY, "dsvc.py", "train"], dict(E, STEPS="400", CYCLE="300")); r.wait(90, ["jobB"]); time.sleep(1)
def nid_oom():        # resource.host-oom-killed: memory cgroup of one rank's step, its input function keeps every batch
    N = ["nid001204", "nid001205", "nid001311"]; cg = "/sys/fs/cgroup/memory/v_nid"; os.makedirs(cg, exist_ok=True); open(cg + "/memory.limit_in_bytes", "w").write(str(900 << 20))
    with Rig("nid_oom", hosts(N, "10.249.3.")) as r:
        for i, h in enumerate(N):
            p = r.spawn(f"w{i}", h, [PY215, "mwms_keras.py", "--epochs", "9", "--steps", "25", "--dir", fresh("oom")], {"TF_CONFIG": tf_config(mw(N), "worker", i), "KEEP": "1" if i == 1 else ""}, pre="sleep 0.5;")
            if i == 1: open(cg + "/cgroup.procs", "w").write(str(p.pid))
        r.wait(60)
if __name__ == "__main__":
    for n in sys.argv[1:]:
        shutil.rmtree(os.path.join(RAW, n), ignore_errors=True); t = time.time(); globals()[n](); print(n, "took %.0f" % (time.time() - t), flush=True)
        for f in sorted(os.listdir(os.path.join(RAW, n))):
            if f.endswith("jsonl"): print("   ", f, sum(1 for _ in open(os.path.join(RAW, n, f))), flush=True)
