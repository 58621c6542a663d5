"""keras fit; garbage records skipped, first attempt preempted, second resumes from the backup and finishes"""
from common import *
N = "riga"; H = {"spot-a1": "10.99.0.21", "spot-a2": "10.99.0.22", "spot-a3": "10.99.0.23"}
GARB = "import tensorflow as tf,sys\nfor f,k in ((1,9),(4,4)):\n    p=sys.argv[1]+'/train-%05d-of-00006.tfrecord'%f; r=[x.numpy() for x in tf.data.TFRecordDataset(p)]; r[k::97]=[b'\\x07\\xffgarbage'+bytes([i%250]) for i in range(len(r[k::97]))]\n    w=tf.io.TFRecordWriter(p); [w.write(x) for x in r]; w.close()\n"
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[500] * 6); subprocess.run(["/opt/tfenv/bin/python", "-c", GARB, L.shared + "/data"], check=True, stderr=subprocess.DEVNULL)
    c = {"worker": [f"{h}:8000" for h in H]}
    os.makedirs(L.shared + "/app"); open(L.shared + "/app/lanefit.py", "w").write(open(PROG + "/lanefit.py").read().replace('os.path.join(own, "backup")', 'os.path.join(a.model_dir, "backup")'))
    def go(a):
        for i, h in enumerate(H):
            L.spawn(f"{a}w{i}", h, ["python", "/opt/lane/lanefit.py", "--data", "/data/lanes", "--model-dir", "/data/runs/r1", "--epochs", "9", "--steps", "20", "--pause", "0.05", "--skip-bad"], py=f"{OUT}/tf215", env={"TF_CONFIG": tfc(c, "worker", i)}, mounts=[(L.shared + "/app", "/opt/lane"), (L.shared + "/data", "/data/lanes"), (L.shared, "/data/runs")], pre="mkdir -p /data/runs/r1")
    import signal as sg
    go("a1"); L.wait_line("a1w0", "epoch 4 begins", 80); time.sleep(.5); L.kill("a1w2", sg.SIGTERM); time.sleep(1); L.kill("a1w2"); L.wait(20, ["a1w0", "a1w1", "a1w2"]); time.sleep(1)
    go("a2"); print(L.wait(70)); L.close()
if __name__ == "__main__": main(run, lambda: None)
