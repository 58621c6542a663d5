from pk import *
def tls():
    # OpenShift pods at a bank; log bundle of `oc adm inspect`-like folder with CRI lines, plus a change ticket in CSV
    r = Run("ocp_tls", "2026-10-31 22:58:52", tz=0, paths=[("/opt/incidents/make/mwms_keras.py", "/opt/app-root/src/mrk_train.py"), ("/opt/incidents/make", "/opt/app-root/src"), ("/opt/incidents/tf215/lib/python3.11/site-packages", "/opt/app-root/lib/python3.11/site-packages"), ("/opt/incidents/work", "/mnt/work"), ("/root/.pyenv/versions/3.11.7/lib", "/usr/lib64")])
    F = {}; base = "inspect.local.6630221/namespaces/mrk-models-prd"
    for i in (0, 1):
        F[f"{base}/pods/mrk-train-{i}/trainer/trainer/logs/current.log"] = "".join(f"{ts(t, '%Y-%m-%dT%H:%M:%S.NSZ')} {x}\n" for t, s, x in r.lines(f"w{i}"))
        t = r.when(f"w{i}")
        F[f"{base}/pods/mrk-train-{i}/mrk-train-{i}.yaml"] = f"""apiVersion: v1
kind: Pod
metadata:
  name: mrk-train-{i}
  namespace: mrk-models-prd
  labels: {{app: mrk-train, "statefulset.kubernetes.io/pod-name": mrk-train-{i}}}
spec:
  nodeName: HOST{31 + i}.prd.bank.example
  containers:
  - name: trainer
    image: registry.prd.bank.example/mrk/trainer:4.11.2
    resources: {{limits: {{cpu: "2", memory: 4Gi}}}}
status:
  phase: Failed
  containerStatuses:
  - name: trainer
    restartCount: 0
    state:
      terminated: {{exitCode: 1, reason: Error, startedAt: "{ts(r.when(f'w{i}', 'start'), '%Y-%m-%dT%H:%M:%SZ')}", finishedAt: "{ts(t, '%Y-%m-%dT%H:%M:%SZ')}"}}
"""
    t0 = r.when("w0", "start")
    F[f"{base}/core/events.yaml"] = "apiVersion: v1\nitems:\n" + "".join(f"- lastTimestamp: \"{ts(t0 + d, '%Y-%m-%dT%H:%M:%SZ')}\"\n  type: {ty}\n  reason: {re_}\n  involvedObject: {{kind: Pod, name: {o}}}\n  message: {json.dumps(m)}\n" for d, ty, re_, o, m in (
        (-95, "Warning", "FailedScheduling", "mrk-train-1", "0/9 nodes are available: 9 Insufficient cpu. preemption: 0/9 nodes are available: 9 No preemption victims found for incoming pod."),
        (-20, "Normal", "Scheduled", "mrk-train-1", "Successfully assigned mrk-models-prd/mrk-train-1 to HOST32.prd.bank.example"),
        (-12, "Warning", "Unhealthy", "mrk-scorer-7d5c-xk2lq", "Readiness probe failed: Get \"http://10.129.6.40:8080/ready\": context deadline exceeded"),
        (-3, "Normal", "Started", "mrk-train-0", "Started container trainer"))) + "kind: EventList\n"
    F["changes_w44.csv"] = csvtext([["number", "short_description", "assignment_group", "planned_start", "planned_end", "state", "close_notes"],
        ["CHG0301177", "Rotate service certificate of object store (annual)", "ST-STORAGE", "2026-10-31 23:55", "2026-11-01 00:30", "Implement", "roll-out of file from vault, USER9"],
        ["CHG0301180", "Firewall: remove rule HOST31-HOST40 to legacy NAS", "ST-NETWORK", "2026-10-31 22:00", "2026-10-31 22:30", "Closed Complete", "no user impact seen"],
        ["CHG0301204", "RHCOS kernel update pool worker-b", "ST-OCP", "2026-11-02 20:00", "2026-11-03 04:00", "Scheduled", ""]])
    pack("montclair-31", "tgz", F, "network.tls", ["objstore.prd.bank.example", "object store"], [],
        "Both workers: URLError CERTIFICATE_VERIFY_FAILED 'certificate has expired' from the object store in the input function in the middle of training; PyFunc/UNKNOWN lines are wrappers. Red herrings: FailedScheduling that was resolved, firewall change that closed an hour before, readiness probe of another app.", r.when("w0"))
if __name__ == "__main__":
    import sys; [globals()[n]() for n in sys.argv[1:]]
