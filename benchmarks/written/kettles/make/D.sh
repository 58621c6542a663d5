source /opt/incidents/make/lab.sh D
for i in 1 2 3; do host ip-10-33-7-1$i 10.33.7.1$i; done
for i in 0 1 2; do on ip-10-33-7-1$((i+1)) ip-10-33-7-1$((i+1)) env ME=$i PULL=$([ $i = 2 ] && echo 0 || echo 1) PEERS=ip-10-33-7-11:7077,ip-10-33-7-12:7077,ip-10-33-7-13:7077 $PY $M/D.py; done
waitall 60
