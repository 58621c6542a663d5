cd /opt/incidents/make
while kill -0 $1 2>/dev/null; do sleep .5; done
rm -rf ../run/i4_dados
PYTHONPATH=. timeout 150 python3 r5.py 178 > ../run/out5 2>&1; for i in 4; do PYTHONPATH=. timeout 150 python3 r$i.py > ../run/out$i 2>&1; done
