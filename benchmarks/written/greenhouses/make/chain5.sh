cd /opt/incidents/make
while kill -0 $1 2>/dev/null; do sleep .5; done
PYTHONPATH=. timeout 150 python3 r11.py > ../run/out11 2>&1
