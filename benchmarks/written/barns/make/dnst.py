import socket,time
t=time.time()
try: socket.getaddrinfo('trk-m1.halle2.example',80)
except Exception as e: print(e,time.time()-t)
