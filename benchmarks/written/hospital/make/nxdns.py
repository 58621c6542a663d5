"""A name server that knows nothing: every question gets NXDOMAIN."""
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('0.0.0.0', 53)); print('up', flush=True)
while True:
    q, a = s.recvfrom(1500)
    s.sendto(q[:2] + b'\x85\x83' + q[4:6] + b'\0\0\0\0\0\0' + q[12:], a)
