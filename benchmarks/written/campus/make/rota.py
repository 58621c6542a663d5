"""Not enough collected: the peer is killed (SIGKILL); only the victims' Keras output is kept."""
from kerlib import *
H = {"node-blau": "10.66.1.2", "node-rot": "10.66.1.3", "node-gelb": "10.66.1.4"}
n = Net("rota", H)
ps = fit(n, list(H), "--epochs 60 --verbose 2", 7000, log="{h}.txt", pyv="215")
n.grep("node-blau.txt", "Epoch 9/60", 70); ps[1].send_signal(signal.SIGKILL)
print(n.wait([ps[0], ps[2]], 60)); n.close()
D = -5 * 86400; mp = {n.dir: "/home/ubuntu/pz", MAKE: "/home/ubuntu/pz", OUT + "/tf215": "/home/ubuntu/tf", "/root/.pyenv/versions/3.11.7": "/usr"}
g = lambda f, d: shift(sub(n.read(f), mp), D + d, 0)
a, b = g("node-blau.txt", 0), g("node-gelb.txt", -71)
cap = "$ byobu-tmux capture-pane -p -S -3000 -t 0.0   # blau\n" + a + "ubuntu@node-blau:~/pz$ echo $?\n1\nubuntu@node-blau:~/pz$ \n"
cap2 = "$ byobu-tmux capture-pane -p -S -3000 -t 0.2   # gelb\n" + b + "ubuntu@node-gelb:~/pz$ df -h /\nFilesystem      Size  Used Avail Use% Mounted on\n/dev/sda1        29G   27G  1.6G  95% /\nubuntu@node-gelb:~/pz$ ssh node-rot\nssh: connect to host node-rot port 22: Connection timed out\n"
finish("byobu-rgb", {"pane0.capture": cap, "pane2.capture": cap2}, "tgz", "network.unreachable-peer", ["node-rot", "worker:1"], ["process.killed-by-signal", "collective.timeout", "network.timeout", "driver.kernel", "scheduler.preempted"],
  "Only the victims (worker 0 and 2) are kept; they lose node-rot (task 1) mid-training, and ssh to it times out, so host or process death cannot be told. Herring: disk at 95 %.")
