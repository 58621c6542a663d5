#!/usr/bin/env python3
"""orkiestra - uruchamia wszystkie głosy (procesy) przez ssh i skleja ich wyjście. (c) pracownia organowa"""
import os, sys, json, subprocess, threading, time, datetime, signal
plan = json.load(open(sys.argv[1])); log = open(sys.argv[2], "a", buffering=1)
blok = threading.Lock()
def pisz(kto, tekst):
    t = datetime.datetime.now().astimezone().strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]
    with blok: log.write(f"{t} │{kto:<14}│ {tekst}\n")
procs = {}
def czytaj(n, p):
    for l in iter(p.stdout.readline, b""): pisz(n, l.decode("utf8", "replace").rstrip("\n"))
    rc = p.wait()
    pisz("dyrygent", f"głos {n} zakończony, kod={rc}" + (f" (sygnał {signal.Signals(-rc).name})" if rc < 0 else ""))
pisz("dyrygent", f"start, plan={sys.argv[1]}, głosów: {len(plan['glosy'])}")
adr = [g["adres"] for g in plan["glosy"]]
ts = []
for i, g in enumerate(plan["glosy"]):
    env = {**os.environ, **plan.get("env", {}), **g.get("env", {})}
    env["TF_CONFIG"] = json.dumps({"cluster": {"worker": adr}, "task": {"type": "worker", "index": i}})
    p = subprocess.Popen([*plan.get("przez", []), *g.get("przez", []), *plan["polecenie"]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env)
    n = f"{g['nazwa']}/{i}"; procs[n] = p
    pisz("dyrygent", f"głos {n} pid={p.pid} adres={g['adres']}")
    t = threading.Thread(target=czytaj, args=(n, p)); t.start(); ts.append(t)
    time.sleep(0.6)
limit = plan.get("limit_s")
t0 = time.time()
while any(t.is_alive() for t in ts):
    time.sleep(1)
    if int(time.time() - t0) % 20 == 0: pisz("dyrygent", "żyje: " + " ".join(n for n, p in procs.items() if p.poll() is None))
    bad = [n for n, p in procs.items() if p.poll() not in (None, 0)]
    if bad and not globals().get("tb"): tb = time.time()
    if bad and time.time() - tb > 45:
        for n, p in procs.items():
            if p.poll() is None: pisz("dyrygent", f"TERM -> {n}"); p.terminate()
pisz("dyrygent", "koniec; kody: " + " ".join(f"{n}={p.returncode}" for n, p in procs.items()))
