# feature store stand-in: https, certificate read at start and again on SIGHUP
import http.server, ssl, sys, signal, os, numpy as np
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        b = np.random.normal(size=(64, 20)).astype("f4").tobytes(); self.send_response(200); self.send_header("Content-Length", str(len(b))); self.end_headers(); self.wfile.write(b)
    def log_message(self, f, *a): print("%s - - [%s] %s" % (self.client_address[0], self.log_date_time_string(), f % a), flush=True)
class S(http.server.ThreadingHTTPServer):
    ctx = None
    def finish_request(self, sock, addr):
        try: s = self.ctx.wrap_socket(sock, server_side=True)
        except ssl.SSLError as e: print("%s handshake failed: %s" % (addr[0], e), flush=True); return
        http.server.ThreadingHTTPServer.finish_request(self, s, addr)
def load(*a):
    n = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); n.load_cert_chain("tls/current.pem", "tls/key.pem"); S.ctx = n; print("certificate loaded", flush=True)
signal.signal(signal.SIGHUP, load); load()
S(("0.0.0.0", 8443), H).serve_forever()
