cd /opt/incidents/make
while kill -0 5662 2>/dev/null; do sleep .5; done
for i in 1 4 6 5 7 8; do PYTHONPATH=. timeout 150 python3 r$i.py > ../run/out$i 2>&1; done
