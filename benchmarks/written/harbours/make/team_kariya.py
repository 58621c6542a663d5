"""Team 3 (Kariya, PBS Professional, tcsh, fluentd LTSV). Incidents kariya-0421, kariya-0506, kariya-0613."""
from cluster import *
import sys, random
J = os.path.join(HERE, "jobs")
P = lambda c: [(c.dir + "/", "/home/press/run/"), ("/root/.pyenv/versions/3.11.7/", "/usr/local/py311/"), ("/opt/tfenv/", "/usr/local/tf/")]
def conf(ws, i): return json.dumps({"cluster": {"worker": [f"{w}:5000" for w in ws]}, "task": {"type": "worker", "index": i}})
def csvs(c, n):
    os.makedirs(c.dir + "/data"); random.seed(1)
    for i in range(n):
        for k in range(2): open(f"{c.dir}/data/line{i}_{k}.csv", "w").write("".join(",".join(f"{random.gauss(0,1):.3f}" for _ in range(16)) + "\n" for _ in range(800)))
def nic():
    ws = ["kpr041", "kpr042", "kpr043", "kpr047"]
    c = Cluster("ky421", "172.20.8", ws, "JST-9")
    try:
        os.makedirs(c.dir + "/code"); shutil.copy(J + "/press.py", c.dir + "/code"); csvs(c, 4)
        for i, w in enumerate(ws): c.run(w, "code/press.py", f"o{i}", dict(TF_CONFIG=conf(ws, i), PRESS_DATA=c.dir + "/data", CKPT=c.dir, STEPS="3000"))
        c.until("o0", "step=150 ", 90); t1 = time.time()
        sh(f"ip -n {c.ns['kpr043']} link set eth0 down")
        r = c.wait(timeout=75)
        for w in ws: c.kill(w, signal.SIGTERM)
        r = c.wait(timeout=6); t2 = time.time(); D = -30 * 86400
        text = "".join(f"==== {w} ====\n" + shift(sub(c.lines(f"o{i}"), P(c)), D + [0, 2, 0, -3][i]) for i, w in enumerate(ws))
        f = lambda t: stamp(t, "%b %d %H:%M:%S", 9 * 3600 + D)
        text += f"=>> PBS: job killed by qdel at request of press@kpr-login1\n" if any(v == -15 for v in r.values()) else ""
        msg = [(t1 - 40000, "kpr041", "kernel: mlx5_core 0000:3b:00.0 ens3f0: Link up"), (t1 - 8000, "kpr047", "kernel: Out of memory: Killed process 22817 (MATLAB) total-vm:61324400kB, anon-rss:50211384kB, file-rss:0kB, shmem-rss:0kB, UID:5021 pgtables:101204kB oom_score_adj:0"),
               (t1, "kpr043", "kernel: ixgbe 0000:18:00.0 eth0: NIC Link is Down"), (t1 + 9, "kpr041", "pbs_mom: Im_eof, Premature end of message from addr 172.20.8.24:15003"), (t2 + 300, "kpr043", "kernel: ixgbe 0000:18:00.0 eth0: NIC Link is Up 10 Gbps, Flow Control: RX/TX")]
        ltsv = "".join(f"time:{stamp(t, '%Y-%m-%dT%H:%M:%S', 9*3600+D)}+0900\ttag:syslog.messages\thost:{h}\tident:{m.split(':')[0]}\tmessage:{m.split(': ', 1)[1]}\n" for t, h, m in msg)
        qs = f"Job Id: 88213.kpr-pbs\n    Job_Name = press_ae\n    Job_Owner = press@kpr-login1\n    job_state = F\n    queue = gpuless\n    exec_host = " + "+".join(f"{w}/0*4" for w in ws) + f"\n    Resource_List.walltime = 12:00:00\n    resources_used.walltime = 00:0{int(t2-c.t0)//60}:{int(t2-c.t0)%60:02}\n    stime = {stamp(c.t0, '%a %b %d %H:%M:%S %Y', 9*3600+D)}\n    Exit_status = {271 if any(v == -15 for v in r.values()) else 1}\n"
        A = "kariya-0421.tgz"
        pack(A, {"press_ae.o88213": text, "fluentd/messages.ltsv": ltsv, "qstat_fx.txt": qs, "memo.txt": "途中で止まった。047 のメモリ不足(MATLAB)が怪しいと田中さん。全ランクエラー終了、ハートビートがどうこう。\nログは .o を全ノード結合したもの。\n"})
        truth(A, "hardware.nic-link", ["kpr043", "worker:2"], [], "kernel on kpr043 'NIC Link is Down' at the moment the steps stop; the tasks only see lost heartbeats. Red herring: kernel OOM of MATLAB on kpr047 two hours before.")
        return r
    finally: c.close()
def threads():
    ws = ["kpr051", "kpr052", "kpr053"]
    c = Cluster("ky506", "172.20.8", ws, "JST-9")
    try:
        os.makedirs(c.dir + "/code"); shutil.copy(J + "/press.py", c.dir + "/code"); csvs(c, 3); sh(f"chmod -R a+rwX {c.dir}")
        for i, w in enumerate(ws):
            uid = 61230 + i
            pre = f"prlimit --nproc={[4000, 4000, 240][i]} setpriv --reuid {uid} --regid {uid} --clear-groups"
            c.run(w, "code/press.py", f"o{i}", dict(TF_CONFIG=conf(ws, i), PRESS_DATA=c.dir + "/data", CKPT=c.dir, READERS=["2", "2", "48"][i], HOME="/tmp"), pre=pre)
        r = c.wait(["kpr053"], timeout=60); r = c.wait(timeout=15)
        for w in ws: c.kill(w, signal.SIGTERM)
        r = c.wait(timeout=6)
        D = -4 * 86400; ltsv = []
        for i, w in enumerate(ws):
            for k, l in enumerate(shift(sub(c.lines(f"o{i}"), P(c)), D).splitlines()):
                ltsv.append(f"host:{w}\tjob:88977\tseq:{k}\tfile:/var/spool/pbs/spool/88977.kpr-pbs.{w}.OU\tmessage:" + l.replace("\t", "\\t"))
        acct = f"{stamp(time.time(), '%m/%d/%Y %H:%M:%S', 9*3600+D)};E;88977.kpr-pbs;user=press group=press jobname=press_r96 queue=gpuless exec_host=" + "+".join(w + "/0*4" for w in ws) + f" Resource_List.select=3:ncpus=4 session=18222 Exit_status={abs(r['kpr053'])+128 if r['kpr053']<0 else r['kpr053']} resources_used.mem=2211304kb run_count=2\n"
        o1 = f"{stamp(c.t0-3000, '%Y-%m-%d %H:%M:%S', 9*3600+D)} 88977 run_count=1\nTraceback (most recent call last):\n  File \"/home/press/run/code/press.py\", line 7, in <module>\n    cfg = json.loads(os.environ[\"TF_CONFIG\"])\nKeyError: 'TF_CONFIG'\n"
        A = "kariya-0506.tar.bz2"
        pack(A, {"from_fluentd.ltsv": "\n".join(ltsv) + "\n", "20261123.acct": acct, "run1_old.OU": o1, "backlog_PRS-506.md": "# PRS-506 学習ジョブ異常終了\n- 1回目: module load 忘れ (TF_CONFIG 無し) → 修正済\n- 2回目: 添付。READERS を増やしたノードあり。佐藤「ネットワークでは?」\n"})
        truth(A, "resource.thread-limit", ["kpr053", "worker:2"], [], "kpr053 cannot create threads (pthread_create / Resource temporarily unavailable) and aborts; others see the lost peer. Red herrings: first attempt without TF_CONFIG, 'network' remark.")
    finally: c.close()
def stale():
    ws = ["kpr061", "kpr062", "kpr063"]
    c = Cluster("ky613", "172.20.8", ws, "JST-9")
    try:
        code = c.dir + "/code"; os.makedirs(code); shutil.copy(J + "/press_tfr.py", code); sh(f"gcc -shared -fPIC -o {c.dir}/libnfs.so {J}/estale.c -ldl"); os.makedirs(c.dir + "/nas/press"); random.seed(2)
        sh(f"""{PY} -c "
import os; os.environ['TF_CPP_MIN_LOG_LEVEL']='3'
import tensorflow as tf, numpy as np
for i in range(6):
    with tf.io.TFRecordWriter('{c.dir}/nas/press/p%d.tfrecord' % i) as w:
        for _ in range(900): w.write(np.random.normal(size=16).astype('f4').tobytes())
" """)
        for i, w in enumerate(ws):
            c.run(w, "code/press_tfr.py", f"o{i}", dict(TF_CONFIG=conf(ws, i), PRESS_DATA=c.dir + "/nas/press", STALE_DIR=c.dir + "/nas", STALE_FLAG=c.dir + f"/flag{i}"), setup=f"export LD_PRELOAD={c.dir}/libnfs.so;")
        c.until("o1", "step 120 ", 90); open(c.dir + "/flag1", "w"); t1 = time.time()
        r = c.wait(timeout=40)
        for w in ws: c.kill(w, signal.SIGTERM)
        r = c.wait(timeout=6); D = -11 * 86400
        Q = [(c.dir + "/nas/", "/nas02/"), (c.dir + "/", "/home/press/run/"), ("/root/.pyenv/versions/3.11.7/", "/usr/local/py311/"), ("/opt/tfenv/", "/usr/local/tf/")]
        files = {}
        # the merged log: sorted nothing, each line with host in front, as `pbsdsh -- tail -n +1` does with awk
        for i, w in enumerate(ws): files[f"{w}/{'stdout+err' if i != 1 else 'STDOUT_ERR.save'}"] = shift(sub(c.lines(f"o{i}"), Q), D)
        files["kpr063/dmesg_T"] = f"[{stamp(t1 - 90000, '%a %b %d %H:%M:%S %Y', 9*3600+D)}] nfs: server nas01 not responding, still trying\n[{stamp(t1 - 89960, '%a %b %d %H:%M:%S %Y', 9*3600+D)}] nfs: server nas01 OK\n"
        files["qdel.history"] = f"press@kpr-login1 % tracejob 89511 | tail -3\n{stamp(t1+30, '%m/%d/%Y %H:%M:%S', 9*3600+D)}  S    Exit_status={r['kpr062']} resources_used.cput=00:01:12\n"
        A = "kariya-0613.tar.gz"
        pack(A, files)
        truth(A, "storage.network-fs", ["kpr062", "worker:1"], [], "worker 1 on kpr062 reads a TFRecord below /nas02 and gets 'Stale file handle' (ESTALE); peers only follow. Red herrings: nas01 'not responding' a day before on kpr063 that recovered, missing calibration file caught.")
    finally: c.close()
if __name__ == "__main__":
    for f in sys.argv[1:]: print(globals()[f]())
