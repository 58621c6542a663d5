source /opt/incidents/make/lab.sh B
H=(wezel-krk-11 wezel-krk-12 wezel-krk-13 wezel-krk-14)
for i in 0 1 2 3; do host ${H[$i]} 172.22.8.$((111+i)); done
for i in 0 1 2 3; do sl=0; [ $i = 1 ] && sl=0.35; on ${H[$i]} ${H[$i]} env SLOW=$sl EP=5 TF_CONFIG='{"cluster":{"worker":["wezel-krk-11:5050","wezel-krk-12:5050","wezel-krk-13:5050","wezel-krk-14:5050"]},"task":{"type":"worker","index":'$i'}}' $PY $M/B.py; done
waitall 90
