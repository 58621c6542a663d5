"""A name server on 127.0.0.1:53 that knows nobody (the host's dnsmasq without its Consul forward)."""
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("127.0.0.1", 53)); s.settimeout(240)
try:
    while True:
        d, a = s.recvfrom(512); s.sendto(d[:2] + b"\x81\x83" + d[4:6] + b"\0\0\0\0\0\0" + d[12:], a)
except OSError: pass
