# hard: one of three drops off the net silently; only the chief's log is sent
. ./lab.sh; O=out/a3; mkdir -p $O; lab_up 10.77.0 sepp vroni burgl
C(){ echo "{\"cluster\": {\"worker\": [\"sepp:20480\", \"vroni:20480\", \"burgl:20480\"]}, \"task\": {\"type\": \"worker\", \"index\": $1}}"; }
i=0; date +%s.%N >$O/t0; for h in sepp vroni burgl; do STEPS=9000 TF_CONFIG="$(C $i)" on $h timeout -s INT -k 3 62 bash -c "$PY -u lawine.py; echo rc=\$?" 2>&1 | $PY -u ts.py >$O/$h.log & i=$((i+1)); sleep 0.5; done; sleep 22; ip link set vb13 down; date +%s.%N >$O/tcut; wait; lab_down
