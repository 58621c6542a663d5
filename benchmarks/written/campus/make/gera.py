"""Survived: a tf.data worker is killed and restarted, the dispatcher is restarted too; the trainer finishes."""
from dslib import *
n = Net("gera", {"toaster-disp": "192.168.9.5", "toaster-dw1": "192.168.9.6", "toaster-dw2": "192.168.9.7", "toaster-tr": "192.168.9.9"})
make_data(n.dir + "/data", 6, 200); A = "toaster-disp:7171"
d = go(n, "toaster-disp", "dispatcher", A, "d.log"); time.sleep(4)
w = {h: go(n, h, "worker", A, h + ".log") for h in ("toaster-dw1", "toaster-dw2")}
p = go(n, "toaster-tr", "trainer", A, "t.log", {"STEPS": "420"}); n.grep("t.log", "step 100 ", 60)
w["toaster-dw2"].send_signal(signal.SIGKILL); time.sleep(3); go(n, "toaster-dw2", "worker", A, "toaster-dw2.log", append=True); time.sleep(3)
d.send_signal(signal.SIGKILL); time.sleep(3); go(n, "toaster-disp", "dispatcher", A, "d.log", append=True)
print(n.wait([p], 90)); n.close(); print(n.read("t.log")[-1500:])
D = -26 * 86400 + 5; mp = {n.dir: "/srv/toaster", MAKE: "/srv/toaster", "/opt/tfenv": "/srv/toaster/venv", "/root/.pyenv/versions/3.11.7": "/usr"}
L = []
for f, c, s in (("d.log", "dispatcher", 0), ("toaster-dw1.log", "data-1", 0), ("toaster-dw2.log", "data-2", 0), ("t.log", "trainer", 0)):
    L += [f"{c:<10} | {l}" for l in shift(sub(n.read(f), mp), D + s, 0).splitlines()]
yml = "run: toaster-browning-55\nstate: success\nrestarts: {dispatcher: 1, data-2: 1}\nexit_codes: {trainer: 0}\nartifacts: 1\nalerts:\n  - 'data-2 exited 137'\n  - 'dispatcher exited 137'\n"
finish("browning55", {"compose.log": "\n".join(L) + "\n", "run_summary.yaml": yml}, "tgz", "none", None, [], "A data worker and the dispatcher were killed (137) and restarted; the client retried and the trainer printed 'training complete', exit 0.")
