cd /opt/incidents/make
while kill -0 $1 2>/dev/null; do sleep .5; done
for i in 9 10 11 12; do PYTHONPATH=. timeout 150 python3 r$i.py > ../run/out$i 2>&1; done
