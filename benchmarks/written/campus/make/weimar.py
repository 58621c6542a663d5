"""PS job from tmux panes: yesterday's server still holds the port of worker 1, the new one cannot bind; coordinator waits / fails; interrupted by the student."""
from pslib import *
R = [("ws-hegel", "chief", 0), ("ws-kant", "ps", 0), ("ws-fichte", "worker", 0), ("ws-schelling", "worker", 1)]
n = Net("weimar", {h: f"141.54.7.{30+i}" for i, (h, _, _) in enumerate(R)})
old = [(h, ty, i) for h, ty, i in R]
stale = start(n, [("ws-schelling", "ps", 0), ("ws-kant", "worker", 0)], 2222, only=[("ps", 0)], log="stale.log")
n.grep("stale.log", "serving at", 40)
ss = f"tcp   LISTEN 0      4096               *:2222             *:*    users:((\"python\",pid={stale['ps', 0].pid},fd=18))\n"
ps = start(n, R, 2222, {"STEPS": "400"})
print(n.wait([ps["worker", 1]], 30)); n.wait([ps["chief", 0]], 40)
if ps["chief", 0].poll() is None: ps["chief", 0].send_signal(signal.SIGINT); n.wait([ps["chief", 0]], 8)
print(ps["chief", 0].poll()); n.close(); print(n.read("worker1.log")[-900:]); print(n.read("chief0.log")[-900:])
D = -11 * 86400 + 31; mp = {n.dir: "/home/stud/ml2", MAKE: "/home/stud/ml2", "/opt/tfenv": "/home/stud/ml2/env", "/root/.pyenv/versions/3.11.7": "/usr"}
g = lambda f, d=0: shift(sub(n.read(f), mp), D + d, 1)
w = {}
for (h, ty, i), d in zip(R, (0, 4, -8, 2)):
    w[f"{i}-{ty}@{h}"] = f"stud@{h}:~/ml2$ source env/bin/activate\n(env) stud@{h}:~/ml2$ python psjob.py\n" + g(f"{ty}{i}.log", d) + (f"(env) stud@{h}:~/ml2$ \n" if ty in ("chief",) or (ty, i) == ("worker", 1) else "")
txt = "".join(f"\n######## tmux window {k} ########\n{v}" for k, v in w.items())
txt += f"\n######## tmux window 9-misc@ws-schelling ########\nstud@ws-schelling:~$ dmesg | tail -2\n[8123.10] perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500\n[9911.87] e1000e 0000:00:1f.6 enp0s31f6: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx\nstud@ws-schelling:~$ sudo ss -tlnp | grep 2222\n{ss}stud@ws-schelling:~$ ps -o user,pid,lstart,cmd -p {stale['ps', 0].pid}\nUSER         PID                  STARTED CMD\nmaria      {stale['ps', 0].pid} {t(dt.datetime.utcnow()+dt.timedelta(seconds=D-80000), 0, '%a %b %d %H:%M:%S %Y')} python psjob.py\n"
finish("ml2-gruppe4", {"tmux-capture.txt": txt.replace("\n", "\r\n")}, "zip", "network.port-in-use", ["ws-schelling", "worker:1"], [], "worker 1 on ws-schelling cannot bind port 2222 (address already in use), held by maria's old psjob; the coordinator suffers from it. Herrings: deprecation/NIC lines in dmesg.")
