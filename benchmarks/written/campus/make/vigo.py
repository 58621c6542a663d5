"""tf.data service worker caches on a 1 MB tmpfs: No space left on device."""
from dslib import *
n = Net("vigo", {"lin-disp": "10.6.0.2", "lin-dw": "10.6.0.3", "lin-train": "10.6.0.4"})
make_data(n.dir + "/data", 10, 1500); os.makedirs(n.dir + "/scr"); sh(f"mount -t tmpfs -o size=900k tmpfs {n.dir}/scr")
go(n, "lin-disp", "dispatcher", "lin-disp:6060", "d.log", append=True); time.sleep(4); go(n, "lin-dw", "worker", "lin-disp:6060", "w.log")
p = go(n, "lin-train", "trainer", "lin-disp:6060", "t.log", {"CACHE": n.dir + "/scr/c1", "STEPS": "1500"})
print(n.wait([p], 90)); df = sh(f"df -h {n.dir}/scr").stdout; n.close(); sh(f"umount {n.dir}/scr"); print(n.read("t.log")[-900:])
D = -4 * 86400 + 77; mp = {n.dir + "/scr": "/var/cache/tfds", n.dir + "/data": "/data/tv", n.dir: "/opt/tv", MAKE: "/opt/tv", "/opt/tfenv": "/opt/tv/venv", "/root/.pyenv/versions/3.11.7": "/usr"}
g = lambda f, d=0: shift(sub(n.read(f), mp), D + d, 0)
o = "outputs/2026-11-22/20-14-09"
hy = {o + "/.hydra/config.yaml": "service:\n  dispatcher: lin-disp:6060\ncache: /var/cache/tfds/c1\nsteps: 1500\nbatch: 32\n", o + "/.hydra/overrides.yaml": "- cache=/var/cache/tfds/c1\n- steps=1500\n", o + "/.hydra/hydra.yaml": "hydra:\n  run:\n    dir: outputs/${now:%Y-%m-%d}/${now:%H-%M-%S}\n  job:\n    name: train_tv\n    chdir: false\n"}
finish("tv-2014", {**hy, o + "/train_tv.log": g("t.log"), "data-worker/stdout": g("w.log", 9), "dispatcher/stdout": g("d.log", -30),
  "data-worker/df.txt": "$ df -h\nFilesystem      Size  Used Avail Use% Mounted on\n" + sub(df.splitlines()[-1], mp) + "\n/dev/nvme0n1p2  1.8T  412G  1.3T  24% /\n",
  "outputs/2026-11-22/19-58-40/train_tv.log": "2026-11-22 19:58:41 INFO    [lin-train] trainer pid 3301 tf 2.21.0\n2026-11-22 19:58:41 INFO    [lin-train] 0 files\nTraceback (most recent call last):\n  File \"/opt/tv/dsvc.py\", line 27, in <module>\n    raise SystemExit\nKeyboardInterrupt\n"}, "tar.xz",
  "resource.disk-full", ["lin-dw"], [], "The tf.data worker's cache on /var/cache/tfds is full (No space left on device, df 100 %). Herring: an earlier hydra run of 19:58 with no files, interrupted.")
