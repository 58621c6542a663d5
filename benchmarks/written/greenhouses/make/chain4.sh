cd /opt/incidents/make
while kill -0 19444 2>/dev/null; do sleep .5; done
PYTHONPATH=. timeout 150 python3 r5.py 178 > ../run/out5 2>&1
