source /opt/incidents/make/lab.sh K
for i in 1 2 3 4; do host tane-b$i 10.33.20.$((10+i)); done
for i in 0 1 2 3; do ix=$i; [ $i = 3 ] && ix=1; on tane-b$((i+1)) tane-b$((i+1)) env CT=60 TF_CONFIG='{"cluster":{"worker":["10.33.20.11:8470","10.33.20.12:8470","10.33.20.13:8470","10.33.20.14:8470"]},"task":{"type":"worker","index":'$ix'}}' $PY $M/H.py; [ $i = 1 ] && sleep 3; done
waitall ${1:-40}
