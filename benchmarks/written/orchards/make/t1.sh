# G1: localhost in TF_CONFIG, two hosts
. ./lab.sh; O=out/g1; mkdir -p $O; lab_up 10.40.2 kalamon koroneiki manaki
C(){ echo "{\"cluster\": {\"worker\": [\"localhost:23410\", \"koroneiki:23410\", \"manaki:23410\"]}, \"task\": {\"type\": \"worker\", \"index\": $1}}"; }
i=0; date +%s.%N >$O/t0; for h in kalamon koroneiki manaki; do TF_CONFIG="$(C $i)" on $h timeout -s INT -k 3 50 $PY olive_train.py --out /tmp/og1-$h >$O/$h.log 2>&1 & i=$((i+1)); sleep 0.8; done; wait; lab_down
