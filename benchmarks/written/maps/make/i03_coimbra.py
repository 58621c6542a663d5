"""supervisord on three machines, the third has the index of the second."""
from common import *
N = "coimbra"; H = {"mapper-a": "172.20.8.31", "mapper-b": "172.20.8.32", "mapper-c": "172.20.8.33"}
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[300] * 6)
    c = {"worker": [f"{ip}:5000" for h, ip in H.items()]}
    for i, h in enumerate(H):
        L.spawn(f"w{i}", h, ["python", "/srv/tiles/tileloop.py", "--data", "/srv/data", "--logdir", "/srv/out", "--steps", "60"],
                env={"TF_CONFIG": tfc(c, "worker", min(i, 1))}, mounts=[(PROG, "/srv/tiles"), (L.shared + "/data", "/srv/data"), (L.shared, "/srv/out")], tz="Europe/Lisbon")
        if i: time.sleep(3)
    print(L.wait(60)); L.close()

def collect():
    """Three machines' supervisord log folders: stdout and stderr of the program apart, plus supervisord.log, host clocks a bit off."""
    ev, meta = load(N); t0 = meta["w0"]["t0"]; TZ = "Europe/Lisbon"; P = Pack(N, "coimbra.zip")
    for i, (h, d) in enumerate(zip(H, (0, 41.2, -7.5))):
        c = Clock(at("2026-10-29 14:03:09", TZ) - t0 + d, TZ); e = ev[f"w{i}"]
        P.w(f"{h}.tiles.err", [c.line(l) for t, s, l in e if s == "err"]); out = [c.line(l) for t, s, l in e if s == "out"]
        if out: P.w(f"{h}.tiles.out", out)
        st, en = meta[f"w{i}"]["t0"], meta[f"w{i}"]["end"] or e[-1][0] + 52
        f = lambda t: c.s(t) + ",%03d" % (t % 1 * 1000)
        pid = pidof(e)
        sup = [f"{f(st - 5)} INFO RPC interface 'supervisor' initialized", f"{f(st - 5)} CRIT Server 'unix_http_server' running without any HTTP authentication checking",
               f"{f(st - 4.9)} INFO supervisord started with pid {811 + i * 7}"]
        if i == 0: sup += [f"{f(st - 3.8)} INFO spawned: 'tile-cache' with pid 1190", f"{f(st - 3.1)} WARN exited: tile-cache (exit status 2; not expected)", f"{f(st - 2.1)} INFO spawned: 'tile-cache' with pid 1204", f"{f(st - 1.0)} INFO success: tile-cache entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)"]
        sup += [f"{f(st)} INFO spawned: 'tiles' with pid {pid}", f"{f(st + 1.01)} INFO success: tiles entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)"]
        if i < 2: sup += [f"{f(en)} WARN exited: tiles (exit status 1; not expected)", f"{f(en + .9)} INFO gave up: tiles entered FATAL state, too many start retries too quickly"]
        else: sup += [f"{f(en)} INFO waiting for tiles to stop", f"{f(en + 10)} WARN killing 'tiles' ({pid}) with SIGKILL", f"{f(en + 10.02)} WARN stopped: tiles (terminated by SIGKILL)"]
        P.w(f"{h}.supervisord.log", sup)
        P.w(f"{h}.tiles.conf", ["[program:tiles]", f"command=/opt/venv/bin/python /srv/tiles/tileloop.py --data /srv/data --logdir /srv/out --steps 60",
            "environment=TF_CONFIG='" + tfc({"worker": [f"{ip}:5000" for ip in H.values()]}, "worker", min(i, 1)).replace('"', '\\"') + "'", "autorestart=unexpected", "startretries=0", f"stderr_logfile=/var/log/supervisor/tiles.err"])
    P.done("config.task-index", ["mapper-c", "172.20.8.33"], ["config.cluster-mismatch"], "mapper-c was started with task index 1, the index of mapper-b (its TF_CONFIG and 'Started server with target grpc://172.20.8.32:5000' on 172.20.8.33); the leader reports that task 1 connected with a different incarnation. 'It has likely restarted' is misleading: nothing restarted; tile-cache exit is unrelated.")
if __name__ == "__main__": main(run, collect)
