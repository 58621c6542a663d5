"""ps on a node with a memory cgroup: real OOM kill; kernel lines taken from this machine's dmesg."""
from pslib import *
R = [("bz-head", "chief", 0), ("bz-mem1", "ps", 0), ("bz-mem2", "ps", 1), ("bz-cpu1", "worker", 0), ("bz-cpu2", "worker", 1)]
n = Net("bolzano", {"bz-head": "10.44.2.1", "bz-mem1": "10.44.2.2", "bz-mem2": "10.44.2.3", "bz-cpu1": "10.44.2.4", "bz-cpu2": "10.44.2.5"})
cg = "/sys/fs/cgroup/memory/q_job_71"; sh(f"mkdir -p {cg}; echo 620000000 > {cg}/memory.limit_in_bytes")
s = open(MAKE + "/psjob.py").read().replace('    if r % 25 == 24:', '    if r == 70:\n        log.info("growing vocabulary: adding momentum slots")\n        with strategy.scope():\n            slots = [tf.Variable(tf.zeros([2000000, 16]), name="slot%d" % k) for k in range(8)]\n    if r % 25 == 24:')
open(n.dir + "/psgrow.py", "w").write(s)
d0 = sh("dmesg | wc -l").stdout
ps = start(n, R, 2999, {"STEPS": "2000"}, prog="../w/bolzano/psgrow.py")
open(cg + "/cgroup.procs", "w").write(str(ps["ps", 1].pid))
print(n.wait([ps["chief", 0]], 90), ps["ps", 1].poll()); n.close()
dm = sh(f"dmesg -T | tail -n +{d0.strip()}").stdout; sh(f"rmdir {cg}")
print(dm[-1500:])
keep = [l for l in dm.splitlines() if re.search("oom|Out of memory|Killed|Memory cgroup|memory:|\\[ *pid|python", l) and "qv" not in l]
D = -8 * 86400 + 3000; import datetime as _d
def kts(l):
    m = re.match(r"\[(.{24})\] (.*)", l)
    return (_d.datetime.strptime(m[1], "%a %b %d %H:%M:%S %Y") + dt.timedelta(seconds=D + 20)).strftime("%b %d %H:%M:%S") + " bz-mem2 kernel: " + m[2].replace("q_job_71", "slurm/uid_1204/job_71442/step_0") if m else l
mp = {n.dir: "/home/lferrari/rec", MAKE + "/../w/bolzano": "/home/lferrari/rec", MAKE: "/home/lferrari/rec", "/opt/tfenv": "/home/lferrari/.conda/envs/tf", "/root/.pyenv/versions/3.11.7": "/usr"}
g = lambda f, d=0: shift(sub(n.read(f), mp), D + d, 0)
files = {"chief.out": g("chief0.log"), "workers/0.out": g("worker0.log", 4), "workers/1.out": g("worker1.log", -6), "ps/0.out": g("ps0.log"), "ps/1.out": g("ps1.log", 20), "syslog/bz-mem2.messages": "\n".join(kts(l) for l in keep) + "\n",
 "syslog/bz-cpu1.messages": "Nov 17 03:12:09 bz-cpu1 kernel: eth1: NIC Link is Down\nNov 17 03:12:12 bz-cpu1 kernel: eth1: NIC Link is Up 10 Gbps, Flow Control: RX/TX\n", "LEGGIMI.txt": "il coordinatore perde il ps 1. Per me e' la rete: vedi bz-cpu1, eth1 giu'. L.F.\n"}
finish("rec-71442", files, "tgz", "resource.host-oom-killed", ["bz-mem2", "ps:1"], ["ps.unavailable"] if 0 else [], "The memory cgroup of ps 1 on bz-mem2 was exhausted when slots were added; kernel killed the process (real dmesg). Chief sees ps task 1 unavailable. Herrings: a NIC flap of bz-cpu1 a day earlier, the user's network theory.", root="raccolta")
