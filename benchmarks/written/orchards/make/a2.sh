. ./lab.sh; O=out/a2; mkdir -p $O; lab_up 10.77.0 sepp vroni
C(){ echo "{\"cluster\": {\"worker\": [\"sepp:20480\", \"vroni:20480\"]}, \"task\": {\"type\": \"worker\", \"index\": $1}}"; }
i=0; date +%s.%N >$O/t0; for h in sepp vroni; do X=0; [ $h = vroni ] && X=0.09; X_SLOW=$X X_SLOW_FROM=1200 STEPS=1500 TF_CONFIG="$(C $i)" on $h timeout -s INT -k 3 58 bash -c "$PY -u lawine.py; echo rc=\$?" 2>&1 | $PY -u ts.py >$O/$h.log & i=$((i+1)); sleep 0.5; done; wait; lab_down
