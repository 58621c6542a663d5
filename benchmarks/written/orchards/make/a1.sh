. ./lab.sh; O=out/a1; mkdir -p $O; lab_up 10.77.0 sepp vroni burgl
C(){ echo "{\"cluster\": {\"worker\": [\"sepp:20480\", \"vroni:20480\", \"burgl:20480\"]}, \"task\": {\"type\": \"worker\", \"index\": $1}}"; }
i=0; date +%s.%N >$O/t0; for h in sepp vroni burgl; do X=0; [ $h = burgl ] && X=1250; X_TRAP_AT=$X STEPS=900 TF_CONFIG="$(C $i)" on $h timeout -s INT -k 3 48 bash -c "$PY -u lawine.py; echo rc=\$?" 2>&1 | $PY -u ts.py >$O/$h.log & i=$((i+1)); sleep 0.5; done; wait; lab_down
