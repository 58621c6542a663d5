"""HTTPS assay service; every 7th answer is a 503. argv: PORT CERT KEY"""
import sys, ssl, http.server, itertools
n = itertools.count(1)
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(s):
        if next(n) % 7 == 0: s.send_error(503); return
        b = b'Ni 1.%d Cu 0.%d' % (len(s.path) * 7 % 90, 41); s.send_response(200); s.send_header('Content-Length', str(len(b))); s.end_headers(); s.wfile.write(b)
v = http.server.ThreadingHTTPServer(('0.0.0.0', int(sys.argv[1])), H)
c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); c.load_cert_chain(sys.argv[2], sys.argv[3]); v.socket = c.wrap_socket(v.socket, server_side=True)
print('assay service up', flush=True); v.serve_forever()
