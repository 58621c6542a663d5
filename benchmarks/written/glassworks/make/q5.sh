cd /opt/incidents/make
while pgrep -f q4.sh >/dev/null; do sleep 1; done
for x in "ar_base.py ar_slow"; do python3 $x; done
