"""Coordinator runs as an ordinary user and cannot write the checkpoint folder; everything collected into one file with ==> file <== headers."""
from pslib import *
R = [("login-ml", "chief", 0), ("ps-a", "ps", 0), ("wk-1", "worker", 0), ("wk-2", "worker", 1)]
n = Net("trento", {"login-ml": "10.12.0.2", "ps-a": "10.12.0.3", "wk-1": "10.12.0.4", "wk-2": "10.12.0.5"})
os.makedirs(n.dir + "/models/shared"); os.chmod(n.dir + "/models/shared", 0o755); os.chmod(n.dir, 0o755)
sh("chmod o+x /opt/incidents /opt/incidents /opt/incidents/w /opt/incidents/make")
c = cluster(R, 5151); ps = []
for h, ty, i in R:
    ps.append(n.start(h, f"{'setpriv --reuid 65534 --regid 65534 --clear-groups ' if ty == 'chief' else ''}{PY['221']} {MAKE}/psjob.py", f"{ty}{i}.log", {"TF_CONFIG": {"cluster": c, "task": {"type": ty, "index": i}}, "CKPT": n.dir + "/models/shared/clicks", "HOME": "/tmp", "STEPS": "400"}))
print(n.wait(ps[:1], 90)); print(n.read("chief0.log")[-900:]); n.close()
D = -33 * 86400 + 654; mp = {n.dir: "/mnt/fast", MAKE: "/home/paolo/clicks", "/opt/tfenv": "/home/paolo/env", "/root/.pyenv/versions/3.11.7": "/usr"}
tx = ""
for f, d in (("worker0.log", 3), ("worker1.log", -40), ("ps0.log", 11), ("chief0.log", 0)):
    tx += f"==> {f[:-5]}-{f[-5]}.log <==\n" + shift(sub(n.read(f), mp), D + d, 1) + "\n"
tx += "==> ls-models.txt <==\npaolo@login-ml:~$ ls -ld /mnt/fast/models /mnt/fast/models/shared\ndrwxr-xr-x 4 root root   4096 Oct  2 09:10 /mnt/fast/models\ndrwxr-xr-x 2 root modeladm 4096 Oct 24 07:02 /mnt/fast/models/shared\npaolo@login-ml:~$ df -h /mnt/fast | tail -1\nnas2:/fast      9.1T  8.9T  188G  98% /mnt/fast\n==> chat.txt <==\n[10:41] paolo: si e' fermato al primo salvataggio\n[10:43] irene: nas2 e' al 98%, disco pieno?\n[10:44] paolo: boh, il ps pero' e' ancora vivo\n"
finish("tail-trento", {"everything.txt": tx}, "tar.gz", "checkpoint.permission", ["login-ml", "chief"], [], "PermissionDenied when the coordinator creates /mnt/fast/models/shared/clicks (folder belongs to root:modeladm 755). Herring: nas at 98 % but not full.")
