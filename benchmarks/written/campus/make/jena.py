"""Survived: PS job; worker 1 is killed and started again by the supervisor, the coordinator retries and the job finishes. MLflow-like artifact folder + loguru-less text."""
from pslib import *
R = [("cam-srv-1", "chief", 0), ("cam-srv-2", "ps", 0), ("cam-srv-3", "worker", 0), ("cam-srv-4", "worker", 1)]
n = Net("jena", {f"cam-srv-{i}": f"10.77.3.{i}" for i in range(1, 5)})
ps = start(n, R, 4000, {"STEPS": "480"})
n.grep("chief0.log", "round 40 ", 60); ps["worker", 1].send_signal(signal.SIGKILL); tkill = dt.datetime.utcnow(); time.sleep(4)
p2 = start(n, R, 4000, only=[("worker", 1)], append=True); print(n.wait([ps["chief", 0]], 120)); tend = dt.datetime.utcnow()
n.close()
D = -2 * 86400 + 7; mp = {n.dir: "/home/ci/clicks", MAKE: "/home/ci/clicks", "/opt/tfenv": "/home/ci/venv", "/root/.pyenv/versions/3.11.7": "/usr"}
g = lambda f, d=0: shift(sub(n.read(f), mp), D + d, 0)
rid = "4be1d0c2f7764a7e9a3c6f0d1b2a9e55"; ms = lambda x: int((x + dt.timedelta(seconds=D) - dt.datetime(1970, 1, 1)).total_seconds() * 1000)
meta = f"artifact_uri: mlflow-artifacts:/31/{rid}/artifacts\nend_time: {ms(tend)}\nentry_point_name: ''\nexperiment_id: '31'\nlifecycle_stage: active\nrun_id: {rid}\nrun_name: clicks-nightly-881\nsource_name: ''\nsource_type: 4\nsource_version: ''\nstart_time: {ms(tend)-60000}\nstatus: 3\ntags: []\nuser_id: ci\n"
sup = "".join(f"{t(tkill + dt.timedelta(seconds=D), s, '%Y-%m-%d %H:%M:%S')},{ms_} {m}\n" for s, ms_, m in [(-40, 201, "INFO spawned: 'tf-worker' with pid 20122"), (-39, 203, "INFO success: tf-worker entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)"), (0, 620, "WARN exited: tf-worker (terminated by SIGKILL; not expected)"), (4, 11, "INFO spawned: 'tf-worker' with pid 20977"), (5, 15, "INFO success: tf-worker entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)")])
b = f"mlruns/31/{rid}/"
finish("clicks-881", {b + "meta.yaml": meta, b + "params/rows": "2000", b + "tags/mlflow.user": "ci", b + "artifacts/logs/chief.txt": g("chief0.log"), b + "artifacts/logs/ps-0.txt": g("ps0.log", 2), b + "artifacts/logs/worker-0.txt": g("worker0.log", -9), b + "artifacts/logs/worker-1.txt": g("worker1.log", 14), b + "artifacts/logs/supervisord_cam-srv-4.log": sup, b + "artifacts/logs/NOTE.txt": "why is there a red trace in the chief log again? did we lose data? -- Sven\n"}, "zip",
  "none", None, [], "Worker 1 was killed and respawned by supervisord; the coordinator logged the worker failure, recovered and printed 'finished'; MLflow status 3 (FINISHED). The SIGKILL and the traces are survived.")
