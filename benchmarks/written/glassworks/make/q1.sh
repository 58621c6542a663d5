cd /opt/incidents/make
while pgrep -f 'cz_base.py cz_eio' >/dev/null; do sleep 1; done
for x in "cz_base.py cz_thr 45" "mg_base.py mg_hang" "mg_base.py mg_dns 75" "om_base.py om_evict" "om_base.py om_ill" "om_base.py om_ver"; do python3 $x; done
