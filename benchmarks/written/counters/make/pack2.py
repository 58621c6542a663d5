from pk import *
def issue():
    r = Run("issue_kill", "2026-09-15 08:40:02", paths=[("mwms_loop.py", "train_tabular.py"), ("/opt/incidents/make", "/workspace/proj"), ("/opt/tfenv", "/usr/local/venv"), ("/opt/incidents/work", "/workspace/out")])
    A, B = r.text("w0"), r.text("w1"); t = r.when("w0")
    cut = lambda x, n: "\n".join(x.split("\n")[:n])
    md = f"""### Issue type

Support

### Have you reproduced the bug with TensorFlow Nightly?

No

### TensorFlow version

v2.21.0

### Custom code

Yes

### OS platform and distribution

Ubuntu 22.04.5 LTS (bare metal, 3 machines, 10 GbE)

### Python version

3.11

### Current behavior?

`MultiWorkerMirroredStrategy` with three machines (`ml-node-a`, `ml-node-b`, `ml-node-c`). Runs a bit and then *both* nodes that I can log in to
print `CollectiveReduceV2` errors within the same seconds. I expected training to continue or at least a useful message.

I only have ssh on a and b. `ml-node-c` belongs to the other group, I asked them for its log, no answer so far.
Possibly related: #41890, #55602. Somebody in the forum said oneDNN is to blame and to set `TF_ENABLE_ONEDNN_OPTS=0`; that did not change anything.

### Standalone code to reproduce the issue

```shell
TF_CONFIG='{{"cluster": {{"worker": ["ml-node-a:12345", "ml-node-b:12345", "ml-node-c:12345"]}}, "task": {{"type": "worker", "index": 0}}}}' python train_tabular.py
```

### Relevant log output

<details>
<summary>ml-node-a</summary>

```
{A}```

</details>

<details>
<summary>ml-node-b (click to expand)</summary>

```
{B}```

</details>

<details><summary>dmesg -T on ml-node-a, last lines</summary>

```
[Sun Sep 13 22:10:41 2026] Memory cgroup out of memory: Killed process 884121 (jupyter-lab) total-vm:41877120kB, anon-rss:33411008kB, file-rss:4096kB, shmem-rss:0kB, UID:1007 pgtables:66104kB oom_score_adj:0
[Sun Sep 13 22:10:42 2026] oom_reaper: reaped process 884121 (jupyter-lab), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB
[Mon Sep 14 06:25:13 2026] audit: type=1400 audit(1789367113.201:77): apparmor="STATUS" operation="profile_replace" profile="unconfined" name="snap.firefox.hook.configure" pid=902113 comm="apparmor_parser"
```

</details>
"""
    pack("dartmoor-71234", "zip", {"issue_71234.md": md}, "network.unreachable-peer", ["ml-node-c", "worker:2"], ["process.killed-by-signal"],
        "Only the victims' logs: task:2 resets its connections (recvmsg:Connection reset by peer from /task:2 at node a) - its process or host went away for a reason that nobody collected (it was SIGKILLed). node-b's 'connection refused' to task 0 is a consequence of node-a's exit. Red herring: two days old OOM kill of a jupyter-lab.", t)
if __name__ == "__main__":
    import sys; [globals()[n]() for n in sys.argv[1:]]
