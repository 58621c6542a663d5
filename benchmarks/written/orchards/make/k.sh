. ./lab.sh; W=$1; O=out/$W; rm -rf $O; mkdir -p $O
H="kv-train-7-worker-0 kv-train-7-worker-1 kv-train-7-worker-2"; [ $W = k2 ] && H="kv-train-9-worker-0 kv-train-9-worker-1 minio-0"; [ $W = k3 ] && H="kv-train-11-worker-0 kv-train-11-worker-1"
lab_up 10.244.3 $H; 
case $W in k1) B=kv-train-7-worker; L="\"$B-0:22222\",\"$B-1:22222\",\"$B-2:22222\"";; k2) B=kv-train-9-worker; L="\"$B-0:22222\",\"$B-1:22222\"";; k3) B=kv-train-11-worker; L="\"$B-0:22222\",\"$B-1:22222\"";; esac
C(){ echo "{\"cluster\": {\"worker\": [$L]}, \"task\": {\"type\": \"worker\", \"index\": $1}}"; }
export PYTHONUNBUFFERED=1; date +%s.%N >$O/t0
if [ $W = k2 ]; then D=/tmp/k2srv; rm -rf $D; mkdir -p $D/lots; for n in $(seq -w 0 300); do head -c 4096 /dev/zero >$D/lots/lot-0$n.npy; done
 openssl req -x509 -newkey rsa:2048 -nodes -keyout $D/ca.key -out $D/ca.pem -subj "/O=Pawsitive/CN=pawsitive-internal-ca" -days 365 2>/dev/null
 openssl req -newkey rsa:2048 -nodes -keyout $D/s.key -out $D/s.csr -subj "/CN=minio-0" 2>/dev/null; echo "subjectAltName=DNS:minio-0" >$D/ext
 cat >$D/ca.cnf <<Q
[ca]
default_ca=d
[d]
database=$D/index.txt
new_certs_dir=$D
serial=$D/serial
default_md=sha256
policy=p
unique_subject=no
x509_extensions=x
[p]
commonName=supplied
[x]
subjectAltName=DNS:minio-0
Q
 : >$D/index.txt; echo 0f3a >$D/serial
 openssl ca -batch -config $D/ca.cnf -cert $D/ca.pem -keyfile $D/ca.key -in $D/s.csr -out $D/s.pem -startdate $(date -u -d '-1 day' +%y%m%d%H%M%SZ) -enddate $(date -u -d '+1 day' +%y%m%d%H%M%SZ) 2>/dev/null
 openssl ca -batch -config $D/ca.cnf -cert $D/ca.pem -keyfile $D/ca.key -in $D/s.csr -out $D/e.pem -startdate $(date -u -d '-90 days' +%y%m%d%H%M%SZ) -enddate $(date -u -d '-2 seconds' +%y%m%d%H%M%SZ) 2>/dev/null; ls -la $D/*.pem
 cat > $D/srv.py <<'P'
import http.server,ssl,sys,os,time,threading
D=sys.argv[1]; os.chdir(D)
s=http.server.ThreadingHTTPServer(("0.0.0.0",9000),http.server.SimpleHTTPRequestHandler)
c=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); c.load_cert_chain(D+"/s.pem",D+"/s.key")
threading.Timer(float(sys.argv[2]),lambda: c.load_cert_chain(D+"/e.pem",D+"/s.key")).start()
s.socket=c.wrap_socket(s.socket,server_side=True); s.serve_forever()
P
 on minio-0 timeout -k 2 58 $PY $D/srv.py $D ${CUT:-24} >$O/minio.log 2>&1 & sleep 1; export BUCKET_URL=https://minio-0:9000 SSL_CERT_FILE=$D/ca.pem; fi
i=0; for h in $H; do [ $h = minio-0 ] && continue; [ $W = k1 ] && [ $i = 2 ] && continue
 S=""; E="STEPS=2400"; if [ $W = k3 ]; then E="STEPS=1500 INPUT=shm RING=500"; [ $i = 1 ] && S="mount -t tmpfs -o size=1300m tmpfs /dev/shm;" || S="mount -t tmpfs -o size=3g tmpfs /dev/shm;"; [ $i = 1 ] && E="STEPS=1500 INPUT=shm RING=500"; fi
 POD_NAME=$h TF_CONFIG="$(C $i)" on $h timeout -s INT -k 3 52 unshare -m bash -c "$S export $E; $PY kibble.py; echo rc=\$?" >$O/$h.log 2>&1 & i=$((i+1)); sleep 0.5; done; wait $(jobs -p | tail -n 3) ; sleep 1; lab_down
