"""A service that a program reads from: `serve.py tls|503 PORT FOLDER`, with a certificate nobody signed, or busy."""

import http.server
import ssl
import subprocess
import sys

kind, port, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(503, "Slow Down") if kind == "503" else self.send_response(200)


server = http.server.ThreadingHTTPServer(("0.0.0.0", port), Answer)
if kind == "tls":
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=feature-store.internal"
    subprocess.run(
        [*command.split(), "-keyout", f"{folder}/key", "-out", f"{folder}/cert"], check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/cert", f"{folder}/key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
