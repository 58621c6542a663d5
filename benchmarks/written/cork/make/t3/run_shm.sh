. /opt/incidents/make/net.sh; export TZ=Europe/Warsaw
R=/opt/incidents/run/t3s; rm -rf $R; mkdir -p $R; cd /opt/incidents/make/t3
netup 24 org-a=10.20.0.31 org-b=10.20.0.32 org-c=10.20.0.33 org-d=10.20.0.34
cp /opt/incidents/run/t3m/rejestry.txt $R/
cat > na_shm.sh <<'J'
#!/bin/bash
# $1 node $2 size MB
n=$1; m=$2; shift 2
exec nice -n 5 ip netns exec be-$n unshare -um sh -c 'hostname "$0"; mount -t tmpfs -o size='$m'M tmpfs /dev/shm; (i=0; while sleep 5; do echo "$(date +%FT%T) $0 $(df -m /dev/shm | tail -1)"; i=$((i+1)); [ $i -gt 14 ] && break; done >> '$R'/df_shm_$0.txt) 2>/dev/null & exec "$@"' $n "$@"
J
sed -i "s#'\$R'#$R#" na_shm.sh; chmod +x na_shm.sh
G=""; for h in org-a:31:256 org-b:32:256 org-c:33:64 org-d:34:256; do IFS=: read n a m <<< $h; G="$G${G:+,}
  {\"nazwa\": \"$n\", \"adres\": \"10.20.0.$a:5151\", \"przez\": [\"/opt/incidents/make/t3/na_shm.sh\", \"$n\", \"$m\"]}"; done
cat > $R/plan.json <<J
{"limit_s": 600, "env": {"KROKI": "400", "FFT": "2", "SHM_BUF": "768", "SHM_OKNO": "150", "REJESTRY": "$R/rejestry.txt"}, "przez": [],
 "polecenie": ["/opt/tfenv/bin/python", "-u", "/opt/incidents/make/t3/intonacja.py"],
 "glosy": [$G]}
J
timeout 170 /opt/tfenv/bin/python orkiestra.py $R/plan.json $R/orkiestra.log; netdown
