source /opt/incidents/make/lab.sh A
host kw-rechen01 10.61.4.21; host kw-rechen02 10.61.4.22; host kw-rechen03 10.61.4.23; host kw-rechen04 10.61.4.24
for i in 0 1 2 3; do h=kw-rechen0$((i+1)); on $h $h env SH=$SH TF_CONFIG='{"cluster":{"worker":["kw-rechen01:2222","kw-rechen02:2222","kw-rechen03:2222","kw-rechen04:2222"]},"task":{"type":"worker","index":'$i'}}' $PY $M/pegel_train.py; done
sleep 62
for i in 1 2 3 4; do h=kw-rechen0$i; p=$(pgrep -g $(pidof_ $h) -f pegel_train.py | tail -1); /opt/tfenv/bin/py-spy dump --pid $p > $R/$h.pyspy 2>&1; done
waitall 1
