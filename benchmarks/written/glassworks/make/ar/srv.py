import http.server,ssl,json,os
os.makedirs('/srv/cert/www/secado',exist_ok=True)
json.dump({'version':'2026-11','lotes':list(range(412))},open('/srv/cert/www/secado/manifiesto.json','w'))
os.chdir('/srv/cert/www')
s=http.server.ThreadingHTTPServer(('0.0.0.0',8443),http.server.SimpleHTTPRequestHandler)
c=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); c.load_cert_chain('/srv/cert/s.pem','/srv/cert/s.key')
s.socket=c.wrap_socket(s.socket,server_side=True); s.serve_forever()
