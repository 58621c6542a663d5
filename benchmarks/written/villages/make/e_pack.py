"""Team 5: Loki CSV export, stern capture, kubectl snippets and a post-mortem draft."""
import csv, io as sio
from a_pack import tar
from bc_pack import z
from lab import *
RE = [(f"{BASE}/make/e_crop.py", "/workspace/train.py"), ("/opt/tfenv", "/usr/local"), ("/opt/python/3.11.7", "/usr/local"), ("/opt/incidents/make", "/workspace")]
def e1():
    f = sio.StringIO(); w = csv.writer(f); w.writerow(["Time", "pod", "namespace", "node", "Line"]); rows = []
    for k in ("w0", "w1"): r = raw("e1vic", k, -12000.0, RE); rows += [(t, iso(t), r["host"], "ml-prod", f"pool-c-{k[1]}4kz", l) for t, s, l in r["lines"]]
    w.writerows(x[1:] for x in sorted(rows, key=lambda x: x[0])); z("naivasha", {"Logs-data-2026-11-27.csv": f.getvalue(), "POSTMORTEM-draft.md": "# maize run stopped\n- pods 0 and 1 exit 1\n- pod 2: log stream empty in Loki (label typo?), pod already deleted by cleanPodPolicy=All\n- Otieno thinks cluster autoscaler; no events older than 1h kept\n"})
    truth("naivasha", "naivasha.zip", "network.unreachable-peer", ["croploss-maize-worker-2", "worker:2"], ["collective.timeout", "process.killed-by-signal"], "Only two victims' logs: the peer task 2 went away in mid-training (connection refused/closed); why is not in the bundle. Herring: the autoscaler remark without evidence.")
def e2():
    fs = {f"stern/{raw('e2perm', k)['host']}.log": "\n".join(f"{raw('e2perm', k)['host']} tensorflow {l}" for t, s, l in raw("e2perm", k, 10800.0, RE)["lines"]) + "\n" for k in ("w0", "w1", "w2")}
    fs["notes.md"] = "Tea run. Wanjiru: first attempt yesterday died of ImagePullBackOff, unrelated. Today the pods 0 and 1 blame the network (heartbeat/refused). securityContext of worker 2 was changed to runAsUser 1001 in PR 412.\n"; tar("kericho", fs, "tgz")
    truth("kericho", "kericho.tgz", "checkpoint.permission", ["croploss-tea-worker-2", "worker:2"], [], "Worker 2 runs as uid 1001 and may not write below pvc/rank2 (Permission denied at step 40); the others only lose the peer. Herrings: image pull of the day before, network remark.")
def e3():
    tar("machakos", {"bean/all-pods.txt": "".join(f"\n>>> kubectl logs {raw('e3ok', k)['host']} --timestamps\n" + "".join(f"{iso(t, ms=9)} {l}\n" for t, s, l in raw("e3ok", k, -4000.0, RE)["lines"]) for k in ("w0", "w1", "w2")), "bean/pods.txt": "NAME                     READY   STATUS      RESTARTS   AGE\n" + "".join(f"croploss-bean-worker-{i}   0/1     Completed   0          6m\n" for i in range(3)) + "croploss-avocado-worker-0 0/1    OOMKilled   3          2d\n"}, "tar.xz")
    truth("machakos", "machakos.tar.xz", "none", None, [], "All pods Completed, 'training complete after 160 steps' in each: the corrupted record in worker 1's tiles was caught each pass. Herrings: DataLossError lines, another job's OOMKilled pod.")
if __name__ == "__main__":
    for n in sys.argv[1:]: globals()[n]()
