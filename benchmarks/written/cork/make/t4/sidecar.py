#!/usr/bin/env python3
"""log sidecar: run child, write each line as JSON (fluent style)"""
import sys, os, json, subprocess, threading, datetime
out = open(sys.argv[1], "a", buffering=1); pod = sys.argv[2]; cmd = sys.argv[3:]
lk = threading.Lock(); seq = [0]
def w(stream, line):
    with lk:
        seq[0] += 1
        out.write(json.dumps({"@timestamp": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z"), "seq": seq[0], "kubernetes": {"pod": pod, "ns": "majani-prod", "container": "trainer" if "mkufunzi" in pod else "data"}, "stream": stream, "log": line}, ensure_ascii=False) + "\n")
p = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
open(out.name + ".pid", "w").write(str(p.pid))
def rd(f, s):
    for l in iter(f.readline, b""): w(s, l.decode("utf8", "replace").rstrip("\n"))
ts = [threading.Thread(target=rd, args=a) for a in ((p.stdout, "stdout"), (p.stderr, "stderr"))]
[t.start() for t in ts]; rc = p.wait(); [t.join() for t in ts]
w("sidecar", f"container exited code={rc if rc >= 0 else 128 - rc}")
