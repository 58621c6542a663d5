"""Team 2 (Ribeirao Preto, Docker Swarm, Graylog). Incidents ribeirao-7, ribeirao-12, ribeirao-19."""
from cluster import *
import sys, csv
J = os.path.join(HERE, "jobs")
def conf(ws, i): return json.dumps({"cluster": {"worker": [f"{w}:2222" for w in ws]}, "task": {"type": "worker", "index": i}})
PATHS = lambda c: [(c.dir + "/code", "/app"), (c.dir, "/app"), ("/root/.pyenv/versions/3.11.7/", "/usr/local/"), ("/opt/tfenv/bin", "/usr/local/bin"), ("/opt/tfenv/", "/usr/local/")]
class Tap:
    """docker's json-file driver: one JSON object per line with the time it was read"""
    def __init__(self, c, logs): self.c, self.logs, self.rows, self.pos = c, logs, {l: [] for l in logs}, {l: 0 for l in logs}
    def poll(self):
        for l in self.logs:
            t = self.c.lines(l); new = t[self.pos[l]:]; k = new.rfind("\n") + 1
            for line in new[:k].splitlines(): self.rows[l].append((time.time(), line))
            self.pos[l] += k
    def loop(self, until, timeout):
        end = time.time() + timeout
        while time.time() < end and not until(): self.poll(); time.sleep(.1)
        time.sleep(.5); self.poll()
def jsonfile(rows, P): return "".join(json.dumps({"log": sub(l, P) + "\n", "stream": "stderr" if re.match(r"\d{4}-|[IWEF]0000|Trace|  |WARNING|To enable|Fatal|Thread|Current|Extension|/|tensorflow\.|INFO:|\t|$", l) else "stdout", "time": stamp(t, "%Y-%m-%dT%H:%M:%S.") + f"{int(t % 1 * 1e9):09d}Z"}, ensure_ascii=False) + "\n" for t, l in rows)

def shm():
    ws = ["torre1", "torre2", "torre3"]
    c = Cluster("rb7", "10.0.9", ws, "BRT3")
    try:
        os.makedirs(c.dir + "/code"); shutil.copy(J + "/cana.py", c.dir + "/code")
        for i, w in enumerate(ws):
            c.run(w, "code/cana.py", f"{i}.log", dict(TF_CONFIG=conf(ws, i), TILES=["16", "16", "160"][i]), setup="mount -t tmpfs -o size=64m shm /dev/shm;")
        tap = Tap(c, [f"{i}.log" for i in range(3)])
        tap.loop(lambda: c.p["torre3"].poll() is not None, 100); tap.loop(lambda: all(p.poll() is not None for p in c.p.values()), 20)
        for w in ws: c.kill(w, signal.SIGTERM)
        r = c.wait(timeout=8); tap.poll()
        P = PATHS(c)
        ids = ["3f9c1ab277d0", "b8817e5520ce", "e10d44a96f3b"]
        ex = lambda rc: rc if rc >= 0 else 128 - rc
        ps = "ID             NAME              IMAGE                 NODE      DESIRED STATE   CURRENT STATE            ERROR                         PORTS\n" + "".join(f"{ids[i]}   cana_treino.{i+1}     reg.usina.lan/cana:41   {w}    Shutdown        Failed 2 minutes ago     \"task: non-zero exit ({ex(r[w])})\"   \n" for i, w in enumerate(ws))
        st = "services:\n  treino:\n    image: reg.usina.lan/cana:41\n    hostname: '{{.Node.Hostname}}'\n    deploy: {mode: replicated, replicas: 3, resources: {limits: {memory: 6G}}}\n    volumes: ['/dados:/dados:ro']\n"
        df = "$ docker run --rm reg.usina.lan/cana:41 df -h /dev/shm\nFilesystem      Size  Used Avail Use% Mounted on\nshm              64M     0   64M   0% /dev/shm\n"
        A = "ribeirao-7.zip"
        files = {f"docker/containers/{ids[i]}-json.log": jsonfile(tap.rows[f"{i}.log"], P) for i in range(3)}
        files.update({"service_ps.txt": ps, "stack.yml": st, "coisas que rodei depois.txt": df, "issue-207.md": "## treino cai toda noite\n\n@thiago: acho que e RAM, no mes passado o torre3 teve o OOM do GeoServer (exit 137). Coloquei mais swap.\n\n@bia: de novo hoje. anexei os json do docker dos tres. o torre3 pega os talhoes grandes.\n"})
        pack(A, files)
        truth(A, "resource.shm-exhausted", ["torre3", "worker:2"], ["process.segfault"], "torre3 dies of 'Fatal Python error: Bus error' while writing a shared memory segment (Cache.put), exit 135, with docker's /dev/shm of 64M; the others only lose the peer. Red herrings: the old GeoServer OOM, missing index file that was caught.")
    finally: c.close()

def msgsize():
    ws = ["torre2", "torre4"]
    c = Cluster("rb12", "10.0.9", ws + ["atributos"], "BRT3")
    try:
        os.makedirs(c.dir + "/code"); shutil.copy(J + "/cana_grpc.py", c.dir + "/code/cana.py"); shutil.copy(J + "/feature_server.py", c.dir + "/code/servidor.py")
        for i, w in enumerate(ws): c.run(w, "code/cana.py", f"{i}.log", dict(TF_CONFIG=conf(ws, i), ATRIBUTOS="atributos:50051", LOTE=["256", "640"][i]))
        time.sleep(13); c.run("atributos", "code/servidor.py", "srv.log")
        tap = Tap(c, ["0.log", "1.log", "srv.log"])
        tap.loop(lambda: c.p["torre4"].poll() is not None, 90); tap.loop(lambda: c.p["torre2"].poll() is not None, 20)
        for w in list(c.p): c.kill(w, signal.SIGTERM)
        r = c.wait(timeout=5); tap.poll(); P = PATHS(c)
        # Graylog CSV export, newest first as the web page gives it
        rows = []
        for l, src, cont in (("0.log", "torre2", "cana_treino.1"), ("1.log", "torre4", "cana_treino.2"), ("srv.log", "torre1", "cana_atributos.1")):
            for k, (t, m) in enumerate(tap.rows[l]): rows.append((t, k, src, cont, sub(m, P)))
        rows.sort(reverse=True); buf = io.StringIO(); wr = csv.writer(buf, quoting=csv.QUOTE_ALL); wr.writerow(["timestamp", "source", "container_name", "message"])
        for t, k, s, n, m in rows: wr.writerow([stamp(t, "%Y-%m-%dT%H:%M:%S.") + f"{int(t % 1 * 1000):03d}Z", s, n, m])
        A = "ribeirao-12.zip"
        pack(A, {"graylog-search-result-absolute.csv": buf.getvalue(), "LEIAME.txt": "Exportei do Graylog tudo da stack 'cana' (o mais novo vem primeiro). Mudamos so o LOTE do torre4 ontem, e o servidor de atributos demorou para subir, deve ser isso. - Bia\n"})
        truth(A, "network.grpc-message-size", ["torre4", "worker:1"], [], "torre4: RESOURCE_EXHAUSTED ... Received message larger than max (5242880 vs. 4194304) in its feature call. Red herrings: UNAVAILABLE retries while the feature server started (succeeded).")
    finally: c.close()
def silent():
    ws = ["torre1", "torre3", "torre5"]
    c = Cluster("rb19", "10.0.11", ws, "BRT3")
    try:
        os.makedirs(c.dir + "/code"); shutil.copy(J + "/cana.py", c.dir + "/code")
        for i, w in enumerate(ws): c.run(w, "code/cana.py", f"{i}.log", dict(TF_CONFIG=conf(ws, i), TILES="16", PASSOS="4000"))
        tap = Tap(c, ["0.log", "1.log"])
        tap.loop(lambda: "passo 220 " in c.lines("1.log"), 60); c.kill("torre5", signal.SIGSTOP)
        tap.loop(lambda: c.p["torre1"].poll() is not None and c.p["torre3"].poll() is not None, 60)
        r = c.wait(["torre1", "torre3"], timeout=1); P = PATHS(c); D = -86400 * 5
        # what the GitLab job log kept: `docker service logs --timestamps` of the nodes that still answered
        m = sorted([(t, k, f"cana_treino.{i+1}.{x}@{ws[i]}    | {shift(sub(l, P), D)}") for i, x in ((0, "k2vq0p1b"), (1, "9s1m77xe")) for k, (t, l) in enumerate(tap.rows[f"{i}.log"])])
        body = "".join(stamp(t, "%Y-%m-%dT%H:%M:%S.", D) + f"{int(t%1*1e9):09d}Z {s}\n" for t, k, s in m)
        A = "ribeirao-19.zip"
        pack(A, {"job_8841.log": "\x1b[0KRunning with gitlab-runner 17.4.0\x1b[0;m\n$ docker service logs --timestamps --no-trunc cana_treino\n" + body + "warn: incomplete log stream. some logs could not be retrieved for the following reasons: node 7qk2z0 is not available\nERROR: Job failed: exit status 1\n", "recado.md": "torre5 ficou sem acesso (ssh nao entra desde ontem? tinha trocado a fonte). So tenho isso. Thiago acha que o /dados/satelite/indice_2027.json que falta mata o treino.\n"})
        truth(A, "collective.timeout", ["torre5", "worker:2"], ["sync.hang", "network.unreachable-peer", "network.timeout", "process.killed-by-signal"], "Only the two survivors' output: worker 2 stopped sending heartbeats and the collective was aborted; torre5's log is missing, so why it went silent is not shown. Red herring: missing index file, caught in all.")
        return r
    finally: c.kill("torre5", signal.SIGCONT); c.close()
if __name__ == "__main__":
    for f in sys.argv[1:]: globals()[f]()
