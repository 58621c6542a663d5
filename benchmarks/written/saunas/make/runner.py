import os, sys, json, time, subprocess, threading, re, signal
# run(name, tasks=[dict(id, cmd, env, pre)], actions=[(task_regex, line_regex, fn)], limit)
def run(name, tasks, actions=(), limit=55, grace=8):
    out = f"/opt/incidents/runs/{name}.jsonl"
    ev = []; lock = threading.Lock(); P = {}; acts = list(actions)
    def add(task, stream, line):
        with lock: ev.append([time.time(), task, stream, line])
    def pump(task, stream, f):
        for b in iter(f.readline, b""):
            line = b.decode("utf8", "replace").rstrip("\n")
            add(task, stream, line)
            for a in list(acts):
                if re.fullmatch(a[0], task) and re.search(a[1], line):
                    acts.remove(a)
                    try: a[2](P)
                    except Exception as e: add("_launcher", "err", repr(e))
    th = []
    def start(t):
        env = dict(os.environ); env.update(t.get("env", {}))
        for k in ("PYTHONPATH",): env.pop(k, None)
        env.update({"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"})
        p = subprocess.Popen(["nice", "-n", "10"] + t["cmd"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=t.get("pre"))
        P[t["id"]] = p; add("_launcher", "start", f"{t['id']} {p.pid}")
        for s, f in (("out", p.stdout), ("err", p.stderr)):
            x = threading.Thread(target=pump, args=(t["id"], s, f), daemon=True); x.start(); th.append(x)
    for t in tasks:
        start(t); time.sleep(t.get("delay", .3))
    t0 = time.time(); done = {}
    while time.time() - t0 < limit and len(done) < len(P):
        for k, p in P.items():
            if k not in done and p.poll() is not None:
                done[k] = p.returncode; add("_launcher", "exit", f"{k} {p.pid} {p.returncode}")
        time.sleep(.1)
    for k, p in P.items():
        if k not in done:
            add("_launcher", "stillrunning", f"{k} {p.pid}")
    for k, p in P.items():
        try: os.killpg(p.pid, signal.SIGCONT); os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError: pass
    for p in P.values(): p.wait()
    for x in th: x.join(2)
    ev.sort(key=lambda e: e[0])
    json.dump(ev, open(out, "w"), ensure_ascii=False)
    print(name, "lines", len(ev), {k: done.get(k, "running->killed") for k in P})
