"""Recife (Nomad, Loki): incidents recife-7, recife-8, recife-9.   usage: t2.py 1|2|3"""
from common import *
import json, uuid, random
R = random.Random(77 + int(sys.argv[1]))
def alloc(): return "%08x-%04x-%04x-%04x-%012x" % (R.getrandbits(32), R.getrandbits(16), R.getrandbits(16), R.getrandbits(16), R.getrandbits(48))
def tcf(c, t, i): return json.dumps({"cluster": c, "task": {"type": t, "index": i}})
FIX = {"/opt/tfenv/lib": "/local/venv/lib", "/opt/tfenv": "/local/venv"}
def iso(t, o=0): return ts(t + o, "%Y-%m-%dT%H:%M:%S.") + "%06dZ" % int((t % 1) * 1e6)

def one():
    H = {"boa-viagem": "10.77.0.21", "casa-forte": "10.77.0.22", "minio-rec01": "10.77.0.90"}
    d = fresh("recife7"); shutil.copy(f"{HERE}/escuta.py", d); net = Net(H); rows = []
    try:
        # internal CA; the store's certificate ends while the job runs
        put(d, "ca.cnf", f"[ca]\ndefault_ca=x\n[x]\ndir={d}\ndatabase={d}/index.txt\nnew_certs_dir={d}\nserial={d}/serial\ndefault_md=sha256\npolicy=p\ncopy_extensions=copy\n[p]\ncommonName=supplied\n")
        put(d, "index.txt", ""); put(d, "serial", "1A2F\n")
        sh(f"cd {d}; openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 900 -subj '/CN=CA interna Gas do Recife'; "
           f"openssl req -newkey rsa:2048 -nodes -keyout s.key -out s.csr -subj /CN=minio-rec01 -addext subjectAltName=DNS:minio-rec01")
        end = time.time() + 32
        print(sh(f"cd {d}; openssl ca -batch -config ca.cnf -cert ca.pem -keyfile ca.key -in s.csr -out s.pem -startdate 20251127000000Z -enddate {ts(end, '%Y%m%d%H%M%SZ')}")[-300:])
        put(d, "cofre.py", "import ssl,http.server\nclass H(http.server.BaseHTTPRequestHandler):\n  protocol_version='HTTP/1.0'\n  def do_PUT(s):\n    s.rfile.read(int(s.headers['content-length'])); s.send_response(200); s.end_headers()\nh=http.server.ThreadingHTTPServer(('',9000),H)\nc=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); c.load_cert_chain('s.pem','s.key'); h.socket=c.wrap_socket(h.socket,server_side=True,do_handshake_on_connect=False)\nh.serve_forever()\n")
        cofre = Proc("cofre", [TF221, "cofre.py"], host="minio-rec01", net=net, cwd=d)
        blk = Proc("velho", [TF221, "-c", "import socket,time; s=socket.socket(); s.bind(('',23456)); s.listen(); time.sleep(300)"], host="casa-forte", net=net)
        time.sleep(1); W = ["boa-viagem:23456", "casa-forte:23456"]
        def go(n): return [Proc(h, [TF221, f"{d}/escuta.py"], host=h, net=net, env={"TF_CONFIG": tcf({"worker": W}, "worker", i), "NOMAD_TENT": str(n),
                    "ESCUTA_CA": f"{d}/ca.pem", "ESCUTA_COFRE": "https://minio-rec01:9000/escuta/", "ESCUTA_PAUSA": "0.05"}) for i, h in enumerate(list(H)[:2])]
        a1 = go(1); a1[1].wait(30); t1 = time.time(); time.sleep(1); [p.kill(signal.SIGTERM) for p in a1]; finish(a1, 8)
        blk.kill(); a2 = go(2); a2[0].wait(90); finish(a2, 25); cofre.kill()
    finally: net.close()
    for p in a1 + a2: print(p.name, p.rc, len(p.lines))
    off = {"boa-viagem": 0, "casa-forte": -8}; al = {h: alloc() for h in off}; rows = []
    for n, ps in ((1, a1), (2, a2)):
        for p in ps:
            for t, l in p.lines:
                rows.append((t, {"labels": {"alloc_id": al[p.name], "host": p.name, "job": "escuta-treino", "task": "trabalhador", "filename": f"/opt/nomad/alloc/{al[p.name]}/alloc/logs/trabalhador.stderr.0"},
                    "line": rename(shift(l.decode("utf-8", "replace").rstrip("\n"), off[p.name]), {**FIX, d: "/local"}), "timestamp": iso(t, off[p.name])}))
    rows.sort(key=lambda r: -r[0]); t = f"{d}/b"     # logcli prints newest first unless --forward
    put(t, "chamado-GDR-4471/loki-escuta.jsonl", "\n".join(json.dumps(r[1], ensure_ascii=False) for r in rows) + "\n")
    for i, h in enumerate(off):
        rc = [a1[i].rc, a2[i].rc]
        put(t, f"chamado-GDR-4471/alloc-{al[h][:8]}.txt", f"""ID                  = {al[h]}
Eval ID             = {R.getrandbits(32):08x}
Name                = escuta-treino.trabalhador[{i}]
Node ID             = {R.getrandbits(32):08x}
Node Name           = {h}
Job ID              = escuta-treino
Job Version         = 12
Client Status       = failed
Client Description  = Failed tasks
Desired Status      = run
Created             = 3m ago

Task "trabalhador" (raw_exec) is "dead"
Total Restarts = 1
Recent Events:
Time                       Type            Description
{ts(a2[i].t1, '%Y-%m-%dT%H:%M:%SZ')}       Not Restarting  Exceeded allowed attempts 1 in interval 30m0s and mode is "fail"
{ts(a2[i].t1, '%Y-%m-%dT%H:%M:%SZ')}       Terminated      Exit Code: {rc[1] if rc[1] >= 0 else 128 - rc[1]}
{ts(a2[i].t0, '%Y-%m-%dT%H:%M:%SZ')}       Started         Task started by client
{ts(a1[i].t1, '%Y-%m-%dT%H:%M:%SZ')}       Restarting      Task restarting in {a2[i].t0 - a1[i].t1:.1f}s
{ts(a1[i].t1, '%Y-%m-%dT%H:%M:%SZ')}       Terminated      Exit Code: {rc[0] if rc[0] >= 0 else 128 - rc[0]}
{ts(a1[i].t0, '%Y-%m-%dT%H:%M:%SZ')}       Started         Task started by client
""")
    put(t, "chamado-GDR-4471/descricao.txt", "Chamado GDR-4471 | aberto por: Thaís (plantão)\nTreino caiu de novo. Na 1a vez era aquela porta 23456 presa no casa-forte (processo velho do Josué), matei e reiniciei. Caiu outra vez, deve ser a porta de novo??\n\nlogcli query '{job=\"escuta-treino\"}' --limit 5000 -o jsonl\n")
    pack("recife-7", "tar.gz", t, dict(cause="network.tls", culprit_node=["minio-rec01"], also_acceptable=["storage.network-fs"],
        notes="Last attempt: the chief's upload to https://minio-rec01 fails with CERTIFICATE_VERIFY_FAILED: certificate has expired after uploads that worked; worker 1 sees only the lost peer. Red herrings: attempt 1 failed on a port in use on casa-forte, and the ticket blames it again."))

def two():
    H = {"ps-derby": "10.78.0.5", "trab-afogados": "10.78.0.11", "trab-imbiribeira": "10.78.0.12"}
    d = fresh("recife8"); shutil.copy(f"{HERE}/sessao.py", d); net = Net(H)
    try:
        net.drop("ps-derby", "trab-imbiribeira"); net.drop("trab-afogados", "trab-imbiribeira")
        C = {"ps": ["ps-derby:2222"], "worker": ["trab-afogados:2222", "trab-imbiribeira:2222"]}
        ps = [Proc(h, [TF221, f"{d}/sessao.py"], host=h, net=net, env={"TF_CONFIG": tcf(C, *ti), "PONTOS": f"{d}/pontos"}) for h, ti in zip(H, (("ps", 0), ("worker", 0), ("worker", 1)))]
        ps[2].wait(95)
        ss = {h: net.exec(h, "ss -tanp") for h in H}
        neg = net.exec("trab-imbiribeira", "timeout 8 curl -sv telnet://ps-derby:2222 --connect-timeout 6 < /dev/null")
        for p in ps[::-1]: p.kill(signal.SIGTERM)
        finish(ps, 8)
    finally: net.close()
    for p in ps: print(p.name, p.rc, len(p.lines))
    off = {"ps-derby": 0, "trab-afogados": 21, "trab-imbiribeira": 64}; t = f"{d}/b"; al = {h: alloc() for h in H}
    rows = sorted([(tt, h.name, l) for h in ps for tt, l in h.lines], key=lambda r: r[0])
    txt = "Common labels: {cluster=\"rec\", job=\"ouvido-tf1\"}\n"
    for tt, h, l in rows:
        txt += ts(tt + off[h], "%Y-%m-%dT%H:%M:%SZ") + ' {alloc="%s", host="%s"} ' % (al[h][:8], h) + rename(shift(l.decode("utf-8", "replace").rstrip("\n"), off[h]), {**FIX, d: "/local"}) + "\n"
    put(t, "loki.txt", txt)
    put(t, "rede/sockets.txt", "".join(f"## {h}\n$ ss -tanp\n{ss[h].replace(' (python', ' (python')}\n" for h in H))
    put(t, "rede/curl-imbiribeira.txt", "plantao@trab-imbiribeira:~$ curl -sv telnet://ps-derby:2222 --connect-timeout 6\n" + neg)
    put(t, "nomad-monitor.txt", f"{ts(ps[0].t0-1,'%Y-%m-%dT%H:%M:%S')}Z [INFO]  client.alloc_runner.task_runner: Task event: alloc_id={al['trab-imbiribeira']} task=trab type=Started msg=\"Task started by client\" failed=false\n{ts(ps[0].t0+11,'%Y-%m-%dT%H:%M:%S')}Z [WARN]  client.consul: failed to update services in Consul: error=\"Unexpected response code: 500 (No cluster leader)\"\n{ts(ps[0].t0+16,'%Y-%m-%dT%H:%M:%S')}Z [INFO]  client.consul: successfully updated services in Consul: num_services=3\n{ts(ps[2].t1-1,'%Y-%m-%dT%H:%M:%S')}Z [INFO]  client.alloc_runner.task_runner: Task event: alloc_id={al['trab-imbiribeira']} task=trab type=Killing msg=\"Sent interrupt. Waiting 5s before force killing\" failed=false\n")
    put(t, "conversa.txt", "[Wendel] o afogados treina, o imbiribeira tá parado. nomad job stop ouvido-tf1 e pronto\n[Wendel] acho q é o Consul que ficou sem líder, deu erro 500 no monitor\n[Rayssa] o imbiribeira mudou de rack ontem (R7). o pessoal de redes disse q ia copiar as regras\n[Wendel] parei tudo agora\n")
    pack("recife-8", "tar.bz2", t, dict(cause="network.timeout", culprit_node=["trab-imbiribeira", "worker:1"], also_acceptable=["network.unreachable-peer"],
        notes="trab-imbiribeira hangs at 'CreateSession still waiting for response from worker' for ps and worker:0; its sockets are in SYN-SENT and curl to the ps times out, nobody refuses: packets dropped since its move to another rack. Operator stopped the job. Red herring: Consul 'No cluster leader', recovered after 5 s."))

def three():
    H = {"cordeiro": "10.79.0.31", "torre": "10.79.0.32", "madalena": "10.79.0.33"}
    d = fresh("recife9"); shutil.copy(f"{HERE}/escuta.py", d); net = Net(H); cg = "/sys/fs/cgroup/pids/acnomad"
    try:
        os.makedirs(cg, exist_ok=True); W = [f"{h}:28001" for h in H]
        ps = [Proc(h, [TF221, f"{d}/escuta.py"], host=h, net=net, env={"TF_CONFIG": tcf({"worker": W}, "worker", i), "ESCUTA_MODO": "fios"},
) for i, h in enumerate(H)]
        open(f"{cg}/cgroup.procs", "w").write(str(ps[1].pid))     # from outside: ip netns exec hides /sys/fs/cgroup
        ps[1].wait_for("epoca\": 1, \"k\": 0", 60)
        cur = int(open(f"{cg}/pids.current").read()); open(f"{cg}/pids.max", "w").write(str(cur + 9)); print("pids", cur)
        ps[1].wait(60); ev = open(f"{cg}/pids.events").read(); mx = open(f"{cg}/pids.max").read(); finish(ps, 40)
    finally:
        net.close(); time.sleep(1)
        try: os.rmdir(cg)
        except OSError: pass
    for p in ps: print(p.name, p.rc, len(p.lines))
    off = {"cordeiro": 0, "torre": 5, "madalena": 130}; t = f"{d}/b"
    for p in ps:
        a = alloc()
        put(t, f"{p.name}/{a}/alloc/logs/fluxo.stderr.0", rename(shift(p.text(), off[p.name]), {**FIX, d: "/local"}))
        put(t, f"{p.name}/{a}/alloc/logs/fluxo.stdout.0", "")
        put(t, f"{p.name}/{a}/alloc/logs/.fluxo.stderr.fifo.txt", "p---------\n")
        rc = p.rc if p.rc >= 0 else 128 - p.rc
        put(t, f"{p.name}/{a}/status.json", json.dumps({"ID": a, "JobID": "escuta-noturno", "NodeName": p.name, "ClientStatus": "failed", "TaskStates": {"fluxo": {"State": "dead", "Failed": True, "Restarts": 0, "Events": [
            {"Type": "Started", "Time": int(p.t0 * 1e9), "DisplayMessage": "Task started by client"},
            {"Type": "Terminated", "Time": int(p.t1 * 1e9), "ExitCode": rc, "Signal": 0 if p.rc >= 0 else -p.rc, "DisplayMessage": f"Exit Code: {rc}" + ("" if p.rc >= 0 else f", Signal: {-p.rc}")}]}}}, indent=1))
    put(t, "torre/free.txt", "               total        used        free      shared  buff/cache   available\nMem:           31988       24113         512         201        7362        7201\nSwap:           2047        2044           3\n")
    put(t, "torre/df.txt", "Sist. Arq.      Tam. Usado Disp. Uso% Montado em\n/dev/sda2        98G   93G  240M 100% /\n/dev/sdb1       916G  211G  659G  25% /opt/nomad\n")
    put(t, "LEIA.txt", "scp -r de /opt/nomad/alloc de cada máquina, uma semana depois. Na torre o / estava em 100% e swap cheio, o Múcio jura que foi isso (disco cheio). madalena está com o relógio 2 min adiantado, ntp quebrado.\n")
    pack("recife-9", "zip", t, dict(cause="resource.thread-limit", culprit_node=["torre", "worker:1"], also_acceptable=[],
        notes="torre's process aborts when the validation input creates its thread pool: 'Thread ... creation via pthread_create() failed' (11 = EAGAIN, pids limit); peers see the reset connection. Red herrings: / at 100 percent and swap full on torre, the colleague's disk-full guess."))
if __name__ == "__main__": {"1": one, "2": two, "3": three}[sys.argv[1]]()
