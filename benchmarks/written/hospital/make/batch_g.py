from util import *
DF = open(HERE + '/dsfit.py').read()

def limoges():
    "the certificate of the internal object store has expired; one worker needs a shard from there"
    h = {'objets': '10.29.0.9', 'lim1': '10.29.0.1', 'lim2': '10.29.0.2', 'lim3': '10.29.0.3'}
    W = [f'{k}:2222' for k in list(h)[1:]]
    srv = '''import http.server, ssl, os
os.chdir('depot')
s = http.server.ThreadingHTTPServer(('0.0.0.0', 8443), http.server.SimpleHTTPRequestHandler)
c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); c.load_cert_chain('../cert.pem', '../key.pem'); s.socket = c.wrap_socket(s.socket, server_side=True)
print('https depot on 8443', flush=True); s.serve_forever()
'''
    ds = DS + '''
import os, urllib.request, io
def _lot(n):
    p = f'cache/lot_{n:03d}.npy'
    if os.path.exists(p): return np.load(p)
    with urllib.request.urlopen(f'https://objets:8443/lot_{n:03d}.npy', timeout=15) as r:
        return np.load(io.BytesIO(r.read()))
def before_step(step, rank, log):
    if step % 25 == 0:
        n = rank * 10 + step // 25
        if rank == 0 and step == 50:
            try: np.load('cache/lot_index.npz')
            except OSError as e: log.warning('index facultatif absent: %s', e)
        log.info('lot %03d: %d extraits', n, len(_lot(n)))
'''
    L = Lab('limoges', h, ['loop.py'], {'dataset.py': ds, 'srv.py': srv, 'depot/x': '', 'cache/x': ''})
    sh(f'cd {L.code} && cp {HERE}/ca.cnf . && mkdir ca && : > ca/index.txt && echo 01 > ca/serial && openssl req -newkey rsa:2048 -nodes -keyout key.pem -out r.csr -subj /CN=objets 2>/dev/null && '
       'openssl ca -batch -config ca.cnf -selfsign -keyfile key.pem -in r.csr -out cert.pem -startdate 20241001000000Z -enddate 20261025000000Z -notext')
    print(sh(f'openssl x509 -in {L.code}/cert.pem -noout -dates', False))
    import subprocess
    sh(f'''cd {L.code} && {PY["221"]} -c "
import numpy as np
for r in range(3):
    for k in range(12):
        n=r*10+k
        (np.save('cache/lot_%03d.npy'%n, np.zeros(900+n)) if not (r==1 and k>=7) else np.save('depot/lot_%03d.npy'%n, np.zeros(900+n)))
"''')
    sh(f'cp {L.code}/cache/lot_02*.npy {L.code}/cache/lot_01[0-6].npy {L.dir}/ ; rm -f {L.code}/cache/lot_01[789].npy; rm -f {L.dir}/lot*')
    try:
        s = L.start('objets', 'srv.py'); print(s.wait_for('depot on', 10))
        P = [L.start(k, 'loop.py --steps 290 --every 2 --style bar', env={'TF_CONFIG': tfc({'worker': W}, 'worker', i), 'SSL_CERT_FILE': L.code + '/cert.pem'}) for i, k in enumerate(list(h)[1:])]
        for p in P: print(p.wait(90))
        s.kill(signal.SIGINT); s.wait(5); errs(L)
    finally: L.end()
    D = -29 * 86400 + 500
    PM = [(L.code, '/home/micro/algues'), ('/opt/tfenv', '/home/micro/venv'), (L.dir + '/', '/home/micro/')]
    rows = merged(P, lambda tag, t, l: json.dumps({'horodatage': at(t, 0, '%Y-%m-%dT%H:%M:%S.%f')[:-3], 'machine': tag, 'texte': l}, ensure_ascii=False), {k: D for k in h}, PM)
    pack('limoges', 'tgz', {'algues.ndjson': rows, 'depot_stderr.txt': plain(s, D, PM), 'LISMOI': 'lim2 a aussi eu "CUDA not found" et compagnie au demarrage, normal, pas de carte.\nLe depot (objets:8443) tourne depuis 2 ans sans souci, curl -k depuis mon poste fonctionne.\nHier : lim3 tuee par OOM (autre projet, jusqu\'a 120 Go), redemarree.\n'},
         dict(cause='network.tls', culprit_node=['objets', 'lim2', 'worker:1'], also_acceptable=[],
              notes='lim2 must fetch a lot from https://objets:8443 and gets CERTIFICATE_VERIFY_FAILED: certificate has expired; the others lose worker 1. Red herrings: missing optional index, OOM of yesterday.'), D + time.time())

def mulhouse():
    "cluster mismatch: one host has another list of members"
    h = {'ml-1': '10.33.0.1', 'ml-2': '10.33.0.2', 'ml-3': '10.33.0.3'}
    W = [f'{k}:2222' for k in h]
    L = Lab('mulhouse', h, ['loop.py'], {'dataset.py': DS})
    try:
        P = [L.start(k, 'loop.py --steps 290 --every 2 --style bar', tf='218', env={'TF_CONFIG': tfc({'worker': W if i != 2 else W[:2] + ['ml-2b:2222', 'ml-3:2222']}, 'worker', i if i != 2 else 3)}) for i, k in enumerate(h)]
        e = time.time() + 45
        while time.time() < e and any(p.p.poll() is None for p in P): time.sleep(1)
        for p in P: p.end()
        show(L, 8)
    finally: L.end()

if __name__ == '__main__': run(globals())
