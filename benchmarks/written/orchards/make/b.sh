. ./lab.sh; W=$1; O=out/$W; rm -rf $O; mkdir -p $O; H="bod1 bod2"; [ $W = b3 ] && H="bod1 bod2 bod3"; lab_up 192.168.31 $H
C(){ echo "{\"cluster\": {\"worker\": [\"bod1:24500\",\"bod2:24500\"]}, \"task\": {\"type\": \"worker\", \"index\": $1}}"; }
export N=1280 EP=${EP:-14}; i=0; date +%s.%N >$O/t0; for h in $H; do case $W in b1) A="slepec.py pozde";; b2|b4) A="slepec.py plny";; b3) A="slovnik.py $i";; esac
TF_CONFIG="$(C $i)" on $h timeout -s INT -k 3 55 bash -c "$PY -u $A; echo rc=\$?" 2>&1 | $PY -u ts.py >$O/$h.log & i=$((i+1)); sleep 0.4; done; wait; lab_down
