"""Custom loop; every step opens a calibration file that is never closed; worker 1's unit has LimitNOFILE=300: Too many open files there only."""
from lib import *
import numpy as np
H = ["sgw-00", "sgw-01", "sgw-02"]
n = Net("lugo", {h: f"10.88.1.{i+3}" for i, h in enumerate(H)})
s = open(MAKE + "/custom.py").read().replace("            time.sleep(F.pause)", "            held.append(open(\"calib_%d.txt\" % (s % 7)))\n            time.sleep(F.pause)").replace("    epoch = 0\n", "    epoch = 0\n    held = []\n")
open(n.dir + "/gwtrain.py", "w").write(s)
for k in range(7): open(n.dir + f"/calib_{k}.txt", "w").write("1 0\n")
for i in range(3): np.save(n.dir + f"/s{i}.npy", np.random.rand(320, 64))
c = {"worker": [h + ":8181" for h in H]}; pr = []
for i, h in enumerate(H):
    pr.append(n.start(h, f"{PY['221']} gwtrain.py --shards s0.npy,s1.npy,s2.npy --steps 600 --pause 0.03", f"{h}.log", {"TF_CONFIG": {"cluster": c, "task": {"type": "worker", "index": i}}}, pre="ulimit -n 300;" if i == 1 else "ulimit -n 65536;"))
print(n.wait(pr, 50)); n.close(); print(n.read("sgw-01.log")[-600:])
D = -1 * 86400 - 9000; mp = {n.dir: "/opt/gw", MAKE: "/opt/gw", "/opt/tfenv": "/opt/gw/venv", "/root/.pyenv/versions/3.11.7": "/usr"}
rows = []
for h, p in zip(H, pr):
    last = t(p.t0 + dt.timedelta(seconds=D), 0, "%Y-%m-%d %H:%M:%S")
    for l in shift(sub(n.read(h + ".log"), mp), D, 0).splitlines():
        if l.startswith("INFO:tensorflow:"): continue
        m = re.match(r"[IWE](\d\d)(\d\d) (\d\d:\d\d:\d\d)", l); last = f"2026-{m[1]}-{m[2]} {m[3]}" if m and m[1] == "11" else last
        rows.append((last, f"{last} UTC [s=7c1e;i={len(rows)+4096:x};b=0d2f4c11a;m={1000+len(rows):x}]\n    PRIORITY=6\n    _HOSTNAME={h}\n    _PID={p.pid}\n    _COMM=python\n    SYSLOG_IDENTIFIER=gwtrain\n    _SYSTEMD_UNIT=gwtrain.service\n    MESSAGE={l}\n"))
txt = "".join(b for a, b in sorted(rows, key=lambda r: r[0]))
unit = "# sgw-00, sgw-02: /etc/systemd/system/gwtrain.service\n[Service]\nExecStart=/opt/gw/venv/bin/python gwtrain.py\nRestart=no\nLimitNOFILE=65536\n\n# sgw-01: /etc/systemd/system/gwtrain.service\n[Service]\nExecStart=/opt/gw/venv/bin/python gwtrain.py\nRestart=no\nLimitNOFILE=300\n"
finish("gw-verbose", {"journal.verbose.txt": txt, "units.txt": unit, "frag.txt": "Hat der NFS wieder Schluckauf? Gestern: 'nfs: server nas7 not responding, still trying' / 'nfs: server nas7 OK'\n"}, "tar.gz",
  "resource.fd-limit", ["sgw-01", "worker:1"], ["user.code-error"], "OSError Errno 24 Too many open files on sgw-01, whose unit has LimitNOFILE=300; the peers see only the collective abort. Herring: NFS hiccup of the day before.")
