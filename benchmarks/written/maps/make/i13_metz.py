"""feature store over https; its certificate is renewed in the middle of the job and one worker trusts only the old one"""
from common import *
N = "metz"; H = {"brn-tr-1": "10.55.0.11", "brn-tr-2": "10.55.0.12", "brn-tr-3": "10.55.0.13", "featstore": "10.55.0.40"}
SRV = '''
import http.server, ssl, os, sys
os.chdir("/srv/data")
s = http.server.ThreadingHTTPServer(("0.0.0.0", 8443), http.server.SimpleHTTPRequestHandler)
c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); n = sys.argv[1]; c.load_cert_chain(f"/srv/tls/{n}.pem", f"/srv/tls/{n}.key")
s.socket = c.wrap_socket(s.socket, server_side=True); s.serve_forever()
'''
PATCH = '''
def fetch_shard_list():
    import requests
    for k in range(4):
        try:
            r = requests.get("https://featstore:8443/", timeout=5); r.raise_for_status()
            logging.info("feature store answered, %d bytes", len(r.content)); return
        except requests.exceptions.SSLError as e:
            logging.warning("feature store, try %d: %s", k + 1, e)
            if k == 3: raise
            time.sleep(1.5)

def main(_):
'''
def run():
    L = Lab(N, H); mkdata(d=L.shared + "/data", sizes=[400] * 6); t = L.shared + "/tls"; os.makedirs(t)
    for ca in ("old", "new"): sh(f"openssl req -x509 -newkey rsa:2048 -nodes -keyout {t}/{ca}.key -out {t}/{ca}.pem -days 400 -subj '/O=Auto Corp/CN=featstore' -addext subjectAltName=DNS:featstore")
    sh(f"cat {t}/old.pem {t}/new.pem > {t}/both.pem")
    os.makedirs(L.shared + "/app"); src = open(PROG + "/tileloop.py").read().replace("\ndef main(_):\n", PATCH)
    src = src.replace("        if n % F.ckpt_every == 0:", "        if n % 30 == 0: fetch_shard_list()\n        if n % F.ckpt_every == 0:").replace("    st = tf.dist", "    fetch_shard_list()\n    st = tf.dist")
    open(L.shared + "/app/tileloop.py", "w").write(src); open(L.shared + "/app/srv.py", "w").write(SRV)
    m = [(L.shared + "/app", "/opt/job"), (L.shared + "/data", "/srv/data"), (t, "/srv/tls"), (L.shared, "/mnt/out")]
    L.spawn("srv", "featstore", ["python", "/opt/job/srv.py", "old"], mounts=m)
    tr = [h for h in H if h != "featstore"]; c = {"worker": [f"{h}:9009" for h in tr]}; time.sleep(2)
    for i, h in enumerate(tr):
        L.spawn(f"w{i}", h, ["python", "/opt/job/tileloop.py", "--data", "/srv/data", "--logdir", "/mnt/out", "--steps", "200", "--pause", "0.15"], env={"TF_CONFIG": tfc(c, "worker", i), "REQUESTS_CA_BUNDLE": f"/srv/tls/{'old' if i == 2 else 'both'}.pem"}, mounts=m)
    L.wait_line("w2", "step 64 ", 80); L.kill("srv"); L.spawn("srv2", "featstore", ["python", "/opt/job/srv.py", "new"], mounts=m)
    L.wait(45, ["w0", "w1", "w2"], False)
    import signal as sg
    for w in ("w0", "w1"):
        if L.tasks[w].p.poll() is None: L.kill(w, sg.SIGTERM)
    print(L.wait(5)); L.close()
if __name__ == "__main__": main(run, lambda: None)
