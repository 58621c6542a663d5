"""Teams 2 (Vector JSON, Slack export) and 3 (journal export, tmux capture, diary)."""
import zipfile, random
from a_pack import tar
from lab import *
RB = [(f"{BASE}/make/b_ranker.py", "/app/ranker.py"), ("/opt/tfenv/lib/python3.11/site-packages", "/usr/local/lib/python3.11/site-packages"), ("/opt/python/3.11.7", "/usr/local"), ("/opt/incidents/make", "/app"), ("/opt/__auto", "/opt/__auto")]
RC = [(f"{BASE}/make/c_unet.py", "/home/rtg/guzki/uczenie.py"), (f"{BASE}/tf215", "/home/rtg/venv"), ("/opt/python/3.11.7", "/usr"), ("/opt/incidents/make", "/home/rtg/guzki")]
def vec(name, keys, d=0.0):
    out = []
    for k in keys:
        r = raw(name, k, d, RB); job, task, i = k.split("-")[:3]
        out += [(t, json.dumps({"timestamp": iso(t, ms=6), "host": r["host"], "nomad": {"job": "ranker-" + job, "group": task, "alloc_index": int(i)}, "stream": s, "message": l}, ensure_ascii=False)) for t, s, l in r["lines"]]
        out.append((r["t0"] - .4, json.dumps({"timestamp": iso(r["t0"] - .4, ms=6), "host": r["host"], "nomad": {"job": "ranker-" + job, "group": task, "alloc_index": int(i)}, "stream": "event", "message": "Task Setup: Building Task Directory; Driver: docker; Started: Task started by client"})))
    return "\n".join(l for _, l in sorted(out)) + "\n"
def slack(*m): return json.dumps([{"type": "message", "user": u, "ts": f"{t:.6f}", "text": x} for t, u, x in m], ensure_ascii=False, indent=1)
def z(name, files):
    with zipfile.ZipFile(f"{SET}/{name}.zip", "w", zipfile.ZIP_DEFLATED) as f:
        for p, s in files.items(): f.writestr(p, s)
def b1():
    t = json.load(open(f"{BASE}/work/b1ps/times.json"))[0] - 7000
    z("olinda", {"s3-vector/dt=2026-11-27/ranker-ctr-0001.ndjson": vec("b1ps", ["ctr-chief-0", "ctr-worker-0", "ctr-worker-1"], -7000.0), "slack/canal-ml-plantao/2026-11-27.json": slack((t + 200, "U03LIA", "o ctr caiu de novo, chief com exit 3. Só tenho chief e workers no bucket, os logs dos ps expiram com o GC do alloc"), (t + 260, "U09RAFA", "acho que foi deploy do consul às 2h, mas ele terminou ok"), (t + 300, "U03LIA", "quem tiver acesso ao cl-11 olha por favor"))})
    truth("olinda", "olinda.zip", "ps.unavailable", ["ps:1", "ctr-ps-1", "sp-nomad-cl-11"], ["network.unreachable-peer"], "Only chief and workers were collected: ps task 1 (10.77.2.21:21001) refuses connections in mid-training and the coordinator gives up; why the ps went is not in the bundle. Herrings: the consul deploy, the PyFunc/interpreter lines at exit, autograph warnings.")
def b2():
    x = vec("b2ok", ["feed-chief-0", "feed-ps-0", "feed-ps-1", "feed-worker-0", "feed-worker-1", "feed-worker-1-r1"], -91000.0); r = raw("b2ok", "feed-chief-0", -91000.0); a, b = r["t0"], r["t1"]
    ev = f"""ID            = 9c41e07d
Eval ID       = 5b0e77aa
Name          = ranker-feed.worker[1]
Node Name     = sp-nomad-cl-12
Job ID        = ranker-feed
Client Status = complete
Recent Events:
Time                       Type            Description
{iso(b+1,ms=0)}       Killed          Task successfully killed
{iso(b,ms=0)}       Killing         Sent interrupt. Waiting 5s before force killing
{iso(a+13,ms=0)}       Started         Task started by client
{iso(a+8,ms=0)}       Restarting      Task restarting in 5.0s
{iso(a+7,ms=0)}       Terminated      Exit Code: 137, Exit Message: "Docker container exited with non-zero exit code: 137"
{iso(a,ms=0)}       Started         Task started by client

Job summary: ranker-feed  chief: complete (exit 0)   ps: complete   worker: complete
"""
    tar("maceio", {"export/logs.jsonl": x, "export/alloc-status-worker1.txt": ev, "export/slack.json": slack((b + 4000, "U05BIA", "gente, 40 linhas de ERROR no feed ontem, Connection refused no worker 1. o modelo publicado presta?"), (b + 4100, "U09RAFA", "no dia 12 o feed morreu assim, foi OOM do ps"))}, "tgz")
    truth("maceio", "maceio.tgz", "none", None, [], "Worker 1 was killed and restarted; the coordinator went on with worker 0 and took worker 1 back, chief ends with 'fim do treino' and exit 0. Herrings: UnavailableError/Connection refused lines, exit 137, a remark on an OOM two weeks ago.")
def b3():
    ks = lambda m: [f"{m}-{x}" for x in ("chief-0", "ps-0", "ps-1", "worker-0", "worker-1")]
    t = raw("b3dns", "cvr-chief-0", 3600.0)["t1"]
    z("caruaru", {"ranker-ctr+cvr.ndjson": vec("b3dns", ks("ctr") + ks("cvr"), 3600.0), "thread.json": slack((t + 90, "U03LIA", "ctr ok, cvr nem começou. imagem é a mesma?"), (t + 120, "U05BIA", "é a mesma. Subi o limite de memória do cvr-ps ontem porque tinha dado OOM. De repente é isso?"), (t + 180, "U09RAFA", "mexi no dnsmasq do cl-03 à tarde, mas o ctr rodou de lá"))})
    truth("caruaru", "caruaru.zip", "network.dns", ["sp-nomad-cl-03", "chief", "cvr-ps-1.service.consul", "ps:1"], [], "The chief of ranker-cvr cannot resolve cvr-ps-1.service.consul (gaierror -2, eight tries) and exits 1; that ps itself serves on cl-11. The other job ranker-ctr finished. Herrings: the memory remark, SIGTERM of the servers when the jobs were stopped.")
def jr(r, unit, tail=()):
    o = []
    for t, s, l in r["lines"]:
        o.append(f"{time.strftime('%b %d %H:%M:%S', time.gmtime(t))} {r['host']} uczenie.py[{r['pid']}]: {l}")
    for t, l in tail: o.append(f"{time.strftime('%b %d %H:%M:%S', time.gmtime(t))} {r['host']} systemd[1804]: {l}")
    return "\n".join(o) + "\n"
def c1():
    d = -23000.0; R = {k: raw("c1ckpt", k, d, RC) for k in [f"p{i}-{h}" for i in (1, 2, 3) for h in ("wyspianski", "matejko")]}
    fs = {}
    for h in ("wyspianski", "matejko"):
        s = ""
        for i in (1, 2, 3):
            r = R[f"p{i}-{h}"]; s += f"rtg@{h}:~/guzki$ # proba {i}  {time.strftime('%H:%M', time.gmtime(r['t0']))}\nrtg@{h}:~/guzki$ ./start.sh\n" + "\n".join(l for _, _, l in r["lines"]) + ("\nclient_loop: send disconnect: Broken pipe\n" if i == 2 else "\n")
        fs[f"tmux-{h}.txt"] = s
    fs["pliki.txt"] = "== przed ==\n" + open(f"{BASE}/work/c1ckpt/ls-przed.txt").read() + "== po ==\n" + open(f"{BASE}/work/c1ckpt/ls-po.txt").read()
    fs["pliki.txt"] = "\n".join(shift(l, d) for l in open(f"{BASE}/work/c1ckpt/ls-po.txt").read().splitlines()) + "\n"
    fs["dziennik.md"] = "**Próba 1** - nie ma listy na PACS (Marek odmontował), poprawione, bez listy.\n**Próba 2** - zanik zasilania na pracowni, UPS padł, obie stacje naraz.\n**Próba 3** - nie wstaje, IndexError?? Marek: to pewnie numpy po aktualizacji. Wersja TF ta sama co wczoraj.\n"
    z("wieliczka", fs)
    truth("wieliczka", "wieliczka.zip", "checkpoint.corrupt", None, [], "Third attempt: BackupAndRestore reads run/backup/chief/ckpt-7 and gets 'Read less bytes than requested' - the data file is 131072 bytes after the power cut. Herrings: attempt 1 (missing list file), the power cut itself in attempt 2, Marek's numpy remark.")
def c2():
    d = 1800.0; a, b = raw("c2shm", "boznanska", d, RC), raw("c2shm", "wyspianski", d - 47, RC)
    fs = {"boznanska.journal": jr(a, "", [(a["lines"][-1][0], "guzki.service: Main process exited, code=dumped, status=7/BUS"), (a["lines"][-1][0], "guzki.service: Failed with result 'core-dump'.")]), "wyspianski.journal": jr(b, "", [(b["t1"], "guzki.service: Main process exited, code=exited, status=1/FAILURE")]),
          "mail_do_marka.txt": "Marek, na boznanskiej podgląd (shared memory) miał być mały, sprawdź. Stara usterka RAM z września (boznanska, DIMM B2) chyba naprawiona?\nwyspianski przestał 10 s później, pisze że task:1 chory.\nwyjście z boznanskiej zaraz po:\n  Filesystem      Size  Used Avail Use% Mounted on\n  tmpfs            64M   64M     0 100% /dev/shm\n"}
    tar("niepolomice", fs, "tar.xz")
    truth("niepolomice", "niepolomice.tar.xz", "resource.shm-exhausted", ["boznanska", "worker:1"], ["process.segfault"], "boznanska dies of SIGBUS while filling a shared-memory segment (170 segments of 384 kB open, /dev/shm 64M at 100 %); wyspianski only sees the peer stop. Herrings: old DIMM fault, the heartbeat error on wyspianski. Its clock is 47 s behind.")
def c3():
    d = -5400.0; a, b = raw("c3hang", "wyspianski", d, RC), raw("c3hang", "matejko", d + 9, RC)
    fs = {}
    for r in (a, b): fs[f"rtg/{r['host']}/uczenie.out"] = "\n".join(l for _, s, l in r["lines"] if s == "stdout") + "\n"; fs[f"rtg/{r['host']}/uczenie.err"] = "\n".join(l for _, s, l in r["lines"] if s == "stderr") + "\n"
    fs["rtg/historia.txt"] = f"  511  kill -USR1 $(pgrep -f uczenie.py)\n  512  # stoi na epoce 29, nic nie liczy, CPU 0%\n  513  kill $(pgrep -f uczenie.py)\n  514  kill -9 $(pgrep -f uczenie.py)\n  515  # boznanska: haslo zmienione, nie mam jak wejsc po log\n  516  # Ola mowi ze u niej tez siadl internet w tym czasie\n"
    tar("skawina", fs)
    truth("skawina", "skawina.tar.gz", "sync.hang", None, ["collective.timeout", "data.uneven-shards"], "Both collected tasks stop in epoch 29 without any error and stand in execute (USR1 stacks) until they are killed; the third workstation's log was not collected, so why it does not come is not to be told. Herrings: the internet remark, the preemption notifier lines caused by the kill.")
if __name__ == "__main__":
    for n in sys.argv[1:] or ("b1", "b2", "b3", "c1", "c2", "c3"): globals()[n]()
