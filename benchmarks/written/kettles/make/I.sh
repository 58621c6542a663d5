source /opt/incidents/make/lab.sh I
for i in 0 1 2; do host trainer$i 172.28.0.$((10+i)); done
for i in 0 1 2; do e=40; [ $i = 1 ] && e=42; on trainer$i trainer$i env EMB=$e EP=3 TF_CONFIG='{"cluster":{"worker":["trainer0:2222","trainer1:2222","trainer2:2222"]},"task":{"type":"worker","index":'$i'}}' $PY $M/I.py; done
waitall ${1:-60}
