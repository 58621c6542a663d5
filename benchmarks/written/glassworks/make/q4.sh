cd /opt/incidents/make
while pgrep -f q3.sh >/dev/null; do sleep 1; done
for x in "mg_base.py mg_hang" "ar_base.py ar_slow" "kr_base.py kr_alloc 75" "om_base.py om_ps"; do python3 $x; done
